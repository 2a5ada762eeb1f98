/**
 * What is handed wrongly to public functions, by scripts that no type checker has seen: each wrong value in
 * each place is a typed error that names the place, and what is right passes.
 *
 * @module
 */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import * as all from "../../mod.ts";
import { ParameterError, TreelineError } from "../../mod.ts";

/** Any arguments: the point of these tests. */
// deno-lint-ignore no-explicit-any
type Call = (...args: any[]) => unknown;

const x = Float64Array.from({ length: 24 }, (_, i) => (i * 7) % 13);
const codes = Int32Array.from(x, (_, i) => i % 3);

const columns = (): all.Column[] => [
  { kind: "numeric", name: "x", values: x.slice() },
  { kind: "categorical", name: "c", codes: codes.slice(), categories: ["a", "b", "d"] },
];
const target = (): all.Target => ({
  kind: "classification",
  name: "y",
  codes: Int32Array.from(x, (v) => v > 6 ? 1 : 0),
  classes: ["no", "yes"],
});
const data = () => all.createDataset(columns(), target());
const model = await all.train(data(), { rounds: 3, minChildWeight: 0 });
const quiet = () => {};
const file = await Deno.makeTempFile({ suffix: ".tlm" });
addEventListener("unload", () => Deno.removeSync(file));
const loss = {
  name: "squares",
  gradient: (y: number, raw: number) => raw - y,
  hessian: () => 1,
  value: (y: number, raw: number) => (raw - y) ** 2 / 2,
};
const text = () => new Blob(["x,c\n1,a\n2,b\n"]).stream();
const collect = async (from: AsyncIterable<unknown>) => {
  for await (const _ of from);
};

/** Values, by what they are called, and the kinds of argument that they are right for. */
const VALUES: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["5", 5],
  ["-0", -0],
  ["-1", -1],
  ["1.5", 1.5],
  ["NaN", NaN],
  ["1e300", 1e300],
  ["text", "no such word"],
  ["true", true],
  ["10n", 10n],
  ["symbol", Symbol("a")],
  ["date", new Date(0)],
  ["list", [null]],
  ["hole", new Array(2)],
  ["map", new Map()],
  ["promise", Promise.resolve()],
  ["Int8Array", new Int8Array(24)],
  ["BigInt64Array", new BigInt64Array(24)],
  ["shared", new Float32Array(new SharedArrayBuffer(8))],
  ["buffer", new ArrayBuffer(8)],
];

/** A function, arguments that are right, and for each place that is tried the values that are right there. */
interface Door {
  readonly call: Call;
  readonly args: () => unknown[];
  /** Place, `1` or `1.seed` → names of values that pass. */
  readonly places: { readonly [place: string]: readonly string[] };
}

const SEEDS = ["5", "-0", "-1"];
const COUNTS = ["5"];
const NONE: readonly string[] = [];
const trainer = (call: Call, params: object): Door => ({
  call,
  args: () => [
    call === all.trainId3 ? all.createDataset([columns()[1]], target()) : data(),
    params,
    { threads: 1, onWarning: quiet },
  ],
  places: {
    "0": NONE,
    "0.numRows": NONE,
    "0.features": NONE,
    "0.target": NONE,
    "1": NONE,
    "2": NONE,
    "2.onWarning": NONE,
    "2.signal": NONE,
    "2.valid": NONE,
    "2.mispelt": NONE,
  },
});

