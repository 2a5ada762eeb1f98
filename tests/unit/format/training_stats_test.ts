import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import {
  driftOf,
  knownRows,
  statsSectionOf,
  trainingStatsOf,
  withTrainingStats,
} from "../../../src/format/training_stats.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { randomParts, randomRows } from "../../support/models/random.ts";

Deno.test("driftOf() is near zero on rows like those of training and names what moved", () => {
  const parts = randomParts({ seed: 1, numeric: 2, categorical: 1 });
  const rows = randomRows(parts.schema, 2000, 1);
  const model = withTrainingStats(createModel(parts), rows);
  const copy = decodeModel(encodeModel(model));
  const stats = trainingStatsOf(copy)!;
  assertEquals(stats, trainingStatsOf(model));
  assertEquals(stats.features.map(({ name }) => name), ["x0", "x1", "c0"]);
  for (const spread of [...stats.features, ...stats.scores]) {
    const total = spread.shares.reduce((sum, share) => sum + share, 0);
    assertAlmostEquals(total + spread.missing + spread.unknown, 1, 1e-12);
  }
  assertAlmostEquals(stats.features[0].missing, 0.1, 0.03); // randomRows: one in ten
  const same = driftOf(copy, randomRows(parts.schema, 2000, 2));
  assert(same.every(({ psi }) => psi < 0.1), JSON.stringify(same));
  const moved = rows.map((row) => ({ ...row, x1: 9, c0: "new" }));
  const drift = driftOf(copy, moved);
  assert(drift[0].psi < 0.01 && drift[1].psi > 0.25 && drift[2].psi > 0.25, JSON.stringify(drift));
  assertEquals(drift[2].unknown, 1);
});

Deno.test("a model knows the rows of its first training and of the last ones", () => {
  const parts = randomParts({ seed: 1, numeric: 2, categorical: 1 });
  const plain = createModel(parts);
  const refit = (before: Model | undefined, run: number) => {
    const known = before && knownRows(before);
    const bytes = statsSectionOf(plain, randomRows(parts.schema, 20, run), known);
    return createModel({ ...parts, attachments: new Map([["STAT", bytes]]) });
  };
  const hashes = Array.from({ length: 30 }, (_, run) => knownRows(refit(undefined, run))[0]);
  let model = refit(undefined, 0);
  for (let run = 1; run < 30; run++) model = refit(model, run);
  assertEquals(knownRows(model), [hashes[0], ...hashes.slice(-15)]);
  // The same rows again are known once.
  assertEquals(knownRows(refit(refit(undefined, 3), 3)), [hashes[3]]);
  const broken = new TextEncoder().encode(
    JSON.stringify({ ...trainingStatsOf(model), earlier: "all" }),
  );
  const damaged = createModel({ ...parts, attachments: new Map([["STAT", broken]]) });
  assertThrows(() => trainingStatsOf(damaged), ModelError, "statistics");
});

Deno.test("driftOf() refuses a model without statistics", () => {
  const model = createModel(randomParts({ seed: 1 }));
  assertEquals(trainingStatsOf(model), undefined);
  assertThrows(() => driftOf(model, []), ModelError, "no training statistics");
});
