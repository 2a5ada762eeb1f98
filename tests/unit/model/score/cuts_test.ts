/** Dictionaries with cuts that no tree asks, as a file may have them. */
import { assertEquals } from "@std/assert";
import { createModel } from "../../../../src/model/model.ts";
import { createMasks } from "../../../../src/model/score/masks.ts";
import { createRows } from "../../../../src/model/score/rows/rows.ts";
import { createSliced } from "../../../../src/model/score/sliced.ts";
import { createWalker } from "../../../../src/model/score/walk.ts";
import { createWalks } from "../../../../src/model/score/walks.ts";
import { randomParts } from "../../../support/models/random.ts";
import { packedOf } from "../../../support/laws/row_scorer.ts";

/** Five trees that ask some of the cuts 0, 1, 2 … of their only feature. */
function fewOf(numCuts: number) {
  const parts = randomParts({ seed: 1, trees: 5, depth: 3, numeric: 1 });
  const asked = packedOf(parts);
  const packed = {
    ...asked,
    cut: Uint32Array.from(asked.cut, (c) => Math.floor((c + 1) * numCuts / asked.dictSize[0]) - 1),
    cuts: Float64Array.from({ length: numCuts }, (_, i) => i),
    dictSize: Uint32Array.of(numCuts),
  };
  return { packed, rules: createModel(parts).rules };
}

for (const numCuts of [65_535, 65_536]) {
  Deno.test(`scorers that count cuts by 16 bits: ${numCuts} of a feature, few of them asked`, () => {
    const { packed, rules } = fewOf(numCuts);
    const x = Float64Array.from({ length: 500 }, (_, i) => i * (numCuts + 9) / 499 - 5);
    const expected = new Float64Array(500);
    createWalker(packed, rules).score(x, 500, 5, expected);
    const masks = createMasks(packed, rules);
    const scorers = [
      createRows(packed, rules),
      createWalks(packed, rules),
      createSliced(packed, rules, 3),
      masks &&
      {
        score: (...[x, rows, , out]: [Float64Array, number, number, Float64Array]) =>
          masks.score(x, rows, out),
      },
    ];
    for (const scorer of scorers) {
      assertEquals(scorer !== undefined, numCuts < 65_536);
      const found = new Float64Array(500);
      scorer?.score(x, 500, 5, found);
      if (scorer) assertEquals(found, expected);
    }
  });
}
