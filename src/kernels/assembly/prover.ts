/**
 * What a loader runs over a whole file: its checksum and the proof of its trees. What is refused here is
 * judged again by the twin in TypeScript, which says where it is wrong. Called by src/format/prover.ts.
 * Compiled by tools/build_kernels.ts.
 *
 * Arrays of u8, u16 or u32 are named by their address, a multiple of 4, plus log2 of the bytes of an entry.
 */

/** The bits of an entry. */
// @ts-ignore: decorator
@inline
function maskOf(log: usize): u32 {
  return <u32>-1 >> (32 - (8 << <u32>log));
}

/** Entry `i` of an array from `at` on; up to 3 bytes behind it are read, too. */
// @ts-ignore: decorator
@inline
function entry(at: usize, log: usize, mask: u32, i: usize): u32 {
  return load<u32>(at + (i << log)) & mask;
}

/** Adds words to the two lanes of the checksum, which are kept at address 0. */
export function sum(from: usize, to: usize): void {
  let a = load<u32>(0);
  let b = load<u32>(4);
  for (; from < to; from += 8) {
    a = (a ^ load<u32>(from)) * 0x01000193;
    b = (b ^ load<u32>(from, 4)) * 0x85ebca6b;
    a ^= a >> 15;
    b ^= b >> 13;
  }
  store<u32>(0, a);
  store<u32>(0, b, 4);
}

/**
 * Proves the nodes of form Z.
 *
 * @param dicts Entries of the dictionary of each feature, u32.
 * @param ends Room for a word a level.
 */
export function nodes(
  trees: usize, numTrees: usize, feat2: usize, cut: usize, size: usize, numNodes: u32,
  dicts: usize, numFeatures: u32, ends: usize,
): bool {
  const featLog = feat2 & 3;
  const cutLog = cut & 3;
  const sizeLog = size & 3;
  const featMask = maskOf(featLog);
  const cutMask = maskOf(cutLog);
  const sizeMask = maskOf(sizeLog);
  feat2 -= featLog;
  cut -= cutLog;
  size -= sizeLog;
  let j: u32 = 0;
  for (let t: usize = 0; t < numTrees; t++) {
    const n = entry(trees & ~3, trees & 3, maskOf(trees & 3), t);
    if (n > numNodes - j) return false;
    // Ends of open subtrees: each size must stay within the subtree that its node heads.
    const last = j + n;
    let end = last;
    let top = ends;
    store<u32>(top, end);
    for (; j < last; j++) {
      const s = entry(size, sizeLog, sizeMask, j);
      const f = entry(feat2, featLog, featMask, j) >> 1;
      if (
        s - 1 >= end - j || f >= numFeatures ||
        entry(cut, cutLog, cutMask, j) >= load<u32>(dicts + (<usize>f << 2))
      ) return false;
      if (j + s == end) top -= 4;
      if (s > 1) {
        top += 4;
        store<u32>(top, j + s);
      }
      end = load<u32>(top);
    }
  }
  return j == numNodes;
}

/**
 * Makes form Z of heaps: feat2, cut and size, an area of a word a slot each, and the inner nodes of each
 * tree, from `out` on; behind them is room for two words for twice as many slots as a tree has.
 *
 * @param none Feature of a slot without a test.
 * @returns How many nodes there are, or less than 0 where slots are wrong.
 */
export function heaps(
  feat2: usize, cut: usize, numTrees: usize, slots: usize, dicts: usize, none: u32, out: usize,
): i32 {
  const featLog = feat2 & 3;
  const cutLog = cut & 3;
  const featMask = maskOf(featLog);
  const cutMask = maskOf(cutLog);
  feat2 -= featLog;
  cut -= cutLog;
  const area = numTrees * slots << 2;
  const places = out + 4 * area;
  let root: usize = 0;
  let total: u32 = 0;
  let filled: u32 = 0;
  for (let trees = out + 3 * area, end = trees + (numTrees << 2); trees < end; trees += 4) {
    // How many tests there are from a slot on down.
    for (let h = slots; h > 0; h--) {
      const place = places + (h << 3);
      const below = place + (h << 3);
      const f2 = entry(feat2, featLog, featMask, root + h - 1);
      store<u32>(place, f2 < none ? load<u32>(below) + load<u32>(below, 8) + 1 : 0);
      if (f2 != none || entry(cut, cutLog, cutMask, root + h - 1) > 0) filled++;
    }
    store<u32>(places, total, 12);
    // Where they go in preorder.
    for (let h: usize = 1; h <= slots; h++, root++) {
      const place = places + (h << 3);
      if (load<u32>(place) == 0) continue;
      const below = place + (h << 3);
      const at = load<u32>(place, 4);
      const left = load<u32>(below) + 1;
      store<u32>(below, at + 1, 4);
      store<u32>(below, at + left, 12);
      const f2 = entry(feat2, featLog, featMask, root);
      const c = entry(cut, cutLog, cutMask, root);
      if (c >= load<u32>(dicts + (<usize>f2 >> 1 << 2))) return -1;
      const to = out + (<usize>at << 2);
      store<u32>(to, f2);
      store<u32>(to + area, c);
      store<u32>(to + 2 * area, left);
    }
    const n = load<u32>(places, 8);
    store<u32>(trees, n);
    total += n;
  }
  // What is not empty was counted: nothing is below a gap, nor in it.
  return filled == total ? total : -1;
}

/** FNV-1a, 64 bits, of bytes; the result is kept at address 0. */
export function hash(from: usize, to: usize): void {
  let h: u64 = 0xcbf29ce484222325;
  for (; from < to; from++) h = (h ^ <u64>load<u8>(from)) * 0x100000001b3;
  store<u64>(0, h);
}
