// A whole tree of two classes, depth first; see ../../classic.ts. Node by node it does what
// ../../../grow/grower.ts does with `bestCut` and `partRows`, without a call from outside for each.

import { subset } from "./levels";
import { bestFeature, openNode, sumsOf, writeBest } from "./node";
import { numeric } from "./numbers";
import { partRows } from "./part";
import { draw, left as leftToDraw, openPool, openStream, undo } from "./draw";

/** Bytes of a node. */
const NODE: usize = 72;

let features: usize = 0;
let records: usize = 0;
let params: usize = 0;
let limits: usize = 0;
let tables: usize = 0;
let levels: usize = 0;
let work: usize = 0;
let out: usize = 0;

/** Features below 64 that are alike in all rows of the node, a bit each: they stay so below it. */
let alike: u64 = 0;

function judge(f: i32, at: usize, n: i32, set: usize): void {
  if (f < 64 && ((alike >> f) & 1) != 0) return;
  const feature = features + (<usize>f << 4);
  const column = <usize>load<u32>(feature);
  const numCodes = load<u32>(feature, 4);
  const flags = load<u32>(feature, 8);
  const wide = (flags & 1) != 0;
  const same = flags & 2
    ? subset(at, n, f, column, wide, numCodes, levels, set)
    : numeric(at, n, f, column, wide, numCodes, tables, work);
  if (same && f < 64) alike |= <u64>1 << f;
}

/** Looks for the best cut of a node and writes it there; `set` takes its categories. */
function visit(node: usize, pool: usize, poolSize: i32, perNode: i32, set: usize): bool {
  const sums = load<u64>(node);
  const from = load<i32>(node, 44);
  const n = load<i32>(node, 48) - from;
  store<u64>(params, sums);
  openNode(params);
  if (!sumsOf(out)) return false; // one class
  const weight = load<f64>(out);
  if (
    load<i32>(node, 40) >= load<i32>(limits) || n < load<i32>(limits, 4) ||
    n < 2 * load<i32>(limits, 8) || weight < load<f64>(limits, 16) ||
    weight < 2 * load<f64>(limits, 24)
  ) return false;
  const at = records + (<usize>from << 3);
  alike = load<u64>(node, 64);
  if (perNode < poolSize) {
    openStream(load<u32>(limits, 40), load<u32>(limits, 44), load<u32>(node, 56));
    for (let i = 0; i < perNode; i++) judge(draw(), at, n, set);
    while (bestFeature() == i32.MAX_VALUE && leftToDraw() > 0) judge(draw(), at, n, set);
    undo();
  } else {
    for (let i = 0; i < poolSize; i++) judge(load<i32>(pool + (<usize>i << 2)), at, n, set);
  }
  store<u64>(node, alike, 64);
  if (writeBest(out) == 0) return false;
  const gain = load<f64>(out);
  if (gain < load<f64>(limits, 32)) return false;
  store<f64>(node, gain, 8);
  store<i32>(node, load<i32>(out, 8), 16);
  store<u32>(node, load<u32>(out, 12), 20);
  store<i32>(node, load<i32>(out, 16), 28);
  return true;
}

function addNode(
  node: usize,
  sums: u64,
  parent: i32,
  depth: i32,
  from: i32,
  to: i32,
  key: u32,
  same: u64,
): void {
  store<u64>(node, sums);
  store<f64>(node, 0, 8);
  store<i32>(node, -1, 16);
  store<u32>(node, 0, 20);
  store<u32>(node, 0, 24);
  store<i32>(node, 0, 28);
  store<i32>(node, -1, 32);
  store<i32>(node, parent, 36);
  store<i32>(node, depth, 40);
  store<i32>(node, from, 44);
  store<i32>(node, to, 48);
  store<i32>(node, -1, 52);
  store<u32>(node, key, 56);
  store<u64>(node, same, 64);
}

/** Class 0 and class 1 of a child weigh this much. */
function weightOf(node: usize): f64 {
  store<u64>(params, load<u64>(node));
  openNode(params);
  sumsOf(out);
  return load<f64>(out);
}

