import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import { keepRounds } from "../../../../src/algorithms/update/keep_rounds.ts";
import { refitBoost, refitBoostOnThreads } from "../../../../src/algorithms/update/refit.ts";
import { createDataset, selectRows } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import { calibrate } from "../../../../src/evaluate/calibrate.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { shrinkModel } from "../../../../src/format/shrink/shrink.ts";
import { createModel, type Model } from "../../../../src/model/model.ts";
import type { BoostParams } from "../../../../src/params/typed.ts";
import { mixedTable, twoClasses } from "../../../support/data/boost_data.ts";

Deno.test("a calibration does not outlive the scores it was fitted to", async () => {
  const data = twoClasses(mixedTable(1));
  const calibrated = calibrate(await trainBoost(data, { rounds: 4 }), twoClasses(mixedTable(2)));
  const told: string[] = [];
  const onWarning = (message: string) => told.push(message);
  const more = await continueBoost(calibrated, data, { rounds: 2 }, { onWarning });
  const again = refitBoost(calibrated, data, { onWarning });
  for (const model of [more, again]) {
    assertEquals([model.calibration, model.info.calibration], [undefined, undefined]);
  }
  assertEquals(told.filter((message) => message.includes("calibrate again")).length, 2);
});

Deno.test("refitBoost() on the training data with decay 0 gives the same leaves", async () => {
  const data = mixedTable(7);
  const model = await trainBoost(data, { rounds: 8, subsample: 1 });
  const again = refitBoost(model, data, { decay: 0 });
  const [p, q] = [model.predictValue(data), again.predictValue(data)];
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 2e-3));
  assertEquals(again.ensemble.trees.threshold, model.ensemble.trees.threshold);
});

Deno.test("refitBoost() on the training data with decay 0 gives the leaves of any sum of trees", async () => {
  const data = mixedTable(7);
  const two = twoClasses(data);
  const runs: [Dataset, BoostParams][] = [
    [data, { parallelTrees: 4 }],
    [data, { alpha: 2, maxDeltaStep: 0.4 }],
    [data, { loss: "absolute", maxDeltaStep: 0.4 }],
    [two, { positiveWeight: 10, priorCorrection: true }],
    [two, { classWeights: { lo: 3 } }],
    [{ ...data, offset: Float64Array.from({ length: 300 }, (_, row) => row % 4) }, {}],
    [data, { preset: "xgboost@2", loss: "poisson" }], // steps of 0.7 at most, and e^(f + 0.7)
  ];
  for (const [rows, params] of runs) {
    const model = await trainBoost(rows, { rounds: 8, subsample: 1, ...params });
    const again = refitBoost(model, rows, { decay: 0 });
    const [p, q] = [model.predictValue(rows), again.predictValue(rows)];
    // Leaves are float32 and their sums are taken on a grid.
    p.forEach((value, i) => assertAlmostEquals(value, q[i], 2e-3, JSON.stringify(params)));
  }
});

Deno.test("refitBoost() on the training data with decay 0 gives the leaves of late and added rounds", async () => {
  const data = mixedTable(7);
  const plain = { rounds: 8, subsample: 1, learningRate: 0.05 };
  const grown = await trainBoost(data, { ...plain, rounds: 140, learningRateGrowth: 3 });
  const first = await trainBoost(data, plain);
  const more = { rounds: 8, learningRate: 0.6, lambda: 20, alpha: 1, maxDeltaStep: 0.5 };
  const added = await continueBoost(first, data, more);
  const models = { grown, added, kept: keepRounds(added, 11), "kept before": keepRounds(added, 5) };
  for (const [what, model] of Object.entries(models)) {
    const { leaf, firstChild } = model.ensemble.trees;
    const again = refitBoost(model, data, { decay: 0 }).ensemble.trees.leaf;
    leaf.forEach((value, i) => {
      // Leaves are float32, and their sums are taken on a grid.
      if (firstChild[i] < 0) assertAlmostEquals(again[i], value, 1e-6, what);
    });
  }
});

