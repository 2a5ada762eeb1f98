import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import type { Dataset, Schema } from "../../../../src/data/types.ts";
import type { RoundReport } from "../../../../src/ensemble/types.ts";
import { HERE } from "../../../../src/metric/job.ts";
import { createModel } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { type Ensemble, MissingBranch } from "../../../../src/model/types.ts";
import {
  type StepRows,
  stepTask,
  treesSpace,
  writeTrees,
} from "../../../../src/parallel/rows/stepped.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Rows in three blocks of 4096, the last of them short. */
const ROWS = 8300;
const KNOWN = Array.from({ length: 40 }, (_, i) => `v${i}`);
const STRANGE = [...KNOWN, "w0", "w1"];

/** A number and a category, some of both missing; classes by their sum and noise. */
function table(seed: number, categories: readonly string[], classes: number): Dataset {
  const rng = createRng(seed);
  const x = Float64Array.from({ length: ROWS }, () => rng.nextInt(9) ? rng.nextFloat() : NaN);
  const codes = Int32Array.from(x, () => rng.nextInt(categories.length + 1) - 1);
  const y = x.map((v, row) => (v > 0.5 ? 1 : 0) + (codes[row] + 1) % 4 / 4 + rng.nextFloat());
  return {
    numRows: ROWS,
    features: [
      { kind: "numeric", name: "x", values: x },
      { kind: "categorical", name: "c", codes, categories },
    ],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.min(classes - 1, Math.floor(v * classes / 2.5))),
      classes: Array.from({ length: classes }, (_, k) => `${k}`),
    },
  };
}

const CASES = [
  ["gbdt", 2, "heavier", [2, 3]],
  ["gbdt", 3, "missing", [2]],
  ["gbdt", 2, "node", [2]],
  ["logitboost", 3, "missing", [2]],
] as const;

Deno.test("threads walk new trees, whatever the rule of unknown categories: told as the model answers", async () => {
  for (const [algorithm, classes, unknown, threads] of CASES) {
    const held = table(2, STRANGE, classes);
    const run = async (threads: number) => {
      const told: RoundReport["metrics"][] = [];
      const model = await train(
        table(1, KNOWN, classes),
        { algorithm, rounds: 2, maxDepth: 3, unknown },
        { threads, valid: { held }, onRound: ({ metrics }) => void told.push(metrics) },
      );
      return { model, told };
    };
    const { model, told } = await run(1);
    const { codes } = held.target as { readonly codes: Int32Array };
    assertEquals(told.length, 2);
    told.forEach((metrics, round) => {
      const { data } = model.predictProba(held, { rounds: round + 1 });
      let loss = 0;
      codes.forEach((code, row) => loss -= Math.log(data[classes * row + code]));
      // Plain sums of 8300 terms here, compensated ones there.
      assertAlmostEquals(metrics.held.logLoss, loss / ROWS, 1e-12, `${algorithm} ${unknown}`);
    });
    for (const count of threads) assertEquals((await run(count)).told, told, `${count} threads`);
  }
});

Deno.test("a set that the model refuses is refused before the first round, by row and column", async () => {
  let told = 0;
  const message = await train(
    table(1, KNOWN, 2),
    { algorithm: "gbdt", rounds: 2, unknown: "error" },
    { valid: table(2, STRANGE, 2), threads: 2, onRound: () => told++ },
  ).then(() => "", ({ message }) => message);
  assert(message.includes(`"c"`) && message.includes("categories the model knows"), message);
  assertEquals(told, 0);
});

const SCHEMA: Schema = {
  task: "regression",
  classes: [],
  features: [
    { kind: "numeric", name: "x", missing: "learnt" },
    { kind: "categorical", name: "c", categories: KNOWN, missing: "learnt", unknown: "heavier" },
  ],
  extraColumns: "error",
  absentColumns: "error",
};

/** A tree of every kind of node, missing values split up or stopped. */
function treeOf(shift: number) {
  const tree = createTreeBuilder(1);
  const low = tree.splitThreshold(0, 0, 0.5, MissingBranch.fractional);
  tree.splitSubset(low, 1, Uint32Array.of(0xf0f0, 0x101), MissingBranch.stop);
  const branches = Uint32Array.from({ length: KNOWN.length + 1 }, (_, code) => code % 3);
  const three = tree.splitMultiway(low + 1, 1, branches, 3, 1);
  tree.splitEqual(three, 0, 0.75, 0);
  for (let node = 0; node < tree.numNodes; node++) {
    tree.setValue(node, [shift + node / 7]);
    tree.setStats(node, 1 + node, 0);
  }
  return tree;
}

Deno.test("blocks of rows that walk a round are the model's, whoever takes them", () => {
  const trees = packTrees([treeOf(0), treeOf(3)], 1);
  const rules: Omit<Ensemble, "trees"> = {
    leafWidth: 1,
    numOutputs: 2,
    treeOutput: Int32Array.of(0, 1),
    treeWeight: Float64Array.of(1, 1),
    treesPerRound: 2,
    aggregate: "sum",
    baseScore: new Float64Array(2),
    postprocess: { name: "identity" },
    profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
  };
  const rng = createRng(7);
  const x = Float64Array.from({ length: 2 * ROWS }, (_, i) => {
    if (rng.nextInt(6) === 0) return NaN;
    return i % 2 === 0 ? rng.nextInt(5) / 4 : rng.nextInt(KNOWN.length + 1);
  });
  const rows: StepRows = {
    schema: SCHEMA,
    x,
    numRows: ROWS,
    raw: new Float64Array(2 * ROWS).fill(0.25),
    round: { ...rules, trees: treesSpace(HERE, 2) },
  };
  const task = stepTask(rows);
  assertEquals(writeTrees(trees, rows.round.trees), true);
  for (const blocks of [[0, 2], [1]]) task.run(0, () => blocks.shift() ?? 3, 0);
  const { data } = createModel({
    schema: SCHEMA,
    ensemble: { ...rules, trees },
    info: { version: "0.0.0", algorithm: "round", params: {}, seed: 0, numRows: ROWS },
  }).predictRaw({
    rows: ROWS,
    fill: (from, to, out) => out.set(x.subarray(2 * from, 2 * to)),
    finish: () => ({
      rows: ROWS,
      missing: new Map(),
      unknown: new Map(),
      absent: [],
      ignored: [],
    }),
  });
  for (let row = 0; row < ROWS; row++) {
    for (const k of [0, 1]) assertEquals(rows.raw[k * ROWS + row], 0.25 + data[2 * row + k]);
  }
  const many = { ...trees, kind: new Uint8Array(65_537) };
  assertEquals(writeTrees(many, rows.round.trees), false);
  assertEquals(writeTrees({ ...trees, categoryPool: new Uint32Array(65_537) }, many), false);
});
