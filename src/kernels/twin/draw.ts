/**
 * Twin of the kernel that draws rows without replacement: selection sampling (Fan, Muller & Rezucha
 * 1962) with a hash of the row's number instead of a stream.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import type { Kernels } from "../types.ts";

/** Spreads a row number over 32 bits; as good as random for this purpose, and cheap. */
export function spread(row: number, seed: number): number {
  let x = Math.imul(row ^ seed, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** The kernel over a memory. */
export function twinDraw(memory: Memory): Pick<Kernels, "chooseRows"> {
  return {
    chooseRows(n, count, seed, part, member, factor, mask) {
      const { f64, u8 } = memory;
      let left = n;
      let wanted = count;
      for (let row = 0; row < n; row++, left--) {
        const taken = (spread(row, seed) / 4294967296) * left < wanted;
        if (taken) wanted--;
        const isIn = taken && (part === 0 || u8[part + row] !== member) ? 1 : 0;
        f64[(factor >>> 3) + row] = isIn;
        u8[mask + row] = isIn;
      }
    },
  };
}
