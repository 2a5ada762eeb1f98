/**
 * Deals the cuts of an ensemble to two groups of codes: a byte numbers 254 of a feature, and XGBoost
 * asks up to 256. Those that the first group has no room for are those that rows are asked least.
 *
 * @module
 */
import type { CodeGroup } from "./codes.ts";
import type { Prepared } from "./shape.ts";

/** Groups of codes of all trees. */
export interface CutGroups {
  readonly first: CodeGroup;
  /** Numbers what the first one does not, and as much else as it can; undefined where the first one numbers all. */
  readonly second?: CodeGroup;
  /** Whether the first group numbers what node `j` asks, and whether the second one does. */
  isFirst(j: number): boolean;
  isSecond(j: number): boolean;
}

/**
 * Deals all cuts; undefined where two groups are not enough.
 *
 * @param shares How often rows come to inner nodes.
 * @param most How many tests of the second group a row may be asked, by trees.
 */
export function dealCuts(
  { packed, keyed, codes }: Prepared,
  shares: Float64Array,
  most: number,
): CutGroups | undefined {
  const { feat2, dictAt, setWords, cuts, treeNodes } = packed;
  const isNumber = (j: number) => setWords[feat2[j] >>> 1] === 0;
  const cutOf = (j: number) => dictAt[feat2[j] >>> 1] + keyed.keyOf(j);
  /** How often a row is asked each cut, and a node that asks it. */
  const asked = new Float64Array(cuts.length);
  const nodeOf = new Int32Array(cuts.length).fill(-1);
  for (let j = 0; j < feat2.length; j++) {
    if (!isNumber(j)) continue;
    asked[cutOf(j)] += shares[j];
    nodeOf[cutOf(j)] = j;
  }
  const order = Array.from(nodeOf.keys()).filter((i) => nodeOf[i] >= 0)
    .sort((a, b) => asked[b] - asked[a] || a - b);
  const first = codes.openGroup();
  const others = order.filter((i) => !first.take([nodeOf[i]]));
  if (others.length === 0) {
    return { first: first.close(), isFirst: () => true, isSecond: () => false };
  }
  const often = others.reduce((sum, i) => sum + asked[i], 0);
  const second = codes.openGroup();
  if (often > most * treeNodes.length) return undefined;
  if (!second.take(others.map((i) => nodeOf[i]))) return undefined;
  const inFirst = new Uint8Array(cuts.length).fill(1);
  for (const i of others) inFirst[i] = 0;
  const inSecond = Uint8Array.from(nodeOf, (j) => +(j >= 0 && second.take([j])));
  return {
    first: first.close(),
    second: second.close(),
    isFirst: (j) => !isNumber(j) || inFirst[cutOf(j)] > 0,
    isSecond: (j) => !isNumber(j) || inSecond[cutOf(j)] > 0,
  };
}
