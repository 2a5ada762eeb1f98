/**
 * Twins of the kernels that build the histograms of several outputs in one reading of the codes.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { type Kernels, ROOT_OUTPUTS, STRIDE8 } from "../types.ts";

/** Histograms of several outputs over a memory. */
export function twinRoots(memory: Memory): Pick<Kernels, "addRoots" | "takeRoots"> {
  return {
    addRoots(n, rows, stride, numFeatures, packed, packedStride, numOutputs, _values, out) {
      const { u8, i32 } = memory;
      for (let row = 0; row < n; row++) {
        for (let f = 0; f < numFeatures; f++) {
          const cell = ROOT_OUTPUTS * (f * STRIDE8 + u8[rows + row * stride + f]);
          for (let k = 0; k < numOutputs; k++) {
            const both = i32[((packed + k * packedStride) >>> 2) + row];
            const at = (out >>> 2) + 2 * (cell + k);
            i32[at] += both & 0xffff;
            i32[at + 1] += both >> 16;
          }
        }
      }
    },

    takeRoots(ranges, n, roots, copies, copyBytes, place, cells) {
      const { u32 } = memory;
      for (let i = 0; i < n; i++) {
        const [from, to] = u32.subarray((ranges >>> 2) + 2 * i, (ranges >>> 2) + 2 * i + 2);
        for (let word = 2 * from; word < 2 * to; word++) {
          const cell = ROOT_OUTPUTS * (word >>> 1) + place;
          let sum = 0;
          for (let copy = 0; copy < copies; copy++) {
            sum += u32[((roots + copy * copyBytes) >>> 2) + 2 * cell + (word & 1)];
          }
          u32[(cells >>> 2) + word] = sum;
        }
      }
    },
  };
}
