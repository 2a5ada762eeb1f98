/**
 * What a loader runs over a whole file: its checksum and the proof of its trees; and how its first rows are
 * scored. What is refused here is judged again by the twin in TypeScript, which says where it is wrong.
 * Called by src/format/prover.ts. Compiled by tools/build_kernels.ts.
 *
 * Loops through the whole file have functions of their own, that through sizes of nodes two, which do a half each:
 * V8 compiles a function anew, and better, once its loops have run 13 MB of code, which keeps the loader waiting for
 * up to two milliseconds.
 * Arrays are named by their address, a multiple of 4, plus log2 of the bytes of an entry.
 */

/** What is to be done. */
const HASH = 0;
const NODES = 1;
const HEAPS = 2;

/** The bits of an entry of an array. */
// @ts-ignore: decorator
@inline
function maskOf(array: usize): u32 {
  return <u32>-1 >> (-8 << <u32>(array & 3));
}

/** Entry `i` of an array of u8, u16 or u32; up to 3 bytes behind it are read, too. */
// @ts-ignore: decorator
@inline
function entry(array: usize, log: usize, mask: u32, i: usize): u32 {
  return load<u32>(array + (i << log)) & mask;
}

/** Entry `i` of an array of f32 or f64 from `at` on. */
// @ts-ignore: decorator
@inline
function real(at: usize, log: usize, i: usize): f64 {
  at += i << log;
  return log == 3 ? load<f64>(at) : <f64>load<f32>(at);
}

/** Adds the words between two addresses to the two lanes of the checksum, which are kept at address 0. */
function sum(from: usize, to: usize): void {
  let a = load<u32>(0);
  let b = load<u32>(4);
  for (; from < to; from += 8) {
    const words = load<u64>(from);
    a = (a ^ <u32>words) * 0x01000193;
    b = (b ^ <u32>(words >> 32)) * 0x85ebca6b;
    a ^= a >> 15;
    b ^= b >> 13;
  }
  store<u32>(0, a);
  store<u32>(0, b, 4);
}

/** Features of vectors: a node has a byte for twice as many. */
const MOST: usize = 128;

/**
 * How many nodes ask features that there are and entries of their dictionaries, up to one that does not.
 *
 * @param room For two bytes of each of `MOST` features, zeros: the last entry of its dictionary, and whether there
 * is one.
 */
function tests(
  feat2: usize, featMask: u32, cut: usize, cutMask: u32, numNodes: usize, dicts: usize, numFeatures: usize, room: usize,
): usize {
  let i: usize = 0;
  // Sixteen nodes of bytes at once.
  if ((featMask | cutMask) < 256 && numFeatures <= MOST) {
    for (let f: usize = 0; f < numFeatures; f++) {
      const count = load<u32>(dicts + (f << 2));
      store<u8>(room + f, count - 1);
      store<u8>(room + f, 0 - <i32>(count > 0), MOST);
    }
    for (; i + 16 <= numNodes; i += 16) {
      let f = i8x16.shr_u(v128.load(feat2 + i), 1);
      let last = i8x16.splat(0);
      let any = last;
      for (let at = room; at < room + numFeatures; at += 16) {
        // Gives 0 beyond 15.
        last = v128.or(last, i8x16.swizzle(v128.load(at), f));
        any = v128.or(any, i8x16.swizzle(v128.load(at, MOST), f));
        f = i8x16.sub(f, i8x16.splat(16));
      }
      if (!i8x16.all_true(v128.and(any, i8x16.le_u(v128.load(cut + i), last)))) break;
    }
  }
  const featStep = popcnt(featMask) >> 3;
  const cutStep = popcnt(cutMask) >> 3;
  for (; i < numNodes; i++) {
    const f = <usize>(load<u32>(feat2 + i * featStep) & featMask) >> 1;
    if (f >= numFeatures) break;
    if ((load<u32>(cut + i * cutStep) & cutMask) >= load<u32>(dicts + (f << 2))) break;
  }
  return i;
}

/**
 * What trees up to `end` leave of a number of nodes; −1 where they have more, or a size leaves the subtree that its
 * node heads.
 *
 * @param ends Room for a word a node of the largest tree: how many nodes there are from a right child on
 * to the end of its subtree, at its place in the tree; at that of the root, what nobody reads. One room for all trees,
 * as pages that nobody has touched take longer than the proof of their nodes.
 */
