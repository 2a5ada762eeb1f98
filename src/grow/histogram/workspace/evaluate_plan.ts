/**
 * What the kernel that evaluates nodes is told of where everything is: the same in all operations of a
 * thread, so that an operation is one call.
 *
 * @module
 */
import { PLAN_BYTES, PlanField, SCAN_PARAM_BYTES } from "../../../kernels/items/evaluate.ts";
import { LEVEL_WORK_BYTES } from "../../../kernels/types.ts";
import { isPlain } from "../split/score.ts";
import type { HistLayout } from "./layout.ts";

/** Whose rows are counted, as the kernel is told. */
const COUNTED = { none: 0, categories: 1, all: 2 } as const;

/** The plan of a thread, as bytes. */
export function planOf(layout: HistLayout, thread: number): Uint8Array {
  const { bins, params, sets: [{ rows, numBlocks, blockRows }], roots, levels } = layout;
  const words: { readonly [field in keyof typeof PlanField]: number } = {
    items: layout.items,
    groups: layout.groups,
    found: layout.found,
    counter: layout.counter,
    args: layout.args,
    stripes: layout.stripes,
    copyBytes: layout.copyBytes,
    thread,
    numThreads: layout.numThreads,
    ranges: layout.ranges,
    features8: bins.features8,
    even8: (bins.slots8.length + 1) & ~1,
    features16: bins.order16.length,
    numCells: bins.numCells,
    starts16: layout.starts16,
    counted: COUNTED[layout.counted],
    counted8: bins.counted8,
    rows8: rows.rows8,
    stride8: bins.stride8,
    rows16: rows.rows16,
    stride16: bins.stride16,
    numRows: rows.numRows,
    blockRows,
    numBlocks,
    segments: layout.segments,
    first: layout.lists[0],
    second: layout.lists[1],
    gradient: layout.gradient,
    hessian: layout.hessian,
    roots: roots?.cells ?? 0,
    rootCopies: roots?.copies ?? 0,
    rootBytes: roots?.cellBytes ?? 0,
    scans: isPlain(params) ? 1 : 0,
    scanned: layout.scanned,
    levels: levels.at,
    levelWork: layout.levelWork + LEVEL_WORK_BYTES * thread,
  };
  const plan = new Uint8Array(PLAN_BYTES);
  const scan = new Float64Array(plan.buffer);
  // What is left out is of a node, and the kernel's.
  scan[4] = params.lambda;
  scan[5] = params.alpha;
  scan[6] = params.minChildWeight * (1 - 1e-9);
  scan[8] = params.minRowsPerLeaf;
  scan[10] = params.maxCategoriesOneHot;
  scan[11] = params.maxCategoriesPerSplit;
  scan[12] = params.catSmooth;
  scan[13] = Math.max(1, params.minRowsPerCategory);
  scan[14] = params.catL2;
  const fields = new Uint32Array(plan.buffer, SCAN_PARAM_BYTES);
  for (const [field, at] of Object.entries(PlanField)) {
    fields[at] = words[field as keyof typeof PlanField];
  }
  return plan;
}
