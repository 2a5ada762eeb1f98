import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { outOfBag } from "../../../src/algorithms/classic/forest.ts";
import { continueBoost } from "../../../src/algorithms/update/continue.ts";
import { train, type TrainSpec } from "../../../src/algorithms/train.ts";
import { selectRows } from "../../../src/data/dataset/dataset.ts";
import type { Dataset, Target } from "../../../src/data/types.ts";
import { DataError } from "../../../src/errors.ts";
import { crossValidate } from "../../../src/evaluate/cross_validate.ts";
import { trainCalibrated } from "../../../src/evaluate/train_calibrated.ts";
import type { BoostParams } from "../../../src/params/typed.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import type { Model } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";

type Kind = "number" | "two" | "three" | "rank";
const QUIET = { threads: 1, onWarning: () => {} };
const ROWS = 120;
/** Rows of a query. */
const QUERY = 8;

/**
 * A third of the rows (of rankings: of the queries) weighs nothing and is unlike the others: other
 * values, one of them far away, a level and a class of its own, labels that say nothing.
 */
function table(kind: Kind): Dataset {
  const rng = createRng(7);
  const column = (of: (row: number) => number) =>
    Float64Array.from({ length: ROWS }, (_, i) => of(i));
  const dead = column((row) => (kind === "rank" ? Math.floor(row / QUERY) : row) % 3 === 1 ? 1 : 0);
  const x = column((row) => rng.nextInt(200) / 10 + (dead[row] ? row === 4 ? 1e6 : 0.03 : 0));
  const z = column((row) => rng.nextInt(9) === 0 ? NaN : rng.nextInt(40) + dead[row] / 2);
  const codes = Int32Array.from(dead, (is) => is && rng.nextInt(3) === 0 ? 5 : rng.nextInt(6) - 1);
  const said = column((row) =>
    (x[row] > 10 ? 2 : 0) + (codes[row] % 2 === 1 ? 1 : 0) + rng.nextFloat()
  );
  const y = said.map((value, row) => dead[row] ? 9 * rng.nextFloat() : value);
  const classes = kind === "two" ? ["a", "b"] : ["a", "b", "c", "d"];
  const target: Target = kind === "number" || kind === "rank"
    ? {
      kind: "regression",
      name: "y",
      values: kind === "rank" ? y.map((v) => Math.min(4, Math.floor(v))) : y,
    }
    : {
      kind: "classification",
      name: "y",
      classes,
      codes: Int32Array.from(
        y,
        (v, row) => kind === "two" ? Number(v > 1.5) : dead[row] ? 3 : Math.min(2, Math.floor(v)),
      ),
    };
  return {
    numRows: ROWS,
    features: [
      { kind: "numeric", name: "x", values: x },
      { kind: "numeric", name: "z", values: z },
      { kind: "categorical", name: "c", codes, categories: [..."pqrstu"] },
    ],
    target,
    sampleWeight: dead.map((is, row) =>
      is ? 0 : kind === "rank" ? 1 + Math.floor(row / QUERY) % 2 : 1 + rng.nextInt(3)
    ),
    ...(kind === "rank" && { group: Int32Array.from(dead, (_, row) => Math.floor(row / QUERY)) }),
  };
}

/** The rows that weigh something. */
function weighty(data: Dataset): Dataset {
  const rows = Int32Array.from(data.sampleWeight!.keys()).filter((row) =>
    data.sampleWeight![row] > 0
  );
  return selectRows(data, rows);
}

/** The table with fewer columns. */
function only(data: Dataset, ...names: string[]): Dataset {
  return { ...data, features: data.features.filter(({ name }) => names.includes(name)) };
}

/** The column `z`, which has some whole numbers many times. */
function zOf({ features }: Dataset): Float64Array {
  const column = features[1];
  assert(column.kind === "numeric");
  return Float64Array.from(column.values, (z) => Number.isNaN(z) ? -1 : Math.floor(z));
}

const bytesOf = (model: Model) => encodeModel(model);

