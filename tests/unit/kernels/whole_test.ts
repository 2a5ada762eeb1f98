import { assertEquals } from "@std/assert";
import { createMemory, type Memory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { A, B, C, D, E, SPACE } from "../../support/laws/kernels.ts";

/** Eighths of derivatives, and the nearest whole numbers: of two as near the even one. */
const EIGHTHS = [2.4, -2.4, 0.5, 1.5, -1.5, -0.5, 7.9];
const NEAREST = [2, -2, 0, 2, -2, 0, 8];
const N = EIGHTHS.length;

const MEMORIES = [createMemory({ plain: true }), createMemory()];
const kernelsOf = (memory: Memory) => memory.wasm ? wasmKernels(memory) : twinKernels(memory);

Deno.test("wide quanta are the nearest whole multiples of both derivatives", () => {
  for (const memory of MEMORIES) {
    memory.ensure(SPACE);
    const { f64 } = memory;
    f64.set(EIGHTHS.map((x) => x / 8), A >>> 3);
    f64.set(EIGHTHS.map((x) => x / 16), B >>> 3);
    kernelsOf(memory).quantise(A, B, N, 0, 0, C, D, 8, 16, 0, 0, 1, E);
    for (const at of [A, B]) assertEquals([...f64.subarray(at >>> 3, (at >>> 3) + N)], NEAREST);
    assertEquals([...f64.subarray(E >>> 3, (E >>> 3) + 2)], [8, 8]);
  }
});

// Whole numbers add up to the same in any order, so that leaves do not depend on threads.
Deno.test("sums of leaves are those of the nearest whole multiples", () => {
  for (const memory of MEMORIES) {
    memory.ensure(SPACE);
    const { f64, u8 } = memory;
    const kernels = kernelsOf(memory);
    f64.set(EIGHTHS.map((x) => x / 8), A >>> 3);
    f64.set(EIGHTHS.map((x) => x / 16), B >>> 3);
    u8.set([0, 0, 0, 0, 1, 1, 0], C);
    f64.fill(0, D >>> 3, (D >>> 3) + 8);
    kernels.leafSums(C, 1, A, B, N, 8, 16, D, D + 32);
    // Even rows, then odd ones, leaf by leaf, each with both sums.
    assertEquals([...f64.subarray(D >>> 3, (D >>> 3) + 8)], [10, 10, -2, -2, 0, 0, 0, 0]);
    // One number a row: of ½, ¼, −¼ and −½ the second derivatives are ¼, 3/16, 3/16, ¼.
    new Float32Array(u8.buffer, E, 4).set([0.5, 0.25, -0.25, -0.5]);
    f64.fill(0, D >>> 3, (D >>> 3) + 8);
    kernels.leafSumsSigned(C, 1, E, 4, 1, 6, 14, D, D + 32);
    // 6 g: 3, 1.5, −1.5, −3; 14 h: 3.5, 2.625, 2.625, 3.5.
    assertEquals([...f64.subarray(D >>> 3, (D >>> 3) + 8)], [1, 7, 0, 0, -1, 7, 0, 0]);
  }
});
