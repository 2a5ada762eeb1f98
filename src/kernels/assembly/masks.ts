/**
 * Scores rows by tables of leaf masks: for each feature and each code of its value, the leaves of every
 * tree that such a value leaves in reach. The masks of a row's codes meet in one leaf a tree.
 *
 * A row costs the same few instructions a tree and feature whatever the trees ask, without a branch; the
 * order of the additions is that of the trees. The idea is QuickScorer's (Lucchese et al., SIGIR 2015),
 * with the masks of all nodes of a feature joined beforehand for each rank of its value.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/score/masks.ts. Compiled by
 * tools/build_kernels.ts.
 */

import { NUMBER, rankAt } from "./score/rank";

/** Bytes of the descriptor of a categorical feature: u32 feature, categories, step, group (bytes). */
const CATEGORY: usize = 16;
/** Bytes of the descriptor of a chunk: u32 table, its bytes, leaves, output (bytes). */
const CHUNK: usize = 16;
/** Leaves of a tree. */
const LEAVES: usize = 64;

/**
 * Which line of the tables each group of features takes, for all rows: u32 byte offsets, row-major.
 *
 * Numeric features have the descriptor of score/sliced.ts, with step and group in place of the masks of
 * either side: codes are ranks among the cuts, then one for missing. The codes of categories are
 * followed by the unknown one and the missing one.
 */
function locate(config: usize, rows: i32): void {
  const numbers = <usize>load<u32>(config);
  const endNumbers = numbers + <usize>load<u32>(config, 4) * NUMBER;
  const categories = <usize>load<u32>(config, 8);
  const endCategories = categories + <usize>load<u32>(config, 12) * CATEGORY;
  const groups = <usize>load<u32>(config, 16);
  const groupBytes = <usize>load<u32>(config, 20) << 2;
  let x = <usize>load<u32>(config, 24);
  const stride = <usize>load<u32>(config, 28);
  let lines = <usize>load<u32>(config, 32);
  for (; rows > 0; rows--) {
    for (let g: usize = 0; g < groupBytes; g += 4) store<u32>(lines + g, load<u32>(groups + g));
    for (let d = numbers; d < endNumbers; d += NUMBER) {
      const at = x + (<usize>load<u32>(d) << 3);
      const value = load<f64>(at);
      let code = <usize>load<u32>(d, 12) + 1;
      if (value == value) code = rankAt(d, at) >> 4;
      const line = lines + <usize>load<u32>(d, 20);
      store<u32>(line, load<u32>(line) + <u32>code * load<u32>(d, 16));
    }
    for (let d = categories; d < endCategories; d += CATEGORY) {
      const value = load<f64>(x + (<usize>load<u32>(d) << 3));
      const unknown = load<u32>(d, 4);
      const code = value == value ? min<u32>(<u32>value, unknown) : unknown + 1;
      const line = lines + <usize>load<u32>(d, 12);
      store<u32>(line, load<u32>(line) + code * load<u32>(d, 8));
    }
    lines += groupBytes;
    x += stride;
  }
}

// @ts-ignore: decorator
@inline
function leaf<T>(leaves: usize, mask: i64): T {
  return load<T>(leaves + <usize>ctz(mask) * sizeof<T>());
}

/** Adds the leaves of two trees, whose leaf masks are the halves of `masks`. */
// @ts-ignore: decorator
@inline
function addPair<T>(sum: T, leaves: usize, tree: usize, masks: v128): T {
  const first = <T>(sum + leaf<T>(leaves, i64x2.extract_lane(masks, 0)));
  return <T>(first + leaf<T>(leaves + tree, i64x2.extract_lane(masks, 1)));
}

