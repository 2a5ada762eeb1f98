/** In a file of its own: a process asks once whether the engine compiles the kernel. */
import { assertEquals } from "@std/assert";
import { createModel } from "../../../../../src/model/model.ts";
import { createGeneralScorer } from "../../../../../src/model/score/general.ts";
import { createTiers } from "../../../../../src/model/score/tiers.ts";
import { randomParts } from "../../../../support/models/random.ts";
import { encodedRows, packedOf, rowsOf } from "../../../../support/laws/row_scorer.ts";

Deno.test("createTiers() walks where the engine has no relaxed SIMD", () => {
  const parts = randomParts({ seed: 71, trees: 20, depth: 5 });
  const { Module } = WebAssembly;
  (WebAssembly as { Module: unknown }).Module = class {
    constructor() {
      throw new WebAssembly.CompileError("invalid SIMD opcode");
    }
  };
  try {
    assertEquals(rowsOf(parts), undefined);
  } finally {
    WebAssembly.Module = Module;
  }
  const x = encodedRows(parts, 300);
  const expected = new Float64Array(300);
  createGeneralScorer(parts.ensemble, parts.schema).score(x, 300, 20, expected);
  const tiers = createTiers(packedOf(parts), createModel(parts).rules);
  const out = new Float64Array(1);
  for (let r = 0; r < 300; r++) {
    tiers.score(x.subarray(4 * r, 4 * r + 4), 1, 20, out);
    assertEquals(out[0], expected[r]);
  }
});