/** Thirty queries of ten rows, with five grades. */
function queries() {
  const group = Int32Array.from({ length: 300 }, (_, row) => Math.floor(row / 10));
  const values = Float64Array.from({ length: 300 }, (_, row) => (row * 7) % 5);
  return { ...mixedTable(7), group, target: { kind: "regression", name: "y", values } as const };
}

/** A refit by the data that a model was trained on gives its leaves, on one thread and on two. */
async function assertRefitOfItself(model: Model, data: Dataset): Promise<void> {
  const { leaf, firstChild } = model.ensemble.trees;
  for (
    const again of [
      refitBoost(model, data, { decay: 0 }),
      await refitBoostOnThreads(model, data, { decay: 0, threads: 2 }),
    ]
  ) {
    leaf.forEach((value, i) => {
      if (firstChild[i] < 0) {
        assertAlmostEquals(again.ensemble.trees.leaf[i], value, 1e-5, `${i}`);
      }
    });
  }
}

// Amounts far from 1, where powers, bends and curvatures tell.
const CHANGED: readonly (readonly [BoostParams, BoostParams])[] = [
  [{ loss: "tweedie", tweediePower: 1.2 }, { tweediePower: 1.8 }],
  [{ loss: "pseudoHuber", huberDelta: 0.5 }, { huberDelta: 3 }],
  [{ loss: "huber", huberDelta: 0.5 }, { huberDelta: 3 }],
  [{ loss: "fair" }, { fairC: 5 }],
  [{ loss: "poisson" }, { curvature: "lightgbm" }],
  [{ loss: "xendcg" }, { seed: 5 }],
  [{ loss: "lambdaNdcg", rankTruncation: 2 }, { rankTruncation: 9, rankNormalise: false }],
];

for (const [first, then] of CHANGED) {
  const what = `${JSON.stringify(first)}, ${JSON.stringify(then)}`;
  Deno.test(`refitBoost() takes each round's own loss: ${what}`, async () => {
    const data = queries();
    const shape = { rounds: 4, subsample: 1, learningRate: 0.3, maxDepth: 3 };
    const model = await continueBoost(await trainBoost(data, { ...shape, ...first }), data, {
      rounds: 4,
      ...then,
    });
    await assertRefitOfItself(model, data);
  });
}

for (
  const params of [
    { loss: "lambdaNdcg" },
    { loss: "xendcg" },
    { loss: "lambdaNdcg", preset: "xgboost@2" },
    { loss: "lambdaNdcg", preset: "lightgbm@4", treeMethod: "lightgbm", learningRate: 0.1 },
  ] as const
) {
  Deno.test(`refitBoost() takes rows and queries of weight 0 as training does: ${JSON.stringify(params)}`, async () => {
    const plain = queries();
    // Every third query, and some rows of the others.
    const sampleWeight = Float64Array.from(
      plain.group,
      (query, row) => query % 3 === 1 || row % 4 === 2 ? 0 : 1 + query % 2,
    );
    const data: Dataset = { ...plain, sampleWeight };
    const given = { rounds: 4, subsample: 1, maxDepth: 3, ...params };
    const model = await trainBoost(data, given);
    await assertRefitOfItself(model, data);
  });
}

Deno.test("refitBoost() counts a row as often as its weight says, and not at all at 0", async () => {
  const data = mixedTable(9, 3, 200);
  const weight = Float64Array.from({ length: 200 }, (_, row) => row % 3);
  const repeated = Int32Array.from(
    Array.from(weight).flatMap((times, row) => Array.from({ length: times }, () => row)),
  );
  const runs: [typeof twoClasses, BoostParams][] = [
    [(rows) => rows, {}],
    [(rows) => rows, { loss: "absolute" }],
    [(rows) => rows, { loss: "huber" }],
    [twoClasses, {}],
    [twoClasses, { loss: "softmax" }],
  ];
  for (const [shape, params] of runs) {
    // Leaves of few rows: some of them are reached by rows of weight 0 only.
    const model = await trainBoost(shape(mixedTable(8)), {
      ...params,
      rounds: 20,
      minRowsPerLeaf: 1,
    });
    const leavesOf = (rows: Dataset) => refitBoost(model, rows, { decay: 0.3 }).ensemble.trees.leaf;
    const some = leavesOf({ ...shape(data), sampleWeight: weight });
    const all = leavesOf(selectRows(shape(data), repeated));
    some.forEach((value, i) => assertAlmostEquals(value, all[i], 1e-6, JSON.stringify(params)));
  }
});

