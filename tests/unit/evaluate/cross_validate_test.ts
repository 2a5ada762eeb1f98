import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createDataset, selectRows } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { crossValidate } from "../../../src/evaluate/cross_validate.ts";
import { makeFolds } from "../../../src/evaluate/prepared_folds.ts";
import { createRng } from "../../../src/util/rng.ts";

function classes(numRows: number): Dataset {
  const rng = createRng(1);
  const x = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const codes = Int32Array.from(x, (v) => v + 0.3 * rng.nextFloat() > 0.9 ? 1 : 0);
  return createDataset(
    [{ kind: "numeric", name: "x", values: x }],
    { kind: "classification", name: "y", codes, classes: ["a", "b"] },
  );
}

Deno.test("crossValidate() scores every row by a model that did not see it", async () => {
  const data = classes(120);
  const found = await crossValidate(data, { rounds: 10 }, { folds: 4, metrics: ["logLoss"] });
  assertEquals([found.how, found.folds.length, found.outOfFold.cols], ["4 folds by class", 4, 1]);
  assert(found.outOfFold.data.every((p) => p > 0 && p < 1));
  const { target } = data;
  assert(target?.kind === "classification");
  // All folds have 30 rows, so the mean over folds is the mean over rows.
  let total = 0;
  target.codes.forEach((code, row) => {
    const p = found.outOfFold.data[row];
    total -= Math.log(code === 1 ? p : 1 - p);
  });
  assertAlmostEquals(found.mean.logLoss, total / 120, 1e-12);
  const values = found.folds.map(({ metrics }) => metrics.logLoss);
  const mean = values.reduce((a, b) => a + b) / 4;
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 3;
  assertAlmostEquals(found.deviation.logLoss, Math.sqrt(variance), 1e-12);
});

Deno.test("crossValidate() in order of time leaves the first block without a score", async () => {
  const found = await crossValidate(classes(60), { rounds: 2 }, { folds: 2, time: true });
  assertEquals(found.folds.map(({ trainRows, rows }) => [trainRows, rows]), [[20, 20], [40, 20]]);
  assertEquals([...found.outOfFold.data].filter(Number.isNaN).length, 20);
});

Deno.test("crossValidate() in order of time has the figures of the rows that weigh something", async () => {
  const plain = classes(60);
  // The first 20 rows, and then every other up to row 50.
  const weighs = (row: number) => row >= 20 && (row >= 50 || row % 2 === 0);
  const sampleWeight = Float64Array.from({ length: 60 }, (_, row) => weighs(row) ? 1 : 0);
  const rows = Int32Array.from([...sampleWeight.keys()].filter(weighs));
  const options = { folds: 2, time: true, metrics: ["logLoss"] } as const;
  const found = await crossValidate({ ...plain, sampleWeight }, { rounds: 2 }, options);
  const alone = await crossValidate(selectRows(plain, rows), { rounds: 2 }, options);
  assertEquals(found.mean, alone.mean);
  assertEquals(found.folds.length, 2);
});

Deno.test("makeFolds() folds by groups and refuses contradictions", async () => {
  const data = classes(12);
  const groups = Array.from({ length: 12 }, (_, i) => i % 4);
  for (const { train, test } of makeFolds(data, { folds: 2, groups }).folds) {
    assert([...test].every((row) => ![...train].some((other) => groups[other] === groups[row])));
  }
  await assertRejects(() => crossValidate(data, {}, { groups, time: true }), ParameterError);
  await assertRejects(() => crossValidate(data, {}, { groups: [1, 2] }), ParameterError);
});

Deno.test("crossValidate() says in which folds a metric is not defined, and has no deviation of one", async () => {
  const x = Float64Array.from({ length: 40 }, (_, i) => i);
  const groups = Array.from(x, (i) => i % 4);
  const data = {
    numRows: 40,
    features: [{ kind: "numeric", name: "x", values: x }],
    // Group 3 has both classes, each other one a single class.
    target: {
      kind: "classification",
      name: "y",
      classes: ["a", "b"],
      codes: Int32Array.from(groups, (group, i) => group === 3 ? i % 3 % 2 : group % 2),
    },
  } as const;
  const told: string[] = [];
  const spec = { rounds: 2, committee: 1 };
  const options = { folds: 4, groups, metrics: ["auc", "accuracy"], threads: 1 };
  const found = await crossValidate(data, spec, {
    ...options,
    onWarning: (text) => told.push(text),
  });
  const known = found.folds.filter(({ metrics }) => !Number.isNaN(metrics.auc));
  assertEquals(known.length, 1);
  assertEquals(found.mean.auc, known[0].metrics.auc);
  assertEquals(found.deviation.auc, NaN);
  const lacking = found.folds.filter((fold) => fold !== known[0]).map(({ fold }) => fold);
  assertEquals(told.filter((text) => text.includes("not defined")), [
    `Metric "auc" is not defined in folds ${lacking.join(", ")} of 4: its mean is over the other 1`,
  ]);
});

Deno.test("makeFolds() tears no query apart, by groups or by time", () => {
  const values = Float64Array.from({ length: 12 }, (_, i) => i % 3);
  const data: Dataset = {
    numRows: 12,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values },
    group: Int32Array.from(values, (_, i) => Math.floor(i / 3)),
  };
  const users = [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1];
  assertEquals(makeFolds(data, { folds: 2, groups: users }).folds.length, 2);
  assertEquals(
    makeFolds(data, { folds: 3, time: users.map((_, i) => Math.floor(i / 3)) }).folds.length,
    3,
  );
  const [first] = makeFolds(data, { folds: 2, time: true }).folds;
  assertEquals([[...first.train], [...first.test]], [[0, 1, 2, 3, 4, 5], [6, 7, 8]]);
  for (const options of [{ groups: users.with(4, 0) }, { time: users.map((_, i) => i) }]) {
    const error = assertThrows(() => makeFolds(data, { folds: 2, ...options }), ParameterError);
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
});

Deno.test("makeFolds() by groups counts queries of a ranking that weigh something, whatever their rows do", () => {
  const values = Float64Array.from({ length: 30 }, (_, row) => row % 3);
  const query = Int32Array.from(values, (_, row) => Math.floor(row / 3));
  const data: Dataset = {
    numRows: 30,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values },
    group: query,
    // Queries 2, 5 and 8 have two rows that weigh nothing, the others nothing else.
    sampleWeight: Float64Array.from(query, (q, row) => q % 3 === 2 && row % 3 === 0 ? 1 : 0),
  };
  for (let seed = 0; seed < 20; seed++) {
    const { folds } = makeFolds(data, { folds: 3, seed, groups: Array.from(query) });
    for (const { test } of folds) {
      assertEquals([...test].filter((row) => query[row] % 3 === 2).length, 3, `seed ${seed}`);
    }
  }
});

Deno.test("crossValidate() by groups says that nothing weighs anything", async () => {
  const data = { ...classes(12), sampleWeight: new Float64Array(12) };
  const groups = Array.from({ length: 12 }, (_, row) => row % 4);
  await assertRejects(() => crossValidate(data, {}, { folds: 2, groups }), DataError, "all are 0");
});
