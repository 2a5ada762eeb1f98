// Histograms and best splits of groups of nodes. Twin: ../../twin/evaluate.ts.

import { EvaluateArgs, ItemField, PlanField } from "./evaluate_fields";
import { count16, count8, wide16, wide8 } from "./histogram";
import { addCells, CELLS, CELLS_WIDE, clearCells, COUNTS, subtractCells } from "./histogram_cells";
import { packed16, packed8 } from "./histogram_packed";
import { scanLevels } from "./levels";
import { takeRoots } from "./roots";
import { scanFeatures } from "./scan_features";

// Fields of an item, its nodes, a plan and the operation: ../../items/evaluate.ts.
const ITEM: usize = 192;
const NODES: usize = 64;
const FOUND: usize = 64;
const STRIPES: i32 = 2;
const PARAMS: usize = 128;
const PLAN: usize = 288;
/** Working space of `scanFeatures`, after the plan; what it finds among two-byte features comes then. */
const SCAN_WORK: usize = 3120;
const LEVEL: usize = 24;

// @ts-ignore: decorator
@inline
function word(item: usize, field: ItemField): u32 {
  return load<u32>(item + (<usize>field << 2));
}

// @ts-ignore: decorator
@inline
function planned(plan: usize, field: PlanField): u32 {
  return load<u32>(plan + PARAMS + (<usize>field << 2));
}

// @ts-ignore: decorator
@inline
function argument(plan: usize, field: EvaluateArgs): f64 {
  return load<f64>(<usize>planned(plan, PlanField.args) + (<usize>field << 3));
}

// @ts-ignore: decorator
@inline
function isWide(plan: usize): bool {
  return argument(plan, EvaluateArgs.wide) != 0;
}

/** Where the counts of a histogram begin. */
// @ts-ignore: decorator
@inline
function countsOf(plan: usize, histogram: usize, wide: bool): usize {
  return histogram + (<usize>planned(plan, PlanField.numCells) << (wide ? 4 : 3));
}

/** The end of the one-byte slots whose rows are counted. */
// @ts-ignore: decorator
@inline
function countedTo(plan: usize, from8: u32, to8: u32): u32 {
  return planned(plan, PlanField.counted) == 2 ? to8 : max<u32>(from8, min<u32>(to8, planned(plan, PlanField.counted8)));
}

/** Empties the cells of a range of features. */
function clear(plan: usize, from8: u32, to8: u32, from16: u32, to16: u32, histogram: usize, wide: bool): void {
  const ranges = <usize>planned(plan, PlanField.ranges);
  const ranges8 = ranges + (<usize>from8 << 3);
  const ranges16 = ranges + (<usize>(planned(plan, PlanField.features8) + from16) << 3);
  const size = wide ? 16 : 8;
  clearCells(ranges8, to8 - from8, histogram, size);
  clearCells(ranges16, to16 - from16, histogram, size);
  if (planned(plan, PlanField.counted) == 0) return;
  const counts = countsOf(plan, histogram, wide);
  clearCells(ranges8, countedTo(plan, from8, to8) - from8, counts, 4);
  clearCells(ranges16, to16 - from16, counts, 4);
}

/** target += or −= source, for the cells and counts of an item's range. */
function combine(plan: usize, item: usize, target: usize, source: usize, add: bool, wide: bool): void {
  const ranges = <usize>planned(plan, PlanField.ranges);
  const from8 = word(item, ItemField.from8);
  const to8 = word(item, ItemField.to8);
  const ranges8 = ranges + (<usize>from8 << 3);
  const ranges16 = ranges + (<usize>(planned(plan, PlanField.features8) + word(item, ItemField.from16)) << 3);
  const n16 = word(item, ItemField.to16) - word(item, ItemField.from16);
  const size = wide ? 16 : 8;
  if (add) {
    addCells(ranges8, to8 - from8, target, source, size);
    addCells(ranges16, n16, target, source, size);
  } else {
    subtractCells(ranges8, to8 - from8, target, source, size);
    subtractCells(ranges16, n16, target, source, size);
  }
  if (planned(plan, PlanField.counted) == 0) return;
  const n8 = countedTo(plan, from8, to8) - from8;
  target = countsOf(plan, target, wide);
  source = countsOf(plan, source, wide);
  if (add) {
    addCells(ranges8, n8, target, source, 4);
    addCells(ranges16, n16, target, source, 4);
  } else {
    subtractCells(ranges8, n8, target, source, 4);
    subtractCells(ranges16, n16, target, source, 4);
  }
}

