// deno-lint-ignore-file no-console
/**
 * Trains on one shape and prints one line of JSON: seconds from values in memory to model, seconds of
 * the rounds, peak memory, held-out log loss.
 *
 * deno run -A bench/runs/train.ts <shape> <threads> [rounds] [growth]
 *
 * @module
 */
import type { Dataset } from "../../src/data/types.ts";
import { boost } from "../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../src/ensemble/plan.ts";
import { logisticLoss } from "../../src/loss/logistic.ts";
import { softmaxLoss } from "../../src/loss/softmax.ts";
import type { Curvature } from "../../src/loss/params.ts";
import { schemaFromDataset } from "../../src/data/dataset/schema.ts";
import { createModel } from "../../src/model/model.ts";
import { ADULT_CATEGORIES, pathsOf, type Shape, SHAPES, writeShape } from "../data/train.ts";

/** Names of levels; the files hold numbers of levels, and no feature has more. */
const CATEGORIES = Array.from({ length: 42 }, (_, code) => `${code}`);

/** Rows that are read at a time: the file is never held as a whole. */
const READ_ROWS = 16384;

async function readPart(shape: Shape, part: "train" | "test"): Promise<Dataset> {
  const paths = pathsOf(shape, part);
  const y = new Float32Array((await Deno.readFile(paths.y)).buffer);
  const { features } = shape;
  const columns = Array.from({ length: features }, () => new Float32Array(y.length));
  using file = await Deno.open(paths.x);
  const x = new Float32Array(READ_ROWS * features);
  for (let from = 0; from < y.length; from += READ_ROWS) {
    const n = Math.min(READ_ROWS, y.length - from);
    const bytes = new Uint8Array(x.buffer, 0, 4 * n * features);
    for (let at = 0; at < bytes.length;) at += (await file.read(bytes.subarray(at)))!;
    for (let f = 0; f < features; f++) {
      for (let row = 0; row < n; row++) columns[f][from + row] = x[row * features + f];
    }
  }
  return {
    numRows: y.length,
    features: columns.map((values, f) =>
      shape.adultCopies !== undefined && ADULT_CATEGORIES.includes(f)
        ? {
          kind: "categorical",
          name: `x${f}`,
          categories: CATEGORIES,
          codes: codesOf(values),
        }
        : { kind: "numeric", name: `x${f}`, values }
    ),
    target: {
      kind: "classification",
      name: "y",
      codes: new Int32Array(y),
      classes: Array.from({ length: shape.classes }, (_, k) => `${k}`),
    },
  };
}

/** Numbers of levels, −1 where missing. */
function codesOf(values: Float32Array): Int32Array {
  const codes = new Int32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    codes[row] = values[row] !== values[row] ? -1 : values[row];
  }
  return codes;
}

function peakMegabytes(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}

const [name, threads = "1", rounds = "100", growth = "depth", kernels = "wasm", curvature] =
  Deno.args;
const shape = SHAPES.find((one) => one.name === name)!;
await writeShape(shape);
const train = await readPart(shape, "train");
const loss = shape.classes === 2
  ? logisticLoss()
  : softmaxLoss(shape.classes, curvature as Curvature | undefined);
const plan: BoostPlan = {
  loss,
  rounds: Number(rounds),
  learningRate: 0.3,
  seed: 0,
  maxBins: 256,
  lambda: 1,
  minChildWeight: 1,
  // LightGBM's defaults for categories: equal settings.
  catSmooth: 10,
  catL2: 10,
  maxCategoriesPerSplit: 32,
  minRowsPerCategory: 0,
  ...(growth === "leaf"
    ? { growth: "leaf", maxDepth: 0, maxLeaves: 63 }
    : { growth: "depth", maxDepth: 6 }),
};
const before = peakMegabytes();
const began = performance.now();
let last = 0;
/** Processor seconds of all threads, in steps of 10 ms. */
const cpu = () => {
  const fields = Deno.readTextFileSync("/proc/self/stat").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const cpuBegan = cpu();
let cpuFirst = 0;
const { ensemble, missingLearnt } = await boost(train, plan, {
  threads: Number(threads),
  kernels: kernels as "wasm" | "twin",
  onRound: ({ seconds }) => {
    last = seconds;
    cpuFirst ||= cpu();
  },
});
const seconds = (performance.now() - began) / 1000;
const cpuEnd = cpu();
const peak = peakMegabytes();
const test = await readPart(shape, "test");
const model = createModel({
  schema: schemaFromDataset(train, { missingLearnt }),
  ensemble,
  info: { version: "bench", algorithm: "boost" },
});
const proba = model.predictProba(test);
const codes = (test.target as { codes: Int32Array }).codes;
let logLoss = 0;
for (let row = 0; row < test.numRows; row++) {
  logLoss -= Math.log(Math.max(1e-15, proba.data[row * shape.classes + codes[row]]));
}
console.log(JSON.stringify({
  learner: "treeline",
  version: growth,
  shape: name,
  threads: Number(threads),
  seconds: Number(seconds.toFixed(3)),
  rounds: Number(last.toFixed(3)),
  cpu: Number((cpuEnd - cpuBegan).toFixed(3)),
  // The first round is not told apart from binning: the others stand for all.
  cpuRounds: Number((((cpuEnd - cpuFirst) * plan.rounds) / (plan.rounds - 1)).toFixed(3)),
  peakMegabytes: Math.round(peak),
  dataMegabytes: Math.round(before),
  logLoss: Number((logLoss / test.numRows).toFixed(5)),
}));
