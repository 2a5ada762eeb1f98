/**
 * Laws that a wasm kernel and its twin agree in every byte.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createMemory, type Memory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import type { Kernels } from "../../../src/kernels/types.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { createRng, type Rng } from "../../../src/util/rng.ts";

export const SPACE = 1 << 20;

/** Runs the same work on equal memories with both kernels; every byte must agree. */
export function bothAgree(
  seed: number,
  prepare: (memory: Memory, rng: Rng) => void,
  work: (kernels: Kernels, memory: Memory) => unknown,
  space = SPACE,
): void {
  const [twin, wasm] = [createMemory({ plain: true }), createMemory()].map((memory) => {
    memory.ensure(space);
    prepare(memory, createRng(seed));
    const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
    return { result: work(kernels, memory), bytes: memory.u8.slice(4096, space) };
  });
  assertEquals(twin.result, wasm.result);
  for (let i = 0; i < twin.bytes.length; i++) {
    if (twin.bytes[i] !== wasm.bytes[i]) {
      throw new Error(`byte ${i + 4096} is ${twin.bytes[i]} by the twin, ${wasm.bytes[i]} by wasm`);
    }
  }
}

export function law(
  name: string,
  check: (n: number, seed: number, k: number) => void,
): void {
  Deno.test(`wasm equals its twin: ${name}`, () => {
    fc.assert(fc.property(fc.nat(300), fc.nat(), fc.integer({ min: 1, max: 5 }), check), {
      numRuns: 40,
    });
  });
}

export const [A, B, C, D, E] = [8192, 65536, 131072, 262144, 524288];
export const PACKED = C + 65536;

/** Where rows are told how they part. */
export const PATTERNS = 4096;

export function floats(memory: Memory, at: number, n: number, rng: Rng, scale: number): void {
  for (let i = 0; i < n; i++) {
    // Mostly ordinary numbers, and some at the ends of the range of e^x.
    const kind = rng.nextInt(20);
    memory.f64[(at >>> 3) + i] = kind === 0
      ? 0
      : kind === 1
      ? (rng.nextFloat() - 0.5) * 3000
      : (rng.nextFloat() - 0.5) * scale;
  }
}

/** Lists rows after `first` in ascending order with gaps of up to `gap`; the next row's number. */
export function listRows(
  memory: Memory,
  at: number,
  n: number,
  rng: Rng,
  gap: number,
  first = 0,
): number {
  let row = first;
  for (let i = 0; i < n; i++) {
    row += 1 + rng.nextInt(gap);
    memory.u16[(at >>> 1) + i] = row;
  }
  return row + 1;
}
