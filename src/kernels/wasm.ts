/**
 * The kernels as WebAssembly: 6 kB of SIMD code, compiled once a process.
 *
 * @module
 */
import type { Memory } from "./memory.ts";
import type { Kernels } from "./types.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";

const compiled = new Map<boolean, WebAssembly.Module>();

/** "env", "memory", kind 2 (memory), flags 1 (has a maximum): where the flags are. */
const IMPORT = [3, 0x65, 0x6e, 0x76, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 1];
const SHARED = 3; // maximum, and shared

/** The module for private or shared memory; they differ in one bit of the memory import. */
export function kernelModule(shared: boolean): WebAssembly.Module {
  let module = compiled.get(shared);
  if (module === undefined) {
    const bytes = Uint8Array.from(atob(WASM_BASE64), (char) => char.charCodeAt(0));
    if (shared) {
      let at = 0;
      while (!IMPORT.every((byte, i) => bytes[at + i] === byte)) at++;
      bytes[at + IMPORT.length - 1] = SHARED;
    }
    module = new WebAssembly.Module(bytes);
    compiled.set(shared, module);
  }
  return module;
}

/** Wasm kernels over a memory. */
export function wasmKernels(memory: Memory, module?: WebAssembly.Module): Kernels {
  const instance = new WebAssembly.Instance(module ?? kernelModule(memory.shared), {
    env: { memory: memory.wasm! },
  });
  return { name: "wasm", ...(instance.exports as unknown as Omit<Kernels, "name">) };
}

/** Whether this engine runs the kernels: WebAssembly with SIMD. */
export function hasWasm(): boolean {
  if (typeof WebAssembly === "undefined") return false;
  try {
    kernelModule(false);
    return true;
  } catch {
    return false;
  }
}
