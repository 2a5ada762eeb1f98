/** In a file of its own: the engine's memory is replaced. */
import { assertEquals } from "@std/assert";
import { createModel } from "../../../../src/model/model.ts";
import { createGeneralScorer } from "../../../../src/model/score/general.ts";
import { createMasks } from "../../../../src/model/score/masks.ts";
import { createRows } from "../../../../src/model/score/rows/rows.ts";
import { createSliced } from "../../../../src/model/score/sliced.ts";
import { createTiers } from "../../../../src/model/score/tiers.ts";
import { createWalks } from "../../../../src/model/score/walks.ts";
import { randomParts } from "../../../support/models/random.ts";
import { encodedRows, packedOf } from "../../../support/laws/row_scorer.ts";

Deno.test("createTiers() scores where no memory for a kernel can be had", () => {
  const parts = randomParts({ seed: 72, trees: 20, depth: 5 });
  const packed = packedOf(parts);
  const { rules } = createModel(parts);
  const x = encodedRows(parts, 300);
  const expected = new Float64Array(300);
  createGeneralScorer(parts.ensemble, parts.schema).score(x, 300, 20, expected);
  const { Memory } = WebAssembly;
  let asked = 0;
  (WebAssembly as { Memory: unknown }).Memory = class {
    constructor() {
      asked++;
      throw new RangeError("WebAssembly.Memory(): could not allocate memory");
    }
  };
  try {
    assertEquals(createRows(packed, rules), undefined);
    assertEquals(createWalks(packed, rules), undefined);
    assertEquals(createSliced(packed, rules, 5), undefined);
    assertEquals(createMasks(packed, rules), undefined);
    assertEquals(asked, 4);
    const tiers = createTiers(packed, rules);
    const found = new Float64Array(300);
    for (let r = 0; r < 300; r++) {
      tiers.score(x.subarray(4 * r, 4 * r + 4), 1, 20, found.subarray(r, r + 1));
    }
    assertEquals(found, expected);
    tiers.score(x, 300, 20, found.fill(0.5));
    assertEquals(found, expected);
  } finally {
    WebAssembly.Memory = Memory;
  }
});