/** Adds the trees of a chunk, a multiple of sixteen, to the sums of all rows. */
// @ts-ignore: decorator
@inline
function addTrees<T>(config: usize, chunk: usize, rows: i32): void {
  const groupBytes = <usize>load<u32>(config, 20) << 2;
  let lines = <usize>load<u32>(config, 32);
  const table = <usize>load<u32>(chunk);
  const end = table + <usize>load<u32>(chunk, 4);
  const firstLeaf = <usize>load<u32>(chunk, 8);
  const tree = LEAVES * sizeof<T>();
  let out = <usize>load<u32>(config, 36) + <usize>load<u32>(chunk, 12);
  const outStride = <usize>load<u32>(config, 40);
  for (; rows > 0; rows--) {
    const last = lines + groupBytes;
    let sum = load<T>(out);
    let leaves = firstLeaf;
    for (let t = table; t < end; t += 128) {
      const first = t + <usize>load<u32>(lines);
      let a = v128.load(first);
      let b = v128.load(first, 16);
      let c = v128.load(first, 32);
      let d = v128.load(first, 48);
      let e = v128.load(first, 64);
      let f = v128.load(first, 80);
      let g = v128.load(first, 96);
      let h = v128.load(first, 112);
      let line = lines + 4;
      for (; line + 4 < last; line += 8) {
        const p = t + <usize>load<u32>(line);
        const q = t + <usize>load<u32>(line, 4);
        a = v128.and(a, v128.and(v128.load(p), v128.load(q)));
        b = v128.and(b, v128.and(v128.load(p, 16), v128.load(q, 16)));
        c = v128.and(c, v128.and(v128.load(p, 32), v128.load(q, 32)));
        d = v128.and(d, v128.and(v128.load(p, 48), v128.load(q, 48)));
        e = v128.and(e, v128.and(v128.load(p, 64), v128.load(q, 64)));
        f = v128.and(f, v128.and(v128.load(p, 80), v128.load(q, 80)));
        g = v128.and(g, v128.and(v128.load(p, 96), v128.load(q, 96)));
        h = v128.and(h, v128.and(v128.load(p, 112), v128.load(q, 112)));
      }
      if (line < last) {
        const p = t + <usize>load<u32>(line);
        a = v128.and(a, v128.load(p));
        b = v128.and(b, v128.load(p, 16));
        c = v128.and(c, v128.load(p, 32));
        d = v128.and(d, v128.load(p, 48));
        e = v128.and(e, v128.load(p, 64));
        f = v128.and(f, v128.load(p, 80));
        g = v128.and(g, v128.load(p, 96));
        h = v128.and(h, v128.load(p, 112));
      }
      sum = addPair<T>(sum, leaves, tree, a);
      sum = addPair<T>(sum, leaves + 2 * tree, tree, b);
      sum = addPair<T>(sum, leaves + 4 * tree, tree, c);
      sum = addPair<T>(sum, leaves + 6 * tree, tree, d);
      sum = addPair<T>(sum, leaves + 8 * tree, tree, e);
      sum = addPair<T>(sum, leaves + 10 * tree, tree, f);
      sum = addPair<T>(sum, leaves + 12 * tree, tree, g);
      sum = addPair<T>(sum, leaves + 14 * tree, tree, h);
      leaves += 16 * tree;
    }
    store<T>(out, sum);
    out += outStride;
    lines = last;
  }
}

/**
 * Adds all trees to the sums of some rows.
 *
 * `config` is 14 words: numeric features and how many, categorical ones and how many, first lines of the
 * groups and how many groups, rows and the bytes of one, room for lines, sums and the bytes of those of a
 * row, chunks and how many, 1 where sums are float32.
 */
export function score(config: usize, rows: i32): void {
  locate(config, rows);
  const chunks = <usize>load<u32>(config, 44);
  const end = chunks + <usize>load<u32>(config, 48) * CHUNK;
  const f32sums = load<u32>(config, 52);
  for (let chunk = chunks; chunk < end; chunk += CHUNK) {
    if (f32sums) addTrees<f32>(config, chunk, rows);
    else addTrees<f64>(config, chunk, rows);
  }
}
