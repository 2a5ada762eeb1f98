// Growing a plain tree by levels: which nodes are split, and how. Twin: ../../../grow/histogram/grower.ts,
// which grows any tree.

import { GrowFeature, GrowField, GrowNumber, NodeList, NodeNumber } from "./grow_fields";
import { add, bestOf, endsIn, get, given, next, number, read, release, set, take, write } from "./grow_nodes";
import { push, pushPair, writeItems } from "./grow_queue";
import { leftLevels } from "./levels";

// Sizes and modes: ../../items/grow.ts, ../../items/evaluate.ts, ../../items/split.ts.
const FEATURE: usize = 32;
const BEST: usize = 64;
const FOUND: usize = 64;
const SPLIT: usize = 48;
const SPLIT_LEAF: u32 = 1;
const FILL_LEAF: u32 = 2;
const PARTITION_ALL: u32 = 3;

/** Notes whether an open node may be split. */
function mark(plan: usize, node: i32): bool {
  const may = read(plan, NodeList.depth, node) < get(plan, GrowField.maxDepth) &&
    <f64>read(plan, NodeList.rows, node) >= given(plan, GrowNumber.leastRows) &&
    load<f64>(number(plan, NodeNumber.hessian, node)) * given(plan, GrowNumber.unitH) >= given(plan, GrowNumber.leastHessian);
  write(plan, NodeList.mayBeSplit, node, i32(may));
  return may;
}

export function plantRoot(plan: usize): i32 {
  set(plan, GrowField.numNodes, 0);
  set(plan, GrowField.numLeaves, 0);
  set(plan, GrowField.numEntries, 1);
  set(plan, GrowField.leavesLeft, get(plan, GrowField.maxLeaves) - 1);
  set(plan, GrowField.tablesEnd, get(plan, GrowField.tables));
  set(plan, GrowField.poolEnd, get(plan, GrowField.pool));
  set(plan, GrowField.numFree, 0);
  set(plan, GrowField.numJobs, 0);
  set(plan, GrowField.numOpen, 1);
  set(plan, GrowField.numKept, 0);
  set(plan, GrowField.numBatch, 0);
  const root = add(plan, -1, 0, get(plan, GrowField.rows), 0, given(plan, GrowNumber.gradient), given(plan, GrowNumber.hessian));
  write(plan, NodeList.open, 0, root);
  if (!mark(plan, root)) return 0;
  write(plan, NodeList.histogram, root, take(plan));
  push(plan, root, -1);
  return writeItems(plan);
}

/** Takes over the best split that a node's items have found: the larger gain, or the lower feature. */
function takeFound(plan: usize, job: i32, which: i32, node: i32): void {
  if (read(plan, NodeList.mayBeSplit, node) == 0) return;
  const best = bestOf(plan, node);
  const first = read(plan, NodeList.firstItem, job);
  const end = first + read(plan, NodeList.numItems, job);
  for (let item = first; item < end; item++) {
    const found = <usize>get(plan, GrowField.found) + <usize>(2 * item + which) * FOUND;
    const gain = load<f64>(found);
    const most = load<f64>(best);
    if (gain > 0 && (gain > most || (gain == most && load<f64>(found, 8) < load<f64>(best, 8)))) memory.copy(best, found, BEST);
  }
}

/** The next split item; it says where the rows of a node are. */
function nextSplit(plan: usize, node: i32, mode: u32): usize {
  const item = <usize>get(plan, GrowField.items) + <usize>next(plan, GrowField.numItems) * SPLIT;
  store<i32>(item, read(plan, NodeList.entry, node));
  store<i32>(item, read(plan, NodeList.depth, node) & 1, 8);
  store<u32>(item, mode, 24);
  return item;
}

/** Makes an open node a leaf, whose rows are told its number. */
function makeLeaf(plan: usize, node: i32): void {
  const leaf = next(plan, GrowField.numLeaves);
  write(plan, NodeList.leaf, node, leaf);
  release(plan, node);
  store<i32>(nextSplit(plan, node, FILL_LEAF), leaf, 28);
}

