/**
 * Proof that finished trees keep monotone constraints: for every pair of leaves that rows which
 * differ in one constrained feature only can reach, the values are in order.
 *
 * Two such rows part at a node that is split on that feature (at any other they go the same way).
 * Where no leaf on the lower side of such a node is above a leaf on the other side, that is enough;
 * all leaves of a node are bounded in one pass, children before parents. Otherwise both sides are
 * walked together, along what one row may hold of all other features, from the root on. A missing
 * value has no place in the order: it may go to either side.
 *
 * @module
 */
import { TrainingError } from "../../errors.ts";
import { type Ensemble, NodeKind, type Trees } from "../../model/types.ts";
import { narrowSpan, type Span, spanOf, type SpanOptions } from "./value_spans.ts";

/** Two leaves out of order. Trees count from 0, nodes from the root of their tree. */
export interface MonotoneBreach {
  readonly tree: number;
  /** Where rows that differ in `feature` part. */
  readonly node: number;
  readonly feature: number;
  /** Leaf of the row with the lower value of the feature. */
  readonly low: number;
  readonly high: number;
  readonly lowValue: number;
  readonly highValue: number;
}

type Proved = Pick<Ensemble, "trees" | "treeWeight">;

/**
 * Proves all trees.
 *
 * @param monotone Direction of each feature: 1, −1 or 0.
 * @param features What is known of each: `schema.features` does.
 * @param expected What the message goes on with.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` naming tree, leaves and feature where it does not hold.
 */
export function proveMonotone(
  ensemble: Proved,
  monotone: ArrayLike<number>,
  features: readonly SpanOptions[] = [],
  expected = "",
): void {
  for (let t = 0; t < ensemble.treeWeight.length; t++) {
    const found = breachOfTree(ensemble, t, monotone, features);
    if (found === undefined) continue;
    throw new TrainingError(
      "E_TRAIN_NUMERIC",
      `Cannot prove the model monotone: ${describeBreach(found, features)}${expected}`,
      { details: { ...found, hint: "`treeline params monotoneRules` says what keeps the order" } },
    );
  }
}

/** The first pair out of order of each tree that has one. */
export function monotoneBreaches(
  ensemble: Proved,
  monotone: ArrayLike<number>,
  features: readonly SpanOptions[] = [],
): readonly MonotoneBreach[] {
  return Array.from(ensemble.treeWeight, (_, t) => breachOfTree(ensemble, t, monotone, features))
    .filter((found) => found !== undefined);
}

/** The pair in words; trees count from 1, as rounds do. */
export function describeBreach(
  { tree, node, feature, low, high, lowValue, highValue }: MonotoneBreach,
  features: readonly SpanOptions[],
): string {
  const name = features[feature]?.name;
  return `tree ${tree + 1} has leaves out of order below node ${node}, which is split on ${
    name === undefined ? `feature ${feature + 1}` : JSON.stringify(name)
  }: leaf ${low} has ${lowValue}, leaf ${high}, for a larger value, ${highValue}`;
}

function breachOfTree(
  { trees, treeWeight }: Proved,
  tree: number,
  monotone: ArrayLike<number>,
  features: readonly SpanOptions[],
): MonotoneBreach | undefined {
  const { treeStart, kind, feature, firstChild, leaf } = trees;
  const root = treeStart[tree];
  const end = treeStart[tree + 1];
  const parent = new Int32Array(end - root).fill(-1);
  const least = new Float64Array(end - root);
  const most = new Float64Array(end - root);
  let found: MonotoneBreach | undefined;
  // Parents come before their children.
  for (let node = end - 1; node >= root; node--) {
    const at = node - root;
    const first = firstChild[node] - root;
    if (firstChild[node] < 0) {
      least[at] = most[at] = leaf[node];
      continue;
    }
    parent[first] = parent[first + 1] = at;
    least[at] = Math.min(least[first], least[first + 1]);
    most[at] = Math.max(most[first], most[first + 1]);
  }
  for (let at = end - root - 1; at >= 0 && found === undefined; at--) {
    const node = root + at;
    const direction = kind[node] === NodeKind.threshold ? monotone[feature[node]] : 0;
    if (direction === 0) continue;
    // A weight below zero turns the order round.
    const sign = treeWeight[tree] < 0 ? -direction : direction;
    const isKept = sign > 0
      ? (a: number, b: number) => most[a] <= least[b]
      : (a: number, b: number) => most[b] <= least[a];
    found = breachBelow(trees, { tree, node, parent, features, isKept });
  }
  return found;
}

