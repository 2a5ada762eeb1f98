import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DataError, ModelError, ParameterError } from "../../../src/errors.ts";
import { createModel } from "../../../src/model/model.ts";
import { createScorerPool } from "../../../src/parallel/score_pool.ts";
import { randomParts } from "../../support/models.ts";
import { createRng } from "../../../src/util/rng.ts";

const model = createModel(randomParts({ seed: 3, trees: 20, depth: 6, outputs: 3 }));
const numFeatures = model.schema.features.length;

function numbers(rows: number): Float64Array {
  const rng = createRng(rows);
  return Float64Array.from(
    { length: rows * numFeatures },
    () => rng.nextInt(20) === 0 ? NaN : rng.nextFloat() * 4 - 2,
  );
}

Deno.test("createScorerPool() gives the bits of one thread for any number of threads and rows", async () => {
  for (const threads of [1, 2, 3]) {
    const pool = createScorerPool(model, { threads });
    try {
      assertEquals(pool.numThreads, threads === 1 ? 0 : threads);
      for (const rows of [0, 1, 1025, 30_001]) {
        const x = numbers(rows);
        const expected = new Float64Array(rows * model.numOutputs);
        model.positional(model.schemaHash).rawRowsInto(x, expected);
        assertEquals(await pool.rawRows(x, model.schemaHash), expected);
        const narrow = Float32Array.from(x);
        model.positional(model.schemaHash).rawRowsInto(narrow, expected);
        assertEquals(await pool.rawRows(narrow, model.schemaHash), expected);
      }
    } finally {
      pool.close();
    }
  }
});

Deno.test("table() of a pool gives the scores and the report of the model's own method", async () => {
  const values = numbers(500);
  const columns = model.schema.features.map((feature, f) => ({
    kind: "numeric" as const,
    name: feature.name,
    values: Float64Array.from({ length: 500 }, (_, r) => values[r * numFeatures + f]),
  }));
  const table = { numRows: 500, features: columns };
  const pool = createScorerPool(model, { threads: 2 });
  try {
    let report: unknown;
    const many = await Promise.all([1, 2, 3, 4].map(() => pool.table("predictRaw", table)));
    for (const raw of many) assertEquals(raw, model.predictRaw(table).data);
    const options = { rounds: 7, onReport: (r: unknown) => report = r };
    assertEquals(
      await pool.table("predictClass", table, options),
      model.predictClass(table, options),
    );
    const there = report;
    assertEquals(
      await pool.table("predictLeaf", table, options),
      model.predictLeaf(table).data.length > 0 ? model.predictLeaf(table, { rounds: 7 }).data : [],
    );
    model.predictClass(table, options);
    assertEquals(report, there);
    // Errors keep their class and code.
    await assertRejects(
      () => pool.table("predictRaw", table, { rounds: 99 }),
      ParameterError,
      "99",
    );
  } finally {
    pool.close();
  }
});

Deno.test("createScorerPool() refuses other orders of columns, broken rows and a closed pool", async () => {
  assertThrows(() => createScorerPool(model, { threads: 0 }), ParameterError, "0 threads");
  const pool = createScorerPool(model, { threads: 2 });
  await assertRejects(() => pool.rawRows(numbers(9), "elsewhere"), ModelError);
  const odd = new Float64Array(numFeatures + 1);
  await assertRejects(() => pool.rawRows(odd, model.schemaHash), DataError, "whole rows");
  pool.close();
  await assertRejects(() => pool.rawRows(numbers(9000), model.schemaHash), ModelError, "closed");
});
