/**
 * What is handed wrongly to public functions, by scripts that no type checker has seen: each wrong value in
 * each place is a typed error that names the place, and what is right passes.
 *
 * @module
 */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import * as all from "../../../mod.ts";
import * as predict from "../../../src/predict.ts";
import * as server from "../../../src/server/mod.ts";
import { ParameterError, TreelineError } from "../../../mod.ts";

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
const stumps = await all.trainBoost(
  all.createDataset([columns()[0]], {
    kind: "regression",
    name: "y",
    values: x.slice(),
  }),
  { rounds: 1 },
);
const foreign = all.exportModel(stumps, "xgboost-json", { rounding: "float32" }).bytes;
const keys = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair;
const table = await Deno.makeTempFile({ suffix: ".csv" });
addEventListener("unload", () => Deno.removeSync(table));
await Deno.writeTextFile(table, "x,c,y\n1,a,no\n2,b,yes\n3,a,no\n");
await Deno.writeTextFile(`${table}.jsonl`, '{"x":1,"y":"a"}\n{"x":2,"y":"b"}\n');
addEventListener("unload", () => Deno.removeSync(`${table}.jsonl`));
const sparse = "1 0:2\n0 1:3\n";
const open = (content: string) => new Blob([content]).stream();
const space = () => all.searchSpace("boost", { rounds: 2, maxDepth: { choices: [1, 2] } });
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

