/**
 * Twins of the kernels on columns of whole numbers that lie near each other.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { pairsOf, writeCodes } from "./binning.ts";
import type { Kernels } from "../types.ts";

/** Most numbers between the least and the largest. */
const MOST_NUMBERS = 2 ** 17;
const LARGEST = 2 ** 30;

/** Kernels on whole numbers over a memory. */
export function twinWhole(memory: Memory): Pick<Kernels, "wholeCodes32" | "wholeCodes64"> {
  function wholeCodes(
    values: Float32Array | Float64Array,
    maxBins: number,
    tables: number,
    out: number,
    codes: number,
  ): number {
    const sorted = Float64Array.from(values.filter((value) => value === value)).sort();
    const isOther = (value: number) => !Number.isInteger(value) || Math.abs(value) >= LARGEST;
    if (sorted.length === 0 || sorted.some(isOther)) return -1;
    const span = sorted[sorted.length - 1] - sorted[0];
    if (span >= Math.min(MOST_NUMBERS, 2 * values.length)) return -1;
    const pairs = pairsOf(sorted, maxBins);
    memory.f64.set(pairs, out >>> 3);
    memory.u32[tables >>> 2] = values.length - sorted.length;
    writeCodes(memory, values, pairs.length / 2, out, codes);
    return pairs.length / 2;
  }

  return {
    wholeCodes32: (values, n, maxBins, _scratch, tables, out, codes) =>
      wholeCodes(
        new Float32Array(memory.u8.buffer as ArrayBuffer, values, n),
        maxBins,
        tables,
        out,
        codes,
      ),
    wholeCodes64: (values, n, maxBins, _scratch, tables, out, codes) =>
      wholeCodes(
        memory.f64.subarray(values >>> 3, (values >>> 3) + n),
        maxBins,
        tables,
        out,
        codes,
      ),
  };
}
