/**
 * Twin of the kernel that looks at a word which another thread writes.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import type { Kernels } from "../types.ts";

/** The kernel over a memory. */
export function twinWait({ i32 }: Memory): Pick<Kernels, "lookWhile"> {
  return {
    lookWhile(at, value, looks) {
      let seen = value;
      for (; looks > 0 && seen === value; looks--) seen = Atomics.load(i32, at >>> 2);
      return seen;
    },
  };
}