/** Writes the table of a node's split, 1 for each code that goes left, missing last; returns where. */
function writeTable(plan: usize, node: i32, feature: usize): i32 {
  const best = bestOf(plan, node);
  const table = <usize>get(plan, GrowField.tablesEnd);
  const numBins = load<u32>(feature, GrowFeature.numBins << 2);
  set(plan, GrowField.tablesEnd, <i32>(table + ((numBins + 16) & ~15)));
  if (load<u32>(feature, GrowFeature.categorical << 2) == 0) {
    const numLeft = <usize>load<f64>(best, 16) + 1;
    memory.fill(table, 1, numLeft);
    memory.fill(table + numLeft, 0, numBins - numLeft);
    store<u8>(table + numBins, u8(load<f64>(best, 32) != 0));
    return <i32>table;
  }
  const params = <usize>get(plan, GrowField.params);
  store<f64>(params, load<f64>(number(plan, NodeNumber.gradient, node)));
  store<f64>(params, load<f64>(number(plan, NodeNumber.hessian, node)), 8);
  store<f64>(params, given(plan, GrowNumber.unitG), 16);
  store<f64>(params, given(plan, GrowNumber.unitH), 24);
  const wide = get(plan, GrowField.wide);
  const histogram = <usize>read(plan, NodeList.histogram, node);
  const counts = get(plan, GrowField.counted) == 0 ? 0 : histogram + (<usize>get(plan, GrowField.numCells) << (wide ? 4 : 3));
  leftLevels(<usize>load<u32>(feature, GrowFeature.levels << 2), histogram, counts, wide, params, <usize>get(plan, GrowField.levelWork), best, table);
  return <i32>table;
}

/** Makes an open node an inner one with two children, and writes how its rows part. */
function split(plan: usize, node: i32): void {
  const best = bestOf(plan, node);
  const chosen = <i32>load<f64>(best, 8);
  const feature = <usize>get(plan, GrowField.features) + <usize>chosen * FEATURE;
  const isLevels = load<u32>(feature, GrowFeature.categorical << 2) != 0;
  const numBins = load<i32>(feature, GrowFeature.numBins << 2);
  const table = writeTable(plan, node, feature);
  const missingLeft = <i32>load<u8>(<usize>table + <usize>numBins);
  const bin = <i32>load<f64>(best, 16);
  set(plan, GrowField.leavesLeft, get(plan, GrowField.leavesLeft) - 1);
  write(plan, NodeList.feature, node, chosen);
  write(plan, NodeList.bin, node, bin);
  write(plan, NodeList.missingLeft, node, missingLeft);
  write(plan, NodeList.table, node, table);
  store<f64>(number(plan, NodeNumber.gain, node), load<f64>(best));
  const ends = endsIn(plan, node);
  const depth = read(plan, NodeList.depth, node) + 1;
  const rows = <i32>load<f64>(best, 56);
  const g = load<f64>(best, 40);
  const h = load<f64>(best, 48);
  const entry = ends ? 0 : next(plan, GrowField.numEntries);
  const left = add(plan, node, depth, rows, read(plan, NodeList.entry, node), g, h);
  const right = add(
    plan,
    node,
    depth,
    read(plan, NodeList.rows, node) - rows,
    entry,
    load<f64>(number(plan, NodeNumber.gradient, node)) - g,
    load<f64>(number(plan, NodeNumber.hessian, node)) - h,
  );
  write(plan, NodeList.left, node, left);
  const wide = load<u32>(feature, GrowFeature.wide << 2);
  // The root's rows follow each other, unless some are left out.
  const isAll = node == 0 && wide == 0 && get(plan, GrowField.allRows) == 1;
  const item = nextSplit(plan, node, ends ? SPLIT_LEAF : isAll ? PARTITION_ALL : 0);
  store<i32>(item, entry, 4);
  store<u32>(item, load<u32>(feature, GrowFeature.column << 2), 12);
  store<u32>(item, wide, 16);
  store<i32>(item, table, 20);
  store<i32>(item, isLevels ? -1 : bin, 36);
  store<i32>(item, missingLeft == 1 ? numBins : 0, 40);
  if (!ends) return;
  release(plan, node);
  for (let child = left; child <= right; child++) {
    const leaf = next(plan, GrowField.numLeaves);
    write(plan, NodeList.leaf, child, leaf);
    store<i32>(item + (<usize>(child - left) << 2), leaf, 28);
  }
}

