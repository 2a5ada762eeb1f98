/**
 * Memories of the kernel of CSV and LIBSVM. One that a reader is done with is lent to the next: a
 * page that is written for the first time costs as much as reading some hundred cells.
 *
 * @module
 */
import { writePowers } from "./wasm_module.ts";

/** The kernel over a memory that nobody else uses meanwhile. */
export interface LentKernel {
  readonly memory: WebAssembly.Memory;
  readonly exports: WebAssembly.Exports;
}

const PAGE = 65536;

/** First room of a memory. Pages that nothing is written to take no memory. */
const LEAST_BYTES = 1 << 24;

/** A memory with more bytes that were written to is let go. */
const MOST_KEPT = 1 << 23;

/** Those that have been taken back: a second time would lend one memory to two readers. */
const RETURNED = new WeakSet<LentKernel>();

let idle: LentKernel & { readonly dirty: number } | undefined;

/**
 * Lends a kernel with its powers of ten.
 *
 * @param bytes Size of the memory, or less.
 * @param zerosFrom From here on all bytes are zeros; those below may be any.
 */
export function lendKernel(
  module: WebAssembly.Module,
  bytes: number,
  zerosFrom: number,
): LentKernel {
  const held = idle;
  idle = undefined;
  if (held !== undefined) {
    const { memory, exports, dirty } = held;
    const missing = bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    if (zerosFrom < dirty) new Uint8Array(memory.buffer, zerosFrom, dirty - zerosFrom).fill(0);
    return { memory, exports };
  }
  const memory = new WebAssembly.Memory({
    initial: Math.ceil(Math.max(bytes, LEAST_BYTES) / PAGE),
  });
  writePowers(memory.buffer);
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory, exports };
}

/**
 * Takes a kernel back, which the caller must not use again. A second time does nothing.
 *
 * @param dirty All bytes from here on are zeros.
 */
export function returnKernel(kernel: LentKernel, dirty: number): void {
  if (RETURNED.has(kernel)) return;
  RETURNED.add(kernel);
  const { memory, exports } = kernel;
  if (dirty <= MOST_KEPT) idle = { memory, exports, dirty };
}
