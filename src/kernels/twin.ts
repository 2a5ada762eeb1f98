/**
 * The kernels in TypeScript: the specification, and the fallback where WebAssembly is missing.
 *
 * @module
 */
import type { Memory } from "./memory.ts";
import { twinBinning } from "./twin_binning.ts";
import { twinCodes } from "./twin_codes.ts";
import { twinDraw } from "./twin_draw.ts";
import { twinEvaluate } from "./twin_evaluate.ts";
import { twinGradients } from "./twin_gradient.ts";
import { twinHistograms } from "./twin_histogram.ts";
import { twinLabels } from "./twin_labels.ts";
import { twinRoots } from "./twin_roots.ts";
import { twinLevels } from "./twin_levels.ts";
import { twinRows } from "./twin_rows.ts";
import { twinScan } from "./twin_scan.ts";
import { twinSigned } from "./twin_signed.ts";
import { twinSplitBlock } from "./twin_split_block.ts";
import { twinWait } from "./twin_wait.ts";
import { twinWhole } from "./twin_whole.ts";
import type { Kernels } from "./types.ts";

/** TypeScript kernels over a memory. */
export function twinKernels(memory: Memory): Kernels {
  const scan = twinScan(memory);
  const rows = twinRows(memory);
  const histograms = twinHistograms(memory);
  const roots = twinRoots(memory);
  const levels = twinLevels(memory, scan.scanThresholds);
  return {
    name: "twin",
    ...twinGradients(memory),
    ...twinDraw(memory),
    ...rows,
    ...twinSplitBlock(memory, rows),
    ...histograms,
    ...roots,
    ...twinEvaluate(memory, { ...histograms, ...roots, ...scan, ...levels }),
    ...twinBinning(memory),
    ...twinCodes(memory),
    ...scan,
    ...levels,
    ...twinSigned(memory),
    ...twinLabels(memory),
    ...twinWait(memory),
    ...twinWhole(memory),
  };
}
