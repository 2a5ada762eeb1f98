/**
 * Deals the cuts of an ensemble to two groups of codes: a byte numbers 254 of a feature, and XGBoost
 * asks up to 256. Those that the first group has no room for are those that rows are asked least.
 *
 * @module
 */
import { type CodeGroup, MOST_CODES } from "./codes.ts";
import type { Prepared } from "./shape.ts";

/** Groups of codes of all trees. */
export interface CutGroups {
  readonly first: CodeGroup;
  /** Numbers what the first one does not, and as much else as it can; undefined where the first one numbers all. */
  readonly second?: CodeGroup;
  /** How many tests that the first group does not number a row is asked, by trees. */
  readonly others: number;
  /** Whether the first group numbers what node `j` asks, and whether the second one does. */
  isFirst(j: number): boolean;
  isSecond(j: number): boolean;
}

/**
 * Deals all cuts; undefined where two groups are not enough.
 *
 * @param shares How often rows come to inner nodes.
 */
export function dealCuts(
  { packed, codes }: Prepared,
  shares: Float64Array,
): CutGroups | undefined {
  const { feat2, cut, dictAt, dictSize, setWords, cuts, treeNodes } = packed;
  /** How often a row is asked each cut, and a node that asks it. */
  const asked = new Float64Array(cuts.length);
  const nodeOf = new Int32Array(cuts.length).fill(-1);
  for (let j = 0; j < feat2.length; j++) {
    const f = feat2[j] >>> 1;
    if (setWords[f] > 0) continue;
    const i = dictAt[f] + cut[j];
    asked[i] += shares[j];
    nodeOf[i] = j;
  }
  const first = createDealer();
  const second = createDealer();
  let others = 0;
  let isOne = true;
  for (let f = 0; f < dictSize.length; f++) {
    if (setWords[f] > 0) continue;
    const order: number[] = [];
    for (let i = dictAt[f]; i < dictAt[f] + dictSize[f]; i++) if (nodeOf[i] >= 0) order.push(i);
    if (order.length > MOST_CODES) order.sort((a, b) => asked[b] - asked[a] || a - b);
    const rest = order.splice(MOST_CODES);
    if (rest.length > MOST_CODES) return undefined;
    if (rest.length > 0) isOne = false;
    for (const i of rest) others += asked[i];
    first.deal(order);
    second.deal([...rest, ...order.slice(0, MOST_CODES - rest.length)]);
  }
  if (isOne) return { first: first.close(), others, isFirst: () => true, isSecond: () => false };
  return {
    first: first.close(),
    second: second.close(),
    others: others / treeNodes.length,
    isFirst: first.tellNodes(),
    isSecond: second.tellNodes(),
  };

  /** A group that is given cuts, and then tells whether it numbers what a node asks. */
  function createDealer() {
    const group = codes.openGroup();
    const isDealt = new Uint8Array(cuts.length);
    return {
      close: group.close,
      deal(dealt: readonly number[]) {
        group.take(dealt.map((i) => nodeOf[i]));
        for (const i of dealt) isDealt[i] = 1;
      },
      tellNodes() {
        const isNumbered = feat2.map((f2, j) => {
          const f = f2 >>> 1;
          return setWords[f] > 0 ? 1 : isDealt[dictAt[f] + cut[j]];
        });
        return (j: number) => isNumbered[j] > 0;
      },
    };
  }
}
