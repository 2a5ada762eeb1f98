/**
 * The compiled scoring kernel, made on first use; undefined where wasm or SIMD is missing.
 *
 * @module
 */
import { WASM_HEX } from "./wasm_bytes.ts";

/** Exports of kernels/assembly/score.ts. */
export interface ScoreKernel {
  numbers(x: number, stride: number, descriptors: number, count: number, missing: number): void;
  categories(
    at: number,
    stride: number,
    sets: number,
    words: number,
    count: number,
    left: number,
    right: number,
    slots: number,
    found: number,
  ): void;
  heaps(
    tests: number,
    leaves: number,
    depth: number,
    count: number,
    width: number,
    masks: number,
    planes: number,
    out: number,
  ): void;
  trees(
    header: number,
    count: number,
    width: number,
    masks: number,
    room: number,
    planes: number,
    out: number,
  ): void;
  encode(x: number, descriptors: number, count: number, codes: number, lane: number): void;
  encodeSets(line: number, width: number, codes: number, lane: number): void;
  walkRow(
    large: number,
    roots: number,
    count: number,
    codes: number,
    ends: number,
    values: number,
    up: number,
    width: number,
    out: number,
  ): void;
  walkRows(
    large: number,
    roots: number,
    count: number,
    codes: number,
    ends: number,
    values: number,
    up: number,
    width: number,
    out: number,
    groups: number,
    room: number,
  ): void;
}

let compiled: WebAssembly.Module | null | undefined;

/** What makes an instance for a memory. */
export function scoreKernel(): ((memory: WebAssembly.Memory) => ScoreKernel) | undefined {
  if (compiled === undefined) {
    try {
      compiled = new WebAssembly.Module(
        Uint8Array.from(WASM_HEX.match(/../g)!, (byte) => parseInt(byte, 16)),
      );
    } catch {
      compiled = null; // no wasm, no SIMD, or a policy that forbids compiling
    }
  }
  const module = compiled;
  if (module === null) return undefined;
  return (memory) =>
    new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as ScoreKernel;
}
