import { assertEquals } from "@std/assert";
import { binOf } from "../../../src/binning/bins.ts";
import { createFlagBinner } from "../../../src/binning/flags.ts";
import type { FloatArray } from "../../../src/data/types.ts";
import { createArena, createMemory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";

/** Rows of more than one piece, so that the last vector of a piece is short too. */
const ROWS = 8192 + 21;

const column = (of: (row: number) => number) =>
  Float64Array.from({ length: ROWS }, (_, i) => of(i));

const FLAGS: { readonly [name: string]: readonly [FloatArray, cuts: number[]] } = {
  "0 and 1": [column((row) => row % 3 === 0 ? 1 : 0), [0.5]],
  "one value": [column(() => 7), []],
  "one value of float32": [Float32Array.from(column(() => 0.1)), []],
  "zeros of both signs": [column((row) => row & 1 ? -0 : 0), []],
  "the largest and the least": [column((row) => row % 5 ? Infinity : -Infinity), [
    3.4028234663852886e38,
  ]],
  "infinite alone": [column(() => -Infinity), []],
  "one row apart": [column((row) => row === ROWS - 1 ? -4 : 5), [0.5]],
};

const OTHERS: { readonly [name: string]: FloatArray } = {
  "three values": column((row) => row % 3),
  "a missing value in the last row": column((row) => row === ROWS - 1 ? NaN : row & 1),
  "a missing value in the first row": column((row) => row === 0 ? NaN : row & 1),
  "missing values alone": column(() => NaN),
  "one value and missing ones": column((row) => row % 50 === 7 ? NaN : 3),
};

for (const name of ["wasm", "twin"] as const) {
  const binned = (values: FloatArray) => {
    const memory = createMemory({ plain: name === "twin" });
    const arena = createArena(memory);
    const kernels = name === "wasm" ? wasmKernels(memory) : twinKernels(memory);
    const at = arena.alloc(ROWS);
    const bins = createFlagBinner({ arena, kernels })(values, at);
    return { bins, codes: memory.u8.slice(at, at + ROWS) };
  };

  Deno.test(`columns of one or two values have the bin that their cuts tell (${name})`, () => {
    for (const [what, [values, cuts]] of Object.entries(FLAGS)) {
      const { bins, codes } = binned(values);
      assertEquals(bins?.kind === "numeric" && [...bins.cuts], cuts, what);
      assertEquals(bins?.hasMissing, false, what);
      const wanted = Uint8Array.from(values, (value) => binOf(Float64Array.from(cuts), value));
      assertEquals(codes.findIndex((code, row) => code !== wanted[row]), -1, what);
    }
  });

  Deno.test(`columns of more values, and with missing ones, are left to others (${name})`, () => {
    for (const [what, values] of Object.entries(OTHERS)) {
      assertEquals(binned(values).bins, undefined, what);
    }
  });
}
