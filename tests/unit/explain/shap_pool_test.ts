import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ModelError, ParameterError } from "../../../src/errors.ts";
import { createShapPool } from "../../../src/explain/shap_pool.ts";
import { explainShap } from "../../../src/explain/tree_shap.ts";
import { createModel } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";
import { randomParts } from "../../support/models/random.ts";

function rowsOf(count: number): { [name: string]: number | string | null }[] {
  const rng = createRng(count);
  return Array.from({ length: count }, () => ({
    x0: rng.nextFloat() * 4 - 2,
    x1: rng.nextInt(9) === 0 ? null : rng.nextFloat() * 4 - 2,
    c0: `k${rng.nextInt(4)}`,
  }));
}

Deno.test("createShapPool() gives the bits of explainShap() for 1, 2, 3 and 8 threads", async () => {
  const models = [
    randomParts({ seed: 5, numeric: 2, categorical: 1, trees: 8 }),
    randomParts({ seed: 6, numeric: 2, categorical: 1, trees: 6, outputs: 3, leafWidth: 3 }),
  ].map(createModel);
  for (const model of models) {
    for (const threads of [1, 2, 3, 8]) {
      using pool = createShapPool(model, { threads, rounds: 5 });
      assertEquals(pool.numThreads, threads === 1 ? 0 : threads);
      const inputs = [0, 1, 700].map(rowsOf);
      const found = await Promise.all(inputs.map((input) => pool.explain(input)));
      found.forEach((shap, i) =>
        assertEquals(shap, explainShap(model, inputs[i]!, { rounds: 5 }), `${threads} threads`)
      );
    }
  }
});

Deno.test("createShapPool() takes background rows and refuses what explainShap() refuses", async () => {
  const model = createModel(randomParts({ seed: 7, numeric: 2, categorical: 1 }));
  const background = rowsOf(60);
  using pool = createShapPool(model, { threads: 2, background });
  const rows = rowsOf(5);
  assertEquals(await pool.explain(rows), explainShap(model, rows, { background }));
  pool.close();
  const error = await assertRejects(() => pool.explain(rows), ModelError, "closed");
  assertEquals(error.code, "E_MODEL_LIMIT");
  assertThrows(() => createShapPool(model, { threads: 1.5 }), ParameterError, "1.5 threads");
  const vote = createModel(randomParts({ seed: 8, outputs: 3, leafWidth: 3, aggregate: "vote" }));
  assertThrows(() => createShapPool(vote, { threads: 2 }), ParameterError, "SHAP");
});

Deno.test("explain() of a pool refuses options of the pool, and gives each caller a bias of its own", async () => {
  const model = createModel(randomParts({ seed: 2, numeric: 2, categorical: 1 }));
  const row = rowsOf(1);
  for (const threads of [1, 2]) {
    using pool = createShapPool(model, { threads });
    const late = { rounds: 1 } as { readonly columns?: "strict" };
    const error = await assertRejects(() => pool.explain(row, late), ParameterError);
    assertEquals(error.code, "E_PARAM_UNKNOWN");
    const first = await pool.explain(row);
    const { bias } = explainShap(model, row);
    first.bias.fill(7);
    assertEquals((await pool.explain(row)).bias, bias);
  }
});