// @ts-ignore: decorator
@inline
function rest(
  trees: usize, treeMask: u32, end: usize, size: usize, sizeMask: u32, numNodes: u32, ends: usize,
): u32 {
  const treeStep = popcnt(treeMask) >> 3;
  const sizeStep = popcnt(sizeMask) >> 3;
  for (; trees < end; trees += treeStep) {
    let left = load<u32>(trees) & treeMask;
    if (left > numNodes) return -1;
    numNodes -= left;
    let at = ends;
    for (const last = at + (<usize>left << 2); at < last;) {
      const s = load<u32>(size) & sizeMask;
      size += sizeStep;
      // Without branches on what nobody could foresee, and without reading what was just written.
      const over = left - s;
      left = s - 1;
      if (<i32>(over | left) < 0) return -1;
      at += 4;
      const next = load<u32>(at);
      store<u32>(select<usize>(at + (<usize>left << 2), ends, over), over);
      left = select<u32>(left, select<u32>(over, next, over), left);
    }
  }
  return numNodes;
}

// Two that differ in their signs alone, lest they are made one.

function sizes(
  trees: usize, treeMask: u32, end: usize, size: usize, sizeMask: u32, numNodes: u32, ends: usize,
): u32 {
  return rest(trees, treeMask, end, size, sizeMask, numNodes, ends);
}
function sizes2(
  trees: usize, treeMask: u32, end: usize, size: usize, sizeMask: u32, numNodes: u32, ends: usize,
): u32 {
  return 0 - rest(trees, treeMask, end, size, sizeMask, numNodes, ends);
}

/**
 * Does a task.
 *
 * `HASH` keeps the FNV-1a, 64 bits, of the bytes from `trees` up to `numTrees` at address 0.
 *
 * `NODES` proves the thresholds, leaves and nodes of form Z. `HEAPS` proves thresholds and leaves and makes form Z
 * of tests in heap order: feat2 and cut as wide as the tests, size and the inner nodes of each tree as u16, an area
 * of a word a slot each, of which only as much is touched. It gives how many nodes there are. Either gives less
 * than 0 where something is wrong.
 *
 * Any other number adds the leaves of a row to raw scores, once thresholds and nodes are proved.
 *
 * @param trees Inner nodes of each tree.
 * @param numNodes Of all trees; in heaps, the slots of one.
 * @param dicts Entries of the dictionary of each feature, u32.
 * @param room For a word a feature: where its thresholds or sets begin. Behind it the caller has written the
 * words of a set of each, 0 for numbers; then there is room for the tables of `tests` and a word a node, or for what
 * heaps give and a word a slot.
 * @param cuts Thresholds of all features.
 * @param sets Sets of categories of all features, u32.
 * @param x The row, f64, and behind it the raw scores; in a proof, where the leaves end, up to a multiple of 8.
 * @param f32s Whether sums are rounded to float32.
 */
