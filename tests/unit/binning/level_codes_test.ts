import { assertEquals } from "@std/assert";
import { createLevelBinner } from "../../../src/binning/level_codes.ts";
import { createArena, createMemory } from "../../../src/kernels/memory.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";

Deno.test("createLevelBinner() codes every piece of rows, and knows of a missing level in any of them", () => {
  const numRows = 3 * 8192 + 5;
  for (const levels of [3, 400]) {
    const categories = Array.from({ length: levels }, (_, i) => `${i}`);
    for (const missing of [undefined, 2, 8192, numRows - 1]) {
      const memory = createMemory();
      const arena = createArena(memory);
      const kernels = wasmKernels(memory);
      const at = arena.alloc(2 * numRows);
      const codes = Int32Array.from({ length: numRows }, (_, row) => row * 7 % levels);
      if (missing !== undefined) codes[missing] = -1;
      const column = { kind: "categorical" as const, name: "c", categories, codes };
      const bins = createLevelBinner({ arena, kernels })(column, at);
      // A bin for each level and one for levels that are not known.
      assertEquals([bins.numBins, bins.hasMissing], [levels + 1, missing !== undefined]);
      const found = levels > 255 ? memory.u16.subarray(at >>> 1) : memory.u8.subarray(at);
      const wanted = codes.map((code) => code < 0 ? levels + 1 : code);
      assertEquals(Int32Array.from(found.subarray(0, numRows)), wanted);
    }
  }
});
