/**
 * Where codes of rows are put together: the memory of a training run and its kernels.
 *
 * @module
 */
import type { Arena } from "../kernels/memory.ts";
import type { Kernels } from "../kernels/types.ts";

/** A place to work in. */
export interface CodeSpace {
  readonly arena: Arena;
  readonly kernels: Kernels;
}