Deno.test("refitBoost() and continueBoost() beside offsets name the column that rows need from then on", async () => {
  const data = mixedTable(9);
  const model = await trainBoost(data, { rounds: 3 });
  const beside = { ...data, offset: new Float64Array(300).fill(2), offsetName: "log_size" };
  assertEquals(refitBoost(model, beside).info.offset, "log_size");
  assertEquals((await continueBoost(model, beside, { rounds: 1 })).info.offset, "log_size");
  const again = refitBoost(await trainBoost(beside, { rounds: 3 }), {
    ...beside,
    offsetName: "other",
  });
  assertEquals(again.info.offset, "log_size");
});

Deno.test("refitBoost() of DART gives the scores of the same trees without weights", async () => {
  const model = await trainBoost(mixedTable(8), {
    rounds: 12,
    dropRate: 0.5,
    learningRate: 0.3,
    seed: 2,
  });
  const { schema, info, ensemble } = model;
  assert(ensemble.treeWeight.some((weight) => weight < 0.9));
  const plain = createModel({
    schema,
    info,
    ensemble: { ...ensemble, treeWeight: ensemble.treeWeight.map(() => 1) },
  });
  const data = mixedTable(9);
  const [p, q] = [model, plain].map((one) => refitBoost(one, data, { decay: 0 }).predictRaw(data));
  p.data.forEach((value, i) => assertAlmostEquals(value, q.data[i], 1e-5));
});

Deno.test("refitBoost() counts the new rows in every node, and checks their labels", async () => {
  const model = await trainBoost(mixedTable(8), { rounds: 2, loss: "poisson", maxDepth: 3 });
  const squared = await trainBoost(mixedTable(8), { rounds: 2, maxDepth: 3 });
  const { cover, treeStart, firstChild } = refitBoost(squared, mixedTable(9, 3, 70)).ensemble.trees;
  assertEquals([cover[0], cover[treeStart[1]]], [70, 70]);
  firstChild.forEach((child, node) => {
    if (child >= 0) assertEquals(cover[node], cover[child] + cover[child + 1], `node ${node}`);
  });
  const error = assertThrows(() => refitBoost(model, mixedTable(9, -9)), DataError);
  assertEquals(error.code, "E_DATA_TARGET");
});

Deno.test("refitBoost() keeps a committee's size of step: each member has its own scores", async () => {
  const data = mixedTable(7);
  const model = await trainBoost(data, { rounds: 40, committee: 5 });
  const error = (one: Model) => evaluate(one, data, ["rmse"]).metrics.rmse;
  for (const decay of [0, 0.5, 0.9]) {
    const again = refitBoost(model, data, { decay });
    // Members now see their own part too, so the fit of these rows can only get closer.
    assert(error(again) < error(model), `decay ${decay}`);
    assert(error(again) > 0.5 * error(model), `decay ${decay}`);
  }
});

