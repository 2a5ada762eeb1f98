/**
 * The compiled scoring kernel, made on first use; undefined where wasm or SIMD is missing.
 *
 * @module
 */
import { WASM_TEXT } from "./wasm_bytes.ts";

/** Exports of kernels/assembly/score.ts, by letters: their names would be in `./predict` twice. */
export interface ScoreKernel {
  /** `numbers` */
  a(
    x: number,
    stride: number,
    descriptors: number,
    count: number,
    missing: number,
    ranks: number,
  ): void;
  /** `categories` */
  b(
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
  /** `trees` */
  c(
    at: number,
    leaves: number,
    depth: number,
    count: number,
    width: number,
    masks: number,
    chunk: number,
    out: number,
  ): void;
  /** `encode` */
  d(
    x: number,
    descriptors: number,
    count: number,
    codes: number,
    large: number,
  ): void;
  /** `encodeSets` */
  e(line: number, width: number, codes: number, large: number): void;
  /** `walkRow` */
  f(
    large: number,
    pieces: number,
    numPieces: number,
    codes: number,
    room: number,
    depth: number,
    ends: number,
    list: number,
    values: number,
    up: number,
    width: number,
    out: number,
  ): void;
}

let compiled: WebAssembly.Module | null | undefined;

/** What makes an instance for a memory. */
export function scoreKernel(): ((memory: WebAssembly.Memory) => ScoreKernel) | undefined {
  if (compiled === undefined) {
    try {
      compiled = new WebAssembly.Module(bytesOf(WASM_TEXT));
    } catch {
      compiled = null; // no wasm, no SIMD, or a policy that forbids compiling
    }
  }
  const module = compiled;
  if (module === null) return undefined;
  return (memory) =>
    new WebAssembly.Instance(module, { a: { a: memory } }).exports as unknown as ScoreKernel;
}

/** Bytes of a text made by `plainText` of tools/build_kernels.ts. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  let value = -43;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 40) value += 86 * (code - 34);
    else {
      bytes[length++] = value + code;
      value = -43;
    }
  }
  return bytes.subarray(0, length);
}
