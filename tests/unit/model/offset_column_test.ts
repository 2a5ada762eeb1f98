/**
 * Models whose rows start from an offset column (exposure): in training, scoring and explaining.
 *
 * @module
 */
import { assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../src/algorithms/update/continue.ts";
import { refitBoost } from "../../../src/algorithms/update/refit.ts";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import { datasetFromRows } from "../../../src/data/records/rows.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError, ModelError, ParameterError } from "../../../src/errors.ts";
import { createShapPool } from "../../../src/explain/shap_pool.ts";
import { explainShap } from "../../../src/explain/tree_shap.ts";
import { decideAbove } from "../../../src/model/decide.ts";
import { rowSchema } from "../../../src/model/offset_column.ts";
import { assertScores, DATA, MODEL, ROWS } from "../../support/models/offset.ts";

Deno.test("a model trained beside an offset column names it and asks for it", () => {
  assertEquals(MODEL.info.offset, "years");
  assertScores(MODEL.predictValue(datasetFromRows(ROWS, { offset: "years" })));
  for (const input of [ROWS, datasetFromRows(ROWS), ROWS[0]]) {
    const error = assertThrows(
      () => MODEL.predictValue(input),
      ModelError,
      "Cannot score with 0 offsets",
    );
    assertEquals(error.code, "E_MODEL_SCHEMA");
  }
});

Deno.test("a file whose offset column is no name of its own is refused", () => {
  for (const offset of [5, {}, "x"]) {
    const info = { ...MODEL.info, offset: offset as string };
    const error = assertThrows(() => rowSchema({ schema: MODEL.schema, info }), ModelError);
    assertEquals(error.code, "E_MODEL_CORRUPT");
  }
});

Deno.test("offsets that were handed over as numbers are asked for too, under a name of their own", async () => {
  const { offsetName: _, ...unnamed } = DATA;
  const taken = {
    ...unnamed,
    features: [{ ...DATA.features[0], name: "offset" }, ...DATA.features.slice(1)],
  };
  for (const [data, name] of [[unnamed, "offset"], [taken, "offset_"]] as const) {
    const model = await trainBoost(data, { loss: "poisson", rounds: 2 });
    assertEquals(model.info.offset, name);
    assertThrows(() => model.predictRaw(ROWS), ModelError);
    assertEquals(model.predictRaw(data).rows, 300);
  }
});

Deno.test("continuation and refit start rows from the offset and refuse data without", async () => {
  const { offset: _, ...plain } = DATA;
  const whole = await trainBoost(DATA, { loss: "poisson", rounds: 24 }, { threads: 1 });
  const more = await continueBoost(MODEL, DATA, { rounds: 4 }, { threads: 1 });
  assertEquals(more.predictRaw(DATA).data, whole.predictRaw(DATA).data);
  assertEquals(more.info.offset, "years");
  assertScores(
    refitBoost(MODEL, DATA).predictValue(datasetFromRows(ROWS, { offset: "years" })),
    refitBoost(MODEL, DATA),
  );
  await assertRejects(() => continueBoost(MODEL, plain, { rounds: 1 }), ModelError);
  assertThrows(() => refitBoost(MODEL, plain), ModelError, "years");
});

Deno.test("offsets of the wrong length, in one set only, or for other trainers are refused", async () => {
  const classes: Dataset = {
    ...DATA,
    target: {
      kind: "classification",
      name: "n",
      codes: Int32Array.from(DATA.offset!, (_, i) => i % 3),
      classes: ["a", "b", "c"],
    },
  };
  const error = await assertRejects(
    () => trainBoost(classes, { rounds: 1 }),
    DataError,
    "expected 900",
  );
  assertEquals(error.code, "E_DATA_SHAPE");
  const { offset: _, ...plain } = DATA;
  const params = { loss: "poisson", rounds: 3 };
  await assertRejects(() => trainBoost(DATA, params, { valid: plain }), DataError, `set "valid"`);
  await assertRejects(() => trainBoost(plain, params, { valid: DATA }), DataError, `set "valid"`);
  await assertRejects(() => trainRandomForest(DATA, { trees: 2 }), ParameterError, "offset");
});

Deno.test("decisions start from the offset; responses by position are refused", () => {
  const data = datasetFromRows(ROWS, { offset: "years" });
  const raw = MODEL.predictRaw(data).data;
  assertEquals(
    [...decideAbove(MODEL, data, raw[1]).above],
    Array.from(raw, (score) => Number(score > raw[1])),
  );
  assertThrows(() => decideAbove(MODEL, ROWS, 0), ModelError);
  const byPosition = MODEL.positional(MODEL.schemaHash);
  const out = new Float64Array(1);
  byPosition.rawInto(Float64Array.of(8, 1), out); // the trees alone, as it says
  assertAlmostEquals(out[0] + ROWS[2].years, raw[2], 1e-12);
  assertThrows(() => byPosition.valueInto(Float64Array.of(8, 1), out), ModelError);
});

Deno.test("the offset is a contribution of its own, and all add up to the raw score", async () => {
  const data = datasetFromRows(ROWS, { offset: "years" });
  const raw = MODEL.predictRaw(data).data;
  const shap = explainShap(MODEL, data);
  assertEquals(shap.features, ["x", "c", "years"]);
  const sums = raw.map((_, row) =>
    shap.bias[0] + shap.values.slice(3 * row, 3 * row + 3).reduce((a, b) => a + b, 0)
  );
  raw.forEach((score, row) => {
    assertEquals(shap.values[3 * row + 2], ROWS[row].years);
    assertAlmostEquals(sums[row], score, 1e-12); // sums of doubles in another order
  });
  using pool = createShapPool(MODEL, { threads: 2 });
  assertEquals(await pool.explain(data), shap);
  // The trees' own part is that of a row without exposure.
  const none = explainShap(MODEL, { ...data, offset: new Float64Array(3) });
  assertEquals(none.values.filter((_, i) => i % 3 < 2), shap.values.filter((_, i) => i % 3 < 2));
  const error = assertThrows(() => explainShap(MODEL, ROWS), ModelError, "years");
  assertEquals(error.code, "E_MODEL_SCHEMA");
  await assertRejects(() => pool.explain(ROWS), ModelError, "years");
});
