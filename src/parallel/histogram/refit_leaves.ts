/**
 * Constants of leaves by losses that set them themselves, by all threads: rows are counted and listed
 * by leaf, blocks of rows at a time, and then leaves are taken, each by one thread. A leaf's rows are
 * in ascending order whoever lists them, so its constant has the bits of one thread.
 *
 * Everything lies in places that growing the tree has left: lists in that of packed gradients, what is
 * counted in that of segments, leaves in that of items.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { leavesOf } from "../../grow/histogram/workspace/layout.ts";
import { forBlocks, forItems, type HistContext } from "../../grow/histogram/workspace/context.ts";
import type { Loss } from "../../loss/types.ts";
import { knownLoss } from "./loss_gradients.ts";

/** What one operation does. */
export const RefitStep = { count: 0, list: 1, fit: 2 } as const;

/** Places of its arguments, as float64. */
export const RefitArgs = { step: 0, output: 1, numLeaves: 2, numParts: 3 } as const;

/** A loss that sets leaves, and the labels. */
export interface RefitLoss {
  readonly loss: Loss;
  readonly labels: Labels;
}

/** Arrays of a refit in the memory of the run. */
export interface RefitArrays {
  /** Which group of rows each leaf number belongs to. */
  readonly slotOf: Int32Array;
  /** Of each block and slot: how many rows, and then where the next one is listed. */
  readonly starts: Int32Array;
  /** Rows of the tree, by slot. */
  readonly rows: Int32Array;
  /** `first, last + 1` in the list of each part that a constant is wanted of. */
  readonly parts: Int32Array;
  /** The constants. */
  readonly values: Float64Array;
}

/** Finds the arrays of a tree with so many leaf numbers: slots are no more, parts less than twice that. */
export function refitArrays(
  { layout, memory: { f64, i32 } }: HistContext,
  numLeaves: number,
): RefitArrays {
  const { items, packed, segments, sets: [{ numBlocks, rows: { numRows } }] } = layout;
  const ints = (at: number, length: number) => i32.subarray(at >>> 2, (at >>> 2) + length);
  const partsAt = items + 16 * numLeaves;
  return {
    values: f64.subarray(items >>> 3, (items >>> 3) + 2 * numLeaves),
    parts: ints(partsAt, 4 * numLeaves),
    slotOf: ints(partsAt + 16 * numLeaves, numLeaves),
    starts: ints(segments, numBlocks * numLeaves),
    rows: ints(packed, numRows),
  };
}

/** Takes its share of a step. */
export function refitLeaves(context: HistContext, known: RefitLoss = knownLoss(context)): void {
  const { layout, memory } = context;
  const args = layout.args >>> 3;
  const [step, output, numLeaves, numParts] = memory.f64.subarray(args, args + 4);
  const arrays = refitArrays(context, numLeaves);
  if (step === RefitStep.fit) fitParts(context, known, arrays, output, numParts);
  else if (step === RefitStep.list) listRows(context, arrays, numLeaves);
  else countRows(context, arrays, numLeaves);
}

/** Counts the rows of each block and slot. @param stride Number of leaf numbers. */
export function countRows(
  context: HistContext,
  { slotOf, starts }: RefitArrays,
  stride: number,
): void {
  const { layout, memory: { u8 } } = context;
  const leafOf = leavesOf(context.memory, layout, 0);
  const { mask } = layout;
  forBlocks(context, 0, (from, n, block) => {
    const at = block * stride;
    starts.fill(0, at, at + stride);
    for (let row = from; row < from + n; row++) {
      if (mask === 0 || u8[mask + row] === 1) starts[at + slotOf[leafOf[row]]]++;
    }
  });
}

/** Lists the rows of a tree by slot. @param stride Number of leaf numbers. */
export function listRows(context: HistContext, arrays: RefitArrays, stride: number): void {
  const { slotOf, starts, rows } = arrays;
  const { layout, memory: { u8 } } = context;
  const leafOf = leavesOf(context.memory, layout, 0);
  const { mask } = layout;
  forBlocks(context, 0, (from, n, block) => {
    const at = block * stride;
    for (let row = from; row < from + n; row++) {
      if (mask === 0 || u8[mask + row] === 1) rows[starts[at + slotOf[leafOf[row]]]++] = row;
    }
  });
}

/** The labels, whose weights are those of the draw where rows of it count unlike. */
function drawnLabels({ layout, memory: { f64 } }: HistContext, labels: Labels): Labels {
  if (!layout.unlike) return labels;
  const at = layout.factor >>> 3;
  const factors = f64.subarray(at, at + layout.sets[0].rows.numRows);
  const { weight } = labels;
  return { ...labels, weight: factors.map((factor, row) => factor * (weight?.[row] ?? 1)) };
}

function fitParts(
  context: HistContext,
  known: RefitLoss,
  { rows, parts, values }: RefitArrays,
  output: number,
  numParts: number,
): void {
  const { layout, memory } = context;
  const { loss } = known;
  const labels = drawnLabels(context, known.labels);
  const { raw, rows: { numRows } } = layout.sets[0];
  const at = (layout.before || raw) >>> 3;
  const scores = memory.f64.subarray(at, at + numRows * layout.numOutputs);
  forItems(memory, numParts, (part) => {
    const some = rows.subarray(parts[2 * part], parts[2 * part + 1]);
    values[part] = loss.refitLeaf!(labels, scores, some, output);
  }, layout.counter);
}