export function splitLevel(plan: usize): i32 {
  const numJobs = get(plan, GrowField.numJobs);
  for (let job = 0; job < numJobs; job++) {
    takeFound(plan, job, 0, read(plan, NodeList.built, job));
    const sibling = read(plan, NodeList.sibling, job);
    if (sibling >= 0) takeFound(plan, job, 1, sibling);
  }
  set(plan, GrowField.numJobs, 0);
  set(plan, GrowField.numItems, 0);
  const numOpen = get(plan, GrowField.numOpen);
  for (let i = 0; i < numOpen; i++) {
    const node = read(plan, NodeList.open, i);
    const gain = load<f64>(bestOf(plan, node));
    if (gain > 0 && gain >= given(plan, GrowNumber.minGain)) write(plan, NodeList.kept, next(plan, GrowField.numKept), node);
    else makeLeaf(plan, node);
  }
  set(plan, GrowField.numOpen, 0);
  // Nodes that are kept for later are there only when no leaves are left.
  const numKept = get(plan, GrowField.numKept);
  const numBatch = min(numKept, get(plan, GrowField.leavesLeft));
  for (let i = 0; i < numBatch; i++) {
    const node = read(plan, NodeList.kept, i);
    write(plan, NodeList.batch, i, node);
    split(plan, node);
  }
  const isOver = numBatch == 0;
  for (let i = numBatch; i < numKept; i++) {
    const node = read(plan, NodeList.kept, i);
    if (isOver) makeLeaf(plan, node);
    else write(plan, NodeList.kept, i - numBatch, node);
  }
  set(plan, GrowField.numKept, isOver ? 0 : numKept - numBatch);
  set(plan, GrowField.numBatch, numBatch);
  const args = <usize>get(plan, GrowField.args);
  store<f64>(args, <f64>get(plan, GrowField.numItems));
  store<f64>(args, <f64>(<u32>get(plan, GrowField.leafOf)), 8);
  return get(plan, GrowField.numItems);
}

/** Rows that an entry has in all blocks. */
function rowsOf(plan: usize, entry: i32): i32 {
  const numBlocks = get(plan, GrowField.numBlocks);
  const segments = <usize>get(plan, GrowField.segments) + (<usize>(entry * numBlocks) << 3);
  let rows = 0;
  for (let block = 0; block < numBlocks; block++) rows += load<i32>(segments + (<usize>block << 3), 4);
  return rows;
}

export function queueLevel(plan: usize): i32 {
  const numBatch = get(plan, GrowField.numBatch);
  if (numBatch == 0) return -1;
  for (let i = 0; i < numBatch; i++) {
    const node = read(plan, NodeList.batch, i);
    if (endsIn(plan, node)) continue;
    const left = read(plan, NodeList.left, node);
    for (let child = left; child <= left + 1; child++) {
      write(plan, NodeList.rows, child, rowsOf(plan, read(plan, NodeList.entry, child)));
      mark(plan, child);
      write(plan, NodeList.open, next(plan, GrowField.numOpen), child);
    }
    pushPair(plan, node, left);
  }
  return get(plan, GrowField.numJobs) == 0 ? 0 : writeItems(plan);
}
