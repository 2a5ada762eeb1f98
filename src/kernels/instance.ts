/**
 * Kernels of a compiled module: all that a thread needs which is handed one.
 *
 * @module
 */
import type { Memory } from "./memory.ts";
import type { Kernels } from "./types.ts";

/** The kernels of a module over a memory of its kind. */
export function instantiate(memory: Memory, module: WebAssembly.Module): Kernels {
  const instance = new WebAssembly.Instance(module, { env: { memory: memory.wasm! } });
  return { name: "wasm", ...(instance.exports as unknown as Omit<Kernels, "name">) };
}