function run(
  task: i32,
  trees: usize, numTrees: usize, feat2: usize, cut: usize, size: usize, numNodes: u32,
  dicts: usize, numFeatures: usize, room: usize, cuts: usize, sets: usize, leaves: usize,
  x: usize, numOutputs: usize, f32s: i32,
): i32 {
  if (task == HASH) {
    let h: u64 = 0xcbf29ce484222325;
    for (; trees < numTrees; trees++) h = (h ^ <u64>load<u8>(trees)) * 0x100000001b3;
    store<u64>(0, h);
    return 0;
  }

  const treeLog = trees & 3;
  const featLog = feat2 & 3;
  const cutLog = cut & 3;
  const sizeLog = size & 3;
  const realLog = cuts & 3;
  const leafLog = leaves & 3;
  const treeMask = maskOf(trees);
  const featMask = maskOf(feat2);
  const cutMask = maskOf(cut);
  const sizeMask = maskOf(size);
  trees -= treeLog;
  feat2 -= featLog;
  cut -= cutLog;
  size -= sizeLog;
  cuts -= realLog;
  leaves -= leafLog;
  let j: u32 = 0;

  if (task > HEAPS) {
    for (let t: usize = 0; t < numTrees; t++) {
      let n = entry(trees, treeLog, treeMask, t);
      let i = j;
      let b = j + t;
      j += n;
      while (n > 0) {
        const f2 = entry(feat2, featLog, featMask, i);
        const f = <usize>f2 >> 1;
        const s = entry(size, sizeLog, sizeMask, i);
        const value = load<f64>(x + (f << 3));
        const c = entry(cut, cutLog, cutMask, i);
        const from = load<u32>(room + (f << 2));
        const words = load<u32>(room + (numFeatures + f << 2));
        // What is no category is in no set.
        const word = <u32>value >> 5;
        if (
          value != value ? !(f2 & 1) : words == 0 ? value <= real(from, realLog, c) : word < words &&
            <bool>(load<u32>(from + (c * words + word << 2)) >> (<u32>value & 31) & 1)
        ) {
          i++;
          n = s - 1;
        } else {
          i += s;
          b += s;
          n -= s;
        }
      }
      const to = x + (numFeatures + t % numOutputs << 3);
      const before = load<f64>(to);
      const leaf = real(leaves, leafLog, b);
      store<f64>(to, f32s ? <f64><f32>(before + <f64><f32>leaf) : before + leaf);
    }
    return 0;
  }

  // Thresholds ascend.
  const width = numFeatures << 2;
  for (const end = room + width; room < end; room += 4, dicts += 4) {
    let count = load<u32>(dicts);
    const words = load<u32>(room + width);
    store<u32>(room, words ? sets : cuts);
    if (words) {
      sets += count * words << 2;
    } else {
      let below = NaN;
      for (; count > 0; count--) {
        const value = real(cuts, realLog, 0);
        if (value != value || value <= below) return -1;
        below = value;
        cuts += 1 << realLog;
      }
    }
  }
  room += width;
  dicts -= width;

  // Leaves are finite: no exponent has all its bits. Of float64 the upper halves are asked. What is refused without
  // need, more than 1e306 or what stands before less than 16 bytes of leaves, the twin takes.
  const exponent = i32x4.splat(0x7f800000);
  for (; leaves < x; leaves += 16) {
    const bits = i64x2.shr_u(v128.load(leaves < x - 16 ? leaves : x - 16), <i32>(leafLog << 5));
    if (v128.any_true(i32x4.eq(v128.and(bits, exponent), exponent))) return -1;
  }

  if (task == NODES) {
    if (tests(feat2, featMask, cut, cutMask, numNodes, dicts, numFeatures, room) < numNodes) return -1;
    room += 2 * MOST;
    const few = trees + (numTrees >> 1 << treeLog);
    const left = sizes(trees, treeMask, few, size, sizeMask, numNodes, room);
    if (left > numNodes) return -1;
    return sizes2(
      few, treeMask, trees + (numTrees << treeLog), size + (numNodes - left << sizeLog), sizeMask, left, room,
    );
  }

  const slots = numNodes;
  const area = numTrees * slots << 2;
  const none = <u32>numFeatures << 1;
  let filled: u32 = 0;
  for (let i: u32 = 0; i < area >> 2; i++) {
    if (entry(feat2, featLog, featMask, i) != none || entry(cut, cutLog, cutMask, i) > 0) filled++;
  }
  // In preorder; where in it the nodes above are is kept behind the areas, by slot.
  const places = room + 4 * area;
  let base: u32 = -1;
  for (let t: usize = 0; t < numTrees; t++, base += slots) {
    const start = j;
    for (let h: u32 = 1;; h++) {
      for (; h <= slots; h <<= 1) {
        const f2 = entry(feat2, featLog, featMask, base + h);
        if (f2 == none) break;
        const c = entry(cut, cutLog, cutMask, base + h);
        if (f2 > none || c >= load<u32>(dicts + (<usize>f2 >> 1 << 2))) return -1;
        // In ascending order: of each word, what is above the entry's own bytes is written over.
        store<u32>(room + (j << featLog), f2);
        store<u32>(room + area + (j << cutLog), c);
        store<u32>(places + (h << 2), j++);
      }
      // Up to a node whose left side is done.
      while (h > 1 && h & 1) h >>= 1;
      if (h == 1) break;
      const at = load<u32>(places + (h >> 1 << 2));
      store<u16>(room + 2 * area + (at << 1), j - at);
    }
    store<u16>(room + 3 * area + (t << 1), j - start);
  }
  // What is not empty was met: nothing is below a gap, nor in it.
  return filled == j ? j : -1;
}

// `tests` is exported lest `run` takes it in; `sizes` and its twin are too long for that.
export { sum as a, run as b, tests as c };
