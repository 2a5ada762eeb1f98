/** CASES O1, O3: explanations that add up, importances side by side. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { type BoostParams, type Dataset, explainShap, parseCsv, trainBoost } from "../../mod.ts";
import { createModel } from "../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../src/model/trees.ts";
import { cli } from "../support/cli.ts";
import { tempFolder } from "../support/temp.ts";

Deno.test("CASES O1: a tree of leaves 0 | 2, 10 gives bias 3 and contributions 4 and 3", () => {
  const tree = createTreeBuilder(1);
  const left = tree.splitThreshold(0, 0, 0.5, 0);
  const right = left + 1;
  const low = tree.splitThreshold(right, 1, 0.5, 0);
  for (const [node, value, cover] of [[0, NaN, 4], [left, 0, 2], [right, NaN, 2]]) {
    tree.setValue(node, [value]);
    tree.setStats(node, cover, 0);
  }
  for (const [node, value] of [[low, 2], [low + 1, 10]]) {
    tree.setValue(node, [value]);
    tree.setStats(node, 1, 0);
  }
  const model = createModel({
    schema: {
      features: [
        { kind: "numeric", name: "a", missing: "learnt" },
        { kind: "numeric", name: "b", missing: "learnt" },
      ],
      task: "regression",
      classes: [],
      extraColumns: "ignore",
      absentColumns: "error",
    },
    ensemble: {
      trees: packTrees([tree], 1),
      leafWidth: 1,
      numOutputs: 1,
      treeOutput: new Int32Array(1),
      treeWeight: Float64Array.of(1),
      treesPerRound: 1,
      aggregate: "sum",
      baseScore: new Float64Array(1),
      postprocess: { name: "identity" },
      profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
    },
    info: { version: "0", algorithm: "test" },
  });
  const { values, bias } = explainShap(model, [{ a: 1, b: 1 }]);
  assertEquals([bias[0], ...values], [3, 4, 3]);
});

const LOSSES: {
  readonly [loss: string]: "number" | "amount" | "share" | "two" | "three" | "rank";
} = {
  squared: "number",
  absolute: "number",
  huber: "number",
  pseudoHuber: "number",
  quantile: "number",
  expectile: "number",
  squaredLog: "amount",
  mape: "number",
  fair: "number",
  poisson: "amount",
  gamma: "amount",
  tweedie: "amount",
  logistic: "two",
  crossEntropy: "share",
  exponential: "two",
  hinge: "two",
  softmax: "three",
  oneVsAll: "three",
  lambdaNdcg: "rank",
  lambdaMap: "rank",
  pairwise: "rank",
  xendcg: "rank",
};

/** Numbers with holes, categories with holes, a target of the kind asked for. */
function table(kind: (typeof LOSSES)[string]): Dataset {
  const lines = Array.from({ length: 90 }, (_, i) => {
    const x = (i * 37) % 90;
    const c = ["p", "q", "", "r"][i % 4];
    const y = {
      number: x / 10 + (i % 4),
      amount: 1 + Math.floor(x / 9) + (i % 4),
      share: ((x + i) % 10) / 10,
      two: x + 20 * (i % 4) > 60 ? "yes" : "no",
      three: ["lo", "mid", "hi"][Math.floor(x / 31)],
      rank: Math.floor(x / 31),
    }[kind];
    return `${Math.floor(i / 6)},${i % 7 === 0 ? "" : x},${c},${y}`;
  });
  return parseCsv(`q,x,c,y\n${lines.join("\n")}\n`, {
    target: "y",
    ...(kind === "rank" ? { group: "q" } : { drop: ["q"] }),
    ...(kind === "two" || kind === "three" ? {} : { task: "regression" as const }),
  });
}

Deno.test("CASES O1: contributions and bias add to the margin for every loss, with holes and DART", async () => {
  for (const [loss, kind] of Object.entries(LOSSES)) {
    const data = table(kind);
    const runs: BoostParams[] = [{}, { dropRate: 0.5, oneDrop: true }, { committee: 3 }];
    for (const params of runs) {
      const model = await trainBoost(data, { loss, rounds: 6, minRowsPerLeaf: 2, ...params });
      const { values, bias } = explainShap(model, data);
      const { data: margins } = model.predictRaw(data);
      const { numOutputs } = model;
      const width = model.schema.features.length;
      let split = false;
      margins.forEach((margin, i) => {
        const own = values.subarray(i * width, (i + 1) * width);
        split ||= own.some((value) => value !== 0);
        const sum = own.reduce((a, b) => a + b, bias[i % numOutputs]);
        assertAlmostEquals(sum, margin, 1e-9, `${loss} ${JSON.stringify(params)} ${i}`);
      });
      assert(split, `${loss}: nothing was learnt`);
    }
  }
});

Deno.test("CASES O3: importances stand side by side, with a word on what they favour", async () => {
  await using dir = await tempFolder();
  // One signal of two values, and noise with a value for each row.
  const lines = Array.from({ length: 200 }, (_, i) => {
    const signal = i % 2;
    return `${signal},${(i * 7919) % 200},${(i % 5 === 0 ? 1 - signal : signal)}`;
  });
  const path = await dir.write("d.csv", `signal,id,y\n${lines.join("\n")}\n`);
  const trained = await cli(["train", path, "-t", "y", "--out", dir.file("m.tlm")]);
  assertEquals(trained.code, 0, trained.stderr);
  const run = await cli(["explain", dir.file("m.tlm"), path, "--method", "importance"]);
  assertEquals(run.code, 0, run.stderr);
  for (const word of ["GAIN", "COVER", "SPLITS", "SHUFFLED"]) {
    assertStringIncludes(run.stdout, word);
  }
  const [signal, id] = ["signal", "id"].map((name) =>
    run.stdout.split("\n").find((line) => line.startsWith(name))!.trim().split(/\s+/)
  );
  // The four disagree: noise wins by count, the signal by what shuffling costs.
  assert(Number(id[3]) > Number(signal[3]), run.stdout);
  assert(Number(signal[4]) > Number(id[4]), run.stdout);
  assertStringIncludes(run.stderr, "many distinct values");
});
