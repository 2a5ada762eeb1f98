/**
 * Where the values that linear leaves are fitted to are in the memory of all threads.
 *
 * @module
 */
import type { LinearColumns } from "../../grow/linear_leaves.ts";
import type { HistLayout } from "../../grow/histogram/workspace/layout.ts";
import type { Arena } from "../../kernels/memory.ts";

/** Copies may take this much: a quarter of what the memory of a run can have. */
const MOST_BYTES = 2 ** 30;

/** Copies the values of each set; undefined where one thread is all, or they take too much. */
export function layOutLinear(
  arena: Arena,
  sets: readonly LinearColumns[] | undefined,
  numThreads: number,
): HistLayout["linear"] {
  if (sets === undefined || numThreads === 1) return undefined;
  const bytes = sets.flat().reduce((sum, values) => sum + (values?.byteLength ?? 0), 0);
  if (bytes > MOST_BYTES) return undefined;
  return sets.map((columns) =>
    columns.map((values) => {
      if (values === undefined) return { at: 0, bytes: 8 };
      const at = arena.alloc(values.byteLength);
      if (values instanceof Float32Array) {
        new Float32Array(arena.memory.u8.buffer, at, values.length).set(values);
        return { at, bytes: 4 };
      }
      arena.memory.f64.set(values, at >>> 3);
      return { at, bytes: 8 };
    })
  );
}
