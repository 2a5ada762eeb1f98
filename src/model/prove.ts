/**
 * Proves form Z before first use, in time linear in its size: sizes that add up, every index in
 * range, dictionaries sorted, leaves finite. After this a walk cannot leave its tree.
 *
 * @module
 */
import type { Packed } from "./packed.ts";

/** Makes an error of the array in which something is wrong, the entry, and what it is. */
type Fail = (array: keyof Packed, index: number, problem: string) => Error;

/**
 * Throws what `fail` makes of the first number that is wrong: thresholds, leaves and their places.
 *
 * @param proved Whether thresholds are known to ascend, and leaves to be finite.
 */
export function proveValues(packed: Packed, leafWidth: number, fail: Fail, proved = false): void {
  const { dictSize, setWords, cuts, leaves, leafIndex } = packed;
  const numFeatures = dictSize.length;
  let at = 0;
  for (let f = 0; f < numFeatures && !proved; f++) {
    if (setWords[f] > 0) continue;
    let last = NaN;
    for (const end = at + dictSize[f]; at < end; at++) {
      const value = cuts[at];
      if (value !== value || value <= last) throw fail("cuts", at, "it does not rise");
      last = value;
    }
  }
  // Built-in searches: a loop that runs once is interpreted, at fifty times the price.
  if (!proved && [NaN, Infinity, -Infinity].some((value) => leaves.includes(value))) {
    throw fail("leaves", leaves.findIndex((value) => !Number.isFinite(value)), "it is not finite");
  }
  if (leafIndex === undefined) return;
  const distinct = leaves.length / leafWidth;
  for (let i = 0; i < leafIndex.length; i++) {
    if (leafIndex[i] >= distinct) throw fail("leafIndex", i, `there is no leaf ${leafIndex[i]}`);
  }
}

/** The same for the nodes of form Z. */
export function proveNodes(packed: Packed, fail: Fail): void {
  const { treeNodes, feat2, cut, size, dictSize } = packed;
  let total = 0;
  for (const n of treeNodes) total += n;
  if (total !== size.length) throw fail("treeNodes", 0, `${total} inner nodes do not fit`);
  let j = 0;
  for (const n of treeNodes) {
    // Ends of open subtrees: each size must stay within the subtree that its node heads.
    const ends = [j + n];
    for (const last = j + n; j < last; j++) {
      const end = ends[ends.length - 1];
      const s = size[j];
      const f2 = feat2[j];
      if (s < 1 || s > end - j) throw fail("size", j, `${s} inner nodes do not fit`);
      if (f2 >= 2 * dictSize.length) throw fail("feat2", j, `there is no feature ${f2 >>> 1}`);
      if (cut[j] >= dictSize[f2 >>> 1]) throw fail("cut", j, `there is no entry ${cut[j]}`);
      // Right subtree first, so that the left one is on top.
      if (j + s === end) ends.pop();
      if (s > 1) ends.push(j + s);
    }
  }
}