const DOORS: { readonly [name: string]: Door } = {
  train: trainer(all.train, { rounds: 2 }),
  trainBoost: trainer(all.trainBoost, { rounds: 2 }),
  trainGbdt: trainer(all.trainGbdt, { rounds: 2 }),
  trainLogitBoost: trainer(all.trainLogitBoost, { rounds: 2 }),
  trainAdaBoost: trainer(all.trainAdaBoost, { rounds: 2 }),
  trainBagging: trainer(all.trainBagging, { trees: 2 }),
  trainRandomForest: trainer(all.trainRandomForest, { trees: 2 }),
  trainExtraTrees: trainer(all.trainExtraTrees, { trees: 2 }),
  trainCart: trainer(all.trainCart, { maxDepth: 2 }),
  trainC45: trainer(all.trainC45, {}),
  trainId3: trainer(all.trainId3, { maxDepth: 2 }),
  trainCalibrated: {
    call: all.trainCalibrated,
    args: () => [data(), { rounds: 2 }, "platt", { threads: 1 }],
    places: { "0": NONE, "1": NONE, "3": NONE, "3.onNote": NONE, "3.folds": NONE },
  },
  createDataset: {
    call: all.createDataset,
    args: () => [columns(), target(), undefined, {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.codes": NONE,
      "1.classes": NONE,
      "1.kind": NONE,
      "3": NONE,
      "3.missingCells": NONE,
      "3.sparse": NONE,
      "3.group": NONE,
      "3.offset": NONE,
      "3.offsetName": ["text"],
      "3.mispelt": NONE,
    },
  },
  kFold: {
    call: all.kFold,
    args: () => [data(), { folds: 3 }],
    places: {
      "0": NONE,
      "1": NONE,
      "1.folds": COUNTS,
      "1.seed": SEEDS,
      "1.stratify": ["true"],
      "1.mispelt": NONE,
    },
  },
  splitDataset: {
    call: all.splitDataset,
    args: () => [data(), {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.fractions": NONE,
      "1.seed": SEEDS,
      "1.stratify": ["true"],
      "1.mispelt": NONE,
    },
  },
  crossValidate: {
    call: all.crossValidate,
    args: () => [data(), { rounds: 2 }, { folds: 2, threads: 1 }],
    places: {
      "0": NONE,
      "1": NONE,
      "2": NONE,
      "2.seed": SEEDS,
      "2.metrics": NONE,
      "2.onFold": NONE,
      "2.signal": NONE,
      "2.mispelt": NONE,
    },
  },
  prepareFolds: { call: all.prepareFolds, args: () => [data()], places: { "0": NONE } },
  tune: {
    call: all.tune,
    args: () => [
      data(),
      all.searchSpace("boost", { rounds: 2, maxDepth: { choices: [1, 2] } }),
      { trials: 1, folds: 2, threads: 1 },
    ],
    places: { "0": NONE, "2": NONE, "2.method": NONE, "2.onTrial": NONE, "2.mispelt": NONE },
  },
  modelImportance: {
    call: all.modelImportance,
    args: () => [model, data(), { repeats: 1, threads: 1 }],
    places: {
      "0": NONE,
      "1": NONE,
      "2": NONE,
      "2.repeats": COUNTS,
      "2.seed": SEEDS,
      "2.features": NONE,
      "2.mispelt": NONE,
    },
  },
  permutationImportance: {
    call: all.permutationImportance,
    args: () => [data(), () => 1, { repeats: 1 }],
    places: { "0": NONE, "1": NONE, "2": NONE, "2.repeats": COUNTS, "2.higherIsBetter": ["true"] },
  },
  partialDependence: {
    call: all.partialDependence,
    args: () => [model, data(), "x", { gridSize: 3 }],
    places: {
      "0": NONE,
      "1": NONE,
      "2": NONE,
      "3": NONE,
      "3.gridSize": COUNTS,
      "3.scale": NONE,
      "3.mispelt": NONE,
    },
  },
  exportModel: {
    call: all.exportModel,
    args: () => [model, "typescript", { probes: 2 }],
    places: { "0": NONE, "2": NONE, "2.rounding": NONE, "2.withoutOffset": ["true"] },
  },
  definePointwiseLoss: {
    call: all.definePointwiseLoss,
    args: () => [loss],
    places: {
      "0": NONE,
      "0.name": ["text"],
      "0.gradient": NONE,
      "0.hessian": NONE,
      "0.value": NONE,
      "0.link": NONE,
      "0.baseScore": ["5", "-0", "-1", "1.5", "1e300"],
      "0.accepts": NONE,
      "0.mispelt": NONE,
    },
  },
  datasetFromRows: {
    call: all.datasetFromRows,
    args: () => [[{ x: 1, y: "a" }, { x: 2, y: "b" }], { target: "y" }],
    places: { "0": NONE, "1": NONE, "1.task": NONE, "1.missing": NONE, "1.features": NONE },
  },
  csvBatches: {
    call: (...args: Parameters<typeof all.csvBatches>) => collect(all.csvBatches(...args)),
    args: () => [text(), model.schema, { batchRows: 1 }],
    places: {
      "1": NONE,
      "2": NONE,
      "2.batchRows": COUNTS,
      "2.header": ["true"],
      "2.missing": NONE,
      "2.mispelt": NONE,
    },
  },
  decideAbove: {
    call: all.decideAbove,
    args: () => [model, [{ x: 1, c: "a" }], 0.5],
    places: { "0": NONE, "1": NONE, "2": ["5", "-0", "-1", "1.5", "1e300"] },
  },
  explainShap: {
    call: all.explainShap,
    args: () => [model, [{ x: 1, c: "a" }], {}],
    places: {
      "0": NONE,
      "1": NONE,
      "2": NONE,
      "2.columns": NONE,
      "2.rounds": ["-0"],
      "2.misspelt": NONE,
    },
  },
  saveModel: {
    call: all.saveModel,
    args: () => [model, file, { force: true }],
    places: { "0": NONE, "2": NONE, "2.force": ["true"], "2.overwrite": NONE },
  },
  predictRaw: {
    call: (...args: [all.PredictInput]) => model.predictRaw(...args),
    args: () => [[{ x: 1, c: "a" }]],
    places: { "0": NONE },
  },
};

/** The arguments with a value at a place. */
function put(args: unknown[], place: string, value: unknown): unknown[] {
  const [at, name] = place.split(".");
  args[Number(at)] = name === undefined ? value : { ...args[Number(at)] as object, [name]: value };
  return args;
}

for (const [name, { call, args, places }] of Object.entries(DOORS)) {
  Deno.test(`${name}() refuses what it cannot use with a typed error that names the place`, async () => {
    await call(...args());
    for (const [place, right] of Object.entries(places)) {
      for (const [what, value] of VALUES) {
        const given = put(args(), place, value);
        const run = async () => await call(...given);
        if (right.includes(what)) {
          await run();
          continue;
        }
        const message = `${name} ${place} ${what}`;
        const error = await assertRejects(run, TreelineError, undefined, message);
        assert(error.message.length > 20 && Object.keys(error.details).length > 0, message);
      }
    }
  });
}

const OF_A_MODEL: { readonly [name: string]: (model: all.Model) => unknown } = {
  calibrate: (one) => all.calibrate(one, data()),
  createShapExplainer: all.createShapExplainer,
  driftOf: (one) => all.driftOf(one, data()),
  encodeModel: all.encodeModel,
  evaluate: (one) => all.evaluate(one, data(), ["auc"]),
  featureImportance: all.featureImportance,
  keepRounds: (one) => all.keepRounds(one, 1),
  modelToJson: all.modelToJson,
  nodeBoxes: all.nodeBoxes,
  outOfBag: all.outOfBag,
  rulesText: all.rulesText,
  trainingStatsOf: all.trainingStatsOf,
  treeDot: all.treeDot,
  treeMermaid: all.treeMermaid,
  treeRules: all.treeRules,
  treeSvg: all.treeSvg,
  treeText: all.treeText,
  withTrainingStats: (one) => all.withTrainingStats(one, data()),
};

Deno.test("functions of a model say that they were given none", () => {
  for (const [name, call] of Object.entries(OF_A_MODEL)) {
    for (const [what, value] of VALUES) {
      const run = () => call(value as all.Model);
      const error = assertThrows(run, ParameterError, `in ${name}(): expected a Model`, what);
      assertEquals([error.code, error.details.param], ["E_PARAM_RANGE", "model"]);
    }
  }
});

Deno.test("a misspelt option is told with the right one", async () => {
  const wrong = { onround: quiet } as all.TrainOptions;
  const error = await assertRejects(() => all.train(data(), {}, wrong), TreelineError);
  assertEquals(error.code, "E_PARAM_UNKNOWN");
  assertEquals(error.message, 'Cannot use option "onround" in train(): did you mean "onRound"?');
  assertEquals(error.details, { param: "onround", nearest: "onRound" });
});

Deno.test("columns of plain lists or other numbers are refused with the type that is right", async () => {
  const wrong = { numRows: 2, features: [{ kind: "numeric", name: "x", values: [1, 2] }] };
  const error = await assertRejects(
    () => all.train(wrong as unknown as all.Dataset),
    TreelineError,
  );
  assertEquals(error.code, "E_DATA_SHAPE");
  assertEquals(
    error.message,
    "Cannot use features[0].values a list of 2 in train(): expected a Float64Array or Float32Array",
  );
});

Deno.test("frozen options and data, views with offsets and shared memory are used as they are", async () => {
  const shared = new Float64Array(new SharedArrayBuffer(8 * 26), 8, 24);
  shared.set(x);
  const frozen = Object.freeze({
    numRows: 24,
    features: Object.freeze([{ kind: "numeric", name: "x", values: shared }] as const),
    target: Object.freeze(target()),
  });
  const plain = all.createDataset([columns()[0]], target());
  const params = Object.freeze({ rounds: 2 });
  const options = Object.freeze({ threads: 1 });
  assertEquals(
    all.encodeModel(await all.train(frozen, params, options)),
    all.encodeModel(await all.train(plain, params, options)),
  );
});
