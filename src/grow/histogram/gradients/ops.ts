/**
 * Operations on gradients: computing them, their statistics and sums, whole numbers of them.
 *
 * @module
 */
import { forBlocks, forPieces, type HistContext } from "../workspace/context.ts";
import { QuantiseArgs } from "../workspace/op.ts";

/** Gradients of all outputs, and their statistics where the layout says so. */
export function computeGradients(context: HistContext): void {
  const { layout } = context;
  forPieces(context, (from, n, piece) => {
    if (layout.signed !== undefined) return signedGradients(context, from, n, piece);
    gradients(context, from, n);
    if (layout.weighsAtOnce) weighRows(context, from, n);
    if (!layout.statsAtOnce) return;
    for (let k = 0; k < layout.numOutputs; k++) stats(context, k, from, n, piece);
  });
}

/** Multiplies gradients by the factors of rows. */
export function sampleRows(context: HistContext): void {
  forBlocks(context, 0, (from, n) => weighRows(context, from, n));
}

/** Statistics of one output. */
export function outputStats(context: HistContext): void {
  const output = context.memory.f64[context.layout.args >>> 3];
  forPieces(context, (from, n, piece) => stats(context, output, from, n, piece));
}

/** Both derivatives of an output as float64 from the signed ones. */
export function spread(context: HistContext): void {
  const { memory: { f64 }, layout, kernels } = context;
  const first = f64[layout.args >>> 3] * layout.sets[0].rows.numRows;
  forBlocks(context, 0, (from, n) => {
    const at = first + from;
    const g = layout.gradient + 8 * at;
    const h = layout.hessian + 8 * at;
    kernels.spreadSigned(layout.signed!.at + 4 * at, g, h, n, layout.curvatureFactor);
  });
}

/** Sums of leaves, of each thread for itself. */
export function leafSums(context: HistContext): void {
  const { memory: { f64 }, layout, kernels, thread } = context;
  const a = layout.args >>> 3;
  const [output, numLeaves, fixG, fixH, isSigned, leaves] = f64.subarray(a, a + 6);
  const first = output * layout.sets[0].rows.numRows;
  const even = layout.leafSums + 2 * thread * layout.leafSumsStride;
  const odd = even + layout.leafSumsStride;
  const { leafBytes } = layout;
  for (const at of [even >>> 3, odd >>> 3]) f64.fill(0, at, at + 2 * numLeaves);
  forBlocks(context, 0, (from, n) => {
    const at = first + from;
    const leafOf = leaves + leafBytes * from;
    if (isSigned === 1) {
      const signed = layout.signed!.at + 4 * at;
      const { curvatureFactor } = layout;
      kernels.leafSumsSigned(leafOf, leafBytes, signed, n, curvatureFactor, fixG, fixH, even, odd);
      return;
    }
    const g = layout.gradient + 8 * at;
    const h = layout.hessian + 8 * at;
    kernels.leafSums(leafOf, leafBytes, g, h, n, fixG, fixH, even, odd);
  });
}

/** Multiplies the gradients of all outputs by the factors of rows. */
function weighRows({ layout, kernels }: HistContext, from: number, n: number): void {
  for (let k = 0; k < layout.numOutputs; k++) {
    const at = 8 * (k * layout.sets[0].rows.numRows + from);
    kernels.weigh(layout.gradient + at, layout.hessian + at, layout.factor + 8 * from, n);
  }
}

/** Statistics of the gradients of one output in a piece. */
function stats(
  { layout, kernels }: HistContext,
  output: number,
  from: number,
  n: number,
  piece: number,
): void {
  const { rows, numBlocks } = layout.sets[0];
  const at = 8 * (output * rows.numRows + from);
  const out = layout.stats + 32 * (output * numBlocks * layout.piecesPerBlock + piece);
  kernels.gradientStats(layout.gradient + at, layout.hessian + at, n, out);
}

function gradients(context: HistContext, from: number, n: number): void {
  const { layout, kernels } = context;
  const { rows, raw } = layout.sets[0];
  const at = 8 * from;
  const stride = 8 * rows.numRows;
  const g = layout.gradient + at;
  const h = layout.hessian + at;
  if (layout.lossKernel === "softmax") {
    const { numOutputs, curvatureFactor } = layout;
    kernels.softmax(raw + at, layout.label + at, g, h, n, numOutputs, stride, curvatureFactor);
  } else if (layout.lossKernel === "logistic") {
    kernels.logistic(raw + at, layout.label + at, g, h, n);
  } else {
    kernels.squared(raw + at, layout.label + at, g, h, n);
  }
  if (layout.weight === 0) return;
  for (let k = 0; k < layout.numOutputs; k++) {
    kernels.weigh(g + k * stride, h + k * stride, layout.weight + at, n);
  }
}