Deno.test("refitBoost() refuses what new leaf values would break", async () => {
  const data = mixedTable(7);
  for (const params of [{ monotone: { a: 1 } }, { pathSmooth: 1 }]) {
    const model = await trainBoost(data, { rounds: 2, ...params });
    const error = assertThrows(() => refitBoost(model, data), ParameterError);
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
});

Deno.test("refitBoost() moves to new data as decay falls; decay 1 changes nothing", async () => {
  const model = await trainBoost(mixedTable(8), { rounds: 30 });
  const fresh = mixedTable(9, -2);
  const error = (decay: number) =>
    evaluate(refitBoost(model, fresh, { decay }), fresh, ["rmse"]).metrics.rmse;
  assert(error(0) < error(0.5) && error(0.5) < error(0.9) && error(0.9) < error(1));
  assertAlmostEquals(error(1), evaluate(model, fresh, ["rmse"]).metrics.rmse, 1e-9);
  assertThrows(() => refitBoost(model, fresh, { decay: 2 }), ParameterError);
});

Deno.test("refitBoost() moves values of inner nodes as those of leaves, which unknown values get", async () => {
  const data = mixedTable(7);
  const runs: [BoostParams, number][] = [
    [{ unknown: "node", lambda: 20 }, 1e-6], // values far from the mean of the leaves below
    [{ unknown: "node", loss: "absolute" }, 1e-6],
    [{ preset: "lightgbm@4" }, Infinity], // float64
  ];
  for (const [params, tolerance] of runs) {
    const model = await trainBoost(data, { rounds: 6, subsample: 1, ...params });
    const { leaf } = model.ensemble.trees;
    assertEquals(refitBoost(model, data, { decay: 1 }).ensemble.trees.leaf, leaf);
    const again = refitBoost(model, data, { decay: 0 }).ensemble.trees.leaf;
    leaf.forEach((value, i) => assertAlmostEquals(again[i], value, tolerance, `node ${i}`));
    const half = refitBoost(model, mixedTable(3, 1), { decay: 0.5 }).ensemble.trees.leaf;
    const none = refitBoost(model, mixedTable(3, 1), { decay: 0 }).ensemble.trees.leaf;
    // The first tree sees the same scores whatever the decay.
    const nodes = model.ensemble.trees.treeStart[1];
    for (let i = 0; i < nodes; i++) assertAlmostEquals(half[i], (leaf[i] + none[i]) / 2, 1e-6);
  }
});

Deno.test("refitBoost() counts rows with unknown values where they end", async () => {
  const rowsOf = (categories: readonly string[], codes: readonly number[], values: number[]) =>
    createDataset([{ kind: "categorical", name: "c", categories, codes: Int32Array.from(codes) }], {
      kind: "regression",
      name: "y",
      values: Float64Array.from(values),
    });
  const given = {
    preset: "treeline-lean@1",
    rounds: 1,
    learningRate: 1,
    lambda: 0,
    minRowsPerLeaf: 1,
  };
  const model = await trainBoost(
    rowsOf(["a", "b"], [0, 0, 1, 1], [1, 1, 3, 3]),
    { ...given, unknown: "node", maxCategoriesOneHot: 2, minRowsPerCategory: 1, catL2: 0 },
  );
  const fresh = rowsOf(["a", "b", "new"], [0, 1, 2, 2], [5, 8, 20, 27]);
  const refitted = refitBoost(model, fresh, { decay: 0 });
  const found = refitted.predictValue(["a", "b", "new"].map((c) => ({ c })));
  // Unknown levels end at the root: the mean of all four rows.
  assertEquals([...found], [5, 8, 15]);
  // Nothing but unknown levels: the leaves stay.
  const only = refitBoost(model, rowsOf(["new"], [0, 0], [6, 8]), { decay: 0 });
  assertEquals([...only.predictValue(["a", "b", "new"].map((c) => ({ c })))], [1, 3, 7]);
});

Deno.test("refitBoost() refuses trees of several rounds that shrinkModel() made one", async () => {
  const data = mixedTable(7);
  const model = await trainBoost(data, { rounds: 40 });
  const least = shrinkModel(model, { maxBytes: 1800 });
  assert(least.model.ensemble.treesPerRound > 1);
  const error = assertThrows(() => refitBoost(least.model, data), ParameterError, "shrunk");
  assertEquals(error.code, "E_PARAM_CONFLICT");
  // Rounded leaves alone are as good as any.
  const rounded = shrinkModel(model, {
    maxBytes: encodeModel(model, { explain: false, attachments: false }).length - 100,
  });
  assertEquals(rounded.model.numRounds, 40);
  assertEquals(refitBoost(rounded.model, data).numRounds, 40);
});
