/**
 * Columns of codes in the memory of a training run.
 *
 * @module
 */
import { createArena, createMemory } from "../../../src/kernels/memory.ts";
import type { CodeSpace } from "../../../src/binning/code_space.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";

/** Columns of codes in a memory of their own, as a training run has them. */
export function placeCodes(columns: readonly ArrayLike<number>[]): {
  readonly space: CodeSpace;
  readonly addressOf: (feature: number) => number;
  /** The codes of some rows at an address. */
  readonly codesAt: (at: number, numRows: number) => Uint8Array;
} {
  const memory = createMemory();
  const arena = createArena(memory);
  const places = columns.map((codes) => {
    const at = arena.alloc(codes.length);
    memory.u8.set(codes, at);
    return at;
  });
  return {
    space: { arena, kernels: wasmKernels(memory) },
    addressOf: (feature) => places[feature],
    codesAt: (at, numRows) => memory.u8.slice(at, at + numRows),
  };
}