/** Adds the rows that an item's node has in a block, or one of equal parts of them. */
function addBlock(
  plan: usize,
  item: usize,
  from8: u32,
  to8: u32,
  from16: u32,
  to16: u32,
  out: usize,
  block: u32,
  part: u32,
  numParts: u32,
  wide: bool,
): void {
  const segment = <usize>planned(plan, PlanField.segments) + (<usize>(word(item, ItemField.entry) * planned(plan, PlanField.numBlocks) + block) << 3);
  const count = load<u32>(segment, 4);
  const from = (count * part) / numParts;
  const n = (count * (part + 1)) / numParts - from;
  if (n == 0) return;
  const first = <usize>block * planned(plan, PlanField.blockRows);
  const list = <usize>planned(plan, word(item, ItemField.buffer) == 0 ? PlanField.first : PlanField.second) + (<usize>(load<u32>(segment) + from) << 1);
  const counts = countsOf(plan, out, wide);
  const at = ((<usize>argument(plan, EvaluateArgs.output) * planned(plan, PlanField.numRows)) + first) << 3;
  const gradient = <usize>planned(plan, PlanField.gradient) + at;
  const hessian = <usize>planned(plan, PlanField.hessian) + at;
  const packed = <usize>argument(plan, EvaluateArgs.packed) + (first << 2);
  const counted = planned(plan, PlanField.counted);
  if (to8 > from8) {
    const stride = <usize>planned(plan, PlanField.stride8);
    const rows = <usize>planned(plan, PlanField.rows8) + first * stride + from8;
    const num8 = to8 - from8;
    if (wide) wide8(list, n, rows, stride, num8, gradient, hessian, out + <usize>from8 * CELLS_WIDE);
    else packed8(list, n, rows, stride, min<u32>(to8, planned(plan, PlanField.even8)) - from8, packed, out + <usize>from8 * CELLS);
    const numCounted = counted == 0 ? 0 : countedTo(plan, from8, to8) - from8;
    if (numCounted > 0) count8(list, n, rows, stride, numCounted, counts + <usize>from8 * COUNTS);
  }
  if (to16 > from16) {
    const stride = <usize>planned(plan, PlanField.stride16);
    const rows = <usize>planned(plan, PlanField.rows16) + first * stride + (<usize>from16 << 1);
    const starts = <usize>planned(plan, PlanField.starts16) + (<usize>from16 << 2);
    const num16 = to16 - from16;
    if (wide) wide16(list, n, rows, stride, num16, starts, gradient, hessian, out);
    else packed16(list, n, rows, stride, num16, starts, packed, out);
    if (counted != 0) count16(list, n, rows, stride, num16, starts, counts);
  }
}

/** Best split of a node among the features of an item. */
function scan(plan: usize, item: usize, histogram: usize, node: usize, allowed: usize, found: usize, wide: bool): void {
  const counted = planned(plan, PlanField.counted);
  const counts = countsOf(plan, histogram, wide);
  const unitG = argument(plan, EvaluateArgs.unitG);
  const unitH = argument(plan, EvaluateArgs.unitH);
  const gradient = load<f64>(node);
  const hessian = load<f64>(node, 8);
  store<f64>(plan, gradient);
  store<f64>(plan, hessian, 8);
  store<f64>(plan, unitG, 16);
  store<f64>(plan, unitH, 24);
  const alpha = load<f64>(plan, 40);
  const g = gradient * unitG;
  const weight = hessian * unitH + load<f64>(plan, 32);
  const t = g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
  store<f64>(plan, weight > 0 ? (t * t) / weight : 0, 56);
  store<f64>(plan, load<f64>(node, 16), 72);
  const from8 = word(item, ItemField.from8);
  const from16 = word(item, ItemField.from16);
  const n16 = word(item, ItemField.to16) - from16;
  const features = <usize>planned(plan, PlanField.scanned);
  const work = plan + PLAN;
  const rows = counted == 2 ? counts : 0;
  scanFeatures(features + (<usize>from8 << 4), word(item, ItemField.to8) - from8, allowed, histogram, rows, i32(wide), plan, work, found);
  if (n16 > 0) {
    const other = work + SCAN_WORK;
    const at = features + (<usize>(planned(plan, PlanField.features8) + from16) << 4);
    scanFeatures(at, n16, allowed, histogram, rows, i32(wide), plan, work, other);
    const gain = load<f64>(other);
    const most = load<f64>(found);
    if (gain > most || (gain == most && gain > 0 && load<f64>(other, 8) < load<f64>(found, 8))) {
      memory.copy(found, other, FOUND);
    }
  }
  const level = word(item, ItemField.fromLevel);
  const numLevels = word(item, ItemField.toLevel) - level;
  if (numLevels == 0) return;
  scanLevels(
    <usize>planned(plan, PlanField.levels) + <usize>level * LEVEL,
    numLevels,
    allowed,
    histogram,
    counted == 0 ? 0 : counts,
    i32(counted == 2),
    i32(wide),
    plan,
    <usize>planned(plan, PlanField.levelWork),
    found,
  );
}

/** Whether an item's rows are to be added: no stripes have filled it, and no root is there already. */
// @ts-ignore: decorator
@inline
function isUnfilled(item: usize): bool {
  return (word(item, ItemField.copies) | word(item, ItemField.root)) == 0;
}