const SPECS: readonly (readonly [TrainSpec, ...Kind[]])[] = [
  [{}, "number", "two"],
  [{ rounds: 4, committee: 1 }, "number", "two", "three"],
  [{ rounds: 4, minRowsPerLeaf: 9, pathSmooth: 3, minRowsPerCategory: 12 }, "number", "two"],
  [{ rounds: 4, maxBins: 6, growth: "leaf", maxLeaves: 6, linearTree: true }, "number"],
  [{ rounds: 4, sampling: "goss" }, "number"],
  [{ rounds: 4, subsample: 0.5, parallelTrees: 2, classWeights: "balanced" }, "two", "three"],
  [{ rounds: 4, dropRate: 0.5, subsample: 1 }, "number"],
  [{ rounds: 20, earlyStoppingRounds: 2 }, "number", "two"],
  [{ rounds: 4, loss: "quantile" }, "number"],
  [{ rounds: 4, loss: "huber" }, "number"],
  [{ rounds: 4, preset: "xgboost@2" }, "number", "two"],
  [{ rounds: 4, preset: "lightgbm@4", subsample: 0.7, minRowsPerLeaf: 3 }, "number", "two"],
  [{ rounds: 4, loss: "lambdaNdcg" }, "rank"],
  [{ rounds: 4, loss: "xendcg" }, "rank"],
  [{ algorithm: "cart", minRowsPerLeaf: 4 }, "number", "three"],
  [{ algorithm: "cart", pruning: "cv", folds: 4 }, "number", "two"],
  [{ algorithm: "cart", missing: "surrogate", cp: 0.01 }, "number", "two"],
  [{ algorithm: "c45" }, "two", "three"],
  [{ algorithm: "random-forest", trees: 5, importance: "permutation" }, "number", "three"],
  [{ algorithm: "bagging", trees: 4, base: "c45" }, "two"],
  [{ algorithm: "extra-trees", trees: 4 }, "number", "two"],
  [{ algorithm: "adaboost", rounds: 4 }, "number", "two"],
  [{ algorithm: "adaboost", rounds: 4, base: "c45" }, "two"],
  [{ algorithm: "gbdt", rounds: 20, earlyStoppingRounds: 2, subsample: 0.6 }, "number", "two"],
  [{ algorithm: "logitboost", rounds: 20, earlyStoppingRounds: 2 }, "two", "three"],
];

for (const [spec, ...kinds] of SPECS) {
  for (const kind of kinds) {
    Deno.test(`rows of weight 0 leave the bytes of the model alone: ${JSON.stringify(spec)} of ${kind}`, async () => {
      const data = table(kind);
      const [all, less] = [data, weighty(data)];
      assertEquals(bytesOf(await train(all, spec, QUIET)), bytesOf(await train(less, spec, QUIET)));
    });
  }
}

Deno.test("rows of weight 0 leave the bytes of the model alone: id3", async () => {
  const whole = only(table("two"), "c");
  const data = selectRows(
    whole,
    Int32Array.from({ length: ROWS }, (_, row) => row).filter((row) => {
      const [c] = whole.features;
      return c.kind === "categorical" && c.codes[row] >= 0;
    }),
  );
  const spec = { algorithm: "id3" };
  assertEquals(
    bytesOf(await train(data, spec, QUIET)),
    bytesOf(await train(weighty(data), spec, QUIET)),
  );
});

Deno.test("rows of weight 0 leave the bytes alone: exact with minRowsPerLeaf, which XGBoost does not have", async () => {
  const data = only(table("number"), "x", "z");
  const spec = { rounds: 4, treeMethod: "exact", minRowsPerLeaf: 5 };
  assertEquals(
    bytesOf(await train(data, spec, QUIET)),
    bytesOf(await train(weighty(data), spec, QUIET)),
  );
});

/** Twelve rows, of which the three in the middle weigh nothing. */
const STEP: Dataset = {
  numRows: 12,
  features: [{
    kind: "numeric",
    name: "x",
    values: Float64Array.from({ length: 12 }, (_, i) => i + 1),
  }],
  target: {
    kind: "regression",
    name: "y",
    values: Float64Array.of(0, 0, 0, 9, 9, 9, 1, 1, 1, 1, 1, 1),
  },
  sampleWeight: Float64Array.of(1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1),
};

// XGBoost 3.2.0 (tree_method "exact", lambda 0) parts this table at 6.5, without the rows of weight 0 at
// 5; LightGBM 4.7.0 (min_data_in_leaf 4) at 6.5, without them not at all.
Deno.test("trees of other libraries take rows of weight 0 as those do", async () => {
  const exact = { treeMethod: "exact", preset: "xgboost@2", maxDepth: 1, lambda: 0 } as const;
  const leafwise = {
    preset: "lightgbm@4",
    minRowsPerLeaf: 4,
    maxLeaves: 2,
    treeMethod: "lightgbm",
  } as const;
  const cutsOf = async (data: Dataset, spec: BoostParams) =>
    [
      ...(await trainBoost(data, { rounds: 1, minChildWeight: 0, ...spec }, QUIET)).ensemble.trees
        .threshold,
    ]
      .filter((cut, node, all) => all.length === 3 && node === 0 && cut > 0)
      .map((cut) => Math.round(cut * 1e6) / 1e6);
  assertEquals(await cutsOf(STEP, exact), [6.5]);
  assertEquals(await cutsOf(weighty(STEP), exact), [5]);
  assertEquals(await cutsOf(STEP, leafwise), [6.5]);
  assertEquals(await cutsOf(weighty(STEP), leafwise), []);
});

Deno.test("errors name rows by their place among all, rows of weight 0 and held out too", async () => {
  const values = Float64Array.from({ length: 12 }, (_, i) => i === 8 ? -2 : 1 + i);
  const data: Dataset = { ...STEP, target: { kind: "regression", name: "y", values } };
  const runs: TrainSpec[] = [
    { rounds: 1, loss: "poisson" },
    { rounds: 9, loss: "poisson", earlyStoppingRounds: 2 },
    { algorithm: "gbdt", loss: "poisson" },
    { algorithm: "cart", criterion: "poisson" },
    { algorithm: "random-forest", criterion: "poisson" },
    { algorithm: "adaboost", criterion: "poisson" },
  ];
  for (const spec of runs) {
    const error = await assertRejects(() => train(data, spec, QUIET), DataError, "-2");
    assertEquals([error.code, error.details.row], ["E_DATA_TARGET", 9], JSON.stringify(spec));
  }
  // A label is looked at whatever its row weighs.
  const weightless = { ...data, sampleWeight: new Float64Array(12).fill(1).with(8, 0) };
  await assertRejects(() => train(weightless, runs[0], QUIET), DataError, "row 9");
});

