/**
 * Proves form Z before first use, in time linear in its size: sizes that add up, every index in
 * range, dictionaries sorted, leaves finite. After this a walk cannot leave its tree.
 *
 * @module
 */
import type { Packed } from "./packed.ts";

/**
 * Throws what `fail` makes of the first thing that is wrong.
 *
 * @param fail Gets the array in which it is, the entry, and what it is.
 */
export function provePacked(
  packed: Packed,
  leafWidth: number,
  fail: (array: keyof Packed, index: number, problem: string) => Error,
): void {
  const { treeNodes, feat2, cut, size, dictSize, setWords, cuts, leaves, leafIndex } = packed;
  const numFeatures = dictSize.length;
  let at = 0;
  for (let f = 0; f < numFeatures; f++) {
    if (setWords[f] > 0) continue;
    let last = NaN;
    for (const end = at + dictSize[f]; at < end; at++) {
      const value = cuts[at];
      if (value !== value || value <= last) throw fail("cuts", at, "it is not above its neighbour");
      last = value;
    }
  }
  let longest = 0;
  let total = 0;
  for (let t = 0; t < treeNodes.length; t++) {
    total += treeNodes[t];
    if (treeNodes[t] > longest) longest = treeNodes[t];
  }
  if (total !== size.length) throw fail("treeNodes", 0, `they count ${total} inner nodes`);
  const ends = new Uint32Array(longest + 1);
  let j = 0;
  for (let t = 0; t < treeNodes.length; t++) {
    // Ends of open subtrees: each size must stay within the subtree that its node heads.
    let depth = 0;
    ends[0] = j + treeNodes[t];
    let end = ends[0];
    for (const last = ends[0]; j < last; j++) {
      const s = size[j];
      const f2 = feat2[j];
      if (s < 1 || s > end - j) throw fail("size", j, `${s} inner nodes do not fit`);
      if (f2 >= 2 * numFeatures) throw fail("feat2", j, `there is no feature ${f2 >>> 1}`);
      if (cut[j] >= dictSize[f2 >>> 1]) throw fail("cut", j, `there is no entry ${cut[j]}`);
      // Right subtree first, so that the left one is on top.
      if (j + s === end) depth--;
      if (s > 1) ends[++depth] = j + s;
      end = depth < 0 ? 0 : ends[depth];
    }
  }
  for (let i = 0; i < leaves.length; i++) {
    if (leaves[i] - leaves[i] !== 0) throw fail("leaves", i, "it is not finite");
  }
  if (leafIndex === undefined) return;
  const distinct = leaves.length / leafWidth;
  for (let i = 0; i < leafIndex.length; i++) {
    if (leafIndex[i] >= distinct) throw fail("leafIndex", i, `there is no leaf ${leafIndex[i]}`);
  }
}
