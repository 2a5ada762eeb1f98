/**
 * Operations that move rows: partition, leaf numbers, scores.
 *
 * @module
 */
import { forBlocks, forItems, type HistContext } from "../workspace/context.ts";
import { binsOf } from "../workspace/layout.ts";

/** Partition and leaf numbers by the split items, also of rows that are left out. */
export function partition(context: HistContext): void {
  const { memory, kernels, layout } = context;
  const { items, leafBytes, lists: [first, second], segments, outside, patterns } = layout;
  const { numBlocks, blockRows } = layout.sets[0];
  const [numSplits, leaves] = memory.f64.subarray(layout.args >>> 3, (layout.args >>> 3) + 2);
  const split = (table: number, block: number) => {
    const from = block * blockRows;
    const leafOf = leaves + leafBytes * from;
    kernels.splitBlock(
      items,
      numSplits,
      table,
      numBlocks,
      block,
      from,
      first,
      second,
      leafOf,
      leafBytes,
      patterns,
    );
  };
  forItems(memory, numBlocks, (block) => {
    split(segments, block);
    if (outside !== 0) split(outside, block);
  }, layout.counter);
}

/** Adds the values of leaves to an output of a set. */
export function addLeaves(context: HistContext): void {
  const { memory: { f64 }, kernels, layout } = context;
  const a = layout.args >>> 3;
  const [number, output, values] = f64.subarray(a, a + 3);
  const set = layout.sets[number];
  const { leafBytes } = layout;
  const raw = set.raw + 8 * output * set.rows.numRows;
  forBlocks(context, number, (from, n) => {
    kernels.addLeaves(raw + 8 * from, set.leafOf + leafBytes * from, leafBytes, values, n);
  });
}

/** Leaf of each row of a set. */
export function route(context: HistContext): void {
  const { memory: { f64 }, kernels, layout } = context;
  const [number, nodes] = f64.subarray(layout.args >>> 3, (layout.args >>> 3) + 2);
  const { rows: { rows8, rows16 }, leafOf } = layout.sets[number];
  const { stride8, stride16 } = binsOf(layout, number);
  const { leafBytes } = layout;
  forBlocks(context, number, (from, n) => {
    kernels.route(
      rows8 + from * stride8,
      stride8,
      rows16 + from * stride16,
      stride16,
      n,
      nodes,
      leafOf + leafBytes * from,
      leafBytes,
    );
  });
}