Deno.test("out-of-bag predictions, given bags and folds are of all rows, those of weight 0 among them", async () => {
  const data = table("number");
  const less = weighty(data);
  const inbag = [0, 1, 2].map((t) => Array.from({ length: ROWS }, (_, row) => (row + t) % 3));
  const pick = <T>(list: readonly T[]) => list.filter((_, row) => data.sampleWeight![row] > 0);
  const spec = { algorithm: "random-forest", trees: 3 };
  const all = await train(data, { ...spec, inbag }, QUIET);
  const some = await train(less, { ...spec, inbag: inbag.map(pick) }, QUIET);
  assertEquals(all.ensemble, some.ensemble);
  const [whole, part] = [outOfBag(all)!, outOfBag(some)!];
  assertEquals(whole.predictions.rows, ROWS);
  assertEquals(pick([...whole.predictions.data]), [...part.predictions.data]);
  assertEquals(pick([...whole.treesOfRow]), [...part.treesOfRow]);
  data.sampleWeight!.forEach((weight, row) => {
    if (weight === 0) assertEquals([whole.treesOfRow[row], whole.predictions.data[row]], [0, NaN]);
  });
  const foldOfRow = Array.from({ length: ROWS }, (_, row) => row % 4);
  const cart = { algorithm: "cart", pruning: "cv" };
  assertEquals(
    (await train(data, { ...cart, foldOfRow }, QUIET)).info.cpTable,
    (await train(less, { ...cart, foldOfRow: pick(foldOfRow) }, QUIET)).info.cpTable,
  );
});

Deno.test("committees with rows of weight 0 are continued and calibrated as without them", async () => {
  const data = table("two");
  const less = weighty(data);
  const whole = await trainBoost(data, { rounds: 6, committee: 3 }, QUIET);
  const half = await trainBoost(data, { rounds: 3, committee: 3 }, QUIET);
  const joined = await continueBoost(half, data, { rounds: 3 }, QUIET);
  assertEquals(joined.ensemble.trees, whole.ensemble.trees);
  assert(typeof joined.info.committeeRows === "string");
  assertEquals(joined.info.committeeRows, half.info.committeeRows);
  const calibrated = async (rows: Dataset) =>
    (await trainCalibrated(rows, {}, "platt", QUIET)).calibration;
  assertEquals(await calibrated(data), await calibrated(less));
});

Deno.test("rows of weight 0 inside of a query stay, since a query weighs the mean of its rows", async () => {
  // Categories have no cuts, which would be those of the weights of rows.
  const data = only(table("rank"), "c");
  const sampleWeight = new Float64Array(ROWS).fill(2);
  for (let row = 0; row < ROWS; row += QUERY) sampleWeight[row] = 0;
  const even = new Float64Array(ROWS).fill(2 * (QUERY - 1) / QUERY);
  const spec = { rounds: 3, loss: "lambdaNdcg" };
  assertEquals(
    (await train({ ...data, sampleWeight }, spec, QUIET)).ensemble,
    (await train({ ...data, sampleWeight: even }, spec, QUIET)).ensemble,
  );
});

Deno.test("rows of weight 0 move no fold of a cross-validation, and are answered all the same", async () => {
  for (const kind of ["number", "two", "three"] as const) {
    const data = table(kind);
    const less = weighty(data);
    const groups = (rows: Dataset) => Array.from(zOf(rows));
    for (const folded of [false, true]) {
      const run = (rows: Dataset) =>
        crossValidate(rows, { rounds: 3 }, {
          folds: 3,
          threads: 1,
          ...(folded && { groups: groups(rows) }),
        });
      const [found, expected] = [await run(data), await run(less)];
      assertEquals(found.mean, expected.mean);
      assertEquals(found.deviation, expected.deviation);
      assert(found.outOfFold.data.every(Number.isFinite));
      const { cols } = found.outOfFold;
      const kept = Array.from(data.sampleWeight!.keys()).filter((row) =>
        data.sampleWeight![row] > 0
      );
      assertEquals(
        kept.flatMap((row) => [...found.outOfFold.data.subarray(row * cols, (row + 1) * cols)]),
        [...expected.outOfFold.data],
      );
    }
  }
});

Deno.test("rows of weight 0 move no rows that are held out for calibration", async () => {
  const data = table("two");
  const run = async (rows: Dataset) =>
    await trainCalibrated(rows, { committee: 1, rounds: 5 }, "isotonic", QUIET);
  const [found, expected] = [await run(data), await run(weighty(data))];
  assertEquals(found.calibration, expected.calibration);
  assertEquals(found.ensemble, expected.ensemble);
});
