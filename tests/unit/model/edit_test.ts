import { assertEquals, assertThrows } from "@std/assert";
import { ModelError } from "../../../src/errors.ts";
import { appendEnsemble, firstRounds } from "../../../src/model/edit.ts";
import { createModel } from "../../../src/model/model.ts";
import type { Ensemble } from "../../../src/model/types.ts";
import { type RandomModel, randomParts, randomRows } from "../../support/models/random.ts";

const SPECS: readonly RandomModel[] = [
  { seed: 1, trees: 6 },
  { seed: 2, trees: 6, categorical: 2 },
  { seed: 3, trees: 4, outputs: 3, weights: true },
  { seed: 4, trees: 4, outputs: 3, leafWidth: 3 },
];

Deno.test("firstRounds() scores as its model does with so many rounds", () => {
  for (const spec of SPECS) {
    const parts = randomParts(spec);
    const model = createModel(parts);
    const rows = randomRows(parts.schema, 30, 1);
    for (let rounds = 0; rounds <= model.numRounds; rounds++) {
      const cut = createModel({ ...parts, ensemble: firstRounds(model.ensemble, rounds) });
      assertEquals(cut.numRounds, rounds);
      assertEquals(cut.predictRaw(rows), model.predictRaw(rows, { rounds }));
    }
  }
});

Deno.test("appendEnsemble() puts back what firstRounds() cut off", () => {
  for (const spec of SPECS) {
    const parts = randomParts(spec);
    const { schema } = parts;
    const next = randomParts({ ...spec, seed: spec.seed + 50 }).ensemble;
    const joined = createModel({ ...parts, ensemble: appendEnsemble(parts.ensemble, next) });
    const rows = randomRows(schema, 30, 1);
    const first = createModel(parts);
    const { numRounds } = first;
    assertEquals(joined.predictRaw(rows, { rounds: numRounds }), first.predictRaw(rows));
    // The others alone begin from their own base score; leaves do not depend on it.
    const leaves = createModel({ ...parts, ensemble: next }).predictLeaf(rows);
    const both = joined.predictLeaf(rows);
    const { cols } = leaves;
    for (let r = 0; r < rows.length; r++) {
      const last = both.data.subarray((r + 1) * both.cols - cols, (r + 1) * both.cols);
      assertEquals(last, leaves.data.subarray(r * cols, (r + 1) * cols));
    }
    assertEquals(joined.ensemble.baseScore, parts.ensemble.baseScore);
  }
});

Deno.test("appendEnsemble() refuses ensembles that are no one sum", () => {
  const { ensemble } = randomParts({ seed: 3, outputs: 3 });
  const others: readonly Partial<Ensemble>[] = [
    { aggregate: "average" },
    { numOutputs: 2 },
    { leafWidth: 3 },
    { treesPerRound: 1 },
  ];
  for (const change of others) {
    const other = { ...ensemble, ...change };
    for (const [first, next] of [[ensemble, other], [other, ensemble]]) {
      const error = assertThrows(() => appendEnsemble(first, next), ModelError);
      assertEquals(error.code, "E_MODEL_SCHEMA", JSON.stringify(change));
    }
  }
});