/**
 * `features`, `params`, `tables`, `levels`, `work`, `out` as in `bestCut`; `spare` as in `partRows`.
 * `pool`: i32 features that the tree may use; `swaps`: as many u32. `limits`: i32 most depth, i32
 * fewest rows of a split, i32 fewest rows of a leaf, f64 (at 16) least weight of a split, of a leaf,
 * least gain, u32 twice the random path (see draw.ts). `stack`: u32, twice the number of rows.
 * `sets`: room for `mostWords` words of categories, of which one split takes `setWords` at most.
 *
 * `nodes`: 72 bytes each, at most twice the number of rows: u64 sums, f64 gain, i32 feature (−1 at a
 * leaf), u32 largest code on the left, u32 smallest on the right, i32 branch of missing, i32 first
 * child, i32 parent, i32 depth, i32 first record, i32 end of the records, i32 first word of
 * categories (−1 none), u32 key, u64 (at 64) features known to be alike.
 *
 * Returns the number of nodes; 0 where `sets` is too small.
 */
export function growCounted(
  records_: usize,
  numRows: i32,
  features_: usize,
  pool: usize,
  poolSize: i32,
  perNode: i32,
  swaps: usize,
  params_: usize,
  limits_: usize,
  tables_: usize,
  levels_: usize,
  work_: usize,
  out_: usize,
  spare: usize,
  nodes: usize,
  stack: usize,
  sets: usize,
  mostWords: i32,
  setWords: i32,
): i32 {
  records = records_;
  features = features_;
  params = params_;
  limits = limits_;
  tables = tables_;
  levels = levels_;
  work = work_;
  out = out_;
  openPool(pool, swaps, poolSize);
  let words = 0;
  let count = 1;
  let depth = 0;
  addNode(nodes, load<u64>(params), -1, 0, 0, numRows, 1, 0);
  if (setWords > mostWords) return 0;
  if (visit(nodes, pool, poolSize, perNode, sets)) {
    words += keepSet(nodes, 0);
    store<u32>(stack, 0);
    depth = 1;
  }
  while (depth > 0) {
    const place = load<u32>(stack + (<usize>(--depth) << 2));
    const node = nodes + <usize>place * NODE;
    const feature = features + (<usize>load<i32>(node, 16) << 4);
    const from = load<i32>(node, 44);
    const to = load<i32>(node, 48);
    const set = load<i32>(node, 52);
    const missing = load<i32>(node, 28);
    const onLeft = partRows(
      records + (<usize>from << 3),
      to - from,
      <usize>load<u32>(feature),
      <i32>(load<u32>(feature, 8) & 1),
      load<u32>(node, 20),
      load<u32>(feature, 4),
      missing <= 0 ? 1 : 0,
      set < 0 ? 0 : sets + (<usize>set << 2),
      params,
      spare,
      out,
    );
    const leftSums = load<u64>(out);
    if (set < 0) {
      store<u32>(node, load<u32>(out, 8), 20);
      store<u32>(node, load<u32>(out, 12), 24);
    }
    store<i32>(node, count, 32);
    const key = load<u32>(node, 56) * 0x9e3779b1;
    const same = load<u64>(node, 64);
    const below = load<i32>(node, 40) + 1;
    const first = nodes + <usize>count * NODE;
    const second = first + NODE;
    addNode(first, leftSums, place, below, from, from + onLeft, key + 1, same);
    // Fields never borrow: the difference of the packed sums is exact.
    addNode(second, load<u64>(node) - leftSums, place, below, from + onLeft, to, key + 2, same);
    // Where nothing was missing, it would follow the heavier child.
    if (missing < 0) store<i32>(node, weightOf(second) > weightOf(first) ? 1 : 0, 28);
    // The last branch first, so that the first one is next.
    for (let b = 1; b >= 0; b--) {
      const child = b == 1 ? second : first;
      if (words + setWords > mostWords) return 0;
      if (!visit(child, pool, poolSize, perNode, sets + (<usize>words << 2))) continue;
      words += keepSet(child, words);
      store<u32>(stack + (<usize>(depth++) << 2), count + b);
    }
    count += 2;
  }
  return count;
}

/** Notes where the categories of a node are; how many words they take. */
function keepSet(node: usize, words: i32): i32 {
  const feature = features + (<usize>load<i32>(node, 16) << 4);
  if (!(load<u32>(feature, 8) & 2)) return 0;
  store<i32>(node, words, 52);
  return <i32>((load<u32>(feature, 4) + 31) >> 5);
}