/** Signed derivatives of a piece, and their statistics; scores with the leaves of the round before. */
function signedGradients(
  { layout, kernels, thread }: HistContext,
  from: number,
  n: number,
  piece: number,
): void {
  const { rows, raw, numBlocks } = layout.sets[0];
  const at = 8 * from;
  const { at: signed, work, workBytes, late } = layout.signed!;
  const { leafBytes } = layout;
  if (layout.lossKernel === "logistic") {
    const leaves = late === undefined ? 0 : late.leafOf + leafBytes * from;
    return kernels.logisticSigned(
      raw + at,
      signed + 4 * from,
      n,
      layout.stats + 32 * piece,
      leaves,
      leafBytes,
      late?.values ?? 0,
    );
  }
  kernels.softmaxSigned(
    raw + at,
    layout.label + at,
    signed + 4 * from,
    n,
    layout.numOutputs,
    8 * rows.numRows,
    layout.curvatureFactor,
    work + thread * workBytes,
    layout.stats + 32 * piece,
    32 * numBlocks * layout.piecesPerBlock,
    late === undefined ? 0 : late.leafOf + leafBytes * from,
    leafBytes,
    leafBytes * rows.numRows,
    late?.values ?? 0,
    late?.valuesBytes ?? 0,
  );
}

/** Whole-number gradients and lists of rows of one output. */
export function quantise(context: HistContext): void {
  const { memory: { f64 }, kernels, layout } = context;
  const { numRows } = layout.sets[0].rows;
  const a = layout.args >>> 3;
  const at = 8 * f64[a] * numRows;
  if (f64[a + QuantiseArgs.signed] === 1) return quantiseSigned(context);
  forBlocks(context, 0, (from, n, block) => {
    const count = kernels.quantise(
      layout.gradient + at + 8 * from,
      layout.hessian + at + 8 * from,
      n,
      from,
      layout.mask === 0 ? 0 : layout.mask + from,
      layout.lists[0] + 2 * from,
      layout.packed + 4 * from,
      f64[a + QuantiseArgs.fixG],
      f64[a + QuantiseArgs.fixH],
      f64[a + QuantiseArgs.packG],
      f64[a + QuantiseArgs.packH],
      f64[a + QuantiseArgs.seed],
      layout.blockSums + 16 * block,
    );
    writeSegment(context, block, from, n, count);
  });
}

/** The same of signed derivatives; no row is left out. */
function quantiseSigned(context: HistContext): void {
  const { memory: { f64 }, kernels, layout } = context;
  const { numRows } = layout.sets[0].rows;
  const a = layout.args >>> 3;
  const at = layout.signed!.at + 4 * f64[a] * numRows;
  forBlocks(context, 0, (from, n, block) => {
    kernels.quantiseSigned(
      at + 4 * from,
      n,
      from,
      layout.curvatureFactor,
      layout.packed + 4 * from,
      f64[a + QuantiseArgs.packG],
      f64[a + QuantiseArgs.packH],
      f64[a + QuantiseArgs.seed],
      layout.blockSums + 16 * block,
    );
    writeSegment(context, block, from, n, kernels.listRows(n, 0, layout.lists[0] + 2 * from));
  });
}

/** Lists the rows of a tree whose gradients are packed already. */
export function listRows(context: HistContext): void {
  const { kernels, layout: { lists, mask } } = context;
  forBlocks(context, 0, (from, n, block) => {
    const count = kernels.listRows(n, mask === 0 ? 0 : mask + from, lists[0] + 2 * from);
    writeSegment(context, block, from, n, count);
  });
}

/** Says where the root's rows of a block are listed, and after them those that are left out. */
function writeSegment(
  { memory: { u32 }, layout: { segments, outside } }: HistContext,
  block: number,
  from: number,
  n: number,
  count: number,
): void {
  u32[(segments >>> 2) + 2 * block] = from;
  u32[(segments >>> 2) + 2 * block + 1] = count;
  if (outside === 0) return;
  u32[(outside >>> 2) + 2 * block] = from + count;
  u32[(outside >>> 2) + 2 * block + 1] = n - count;
}
