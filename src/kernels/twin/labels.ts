/**
 * Twins of the kernels on labels of classes.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import type { Kernels } from "../types.ts";

/** Kernels on labels over a memory. */
export function twinLabels(memory: Memory): Pick<Kernels, "countLabels" | "labelSigns"> {
  return {
    countLabels(labels, n, most, counts) {
      const { f64, u32 } = memory;
      u32.fill(0, counts >>> 2, (counts >>> 2) + most);
      for (let i = 0; i < n; i++) {
        const label = f64[(labels >>> 3) + i];
        if (!Number.isInteger(label) || label < 0 || label >= most) return 0;
        u32[(counts >>> 2) + label]++;
      }
      return 1;
    },

    labelSigns(labels, n, out) {
      const signs = new Float32Array(memory.u8.buffer as ArrayBuffer, out, n);
      for (let i = 0; i < n; i++) signs[i] = 1 - 2 * memory.f64[(labels >>> 3) + i];
    },
  };
}
