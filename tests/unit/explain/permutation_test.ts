import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { modelImportance } from "../../../src/evaluate/model_importance.ts";
import { permutationImportance, summarise } from "../../../src/explain/permutation.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { createModel } from "../../../src/model/model.ts";
import { randomParts } from "../../support/models/random.ts";

const data: Dataset = {
  numRows: 50,
  features: [
    { kind: "numeric", name: "x", values: Float64Array.from({ length: 50 }, (_, i) => i) },
    {
      kind: "categorical",
      name: "c",
      codes: Int32Array.from({ length: 50 }, (_, i) => i % 3),
      categories: ["a", "b", "c"],
    },
  ],
};

Deno.test("permutationImportance() is zero for what the score ignores, and the same for one seed", () => {
  const score = (d: Dataset) => {
    const [x] = d.features;
    if (x.kind !== "numeric") return 0;
    let sum = 0;
    for (let i = 0; i < d.numRows; i++) sum -= Math.abs(x.values[i] - i);
    return sum;
  };
  const first = permutationImportance(data, score, { seed: 3 });
  assert(first[0].mean > 0 && first[0].deviation > 0);
  assertEquals(first[1], { feature: "c", mean: 0, deviation: 0 });
  assertEquals(permutationImportance(data, score, { seed: 3 }), first);
  assertEquals(
    permutationImportance(data, (d) => -score(d), { seed: 3, higherIsBetter: false }),
    first,
  );
});

Deno.test("permutationImportance() only reorders: every value stays, and most orders come up", () => {
  const orders = new Set<string>();
  const small = {
    numRows: 4,
    features: [
      { kind: "numeric", name: "x", values: Float64Array.of(3, 1, 4, 2) },
      { kind: "categorical", name: "c", codes: Int32Array.of(2, 0, 3, 1), categories: [..."abcd"] },
    ],
  } as const;
  permutationImportance(small, (d) => {
    const [x, c] = d.features.map((column) =>
      Array.from(column.kind === "numeric" ? column.values : column.codes)
    );
    assertEquals([x.toSorted(), c.toSorted()], [[1, 2, 3, 4], [0, 1, 2, 3]]);
    orders.add(x.join());
    return 0;
  }, { repeats: 200 });
  assertEquals(orders.size, 24);
});

Deno.test("permutationImportance() shuffles categories and tries only the features asked for", () => {
  const score = (d: Dataset) => {
    const c = d.features[1];
    return c.kind === "categorical" ? c.codes.filter((code, i) => code === i % 3).length : 0;
  };
  const [only, ...rest] = permutationImportance(data, score, { features: ["c"] });
  assertEquals(rest, []);
  assert(only.mean > 20);
});

Deno.test("permutationImportance() and modelImportance() refuse no repeats and absent columns", async () => {
  const model = createModel(randomParts({ seed: 1, numeric: 1, trees: 1 }));
  const target = { kind: "regression", name: "y", values: new Float64Array(50) } as const;
  const own = { ...data, features: [{ ...data.features[0], name: "x0" }], target };
  for (const repeats of [0, -1, 1.5, NaN]) {
    const error = assertThrows(
      () => permutationImportance(own, () => 0, { repeats }),
      ParameterError,
    );
    assertEquals(error.code, "E_PARAM_RANGE");
    assertEquals(error.details, { param: "repeats", value: repeats });
    await assertRejects(() => modelImportance(model, own, { repeats }), ParameterError);
  }
  const features = ["x0", "X0"];
  assertThrows(() => permutationImportance(own, () => 0, { features }), DataError, '"X0"');
  await assertRejects(() => modelImportance(model, own, { features }), DataError, '"X0"');
});

// As `importances_mean` and `importances_std` of scikit-learn are.
Deno.test("importances have the mean of all repeats and the deviation about it", () => {
  assertEquals(summarise("x", 5, [1, 3], true), { feature: "x", mean: 3, deviation: 1 });
  assertEquals(summarise("x", 5, [6, 8], false), { feature: "x", mean: 2, deviation: 1 });
  assertEquals(summarise("x", 5, [1], true), { feature: "x", mean: 4, deviation: 0 });
});