const predictor = (call: (...args: [all.PredictInput, all.PredictOptions]) => unknown): Door => ({
  call,
  args: () => [[{ x: 1, c: "a" }], { rounds: 2, columns: "strict", onReport: quiet }],
  places: {
    "0": NONE,
    "1": NONE,
    "1.rounds": ["-0"],
    "1.columns": NONE,
    "1.onReport": NONE,
    "1.mispelt": NONE,
  },
});

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
    places: {
      "0": NONE,
      "2": NONE,
      "2.probes": ["5", "-0"],
      "2.rounding": NONE,
      "2.withoutOffset": ["true"],
    },
  },
  trialTable: {
    call: all.trialTable,
    args: () => [{
      metric: "logLoss",
      trials: [{ trial: 1, share: 1, value: 0.5, deviation: {}, params: { rounds: 2 } }],
    }],
    places: { "0": NONE, "0.trials": NONE, "0.metric": ["text"] },
  },
  openapi: {
    call: server.openapi,
    args: () => [[{ name: "m", model }], { url: "/ml", tokens: true }],
    places: { "0": NONE, "1": NONE, "1.url": NONE, "1.tokens": ["true"], "1.mispelt": NONE },
  },
  "openapi of a model": {
    call: (described) => server.openapi([described]),
    args: () => [{ name: "m", model }],
    places: { "0": NONE, "0.name": ["text"], "0.model": NONE },
  },
  openModelStore: {
    call: server.openModelStore,
    args: () => [[file], {}],
    places: { "0": NONE },
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
  parseCsv: {
    call: all.parseCsv,
    args: () => ["x,w,y\n1,1,a\n2,3,b\n", { target: "y" }, {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.target": ["-0"],
      "1.weight": ["-0"],
      "1.drop": NONE,
      "1.task": NONE,
      "1.delimiter": NONE,
      "1.decimal": NONE,
      "1.header": ["true"],
      "1.names": NONE,
      "1.trim": ["true"],
      "1.badRows": NONE,
      "1.limits": NONE,
      "1.missing": NONE,
      "1.types": NONE,
      "1.onWarning": NONE,
      "1.mispelt": NONE,
      "2": NONE,
      "2.mispelt": NONE,
    },
  },
  parseCsvStream: {
    call: all.parseCsvStream,
    args: () => [open("x,y\n1,a\n2,b\n"), { target: "y" }, {}],
    places: { "0": NONE, "1": NONE, "1.header": ["true"], "1.mispelt": NONE, "2.openAgain": NONE },
  },
  parseJsonLines: {
    call: all.parseJsonLines,
    args: () => ['{"x":1,"y":"a"}\n{"x":2,"y":"b"}\n', { target: "y" }],
    places: { "0": NONE, "1": NONE, "1.badRows": NONE, "1.limits": NONE, "1.header": NONE },
  },
  parseJsonLinesStream: {
    call: all.parseJsonLinesStream,
    args: () => [open('{"x":1,"y":"a"}\n{"x":2,"y":"b"}\n'), { target: "y" }],
    places: { "0": NONE, "1": NONE, "1.types": NONE, "1.mispelt": NONE },
  },
  parseLibsvm: {
    call: all.parseLibsvm,
    args: () => [sparse, { absent: "zero" }],
    places: {
      "0": NONE,
      "1": NONE,
      "1.absent": NONE,
      "1.featureMap": ["map"],
      "1.numFeatures": COUNTS,
      "1.targetName": ["text"],
      "1.target": NONE,
    },
  },
  parseLibsvmStream: {
    call: all.parseLibsvmStream,
    args: () => [open(sparse), { absent: "zero" }],
    places: { "0": NONE, "1": NONE, "1.absent": NONE, "1.mispelt": NONE },
  },
  parseFeatureMap: { call: all.parseFeatureMap, args: () => ["0 a q\n"], places: { "0": NONE } },
  parseNumberList: { call: all.parseNumberList, args: () => ["1\n"], places: { "0": NONE } },
  readCsv: {
    call: all.readCsv,
    args: () => [table, { target: "y" }],
    places: { "1": NONE, "1.header": ["true"], "1.threads": ["5", "1e300"], "1.absent": NONE },
  },
  readData: {
    call: all.readData,
    args: () => [table, { target: "y" }],
    places: { "1": NONE, "1.format": NONE, "1.absent": NONE, "1.mispelt": NONE },
  },
  readJsonLines: {
    call: all.readJsonLines,
    args: () => [`${table}.jsonl`, { target: "y" }],
    places: { "1": NONE, "1.limits": NONE, "1.mispelt": NONE },
  },
  readLibsvm: {
    call: all.readLibsvm,
    args: () => [new TextEncoder().encode(sparse), { absent: "zero" }],
    places: { "1": NONE, "1.absent": NONE, "1.mispelt": NONE },
  },
  readBinned: {
    call: all.readBinned,
    args: () => [table, { target: "y" }],
    places: { "1": NONE, "1.sample": NONE, "1.sketchBytes": COUNTS, "1.mispelt": NONE },
  },
  readCsvBinned: {
    call: all.readCsvBinned,
    args: () => [table, { target: "y" }],
    places: { "1": NONE, "1.mispelt": NONE },
  },
  readBinnedParts: {
    call: all.readBinnedParts,
    args: () => [table, { target: "y" }, { fractions: [0.5, 0.5], stratify: false }],
    places: { "1": NONE, "2": NONE, "2.fractions": NONE, "2.seed": SEEDS, "2.mispelt": NONE },
  },
  balancedWeights: {
    call: all.balancedWeights,
    args: () => [target()],
    places: { "0": NONE, "0.codes": NONE, "0.classes": NONE, "0.kind": NONE },
  },
  encodeTarget: {
    call: all.encodeTarget,
    args: () => [columns()[1], {}],
    places: {
      "0": NONE,
      "0.kind": NONE,
      "0.name": ["text"],
      "0.codes": NONE,
      "0.categories": NONE,
      "1": NONE,
      "1.task": NONE,
      "1.allowSingleClass": ["true"],
      "1.mispelt": NONE,
    },
  },
  withTask: {
    call: all.withTask,
    args: () => [data(), "classification"],
    places: { "0": NONE, "0.target": NONE, "1": NONE },
  },
  withWeight: {
    call: all.withWeight,
    args: () => [data(), new Float64Array(24).fill(1)],
    places: { "0": NONE, "1": NONE },
  },
  withGroupSizes: {
    call: all.withGroupSizes,
    args: () => [data(), [12, 12]],
    places: { "0": NONE, "1": NONE },
  },
  selectRows: {
    call: all.selectRows,
    args: () => [data(), Int32Array.of(0, 23)],
    places: { "0": NONE, "0.features": NONE, "0.numRows": NONE, "1": NONE },
  },
  schemaFromDataset: {
    call: all.schemaFromDataset,
    args: () => [data(), {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.unknown": NONE,
      "1.task": NONE,
      "1.zeroIsMissing": ["true"],
      "1.extraColumns": NONE,
      "1.mispelt": NONE,
    },
  },
  continueBoost: {
    call: all.continueBoost,
    args: () => [model, data(), { rounds: 1 }, { threads: 1 }],
    places: { "0": NONE, "1": NONE, "2": NONE, "3": NONE, "3.onWarning": NONE, "3.mispelt": NONE },
  },
  refitBoost: {
    call: all.refitBoost,
    args: () => [model, data(), { decay: 0.5 }],
    places: { "0": NONE, "1": NONE, "2": NONE, "2.decay": ["-0"], "2.mispelt": NONE },
  },
  refitBoostOnThreads: {
    call: all.refitBoostOnThreads,
    args: () => [model, data(), { threads: 1 }],
    places: { "0": NONE, "1": NONE, "2": NONE, "2.onWarning": NONE, "2.mispelt": NONE },
  },
  boostSample: {
    call: all.boostSample,
    args: () => [{}, {}],
    places: { "0": NONE, "0.maxBins": COUNTS, "1": NONE, "1.valid": ["true"], "1.mispelt": NONE },
  },
  createModel: {
    call: all.createModel,
    args: () => [{ schema: model.schema, ensemble: model.ensemble, info: model.info }],
    places: {
      "0": NONE,
      "0.schema": NONE,
      "0.ensemble": NONE,
      "0.info": NONE,
      "0.calibration": NONE,
      "0.mispelt": NONE,
    },
  },
  encodeModel: {
    call: all.encodeModel,
    args: () => [model, {}],
    places: { "0": NONE, "1": NONE, "1.explain": ["true"], "1.mispelt": NONE },
  },
  decodeModel: {
    call: all.decodeModel,
    args: () => [all.encodeModel(model), {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.checksum": ["true"],
      "1.selfTest": ["true"],
      "1.limits": NONE,
      "1.mispelt": NONE,
    },
  },
  loadModel: {
    call: (source, options) => all.loadModel(source, options),
    args: () => [file, {}],
    places: { "1": NONE, "1.checksum": ["true"], "1.limits": NONE, "1.mispelt": NONE },
  },
  shrinkModel: {
    call: all.shrinkModel,
    args: () => [model, { maxBytes: 1e6 }],
    places: { "0": NONE, "1": NONE, "1.maxBytes": ["1e300"], "1.mispelt": NONE },
  },
  withSelfTest: {
    call: all.withSelfTest,
    args: () => [model, [{ x: 1, c: "a" }]],
    places: { "0": NONE, "1": NONE },
  },
  signModel: {
    call: all.signModel,
    args: () => [all.encodeModel(model), keys],
    places: { "0": NONE, "1": NONE, "1.privateKey": NONE, "1.publicKey": NONE, "1.mispelt": NONE },
  },
  exportPublicKey: {
    call: all.exportPublicKey,
    args: () => [keys.publicKey],
    places: { "0": NONE },
  },
  verifyModel: {
    call: all.verifyModel,
    args: () => [all.encodeModel(model), {}],
    places: { "0": NONE, "1": NONE, "1.publicKey": NONE, "1.pubicKey": NONE },
  },
  importModel: {
    call: all.importModel,
    args: () => [foreign, {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.from": NONE,
      "1.featureNames": NONE,
      "1.classes": NONE,
      "1.target": ["text"],
      "1.rounds": ["-0"],
      "1.limits": NONE,
      "1.onWarning": NONE,
      "1.mispelt": NONE,
    },
  },
  importFiles: {
    call: all.importFiles,
    args: () => [new Map([["m.json", foreign]]), {}],
    places: { "0": NONE, "1": NONE, "1.mispelt": NONE },
  },
  pickModelFiles: {
    call: all.pickModelFiles,
    args: () => [["model.json"]],
    places: { "0": NONE },
  },
  searchSpace: {
    call: all.searchSpace,
    args: () => ["boost", { eta: { from: 0.1, to: 0.2 } }, undefined],
    places: { "0": NONE, "1": NONE, "1.eta": NONE, "2": NONE },
  },
  openTrialLog: {
    call: all.openTrialLog,
    args: () => [data(), space(), { trials: 2 }, undefined],
    places: {
      "0": NONE,
      "1": NONE,
      "1.algorithm": NONE,
      "1.ranges": ["map"],
      "1.fixed": NONE,
      "1.mispelt": NONE,
      "2": NONE,
      "2.method": NONE,
      "2.mispelt": NONE,
      "3": NONE,
    },
  },
  evaluate: {
    call: all.evaluate,
    args: () => [model, data(), ["auc"]],
    places: { "1": NONE, "1.numRows": NONE, "2": NONE },
  },
  evaluateOnThreads: {
    call: all.evaluateOnThreads,
    args: () => [model, data(), { threads: 1 }],
    places: { "0": NONE, "1": NONE, "2": NONE, "2.metrics": NONE, "2.mispelt": NONE },
  },
  calibrate: {
    call: all.calibrate,
    args: () => [model, data(), "platt"],
    places: { "1": NONE, "2": NONE },
  },
  calibrateOnThreads: {
    call: all.calibrateOnThreads,
    args: () => [model, data(), "platt", { threads: 1 }],
    places: {
      "0": NONE,
      "1": NONE,
      "2": NONE,
      "3": NONE,
      "3.threads": ["5", "1e300"],
      "3.mispelt": NONE,
    },
  },
  createScorerPool: {
    call: (...args: Parameters<typeof all.createScorerPool>) => {
      all.createScorerPool(...args).close();
    },
    args: () => [model, { threads: 1 }],
    places: { "0": NONE, "1": NONE, "1.mispelt": NONE },
  },
  createShapExplainer: {
    call: (...args: [all.Model, object, object]) =>
      all.createShapExplainer(args[0], args[1])([{ x: 1, c: "a" }], args[2]),
    args: () => [model, {}, {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.rounds": ["-0"],
      "1.columns": NONE,
      "2": NONE,
      "2.columns": NONE,
      "2.rounds": NONE,
    },
  },
  createShapPool: {
    call: (...args: Parameters<typeof all.createShapPool>) => all.createShapPool(...args).close(),
    args: () => [model, { threads: 1 }],
    places: {
      "0": NONE,
      "1": NONE,
      "1.rounds": ["-0"],
      "1.onWarning": NONE,
      "1.columns": NONE,
      "1.mispelt": NONE,
    },
  },
  formulaLoss: { call: all.formulaLoss, args: () => ["expr: (y - raw)^2"], places: { "0": NONE } },
  explainParam: {
    call: all.explainParam,
    args: () => ["rounds", "boost"],
    places: { "0": NONE, "1": NONE },
  },
  treeSvg: {
    call: all.treeSvg,
    args: () => [model, 0, {}],
    places: { "2": NONE, "2.maxDepth": ["5", "-0", "-1", "1.5", "1e300"], "2.mispelt": NONE },
  },
  createApp: {
    call: server.createApp,
    args: () => [{ models: { m: model } }],
    places: {
      "0": NONE,
      "0.models": ["map"],
      "0.tokens": NONE,
      "0.playground": ["true"],
      "0.cors": ["text"],
      "0.sagemakerOutput": NONE,
      "0.routes": NONE,
      "0.rateLimit": NONE,
      "0.maxRows": ["5", "-0", "-1", "1.5", "1e300"],
      "0.log": NONE,
      "0.mispelt": NONE,
    },
  },
  "createApp with a model of": {
    call: (models) => server.createApp({ models }),
    args: () => [{ m: model }],
    places: { "0.m": NONE },
  },
  "createApp with versions of": {
    call: (m) => server.createApp({ models: { m } }),
    args: () => [{ versions: { one: model } }],
    places: { "0.versions": ["map"], "0.current": NONE, "0.mispelt": NONE },
  },
  createRegistry: {
    call: server.createRegistry,
    args: () => [[["m", model]], server.DEFAULT_LIMITS],
    places: {
      "0": ["map"],
      "1": NONE,
      "1.maxRows": ["5", "-0", "-1", "1.5", "1e300"],
      "1.mispelt": NONE,
    },
  },
  createClient: {
    call: server.createClient,
    args: () => ["http://localhost:1", {}],
    places: { "0": ["text"], "1": NONE, "1.fetch": NONE, "1.mispelt": NONE },
  },
  predictRaw: predictor((...args) => model.predictRaw(...args)),
  predictValue: predictor((...args) => model.predictValue(...args)),
  predictProba: predictor((...args) => model.predictProba(...args)),
  predictClass: predictor((...args) => model.predictClass(...args)),
  predictLeaf: predictor((...args) => model.predictLeaf(...args)),
  "predictRaw of a table": {
    call: (table) => model.predictRaw(table),
    args: () => [{ numRows: 24, features: columns() }],
    places: { "0.numRows": NONE },
  },
  "decodeModel of ./predict": {
    call: predict.decodeModel,
    args: () => [all.encodeModel(model), {}],
    places: {
      "0": NONE,
      "1": NONE,
      "1.limits": NONE,
      "1.checksum": ["true"],
      "1.selfTest": ["true"],
      "1.mispelt": NONE,
    },
  },
  "decodeModel of ./predict with limits": {
    call: (bytes, limits) => predict.decodeModel(bytes, { limits }),
    args: () => [all.encodeModel(model), {}],
    places: { "1": NONE, "1.maxBytes": ["1e300"], "1.maxbytes": NONE },
  },
  "loadModel of ./predict": {
    call: predict.loadModel,
    args: () => [file, {}],
    places: { "0": NONE, "1": NONE, "1.checksum": ["true"], "1.mispelt": NONE },
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
  runSelfTest: all.runSelfTest,
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

Deno.test("a module's exports are parameters and options as an object's parts are", async () => {
  const params = await import("data:text/javascript,export const rounds = 2, seed = 3");
  const options = await import("data:text/javascript,export const threads = 1");
  const data = all.createDataset([columns()[0]], target());
  assertEquals(
    all.encodeModel(await all.train(data, params, options)),
    all.encodeModel(await all.train(data, { rounds: 2, seed: 3 }, { threads: 1 })),
  );
});

Deno.test("what is no dataset at all is refused as such, not for its first part", async () => {
  const whole = `expected a Dataset, as readCsv() and createDataset() give it`;
  for (const wrong of [model, {}, { learn: data() }]) {
    const error = await assertRejects(async () => await all.train(wrong as never), all.DataError);
    assert(error.message.endsWith(whole), error.message);
  }
});

Deno.test("a stream of text is refused with what makes bytes of it", async () => {
  const texts = async function* () {
    yield "x,y\n1,2\n";
  } as () => never;
  const calls: readonly (() => unknown)[] = [
    () => all.parseCsvStream(texts()),
    () => all.parseJsonLinesStream(texts()),
    () => all.parseLibsvmStream(texts(), { absent: "zero" }),
    () => all.csvBatches(texts(), model.schema).next(),
  ];
  for (const call of calls) {
    const error = await assertRejects(async () => await call(), ParameterError);
    assert(error.message.endsWith("(pipe text through a TextEncoderStream)"), error.message);
  }
});
