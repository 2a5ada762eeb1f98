import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { zerosMissing } from "../../../../src/data/dataset/zeros.ts";
import { ParameterError } from "../../../../src/errors.ts";

/** y is 10 where x is 0 or missing, else x. */
const data: Dataset = {
  numRows: 60,
  features: [{
    kind: "numeric",
    name: "x",
    values: Float64Array.from({ length: 60 }, (_, i) => [-3, 0, -0, 1e-36, 3, NaN][i % 6]),
  }],
  target: {
    kind: "regression",
    name: "y",
    values: Float64Array.from({ length: 60 }, (_, i) => [-3, 10, 10, 10, 3, 10][i % 6]),
  },
};
const params = { zeroAsMissing: true, rounds: 40, learningRate: 0.5, lambda: 0, minRowsPerLeaf: 1 };

for (
  const [name, more] of [
    ["hist", {}],
    ["exact", { treeMethod: "exact" }],
    ["lightgbm", { preset: "lightgbm@4" }],
  ] as const
) {
  Deno.test(`zeroAsMissing sends zeros of any kind the way of missing values: ${name}`, async () => {
    const model = await trainBoost(data, { ...params, ...more });
    assertEquals(model.schema.features[0], {
      kind: "numeric",
      name: "x",
      missing: "learnt",
      zeroIsMissing: true,
    });
    const score = (x: number | null) => model.predictValue({ x })[0];
    for (const x of [0, -0, 1e-36, -1e-40, null]) assertEquals(score(x), score(NaN));
    assert(Math.abs(score(0) - 10) < 1e-3);
    assert(Math.abs(score(3) - 3) < 1e-3);
    assert(Math.abs(score(-3) + 3) < 1e-3);
  });
}

Deno.test("zeroAsMissing reads validation sets alike", async () => {
  const told: number[] = [];
  await trainBoost(data, { ...params, metrics: ["mse"], trainMetrics: true }, {
    valid: { other: data },
    onRound: ({ metrics }) => told.push(metrics.train.mse - metrics.other.mse),
  });
  assertEquals(told, new Array(40).fill(0));
});

Deno.test("continueBoost() refuses another zeroAsMissing and keeps the model's", async () => {
  const model = await trainBoost(data, { ...params, rounds: 2 });
  const error = await assertRejects(
    () => continueBoost(model, data, { rounds: 1, zeroAsMissing: false }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_CONFLICT");
  const longer = await continueBoost(model, data, { rounds: 38 });
  assertEquals(longer.predictValue({ x: 0 }), longer.predictValue({ x: null }));
  assert(Math.abs(longer.predictValue({ x: 0 })[0] - 10) < 1e-3);
});

Deno.test("zeroAsMissing refuses linear leaves by LightGBM's method, whose zeros are numbers", async () => {
  await assertRejects(
    () =>
      trainBoost(data, {
        ...params,
        preset: "lightgbm@4",
        treeMethod: "lightgbm",
        linearTree: true,
      }),
    ParameterError,
    "linearTree with zeroAsMissing",
  );
});

Deno.test("zerosMissing() keeps columns without zeros as they are", () => {
  const features: Dataset["features"] = [
    { kind: "numeric", name: "a", values: Float64Array.of(1, 2) },
    { kind: "categorical", name: "b", codes: Int32Array.of(0, 0), categories: ["z"] },
  ];
  const { features: [a, b] } = zerosMissing({ numRows: 2, features });
  assert(a === features[0] && b === features[1]);
});
