import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { DataError, ParameterError } from "../../../../src/errors.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { noisy } from "../../../support/data/boost_data.ts";

Deno.test("trainBoost() weight 2 equals a doubled row", async () => {
  const { numbers } = noisy(40, 10);
  const rows = Int32Array.from({ length: 40 }, (_, i) => i);
  const weight = Float64Array.from(rows, (i) => i % 3 === 0 ? 2 : 1);
  const doubled = [...rows].flatMap((i) => i % 3 === 0 ? [i, i] : [i]);
  const { selectRows } = await import("../../../../src/data/dataset/dataset.ts");
  const once = await trainBoost({ ...numbers, sampleWeight: weight }, {
    rounds: 10,
    minRowsPerLeaf: 1,
  });
  const twice = await trainBoost(selectRows(numbers, Int32Array.from(doubled)), {
    rounds: 10,
    minRowsPerLeaf: 1,
  });
  const [p, q] = [once.predictValue(numbers), twice.predictValue(numbers)];
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 1e-5));
});

Deno.test("trainBoost() takes the prior out of weighted classes", async () => {
  const { classes } = noisy(2000, 11);
  const plain = await trainBoost(classes, { rounds: 0, positiveWeight: 5 });
  const corrected = await trainBoost(classes, {
    rounds: 0,
    positiveWeight: 5,
    priorCorrection: true,
  });
  const base = await trainBoost(classes, { rounds: 0 });
  const at = { a: 0.5, b: 0.5 };
  assert(plain.predictProba(at).data[1] > base.predictProba(at).data[1] + 0.2);
  assertAlmostEquals(corrected.predictProba(at).data[1], base.predictProba(at).data[1], 1e-6);
  assertEquals(corrected.info.priorCorrection, [-Math.log(5)]);
});

Deno.test("trainBoost() balances classes by their weight, an absent one left out", async () => {
  const data: Dataset = {
    numRows: 6,
    features: [{ kind: "numeric", name: "x", values: Float64Array.of(1, 2, 3, 4, 5, 6) }],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.of(0, 0, 0, 0, 2, 2),
      classes: ["a", "b", "c"],
    },
    sampleWeight: Float64Array.of(1, 2, 3, 0, 1, 1),
  };
  const params = { rounds: 0, committee: 1, classWeights: "balanced" } as const;
  const model = await trainBoost(data, params);
  // Weights 6 and 2 of 8 in two classes: 8 / (2 · 6) and 8 / (2 · 2), so that each has half.
  assertEquals(model.info.classFactors, [8 / 12, 1, 2]);
  const [a, b, c] = model.predictProba({ x: 0 }).data;
  [a - 0.5, b, c - 0.5].forEach((off) => assertAlmostEquals(off, 0, 1e-12));
});

Deno.test("trainBoost() refuses both ways of weighing classes at once", async () => {
  const error = await assertRejects(
    () => trainBoost(noisy(20, 1).classes, { positiveWeight: 2, classWeights: "balanced" }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_CONFLICT");
});

Deno.test("trainBoost() refuses weights of classes that are not there, or are not above 0", async () => {
  const { classes } = noisy(20, 1);
  const { target } = classes;
  assert(target?.kind === "classification");
  for (const classWeights of [{ [`${target.classes[0]}x`]: 2 }, { [target.classes[0]]: 0 }]) {
    const error = await assertRejects(() => trainBoost(classes, { classWeights }), ParameterError);
    assertEquals([error.code, error.details.param], ["E_PARAM_RANGE", "classWeights"]);
  }
});

Deno.test("trainBoost() refuses weights that are negative, not finite, or all 0", async () => {
  const { numbers } = noisy(40, 1);
  for (const [row, value] of [[3, -1], [5, NaN], [0, Infinity]]) {
    const sampleWeight = new Float64Array(40).fill(1).with(row, value);
    const error = await assertRejects(
      () => trainBoost({ ...numbers, sampleWeight }, { rounds: 1 }),
      DataError,
      `row ${row + 1}`,
    );
    assertEquals(error.code, "E_DATA_TYPE");
  }
  const none = { ...numbers, sampleWeight: new Float64Array(40) };
  await assertRejects(() => trainBoost(none, { rounds: 1 }), DataError, "all are 0");
  await assertRejects(
    () => trainBoost(numbers, { rounds: 1 }, { valid: { late: none } }),
    DataError,
    "set late",
  );
});

Deno.test("trainBoost() refuses featureWeights that are no chances, or leave nothing to draw", async () => {
  const { numbers } = noisy(40, 1);
  for (const featureWeights of [{ a: -1 }, { a: Infinity }, { a: 0, b: 0 }]) {
    const error = await assertRejects(
      () => trainBoost(numbers, { rounds: 1, featureWeights, featuresPerNode: 0.5 }),
      ParameterError,
    );
    assertEquals([error.code, error.details.param], ["E_PARAM_RANGE", "featureWeights"]);
  }
  const given = { rounds: 3, featureWeights: { a: 0 }, featuresPerNode: 0.5 };
  const { trees } = (await trainBoost(numbers, given)).ensemble;
  assert(trees.feature.every((f, node) => trees.firstChild[node] < 0 || f === 1));
});

Deno.test("trainBoost() refuses a query whose rows are torn apart", async () => {
  const { numbers } = noisy(40, 1);
  const relevance = Float64Array.from({ length: 40 }, (_, row) => row % 3);
  const ranked = (group: Int32Array): Dataset => ({
    ...numbers,
    group,
    target: { kind: "regression", name: "y", values: relevance },
  });
  const torn = ranked(Int32Array.from({ length: 40 }, (_, row) => row % 4));
  const whole = ranked(Int32Array.from({ length: 40 }, (_, row) => row >> 3));
  const params = { loss: "pairwise", rounds: 1 };
  for (
    const run of [() => trainBoost(torn, params), () => trainBoost(whole, params, { valid: torn })]
  ) {
    const error = await assertRejects(run, DataError, "not adjacent");
    assertEquals(error.code, "E_DATA_SHAPE");
  }
  assertEquals((await trainBoost(whole, params)).numRounds, 1);
});
