/**
 * The kernels of classic trees as WebAssembly: ranks of columns, nodes of two classes, and whole
 * trees of them. What they compute is specified by TypeScript that computes the same:
 * `binning/rank.ts`, `grow/splitter/exact.ts`, `grow/splitter/subset.ts` and `grow/grower.ts`; property
 * tests compare the two.
 *
 * @module
 */
import { WASM_BASE64 } from "./classic_bytes.ts";
import { createArena, createMemory, type Memory } from "./memory.ts";
import type { Arena } from "./memory.ts";

/** See the comments of src/kernels/assembly/classic for the layout of arguments. */
export interface ClassicKernels {
  rankLevels(codes: number, n: number, missing: number): number;
  rankValues(
    values: number,
    n: number,
    codes: number,
    distinct: number,
    records: number,
    spare: number,
    tables: number,
  ): number;
  bestCut(
    records: number,
    n: number,
    features: number,
    list: number,
    count: number,
    params: number,
    tables: number,
    levels: number,
    work: number,
    sets: number,
    out: number,
  ): number;
  partRows(
    records: number,
    n: number,
    column: number,
    wide: number,
    limit: number,
    missing: number,
    missingLeft: number,
    set: number,
    params: number,
    spare: number,
    out: number,
  ): number;
  drawRows(a: number, b: number, draws: number, n: number, counts: number): void;
  growCounted(
    records: number,
    numRows: number,
    features: number,
    pool: number,
    poolSize: number,
    perNode: number,
    swaps: number,
    params: number,
    limits: number,
    tables: number,
    levels: number,
    work: number,
    out: number,
    spare: number,
    nodes: number,
    stack: number,
    sets: number,
    mostWords: number,
    setWords: number,
  ): number;
}

/** The kernels and the memory that they work in. */
export interface ClassicSpace {
  readonly kernels: ClassicKernels;
  readonly memory: Memory;
  readonly arena: Arena;
}

let compiled: WebAssembly.Module | undefined;

/** Kernels over a memory of their own; undefined where WebAssembly is missing. */
export function createClassicSpace(): ClassicSpace | undefined {
  try {
    compiled ??= new WebAssembly.Module(
      Uint8Array.from(atob(WASM_BASE64), (char) => char.charCodeAt(0)),
    );
    const memory = createMemory();
    const instance = new WebAssembly.Instance(compiled, { env: { memory: memory.wasm! } });
    const kernels = instance.exports as unknown as ClassicKernels;
    return { kernels, memory, arena: createArena(memory) };
  } catch {
    return undefined;
  }
}
