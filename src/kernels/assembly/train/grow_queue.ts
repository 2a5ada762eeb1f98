// What is to be evaluated of a level, as items in groups. Twin: ../../../grow/histogram/evaluate/evaluator.ts.

import { EvaluateArgs, ItemField } from "./evaluate_fields";
import { GrowField, GrowNumber, NodeList, NodeNumber } from "./grow_fields";
import { get, given, next, number, place, read, release, set, take, write } from "./grow_nodes";

// Sizes: ../../items/evaluate.ts, ../../items/grow.ts.
const ITEM: usize = 192;
const NODES: usize = 64;
const NODE: usize = 64;
/** The first list after those of nodes: sizes of groups. */
const SIZES: i32 = 21;
const MOST_GROUPS: usize = 256;
/** Additions that a cell of a job costs as much as, see the twin. */
const CELL_COST: i64 = 5;
/** Groups of small jobs for each thread. */
const GROUPS: i32 = 4;

/** Queues a node to be built, and the sibling that is what remains of the parent (−1: none). */
export function push(plan: usize, built: i32, sibling: i32): void {
  const job = next(plan, GrowField.numJobs);
  write(plan, NodeList.built, job, built);
  write(plan, NodeList.sibling, job, sibling);
}

/** Queues those of two siblings that may be split; the parent's histogram is used up. */
export function pushPair(plan: usize, parent: i32, left: i32): void {
  const right = left + 1;
  const isSmaller = read(plan, NodeList.rows, left) <= read(plan, NodeList.rows, right);
  const small = isSmaller ? left : right;
  const large = isSmaller ? right : left;
  const splitsSmall = read(plan, NodeList.mayBeSplit, small) == 1;
  const splitsLarge = read(plan, NodeList.mayBeSplit, large) == 1;
  if (!splitsSmall && !splitsLarge) return release(plan, parent);
  const histogram = read(plan, NodeList.histogram, parent);
  write(plan, NodeList.histogram, parent, 0);
  write(plan, NodeList.histogram, small, splitsLarge ? take(plan) : histogram);
  if (splitsLarge) write(plan, NodeList.histogram, large, histogram);
  push(plan, small, splitsLarge ? large : -1);
}

function writeNode(plan: usize, node: i32, to: usize): void {
  store<f64>(to, load<f64>(number(plan, NodeNumber.gradient, node)));
  store<f64>(to, load<f64>(number(plan, NodeNumber.hessian, node)), 8);
  store<f64>(to, <f64>read(plan, NodeList.rows, node), 16);
}

// @ts-ignore: decorator
@inline
function word(item: usize, field: ItemField, value: i32): void {
  store<i32>(item + (<usize>field << 2), value);
}

/** Writes the items of a job, a part of the features each. */
function writeJob(plan: usize, job: i32, parts: i32, slots: i32, copies: i32): void {
  const built = read(plan, NodeList.built, job);
  const sibling = read(plan, NodeList.sibling, job);
  const first = get(plan, GrowField.numItems);
  write(plan, NodeList.firstItem, job, first);
  write(plan, NodeList.numItems, job, parts);
  set(plan, GrowField.numItems, first + parts);
  const features8 = get(plan, GrowField.features8);
  const features16 = get(plan, GrowField.features16);
  const levelFirst = <usize>get(plan, GrowField.levelFirst);
  let from8 = 0;
  let from16 = 0;
  for (let part = 0; part < parts; part++) {
    const item = <usize>get(plan, GrowField.items) + <usize>(first + part) * ITEM;
    const to8 = slots * (((features8 / slots) * (part + 1)) / parts);
    const to16 = (features16 * (part + 1)) / parts;
    word(item, ItemField.entry, read(plan, NodeList.entry, built));
    word(item, ItemField.buffer, read(plan, NodeList.depth, built) & 1);
    word(item, ItemField.built, read(plan, NodeList.histogram, built));
    word(item, ItemField.sibling, sibling < 0 ? 0 : read(plan, NodeList.histogram, sibling));
    word(item, ItemField.from8, from8);
    word(item, ItemField.to8, to8);
    word(item, ItemField.from16, from16);
    word(item, ItemField.to16, to16);
    word(item, ItemField.allowedBuilt, 0);
    word(item, ItemField.allowedSibling, 0);
    word(item, ItemField.copies, copies);
    word(item, ItemField.scansBuilt, read(plan, NodeList.mayBeSplit, built));
    word(item, ItemField.root, built == 0 ? get(plan, GrowField.root) : 0);
    word(item, ItemField.fromLevel, load<i32>(levelFirst + (<usize>from8 << 2)));
    word(item, ItemField.toLevel, load<i32>(levelFirst + (<usize>to8 << 2)));
    writeNode(plan, built, item + NODES);
    if (sibling >= 0) writeNode(plan, sibling, item + NODES + NODE);
    from8 = to8;
    from16 = to16;
  }
}

function writeGroup(plan: usize, first: i32, count: i32): void {
  const group = <usize>get(plan, GrowField.groups) + (<usize>next(plan, GrowField.numGroups) << 3);
  store<i32>(group, first);
  store<i32>(group, count, 4);
}