/** Completes the built histogram, subtracts it from the parent's and finds the splits of both nodes. */
function finish(plan: usize, item: usize, number: u32, wide: bool): void {
  const built = <usize>word(item, ItemField.built);
  const sibling = <usize>word(item, ItemField.sibling);
  const copies = <usize>word(item, ItemField.copies);
  const root = word(item, ItemField.root);
  if (copies != 0) {
    const bytes = <usize>planned(plan, PlanField.copyBytes);
    const end = copies + <usize>(planned(plan, PlanField.numThreads) - 1) * bytes;
    for (let copy = copies; copy < end; copy += bytes) combine(plan, item, built, copy, true, wide);
  }
  if (root != 0) {
    const ranges = <usize>planned(plan, PlanField.ranges);
    const ranges8 = ranges + (<usize>word(item, ItemField.from8) << 3);
    const ranges16 = ranges + (<usize>(planned(plan, PlanField.features8) + word(item, ItemField.from16)) << 3);
    const roots = <usize>planned(plan, PlanField.roots);
    const numCopies = planned(plan, PlanField.rootCopies);
    const bytes = <usize>planned(plan, PlanField.rootBytes);
    takeRoots(ranges8, word(item, ItemField.to8) - word(item, ItemField.from8), roots, numCopies, bytes, root - 1, built);
    takeRoots(ranges16, word(item, ItemField.to16) - word(item, ItemField.from16), roots, numCopies, bytes, root - 1, built);
  }
  if (sibling != 0) combine(plan, item, sibling, built, false, wide);
  if (planned(plan, PlanField.scans) == 0) return;
  const node = item + NODES;
  const found = <usize>planned(plan, PlanField.found) + <usize>number * (2 * FOUND);
  if (word(item, ItemField.scansBuilt) == 1) scan(plan, item, built, node, word(item, ItemField.allowedBuilt), found, wide);
  if (sibling != 0) scan(plan, item, sibling, node + 64, word(item, ItemField.allowedSibling), found + FOUND, wide);
}

export function evaluateGroup(plan: usize, group: i32): void {
  const wide = isWide(plan);
  const at = <usize>planned(plan, PlanField.groups) + (<usize>group << 3);
  const first = load<u32>(at);
  const count = load<u32>(at, 4);
  const items = <usize>planned(plan, PlanField.items) + <usize>first * ITEM;
  const end = items + <usize>count * ITEM;
  let numUnfilled = 0;
  for (let item = items; item < end; item += ITEM) {
    if (!isUnfilled(item)) continue;
    numUnfilled++;
    clear(plan, word(item, ItemField.from8), word(item, ItemField.to8), word(item, ItemField.from16), word(item, ItemField.to16), word(item, ItemField.built), wide);
  }
  const numBlocks = numUnfilled == 0 ? <u32>0 : planned(plan, PlanField.numBlocks);
  for (let block: u32 = 0; block < numBlocks; block++) {
    for (let item = items; item < end; item += ITEM) {
      if (!isUnfilled(item)) continue;
      addBlock(plan, item, word(item, ItemField.from8), word(item, ItemField.to8), word(item, ItemField.from16), word(item, ItemField.to16), word(item, ItemField.built), block, 0, 1, wide);
    }
  }
  for (let i: u32 = 0; i < count; i++) finish(plan, items + <usize>i * ITEM, first + i, wide);
}

export function evaluateGroups(plan: usize): void {
  const numGroups = <i32>argument(plan, EvaluateArgs.numGroups);
  for (;;) {
    const group = atomic.add<i32>(<usize>planned(plan, PlanField.counter), 1);
    if (group >= numGroups) return;
    evaluateGroup(plan, group);
  }
}

/** This thread's copy of a striped item's histogram. */
// @ts-ignore: decorator
@inline
function copyOf(plan: usize, item: usize): usize {
  const thread = <usize>planned(plan, PlanField.thread);
  return thread == 0 ? <usize>word(item, ItemField.built) : <usize>word(item, ItemField.copies) + (thread - 1) * <usize>planned(plan, PlanField.copyBytes);
}

export function fillStripes(plan: usize): void {
  const wide = isWide(plan);
  const stripes = <usize>planned(plan, PlanField.stripes);
  const numJobs = <i32>argument(plan, EvaluateArgs.numStriped);
  const features8 = planned(plan, PlanField.features8);
  const features16 = planned(plan, PlanField.features16);
  const items = <usize>planned(plan, PlanField.items);
  for (let job = 0; job < numJobs; job++) {
    const item = items + <usize>load<u32>(stripes + (job << 2)) * ITEM;
    clear(plan, 0, features8, 0, features16, copyOf(plan, item), wide);
  }
  // Jobs of one stripe of rows come together: its rows are then in the cache for all of them.
  const numStripes = numJobs * STRIPES * <i32>planned(plan, PlanField.numBlocks);
  for (;;) {
    const taken = atomic.add<i32>(<usize>planned(plan, PlanField.counter), 1);
    if (taken >= numStripes) return;
    const stripe = taken / numJobs;
    const item = items + <usize>load<u32>(stripes + ((taken % numJobs) << 2)) * ITEM;
    const out = copyOf(plan, item);
    addBlock(plan, item, 0, features8, 0, features16, out, stripe / STRIPES, stripe % STRIPES, STRIPES, wide);
  }
}
