/**
 * Tables of leaf masks: which leaves of a tree a value leaves in reach, for each feature and each code of
 * a value. A code is the rank of a number among the feature's cuts, or a category; the last one stands
 * for a missing value, and the one before it, of categories, for an unknown one.
 *
 * @module
 */
import type { Packed } from "../packed.ts";

/** Leaves that a mask has room for. */
export const MASK_LEAVES = 64;

/** Features that share lines of the tables: a line for each combination of their codes. */
export interface MaskGroup {
  readonly features: readonly number[];
  /** Lines that a code of each feature is away from the next one. */
  readonly steps: readonly number[];
  readonly numLines: number;
}

/** Codes of a feature. */
export function numCodes({ setWords, numCategories, dictSize }: Packed, feature: number): number {
  return 2 + (setWords[feature] > 0 ? numCategories[feature] : dictSize[feature]);
}

/** Features that any node asks, in the order of the model. */
function usedFeatures({ feat2, dictSize }: Packed): number[] {
  const used = new Uint8Array(dictSize.length);
  for (let j = 0; j < feat2.length; j++) used[feat2[j] >>> 1] = 1;
  return [...used.keys()].filter((feature) => used[feature] === 1);
}

/** Joins features with few codes, as long as the lines of a group are at most `maxLines`. */
export function groupFeatures(packed: Packed, maxLines: number): MaskGroup[] {
  const groups: { features: number[]; steps: number[]; numLines: number }[] = [];
  const features = usedFeatures(packed);
  features.sort((a, b) => numCodes(packed, a) - numCodes(packed, b) || a - b);
  for (const feature of features) {
    const codes = numCodes(packed, feature);
    const group = groups.find(({ numLines }) => numLines * codes <= maxLines);
    if (group === undefined) groups.push({ features: [feature], steps: [1], numLines: codes });
    else {
      group.features.push(feature);
      group.steps.push(group.numLines);
      group.numLines *= codes;
    }
  }
  return groups;
}

/**
 * Masks of one feature: row-major `codes × numPlaces`, two words each, the low one first.
 *
 * @param nodes Nodes of all trees, as {@linkcode spanNodes} lists them.
 * @param numPlaces Places of trees; those without a tree keep all bits.
 */
export function featureMasks(
  packed: Packed,
  feature: number,
  nodes: NodeSpans,
  numPlaces: number,
): Uint32Array {
  const { feat2, cut, dictAt, setWords, sets } = packed;
  const codes = numCodes(packed, feature);
  const stride = 2 * numPlaces;
  const masks = new Uint32Array(codes * stride).fill(-1);
  const missing = (codes - 1) * stride;
  const words = setWords[feature];
  /** What numbers above a cut clear, until it is spread over all higher ranks. */
  const above = words === 0 ? new Uint32Array(missing).fill(-1) : masks;
  const { order, start, places, from, middle, to } = nodes;
  for (let i = start[feature]; i < start[feature + 1]; i++) {
    const j = order[i];
    const at = 2 * places[j];
    clear(
      masks,
      missing + at,
      feat2[j] & 1 ? from[j] : middle[j],
      feat2[j] & 1 ? middle[j] : to[j],
    );
    if (words === 0) {
      clear(masks, cut[j] * stride + at, middle[j], to[j]);
      clear(above, (cut[j] + 1) * stride + at, from[j], middle[j]);
      continue;
    }
    const set = dictAt[feature] + cut[j] * words;
    for (let code = 0; code < codes - 1; code++) {
      const isLeft = sets[set + (code >>> 5)] >>> (code & 31) & 1;
      const place = code * stride + at;
      clear(masks, place, isLeft ? middle[j] : from[j], isLeft ? to[j] : middle[j]);
    }
  }
  if (words > 0) return masks;
  // Ranks up to a cut go left there, those above it right.
  for (let i = missing - stride - 1; i >= 0; i--) masks[i] &= masks[i + stride];
  for (let i = stride; i < missing; i++) above[i] &= above[i - stride];
  for (let i = 0; i < missing; i++) masks[i] &= above[i];
  return masks;
}

/** Clears bits `from` to `to − 1` of the 64 bits in the words at `at`. */
function clear(words: Uint32Array, at: number, from: number, to: number): void {
  words[at] &= ~(below(to) & ~below(from));
  words[at + 1] &= ~(below(to - 32) & ~below(from - 32));
}

/** The lowest `count` bits of a word. */
function below(count: number): number {
  return count <= 0 ? 0 : count >= 32 ? -1 : (1 << count) - 1;
}

/** Inner nodes by feature, each with its tree's place and the leaves below it. */
export interface NodeSpans {
  /** Nodes sorted by feature. */
  readonly order: Uint32Array;
  /** Where each feature's nodes begin in `order`; one more entry at the end. */
  readonly start: Uint32Array;
  /** By node: place of its tree; leaves `from` … `middle − 1` are left of it, up to `to − 1` right. */
  readonly places: Uint32Array;
  readonly from: Uint8Array;
  readonly middle: Uint8Array;
  readonly to: Uint8Array;
}

/** Lists the nodes of trees of at most 64 leaves; `placeOf` is the place of each tree. */
export function spanNodes(packed: Packed, placeOf: Int32Array): NodeSpans {
  const { treeNodes, feat2, size, dictSize } = packed;
  const numNodes = size.length;
  const places = new Uint32Array(numNodes);
  const from = new Uint8Array(numNodes);
  const middle = new Uint8Array(numNodes);
  const to = new Uint8Array(numNodes);
  const start = new Uint32Array(dictSize.length + 2);
  let first = 0;
  for (let tree = 0; tree < treeNodes.length; tree++) {
    const stack = [first, treeNodes[tree], 0];
    while (stack.length > 0) {
      const leaf = stack.pop()!;
      const inner = stack.pop()!;
      const j = stack.pop()!;
      if (inner === 0) continue;
      const s = size[j];
      places[j] = placeOf[tree];
      from[j] = leaf;
      middle[j] = leaf + s;
      to[j] = leaf + inner + 1;
      start[(feat2[j] >>> 1) + 2]++;
      stack.push(j + s, inner - s, leaf + s, j + 1, s - 1, leaf);
    }
    first += treeNodes[tree];
  }
  for (let f = 2; f < start.length; f++) start[f] += start[f - 1];
  const order = new Uint32Array(numNodes);
  for (let j = 0; j < numNodes; j++) order[start[(feat2[j] >>> 1) + 1]++] = j;
  return { order, start, places, from, middle, to };
}
