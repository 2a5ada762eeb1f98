/**
 * What a loader runs over a whole file: its checksum and the proof of its trees. What is refused here is
 * judged again by the twin in TypeScript, which says where it is wrong. Called by src/format/prover.ts.
 * Compiled by tools/build_kernels.ts.
 *
 * Arrays of u8, u16 or u32 are named by their address, a multiple of 4, plus log2 of the bytes of an entry.
 */

/** Entry `i` of an array; up to 3 bytes behind it are read, too. */
function word(array: usize, i: usize): u32 {
  const log = array & 3;
  return load<u32>((array & ~3) + (i << log)) & (<u32>-1 >> (32 - (8 << <u32>log)));
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

/** Whether numbers of `bytes` bytes, 4 or 8, rise from each to the next and none is NaN. */
export function rise(from: usize, to: usize, bytes: usize): bool {
  for (let last = f64.NaN; from < to; from += bytes) {
    const value = bytes == 4 ? <f64>load<f32>(from) : load<f64>(from);
    if (value != value || value <= last) return false;
    last = value;
  }
  return true;
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
  let j: u32 = 0;
  for (let t: usize = 0; t < numTrees; t++) {
    const n = word(trees, t);
    if (n > numNodes - j) return false;
    // Ends of open subtrees: each size must stay within the subtree that its node heads.
    const last = j + n;
    let end = last;
    let top = ends;
    store<u32>(top, end);
    for (; j < last; j++) {
      const s = word(size, j);
      const f = word(feat2, j) >> 1;
      if (
        s - 1 >= end - j || f >= numFeatures || word(cut, j) >= load<u32>(dicts + (<usize>f << 2))
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
  const area = numTrees * slots << 2;
  const places = out + 4 * area;
  let root: usize = 0;
  let total: u32 = 0;
  let filled: u32 = 0;
  for (let trees = out + 3 * area, end = trees + (numTrees << 2); trees < end; trees += 4) {
    // How many tests there are from a slot on down.
    for (let h = slots; h > 0; h--) {
      const f2 = word(feat2, root + h - 1);
      const below = places + (h << 4);
      store<u32>(places + (h << 3), f2 < none ? load<u32>(below) + load<u32>(below, 8) + 1 : 0);
      if (f2 != none || word(cut, root + h - 1) > 0) filled++;
    }
    store<u32>(places, total, 12);
    // Where they go in preorder.
    for (let h: usize = 1; h <= slots; h++, root++) {
      const below = places + (h << 4);
      const at = load<u32>(places + (h << 3), 4);
      const left = load<u32>(below) + 1;
      store<u32>(below, at + 1, 4);
      store<u32>(below, at + left, 12);
      if (load<u32>(places + (h << 3)) == 0) continue;
      const f2 = word(feat2, root);
      const c = word(cut, root);
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