interface Parting {
  readonly tree: number;
  readonly node: number;
  /** Within the tree, −1 at its root. */
  readonly parent: Int32Array;
  readonly features: readonly SpanOptions[];
  /** Whether all leaves below two nodes of the tree are in order. */
  readonly isKept: (low: number, high: number) => boolean;
}

/** A pair of leaves on the two sides of a node that is out of order, if there is one. */
function breachBelow(
  trees: Trees,
  { tree, node, parent, features, isKept }: Parting,
): MonotoneBreach | undefined {
  const { feature, firstChild, leaf } = trees;
  const root = trees.treeStart[tree];
  const free = feature[node];
  const first = firstChild[node] - root;
  if (isKept(first, first + 1)) return undefined;
  const narrow = (span: Span | undefined, at: number, side: number) =>
    narrowSpan(trees, root + at, side, span ?? spanOf(features[feature[root + at]]));
  const shared = spansAbove(node - root, parent, (at, side, spans) => {
    const f = feature[root + at];
    spans.set(f, narrow(spans.get(f), at, side)!);
  }, (at) => firstChild[root + at] - root);
  // The rows that part have a number each.
  const own = { ...(shared.get(free) ?? spanOf(features[free])), missing: false };
  const walk = (a: number, b: number, spanA: Span, spanB: Span): [number, number] | undefined => {
    if (isKept(a, b)) return undefined;
    const split = firstChild[root + a] >= 0 ? a : b;
    if (firstChild[root + split] < 0) return [a, b];
    const f = feature[root + split];
    const before = f === free ? (split === a ? spanA : spanB) : shared.get(f);
    for (const side of [0, 1]) {
      const part = narrow(before, split, side);
      if (part === undefined) continue;
      const child = firstChild[root + split] - root + side;
      const [nextA, nextB] = split === a ? [child, b] : [a, child];
      if (f !== free) shared.set(f, part);
      const pair = f !== free
        ? walk(nextA, nextB, spanA, spanB)
        : split === a
        ? walk(nextA, nextB, part, spanB)
        : walk(nextA, nextB, spanA, part);
      if (f !== free) restore(shared, f, before);
      if (pair !== undefined) return pair;
    }
    return undefined;
  };
  const spanA = narrow(own, node - root, 0);
  const spanB = narrow(own, node - root, 1);
  const pair = spanA && spanB && walk(first, first + 1, spanA, spanB);
  if (pair === undefined) return undefined;
  const [low, high] = pair;
  return {
    tree,
    node: node - root,
    feature: free,
    low,
    high,
    lowValue: leaf[root + low],
    highValue: leaf[root + high],
  };
}

function restore(shared: Map<number, Span>, f: number, before: Span | undefined): void {
  if (before === undefined) shared.delete(f);
  else shared.set(f, before);
}

/** What rows at a node may hold. */
function spansAbove(
  node: number,
  parent: Int32Array,
  take: (at: number, side: number, spans: Map<number, Span>) => void,
  firstOf: (at: number) => number,
): Map<number, Span> {
  const spans = new Map<number, Span>();
  for (let at = node; parent[at] >= 0; at = parent[at]) {
    take(parent[at], at - firstOf(parent[at]), spans);
  }
  return spans;
}
