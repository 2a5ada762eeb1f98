/**
 * The kernels as WebAssembly: 6 kB of SIMD code, compiled once a process.
 *
 * @module
 */
import { instantiate } from "./instance.ts";
import { ALL_PAGES, type Memory } from "./memory.ts";
import type { Kernels } from "./types.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";

/** A memory that the kernels work in: whether threads share it, and its size where it has one for good. */
export type MemoryKind = Pick<Memory, "shared" | "pages">;

const compiled = new Map<string, WebAssembly.Module>();

/** "env", "memory", kind 2 (memory), flags 1 (has a maximum): before the pages at first and at most. */
const IMPORT = [3, 0x65, 0x6e, 0x76, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 1];
const SHARED = 3; // maximum, and shared

/** A number of pages in LEB128, always of three bytes. */
const pageBytes = (pages: number) => [(pages & 127) | 128, ((pages >> 7) & 127) | 128, pages >> 14];

/**
 * The module for a kind of memory; they differ in the memory import. Where a shared memory may grow, V8
 * looks up its size again after every store, for another thread might have made it grow.
 */
export function kernelModule({ shared, pages }: MemoryKind): WebAssembly.Module {
  const kind = `${shared} ${pages}`;
  let module = compiled.get(kind);
  if (module === undefined) {
    const bytes = decodeBase64(WASM_BASE64);
    let at = 0;
    while (!IMPORT.every((byte, i) => bytes[at + i] === byte)) at++;
    at += IMPORT.length;
    if (shared) bytes[at - 1] = SHARED;
    bytes.set([...pageBytes(pages), ...pageBytes(pages === 1 ? ALL_PAGES : pages)], at);
    module = new WebAssembly.Module(bytes);
    compiled.set(kind, module);
  }
  return module;
}

/** What engines have that decode base64 by themselves, in a hundredth of the time. */
interface Decoder {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return (Uint8Array as unknown as Decoder).fromBase64?.(text) ??
    Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** Wasm kernels over a memory. */
export function wasmKernels(memory: Memory): Kernels {
  return instantiate(memory, kernelModule(memory));
}

/** Whether this engine runs the kernels over a kind of memory: WebAssembly with SIMD. */
export function hasWasm(kind: MemoryKind = { shared: false, pages: 1 }): boolean {
  if (typeof WebAssembly === "undefined") return false;
  try {
    kernelModule(kind);
    return true;
  } catch {
    return false;
  }
}