/** Writes a job whose work threads share: its features, and before that the rows where it is striped. */
function writeShared(plan: usize, job: i32, stripe: i32): void {
  const numThreads = get(plan, GrowField.numThreads);
  const slots = stripe < 0 ? 4 : 1;
  const most = max(1, get(plan, GrowField.features8) / slots + get(plan, GrowField.features16));
  const parts = min(most, stripe < 0 ? numThreads : 2 * numThreads);
  const first = get(plan, GrowField.numItems);
  const copies = get(plan, GrowField.copies) + stripe * (numThreads - 1) * get(plan, GrowField.copyBytes);
  writeJob(plan, job, parts, slots, stripe < 0 ? 0 : copies);
  for (let item = first; item < first + parts; item++) writeGroup(plan, item, 1);
}

/** Where the first of the least (−1) or largest (1) of some numbers is. */
function indexOf(numbers: usize, count: i32, sign: i32): i32 {
  let found = 0;
  for (let i = 1; i < count; i++) {
    if (sign * load<i32>(numbers + (<usize>i << 2)) > sign * load<i32>(numbers + (<usize>found << 2))) found = i;
  }
  return found;
}

/** Writes the items of all jobs in groups; returns how many groups there are. */
export function writeItems(plan: usize): i32 {
  const numJobs = get(plan, GrowField.numJobs);
  const numThreads = get(plan, GrowField.numThreads);
  const numSmall = numThreads == 1 ? 1 : GROUPS * numThreads;
  const sizes = place(plan, <NodeList>SIZES, 0);
  const last = sizes + (MOST_GROUPS << 2);
  memory.fill(sizes, 0, <usize>numSmall << 2);
  memory.fill(last, 255, <usize>numSmall << 2);
  set(plan, GrowField.numItems, 0);
  set(plan, GrowField.numGroups, 0);
  const numFeatures = <i64>(get(plan, GrowField.features8) + get(plan, GrowField.features16));
  const numCells = <i64>get(plan, GrowField.numCells);
  /** What a job costs besides its rows, in rows. */
  const more = <i32>(CELL_COST * numCells / numFeatures);
  // Those whose rows stripes add; their list is done last.
  const striped = <usize>get(plan, GrowField.stripes);
  let numStriped = 0;
  let total: i64 = 0;
  for (let job = 0; job < numJobs; job++) total += read(plan, NodeList.rows, read(plan, NodeList.built, job)) + more;
  for (let job = 0; job < numJobs; job++) {
    const built = read(plan, NodeList.built, job);
    const rows = read(plan, NodeList.rows, built);
    if (numThreads > 1 && <i64>(2 * numThreads) * (rows + more) > total) {
      // Copies are emptied and added up: that must cost less than filling them.
      const isFilled = built == 0 && get(plan, GrowField.root) != 0;
      const isStriped = !isFilled && numStriped < get(plan, GrowField.mostStriped) && rows * numFeatures > 2 * numCells;
      if (isStriped) {
        store<i32>(striped + (<usize>numStriped << 2), job);
        numStriped++;
      } else writeShared(plan, job, -1);
      continue;
    }
    const group = <usize>indexOf(sizes, numSmall, -1) << 2;
    write(plan, NodeList.nextJob, job, load<i32>(last + group));
    store<i32>(last + group, job);
    store<i32>(sizes + group, load<i32>(sizes + group) + rows + more);
  }
  for (;;) {
    const group = <usize>indexOf(sizes, numSmall, 1) << 2;
    if (load<i32>(sizes + group) == 0) break;
    const first = get(plan, GrowField.numItems);
    for (let job = load<i32>(last + group); job >= 0; job = read(plan, NodeList.nextJob, job)) writeJob(plan, job, 1, 1, 0);
    writeGroup(plan, first, get(plan, GrowField.numItems) - first);
    store<i32>(sizes + group, 0);
  }
  // Little is left to do in each part of them, so that threads end at about the same time.
  for (let i = 0; i < numStriped; i++) {
    const job = load<i32>(striped + (<usize>i << 2));
    store<i32>(striped + (<usize>i << 2), get(plan, GrowField.numItems));
    writeShared(plan, job, i);
  }
  const args = <usize>get(plan, GrowField.args);
  store<f64>(args, <f64>get(plan, GrowField.numGroups), EvaluateArgs.numGroups << 3);
  store<f64>(args, <f64>get(plan, GrowField.output), EvaluateArgs.output << 3);
  store<f64>(args, <f64>get(plan, GrowField.wide), EvaluateArgs.wide << 3);
  store<f64>(args, given(plan, GrowNumber.unitG), EvaluateArgs.unitG << 3);
  store<f64>(args, given(plan, GrowNumber.unitH), EvaluateArgs.unitH << 3);
  store<f64>(args, <f64>numStriped, EvaluateArgs.numStriped << 3);
  store<f64>(args, <f64>(<u32>get(plan, GrowField.packed)), EvaluateArgs.packed << 3);
  return get(plan, GrowField.numGroups);
}

