/**
 * LightGBM's three ways with zeros and missing values, written as plain `<=` tests.
 *
 * The library's prediction takes every |x| ≤ 1e-35 for 0 before it walks a tree (`src/c_api.cpp`,
 * `RowPairFunctionFromDenseMatric`). At a node of threshold `t`, a zero goes where 0 ≤ t says, or, in a
 * node of missing kind *zero*, to the default side; NaN goes to the default side in kinds *zero* and
 * *NaN*, and is 0 in kind *none*. Hence a node is its threshold, the side of zero and the side of NaN:
 *
 * - `t` beside zero, or zero on the side of the smaller/larger numbers: one test, `t` moved off zero;
 * - zero and NaN always on one side: one test of a feature that counts zeros as missing;
 * - else three tests in a row, whose branches repeat the node's two subtrees.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { nextDown64 } from "../../util/float.ts";
import type { LightgbmSource, LightgbmTree } from "./text.ts";

/** `kZeroThreshold`, 1e-35 as a float32. */
const ZERO = Math.fround(1e-35);
const BELOW_ZERO = nextDown64(-ZERO);

const CATEGORICAL = 1;
const DEFAULT_LEFT = 2;
const MISSING_ZERO = 1;
const MISSING_NAN = 2;

/** A numeric node: branches of zero and NaN are 0 (left) or 1. */
export interface NumericNode {
  readonly threshold: number;
  readonly zero: 0 | 1;
  readonly missing: 0 | 1;
}

/** A node as the file has it, or undefined when its missing kind is not known. */
export function numericNode(tree: LightgbmTree, node: number): NumericNode | undefined {
  const kind = tree.decision[node] >> 2 & 3;
  if (kind > MISSING_NAN) return undefined;
  const threshold = tree.threshold[node];
  const byValue = 0 <= threshold ? 0 : 1;
  const byDefault = (tree.decision[node] & DEFAULT_LEFT) !== 0 ? 0 : 1;
  return {
    threshold,
    zero: kind === MISSING_ZERO ? byDefault : byValue,
    missing: kind === MISSING_ZERO || kind === MISSING_NAN ? byDefault : byValue,
  };
}

/** The threshold of the one test that says the same, or undefined where there is none. */
export function plainThreshold({ threshold, zero }: NumericNode): number | undefined {
  if (threshold >= -ZERO && threshold <= ZERO) return zero === 0 ? ZERO : BELOW_ZERO;
  const natural = threshold > 0 ? 0 : 1;
  return zero === natural ? threshold : undefined;
}

/** Thresholds of the three tests of the other nodes; their branches are left, right, left, right. */
export function threeThresholds({ threshold }: NumericNode): readonly [number, number, number] {
  return threshold < 0 ? [threshold, BELOW_ZERO, ZERO] : [BELOW_ZERO, ZERO, threshold];
}

/** What each feature's nodes need: 1 where zeros count as missing, 2 where nodes become three tests. */
export function zeroPlan(source: LightgbmSource, numFeatures: number): Uint8Array {
  const hasHard = new Uint8Array(numFeatures);
  const hasOther = new Uint8Array(numFeatures);
  for (const tree of source.trees) {
    // A term of a linear leaf multiplies the number itself, which must not become missing.
    for (const feature of tree.linear?.feature ?? []) hasOther[feature] = 1;
    for (let node = 0; node < tree.feature.length; node++) {
      if (tree.decision[node] & CATEGORICAL) continue;
      const test = numericNode(tree, node);
      if (test === undefined) continue;
      if (plainThreshold(test) === undefined) hasHard[tree.feature[node]] = 1;
      if (test.zero !== test.missing) hasOther[tree.feature[node]] = 1;
    }
  }
  return hasHard.map((hard, feature) => hard === 0 ? 0 : hasOther[feature] === 0 ? 1 : 2);
}

/** A tree whose nodes name the file's: the shape after some nodes became three. */
export interface Unfolded {
  readonly left: ArrayLike<number>;
  readonly right: ArrayLike<number>;
  /** Node of the file, inner nodes first, then leaves. */
  readonly origin: ArrayLike<number>;
  /** 0 for a node as it was; 1, 2, 3 for the three tests that replace one. */
  readonly part: ArrayLike<number>;
  /** 1 where the node is the root of a repeated subtree; 2 inside of one. */
  readonly repeated: ArrayLike<number>;
}

/** Whether every node but the first is the child of one node: only then may subtrees be repeated. */
function isTree(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
  const parents = new Uint8Array(left.length);
  for (let node = 0; node < left.length; node++) {
    if (left[node] === -1) continue;
    for (const child of [left[node], right[node]]) {
      if (!(child > 0 && child < left.length) || parents[child]++ > 0) return false;
    }
  }
  return true;
}

/**
 * Repeats the subtrees below nodes that need three tests.
 *
 * @param isHard Whether an inner node needs three tests.
 * @param limit Most nodes of the result.
 * @param name Name of the feature of a node, for the refusal.
 * @returns Nothing when the lists are no tree, which is for the caller to say.
 */
export function unfoldZeros(
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  isHard: (node: number) => boolean,
  limit: number,
  name: (node: number) => string,
): Unfolded | undefined {
  if (!isTree(left, right)) return undefined;
  const out = {
    left: [] as number[],
    right: [] as number[],
    origin: [] as number[],
    part: [] as number[],
    repeated: [] as number[],
  };
  const add = (origin: number, part: number, repeated: number): number => {
    if (out.origin.length >= limit) {
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot import the model: feature ${JSON.stringify(name(origin))} is tested with zero as ` +
          `missing in some nodes and as a value in others, which takes one tree more than ${limit} ` +
          "nodes; expected one way in all trees",
        { details: { feature: name(origin) } },
      );
    }
    out.left.push(-1);
    out.right.push(-1);
    out.repeated.push(repeated);
    out.part.push(part);
    return out.origin.push(origin) - 1;
  };
  const open = [add(0, 0, 0)];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const node = out.origin[at];
    if (left[node] === -1) continue;
    const inside = out.repeated[at] > 0 ? 2 : 0;
    const child = (origin: number, repeated: number): number => {
      const place = add(origin, 0, repeated);
      open.push(place);
      return place;
    };
    if (!isHard(node)) {
      out.left[at] = child(left[node], inside);
      out.right[at] = child(right[node], inside);
      continue;
    }
    out.part[at] = 1;
    const second = add(node, 2, inside);
    const third = add(node, 3, inside);
    out.left[at] = child(left[node], 1);
    out.right[at] = second;
    out.left[second] = child(right[node], 1);
    out.right[second] = third;
    out.left[third] = child(left[node], inside);
    out.right[third] = child(right[node], inside);
  }
  return out;
}
