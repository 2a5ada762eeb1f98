// deno-lint-ignore-file no-console
/**
 * Trains a classic ensemble on one set and prints one line of JSON: seconds and processor seconds
 * from columns in memory to a model, peak memory, bytes of the model, held-out accuracy.
 *
 * deno run -A bench/runs/classic.ts <100k-30|adult> <tree|forest> <threads> [trees]
 *
 * @module
 */
import { trainCart } from "../../src/algorithms/classic/cart.ts";
import { trainRandomForest } from "../../src/algorithms/classic/random_forest.ts";
import { encodeModel } from "../../src/format/binary.ts";
import { readSet } from "../data/classic.ts";

const [set, learner, threads, trees = "500"] = Deno.args;
const { train, test } = await readSet(set);

/** Processor seconds of all threads, in steps of 10 ms. */
function cpu(): number {
  const fields = Deno.readTextFileSync("/proc/self/stat").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function peakMegabytes(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024);
}

const before = peakMegabytes();
const cpuBegan = cpu();
const began = performance.now();
const model = learner === "tree"
  ? await trainCart(train, { criterion: "gini", pruning: "none" }, { threads: Number(threads) })
  : await trainRandomForest(
    train,
    { trees: Number(trees), seed: 1, oob: false },
    { threads: Number(threads) },
  );
const seconds = (performance.now() - began) / 1000;
const cpuSeconds = cpu() - cpuBegan;
const peak = peakMegabytes();
const bytes = encodeModel(model).length;
const lean = encodeModel(model, { explain: false }).length;
const { target } = test;
const answers = model.predictClass(test);
let right = 0;
for (let row = 0; row < test.numRows; row++) {
  if (target?.kind === "classification" && answers[row] === target.classes[target.codes[row]]) {
    right++;
  }
}
console.log(JSON.stringify({
  learner: "treeline",
  seconds: Number(seconds.toFixed(4)),
  cpu: Number(cpuSeconds.toFixed(2)),
  peakMegabytes: peak,
  dataMegabytes: before,
  bytes,
  leanBytes: lean,
  accuracy: Number((right / test.numRows).toFixed(4)),
}));
