/**
 * The first bytes of a run's memory: how the main thread tells the others what to do. The kernels keep
 * constants from byte 2048 on (see tools/build_kernels.ts), the arena begins at 4096.
 *
 * @module
 */

/** Byte addresses of control words. */
export const Control = {
  /** i32: how many operations there were × {@linkcode SEATS} + how many threads take part in the last. */
  sequence: 1024,
  /** i32: threads that have finished it. */
  arrived: 1028,
  /** i32: its number. */
  op: 1032,
  /** u32: bytes of memory there must be. */
  memoryPages: 1040,
  /** u32: where the layout is, as JSON, and its length. */
  layoutAt: 1044,
  layoutBytes: 1048,
  /** i32: other threads that have come so far; each has the number of its seat, from 1. */
  present: 1052,
  /** i32: the next item to take. */
  counter: 1088,
  /** i32: items that may be taken already, where an operation begins before all are there. */
  ready: 1096,
  /** Float64 arguments. */
  args: 1152,
  /** Whether a thread has failed, and why; see `parallel/failures.ts`. */
  failure: 1408,
} as const;

/** Bytes of {@linkcode Control.failure}: up to the kernels' constants. */
export const FAILURE_BYTES = 640;

/** More than there are ever threads: what the seats in {@linkcode Control.sequence} are told by. */
export const SEATS = 128;
