/**
 * The kernels in TypeScript: the specification, and the fallback where WebAssembly is missing.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { twinBinning } from "./binning.ts";
import { twinCodes } from "./codes.ts";
import { twinDraw } from "./draw.ts";
import { twinEvaluate } from "./evaluate.ts";
import { twinGradients } from "./gradients.ts";
import { twinHistograms } from "./histogram.ts";
import { twinLabels } from "./labels.ts";
import { twinRoots } from "./roots.ts";
import { twinLevels } from "./levels.ts";
import { twinRows } from "./rows.ts";
import { twinScan } from "./scan.ts";
import { twinSigned } from "./signed.ts";
import { twinSplitBlock } from "./split_block.ts";
import { twinWait } from "./wait.ts";
import { twinWhole } from "./whole.ts";
import type { Kernels } from "../types.ts";

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
