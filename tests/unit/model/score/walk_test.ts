import { assertEquals } from "@std/assert";
import { createContract } from "../../../../src/model/contract.ts";
import { encodeInput } from "../../../../src/model/encode.ts";
import { createModel } from "../../../../src/model/model.ts";
import { createGeneralScorer } from "../../../../src/model/score/general.ts";
import { createWalker } from "../../../../src/model/score/walk.ts";
import { type RandomModel, randomParts, randomRows } from "../../../support/models/random.ts";

const SHAPES: { readonly [name: string]: RandomModel } = {
  "numbers": { seed: 1, trees: 7, depth: 5 },
  "sets and weights": { seed: 2, trees: 8, depth: 6, categorical: 3, weights: true },
  "two outputs in float32": { seed: 3, outputs: 2, weights: true, profile: { sum: "f32" } },
  "vectors": { seed: 4, outputs: 3, leafWidth: 3, categorical: 2, weights: true },
};

for (const [name, shape] of Object.entries(SHAPES)) {
  for (const aggregate of ["sum", "average", "vote", "median", "min", "max"] as const) {
    if (aggregate === "vote" && shape.leafWidth === undefined) continue; // votes need classes
    Deno.test(`createWalker() gives the bits of the general scorer: ${aggregate} of ${name}`, () => {
      const parts = randomParts({ ...shape, aggregate });
      const model = createModel(parts);
      const { storage, rules, numOutputs, numTrees } = model;
      if (storage.layout !== "packed") throw new Error("form Z holds it");
      const walker = createWalker(storage.packed, rules);
      const general = createGeneralScorer(parts.ensemble, parts.schema);
      const rows = 60;
      const x = new Float64Array(rows * parts.schema.features.length);
      encodeInput(createContract(parts.schema), randomRows(parts.schema, rows, 1)).fill(0, rows, x);
      for (const count of [numTrees, rules.treesPerRound]) {
        const expected = new Float64Array(rows * numOutputs);
        general.score(x, rows, count, expected);
        const found = new Float64Array(expected.length);
        walker.score(x, rows, count, found);
        assertEquals(found, expected);
      }
    });
  }
}
