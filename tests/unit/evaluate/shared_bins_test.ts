import { assert, assertEquals, assertRejects } from "@std/assert";
import { train, type TrainSpec } from "../../../src/algorithms/train.ts";
import { createBinShare } from "../../../src/binning/bin_share.ts";
import type { Column, Dataset } from "../../../src/data/types.ts";
import type { TrialOptions } from "../../../src/ensemble/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { crossValidate } from "../../../src/evaluate/cross_validate.ts";
import { prepareFolds } from "../../../src/evaluate/prepared_folds.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { searchSpace } from "../../../src/tune/space.ts";
import { tune } from "../../../src/tune/tune.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Numbers with gaps, many values, one-hot columns that share a byte, categories, weights. */
function table(numRows: number): Dataset {
  const rng = createRng(4);
  const floats = (make: () => number) => Float64Array.from({ length: numRows }, make);
  const kind = Int32Array.from({ length: numRows }, () => rng.nextInt(6));
  const x = floats(() => rng.nextFloat());
  const features: Column[] = [
    { kind: "numeric", name: "x", values: x },
    {
      kind: "numeric",
      name: "gaps",
      values: floats(() => rng.nextInt(3) === 0 ? NaN : rng.nextInt(40)),
    },
    ...[0, 1, 2, 3].map((k): Column => ({
      kind: "numeric",
      name: `is${k}`,
      values: Float64Array.from(kind, (one) => one === k ? 1 : 0),
    })),
    {
      kind: "categorical",
      name: "c",
      codes: Int32Array.from({ length: numRows }, () => rng.nextInt(9) - 1),
      categories: ["a", "b", "c", "d", "e", "f", "g", "h"],
    },
  ];
  const codes = Int32Array.from(
    x,
    (v, row) => v + 0.1 * kind[row] + 0.3 * rng.nextFloat() > 0.9 ? 1 : 0,
  );
  return {
    numRows,
    features,
    target: { kind: "classification", name: "y", codes, classes: ["no", "yes"] },
  };
}

const DATA = table(700);
const WEIGHTED: Dataset = {
  ...DATA,
  sampleWeight: Float64Array.from({ length: 700 }, (_, row) => 1 + row % 3),
};

const SPECS: { name: string; data: Dataset; specs: TrainSpec[]; hits: number }[] = [
  {
    name: "histograms of one and two bytes, drawn rows",
    data: DATA,
    specs: [
      { rounds: 4, maxDepth: 3 },
      { rounds: 4, subsample: 0.6, seed: 3 },
      { rounds: 4, maxBins: 600 },
      { rounds: 4, maxBins: 600, maxDepth: 2 },
    ],
    hits: 2,
  },
  {
    name: "row weights and class weights",
    data: WEIGHTED,
    specs: [{ rounds: 4 }, { rounds: 3 }, { rounds: 4, positiveWeight: 2 }, {
      rounds: 3,
      positiveWeight: 2,
    }],
    hits: 2,
  },
  {
    name: "a committee",
    data: DATA,
    specs: [{ committee: 3, rounds: 5 }, { committee: 3, rounds: 4, learningRate: 0.2 }],
    hits: 1,
  },
  {
    name: "rows held out",
    data: WEIGHTED,
    specs: [{ rounds: 5, earlyStoppingRounds: 2 }, {
      rounds: 6,
      earlyStoppingRounds: 2,
      maxDepth: 2,
    }],
    hits: 1,
  },
  {
    name: "LightGBM's bins",
    data: DATA,
    specs: [
      { preset: "lightgbm@4", rounds: 4 },
      { preset: "lightgbm@4", rounds: 4, minRowsPerLeaf: 3, maxLeaves: 7 },
    ],
    hits: 1,
  },
  {
    name: "methods without bins",
    data: DATA,
    specs: [{ algorithm: "cart" }, { algorithm: "cart", maxDepth: 3 }],
    hits: 0,
  },
];

for (const { name, data, specs, hits } of SPECS) {
  Deno.test(`trials that share bins make the models of trials that do not: ${name}`, async () => {
    const share = createBinShare();
    share.own(data);
    for (const spec of specs) {
      const options: TrialOptions = { threads: 1, share };
      const shared = encodeModel(await train(data, spec, options));
      assertEquals(shared, encodeModel(await train(data, spec, { threads: 1 })));
    }
    assertEquals(share.hits, hits);
    const first = share.find("hist", data, "maxBins 255, bundle true");
    assertEquals(first?.bundles.length, name.startsWith("histograms") ? 1 : first?.bundles.length);
    // Whatever is found was left there unchanged by those who used it.
    for (const spec of specs) {
      const options: TrialOptions = { threads: 1, share };
      const again = encodeModel(await train(data, spec, options));
      assertEquals(again, encodeModel(await train(data, spec, { threads: 1 })));
    }
  });
}

Deno.test("crossValidate() on prepared folds equals folds cut out anew, and bins them once", async () => {
  const folds = prepareFolds(DATA, { folds: 3, seed: 2 });
  for (const maxDepth of [2, 3, 4]) {
    const spec = { rounds: 3, maxDepth };
    const shared = await crossValidate(folds, spec, { threads: 1 });
    assertEquals(shared, await crossValidate(DATA, spec, { folds: 3, seed: 2, threads: 1 }));
  }
  assertEquals(folds.share.hits, 6); // two of three trials, three folds
  assert(folds.share.byteLength > 0 && folds.share.byteLength < 3 * 700 * 20);
  const error = await assertRejects(() => crossValidate(folds, {}, { seed: 1 }), ParameterError);
  assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "seed"]);
});

Deno.test("a fold's cuts come from its own training rows", async () => {
  // Rows of one fold alone have numbers above 50: no model of the other rows may know a cut there.
  const numRows = 90;
  const values = Float64Array.from(
    { length: numRows },
    (_, row) => row % 3 === 0 ? 100 + row : row % 7,
  );
  const data: Dataset = {
    numRows,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values: values.map((v, row) => v + row % 5) },
  };
  const groups = Array.from({ length: numRows }, (_, row) => row % 3);
  const folds = prepareFolds(data, { folds: 3, groups });
  for (let trial = 0; trial < 2; trial++) {
    for (const { train: rows } of folds.parts) {
      const options: TrialOptions = { threads: 1, share: folds.share };
      const { trees } = (await train(rows, { rounds: 2, minRowsPerLeaf: 1 }, options)).ensemble;
      const column = rows.features[0];
      assert(column.kind === "numeric");
      const [low, high] = [Math.min(...column.values), Math.max(...column.values)];
      trees.threshold.forEach((cut, node) =>
        trees.firstChild[node] < 0 || assert(cut >= low && cut < high)
      );
    }
  }
  assertEquals(folds.share.hits, 3);
});

Deno.test("tune() tells the trials of cross-validations that share nothing", async () => {
  const space = searchSpace("boost", { rounds: 4, maxBins: { choices: [16, 64] } }, [
    "learningRate",
    "minRowsPerLeaf",
  ]);
  const options = { trials: 4, folds: 2, seed: 3, metric: "logLoss", threads: 1 };
  const { trials } = await tune(DATA, space, options);
  for (const { params, mean, deviation } of trials) {
    const alone = await crossValidate(DATA, params, {
      folds: 2,
      seed: 3,
      metrics: ["logLoss"],
      threads: 1,
    });
    assertEquals([mean, deviation], [alone.mean, alone.deviation]);
  }
});
