/**
 * Twin of the kernels that build the histograms of groups of nodes and find their best splits. Sums are
 * of whole numbers, so that copies of threads add up to the same bytes in any order.
 *
 * @module
 */
import {
  EvaluateArgs,
  FOUND_BYTES,
  ITEM_BYTES,
  ITEM_NODES,
  ItemField,
  NODE_BYTES,
  NodeField,
  PLAN_BYTES,
  PlanField,
  SCAN_PARAM_BYTES,
  STRIPES,
} from "../items/evaluate.ts";
import type { EvaluateKernels } from "../types/evaluate.ts";
import type { HistogramKernels } from "../types/histogram.ts";
import type { Memory } from "../memory.ts";
import { type Kernels, LEVEL_ENTRY_BYTES, SCAN_WORK_BYTES, STRIDE8 } from "../types.ts";

/** A range of features, by position. */
interface Range {
  readonly from8: number;
  readonly to8: number;
  readonly from16: number;
  readonly to16: number;
}

/** The kernels over a memory, by the twins of those that they call. */
export function twinEvaluate(
  memory: Memory,
  kernels: Pick<Kernels, Exclude<keyof HistogramKernels, "addRoots" | "scanThresholds">>,
): EvaluateKernels {
  const planOf = (plan: number) => (field: number) =>
    memory.u32[((plan + SCAN_PARAM_BYTES) >>> 2) + field];
  const wordsOf = (plan: number, item: number) => (field: number) =>
    memory.u32[((planOf(plan)(PlanField.items) + item * ITEM_BYTES) >>> 2) + field];
  const argumentOf = (plan: number, field: number) =>
    memory.f64[(planOf(plan)(PlanField.args) >>> 3) + field];
  const bytesOf = (plan: number) => argumentOf(plan, EvaluateArgs.wide) === 1 ? 16 : 8;
  const countsOf = (plan: number, histogram: number) =>
    histogram + planOf(plan)(PlanField.numCells) * bytesOf(plan);

  function rangeOf(plan: number, item: number): Range {
    const word = wordsOf(plan, item);
    return {
      from8: word(ItemField.from8),
      to8: word(ItemField.to8),
      from16: word(ItemField.from16),
      to16: word(ItemField.to16),
    };
  }

  function allOf(plan: number): Range {
    const of = planOf(plan);
    return { from8: 0, to8: of(PlanField.features8), from16: 0, to16: of(PlanField.features16) };
  }

  /** The part of a range whose rows are counted, where any are. */
  function countedPart(plan: number, range: Range): Range {
    const of = planOf(plan);
    if (of(PlanField.counted) === 2) return range;
    return { ...range, to8: Math.max(range.from8, Math.min(range.to8, of(PlanField.counted8))) };
  }

  /** Does something with the entries of `ranges` that belong to a range of features. */
  function forRanges(
    plan: number,
    { from8, to8, from16, to16 }: Range,
    work: (ranges: number, n: number) => void,
  ): void {
    const of = planOf(plan);
    work(of(PlanField.ranges) + 8 * from8, to8 - from8);
    work(of(PlanField.ranges) + 8 * (of(PlanField.features8) + from16), to16 - from16);
  }

  /** Empties the cells and counts of a range. */
  function clear(plan: number, range: Range, histogram: number): void {
    const bytes = bytesOf(plan);
    forRanges(plan, range, (at, n) => kernels.clearCells(at, n, histogram, bytes));
    if (planOf(plan)(PlanField.counted) === 0) return;
    const counts = countsOf(plan, histogram);
    forRanges(plan, countedPart(plan, range), (at, n) => kernels.clearCells(at, n, counts, 4));
  }

  /** target += or −= source, for the cells and counts of a range. */
  function combine(
    plan: number,
    range: Range,
    work: Kernels["addCells"],
    target: number,
    source: number,
  ): void {
    const bytes = bytesOf(plan);
    forRanges(plan, range, (at, n) => work(at, n, target, source, bytes));
    if (planOf(plan)(PlanField.counted) === 0) return;
    const [to, from] = [countsOf(plan, target), countsOf(plan, source)];
    forRanges(plan, countedPart(plan, range), (at, n) => work(at, n, to, from, 4));
  }

  /** Adds the rows that an item's node has in a block, or one of equal parts of them. */
  function addBlock(
    plan: number,
    item: number,
    range: Range,
    out: number,
    block: number,
    part = 0,
    numParts = 1,
  ): void {
    const { u32 } = memory;
    const of = planOf(plan);
    const word = wordsOf(plan, item);
    const wide = bytesOf(plan) === 16;
    const entry = word(ItemField.entry) * of(PlanField.numBlocks) + block;
    const segment = (of(PlanField.segments) >>> 2) + 2 * entry;
    const from = Math.floor((u32[segment + 1] * part) / numParts);
    const n = Math.floor((u32[segment + 1] * (part + 1)) / numParts) - from;
    if (n === 0) return;
    const first = block * of(PlanField.blockRows);
    const lists = of(word(ItemField.buffer) === 0 ? PlanField.first : PlanField.second);
    const list = lists + 2 * (u32[segment] + from);
    const counts = countsOf(plan, out);
    const row = argumentOf(plan, EvaluateArgs.output) * of(PlanField.numRows) + first;
    const gradient = of(PlanField.gradient) + 8 * row;
    const hessian = of(PlanField.hessian) + 8 * row;
    const packed = argumentOf(plan, EvaluateArgs.packed) + 4 * first;
    const isCounted = of(PlanField.counted) !== 0;
    const { from8, to8, from16, to16 } = range;
    if (to8 > from8) {
      const stride = of(PlanField.stride8);
      const rows = of(PlanField.rows8) + first * stride + from8;
      const cells = out + from8 * STRIDE8 * bytesOf(plan);
      const even = Math.min(to8, of(PlanField.even8)) - from8;
      if (wide) kernels.wide8(list, n, rows, stride, to8 - from8, gradient, hessian, cells);
      else kernels.packed8(list, n, rows, stride, even, packed, cells);
      const counted = isCounted ? countedPart(plan, range).to8 - from8 : 0;
      if (counted > 0) {
        kernels.count8(list, n, rows, stride, counted, counts + 4 * from8 * STRIDE8);
      }
    }
    if (to16 > from16) {
      const stride = of(PlanField.stride16);
      const rows = of(PlanField.rows16) + first * stride + 2 * from16;
      const starts = of(PlanField.starts16) + 4 * from16;
      const num = to16 - from16;
      if (wide) kernels.wide16(list, n, rows, stride, num, starts, gradient, hessian, out);
      else kernels.packed16(list, n, rows, stride, num, starts, packed, out);
      if (isCounted) kernels.count16(list, n, rows, stride, num, starts, counts);
    }
  }

  /** Best split of an item's built node (0) or sibling (1). */
  function scan(plan: number, item: number, which: number, histogram: number): void {
    const { f64 } = memory;
    const of = planOf(plan);
    const word = wordsOf(plan, item);
    const nodes = of(PlanField.items) + item * ITEM_BYTES + ITEM_NODES;
    const node = (nodes + which * NODE_BYTES) >>> 3;
    const found = of(PlanField.found) + (2 * item + which) * FOUND_BYTES;
    const allowed = word(which === 0 ? ItemField.allowedBuilt : ItemField.allowedSibling);
    const [gradient, hessian] = [f64[node + NodeField.gradient], f64[node + NodeField.hessian]];
    const unitG = argumentOf(plan, EvaluateArgs.unitG);
    const unitH = argumentOf(plan, EvaluateArgs.unitH);
    const params = plan >>> 3;
    f64.set([gradient, hessian, unitG, unitH], params);
    const [lambda, alpha] = f64.subarray(params + 4);
    const g = gradient * unitG;
    const weight = hessian * unitH + lambda;
    const t = g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
    f64[params + 7] = weight > 0 ? (t * t) / weight : 0;
    f64[params + 9] = f64[node + NodeField.count];
    const wide = bytesOf(plan) === 16 ? 1 : 0;
    const counted = of(PlanField.counted);
    const counts = countsOf(plan, histogram);
    const { from8, to8, from16, to16 } = rangeOf(plan, item);
    const work = plan + PLAN_BYTES;
    const scanSome = (first: number, n: number, out: number) => {
      const features = of(PlanField.scanned) + 16 * first;
      const rows = counted === 2 ? counts : 0;
      kernels.scanFeatures(features, n, allowed, histogram, rows, wide, plan, work, out);
    };
    scanSome(from8, to8 - from8, found);
    if (to16 > from16) {
      const out = work + SCAN_WORK_BYTES;
      scanSome(of(PlanField.features8) + from16, to16 - from16, out);
      const [gain, feature] = f64.subarray(out >>> 3);
      const [most, mostFeature] = f64.subarray(found >>> 3);
      if (gain > most || (gain === most && gain > 0 && feature < mostFeature)) {
        f64.copyWithin(found >>> 3, out >>> 3, (out + FOUND_BYTES) >>> 3);
      }
    }
    const level = word(ItemField.fromLevel);
    const numLevels = word(ItemField.toLevel) - level;
    if (numLevels === 0) return;
    kernels.scanLevels(
      of(PlanField.levels) + LEVEL_ENTRY_BYTES * level,
      numLevels,
      allowed,
      histogram,
      counted === 0 ? 0 : counts,
      counted === 2 ? 1 : 0,
      wide,
      plan,
      of(PlanField.levelWork),
      found,
    );
  }

  /** Completes the built histogram, subtracts it from the parent's and finds the splits of both nodes. */
  function finish(plan: number, item: number): void {
    const of = planOf(plan);
    const word = wordsOf(plan, item);
    const range = rangeOf(plan, item);
    const built = word(ItemField.built);
    const sibling = word(ItemField.sibling);
    const copies = word(ItemField.copies);
    const root = word(ItemField.root);
    for (let t = 1; copies !== 0 && t < of(PlanField.numThreads); t++) {
      const copy = copies + (t - 1) * of(PlanField.copyBytes);
      combine(plan, range, kernels.addCells, built, copy);
    }
    if (root !== 0) {
      const [roots, numCopies] = [of(PlanField.roots), of(PlanField.rootCopies)];
      const bytes = of(PlanField.rootBytes);
      forRanges(plan, range, (at, n) => {
        kernels.takeRoots(at, n, roots, numCopies, bytes, root - 1, built);
      });
    }
    if (sibling !== 0) combine(plan, range, kernels.subtractCells, sibling, built);
    if (of(PlanField.scans) === 0) return;
    if (word(ItemField.scansBuilt) === 1) scan(plan, item, 0, built);
    if (sibling !== 0) scan(plan, item, 1, sibling);
  }

  function evaluateGroup(plan: number, group: number): void {
    const of = planOf(plan);
    const at = (of(PlanField.groups) >>> 2) + 2 * group;
    const [first, count] = memory.u32.subarray(at, at + 2);
    const items = Array.from({ length: count }, (_, i) => first + i);
    const unfilled = items.filter((item) => {
      const word = wordsOf(plan, item);
      return word(ItemField.copies) === 0 && word(ItemField.root) === 0;
    });
    const builtOf = (item: number) => wordsOf(plan, item)(ItemField.built);
    for (const item of unfilled) clear(plan, rangeOf(plan, item), builtOf(item));
    for (let block = 0; block < of(PlanField.numBlocks); block++) {
      for (const item of unfilled) addBlock(plan, item, rangeOf(plan, item), builtOf(item), block);
    }
    for (const item of items) finish(plan, item);
  }

  /** Takes numbers from the common counter until there are no more. */
  function forTaken(plan: number, count: number, work: (number: number) => void): void {
    const counter = planOf(plan)(PlanField.counter) >>> 2;
    for (;;) {
      const taken = Atomics.add(memory.i32, counter, 1);
      if (taken >= count) return;
      work(taken);
    }
  }

  return {
    evaluateGroup,

    evaluateGroups(plan) {
      const numGroups = argumentOf(plan, EvaluateArgs.numGroups);
      forTaken(plan, numGroups, (group) => evaluateGroup(plan, group));
    },

    fillStripes(plan) {
      const of = planOf(plan);
      const numJobs = argumentOf(plan, EvaluateArgs.numStriped);
      const thread = of(PlanField.thread);
      const items = memory.u32.subarray(of(PlanField.stripes) >>> 2).slice(0, numJobs);
      const copyOf = (item: number) => {
        const word = wordsOf(plan, item);
        return thread === 0
          ? word(ItemField.built)
          : word(ItemField.copies) + (thread - 1) * of(PlanField.copyBytes);
      };
      for (const item of items) clear(plan, allOf(plan), copyOf(item));
      // Jobs of one stripe of rows come together: its rows are then in the cache for all of them.
      forTaken(plan, numJobs * STRIPES * of(PlanField.numBlocks), (taken) => {
        const stripe = Math.floor(taken / numJobs);
        const item = items[taken % numJobs];
        const block = Math.floor(stripe / STRIPES);
        addBlock(plan, item, allOf(plan), copyOf(item), block, stripe % STRIPES, STRIPES);
      });
    },
  };
}
