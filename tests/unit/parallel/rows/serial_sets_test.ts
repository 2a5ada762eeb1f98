import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { labelsOf } from "../../../../src/data/dataset/target.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import type { RoundReport } from "../../../../src/ensemble/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { flatSpace, flatTree, walkRows, writeFlat } from "../../../../src/grow/flat_tree.ts";
import type { LeafTerms } from "../../../../src/grow/linear_leaves.ts";
import { TEAM_BYTES, TeamWord } from "../../../../src/grow/split_team.ts";
import { metricByName } from "../../../../src/metric/metrics.ts";
import { createTreeBuilder } from "../../../../src/model/trees.ts";
import { leadSets, setsPlan } from "../../../../src/parallel/rows/serial_sets.ts";
import { createRng } from "../../../../src/util/rng.ts";

const CATEGORIES = Array.from({ length: 40 }, (_, i) => `v${i}`);

/** Numbers with missing ones, float32 numbers and, if wanted, categories; some levels are new. */
function makeTable(numRows: number, seed: number, categories: boolean): Dataset {
  const rng = createRng(seed);
  const a = Float64Array.from(
    { length: numRows },
    () => rng.nextInt(12) === 0 ? NaN : rng.nextFloat(),
  );
  const b = Float32Array.from({ length: numRows }, () => rng.nextFloat());
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(42) - 1);
  const y = b.map((value, row) => value + (a[row] > 0.4 ? 1 : 0) + (codes[row] % 3) / 4);
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      ...(categories
        ? [{ kind: "categorical", name: "c", codes, categories: CATEGORIES } as const]
        : []),
    ],
    target: {
      kind: "regression",
      name: "y",
      values: Float64Array.from(y, (value) => value + rng.nextFloat() / 3),
    },
    sampleWeight: Float64Array.from({ length: numRows }, () => 0.5 + rng.nextInt(3)),
  };
}

const SERIAL = {
  lightgbm: { preset: "lightgbm@4" },
  exact: { preset: "xgboost@2", treeMethod: "exact" },
  "lightgbm, quantiles": { preset: "lightgbm@4", loss: "quantile", quantiles: [0.2, 0.7] },
  "exact, absolute": { preset: "xgboost@2", treeMethod: "exact", loss: "absolute" },
  "lightgbm, linear leaves": { preset: "lightgbm@4", linearTree: true },
} as const;

async function run(params: { readonly [name: string]: unknown }, threads: number) {
  const categories = params.treeMethod !== "exact" && params.linearTree !== true;
  const reports: RoundReport["metrics"][] = [];
  const large = makeTable(9000, 2, categories);
  const model = await trainBoost(makeTable(8400, 1, categories), {
    ...params,
    rounds: 3,
    trainMetrics: true,
  }, {
    threads,
    valid: { large, small: makeTable(40, 3, categories) },
    onRound: ({ metrics }) => void reports.push(metrics),
    onWarning: (message) => assertEquals(message.includes("hread"), false, message),
  });
  return { model, reports, large };
}

for (const [name, params] of Object.entries(SERIAL)) {
  Deno.test(`models and told metrics are the same on any number of threads: ${name}`, async () => {
    const alone = await run(params, 1);
    assertEquals(alone.reports.length, 3);
    for (const threads of name === "lightgbm" ? [2, 3, 8] : [2]) {
      const { model, reports } = await run(params, threads);
      assertEquals(reports, alone.reports, `${threads} threads`);
      assertEquals(encodeModel(model), encodeModel(alone.model), `${threads} threads`);
    }
  });
}

Deno.test("metrics told on two threads are those of the model's scores", async () => {
  for (const params of [SERIAL.lightgbm, SERIAL.exact, SERIAL["lightgbm, linear leaves"]]) {
    const { model, reports, large } = await run(params, 2);
    const { values, weight } = labelsOf(large);
    let sum = 0;
    let total = 0;
    model.predictValue(large).forEach((value, row) => {
      sum += weight![row] * (value - values[row]) ** 2;
      total += weight![row];
    });
    // Sums of 9000 squares in another order.
    assertAlmostEquals(reports[2].large.rmse, Math.sqrt(sum / total), 1e-9);
  }
});

Deno.test("a set's tree is walked by whoever takes its blocks, or left alone where it is too large", () => {
  const data = makeTable(9000, 4, true);
  const tree = createTreeBuilder(1);
  const [low] = [tree.splitThreshold(0, 0, 0.5, 1)];
  tree.splitSubset(low, 2, Uint32Array.of(0xf0f0, 1), 0);
  tree.splitThreshold(low + 1, 1, 0.25, 0);
  for (let node = 0; node < tree.numNodes; node++) tree.setValue(node, [node + 0.1]);
  const plan = setsPlan([undefined, { data, labels: labelsOf(data) }], {
    numOutputs: 1,
    postprocess: { name: "identity" },
    metrics: [metricByName("mae")],
    single: false,
    linear: true,
  })!;
  const control = new Int32Array(TEAM_BYTES / 4);
  let turns = 0;
  const sets = leadSets(plan, [metricByName("mae")], control, {
    release() {
      turns++;
      // Another thread has taken the first two blocks.
      control[TeamWord.next] = 2;
    },
    join() {},
  });
  assertEquals(sets.raw(0), undefined);
  const terms: LeafTerms[] = [];
  terms[5] = { constant: 2, features: [0, 1], coefficients: [3, -1] };
  terms[3] = { constant: -7, features: [], coefficients: [] };
  assertEquals(sets.walk(1, { tree, terms }, 0), true);
  assertEquals(turns, 1);
  const raw = sets.raw(1)!;
  assertEquals(raw.subarray(0, 2 * 2048).every((score) => score === 0), true);
  // Each row by the tests as they are defined.
  let [linear, constant] = [0, 0];
  const [a, b, c] = data.features.map((f) => f.kind === "numeric" ? f.values : f.codes);
  const inSet = (code: number) => code < 32 ? (0xf0f0 >>> code & 1) === 1 : code === 32;
  for (let row = 2 * 2048; row < data.numRows; row++) {
    const leaf = !(a[row] <= 0.5) ? (b[row] <= 0.25 ? 5 : 6) : c[row] < 0 || inSet(c[row]) ? 3 : 4;
    const model = leaf === 5 && a[row] === a[row] ? 2 + a[row] * 3 + b[row] * -1 : undefined;
    assertEquals(raw[row], model ?? (leaf === 3 ? -7 : leaf + 0.1));
    if (model !== undefined) linear++;
    else if (leaf === 5) constant++;
  }
  assert(linear > 100 && constant > 10, `${linear} ${constant}`);
  // A tree without models after one that had them.
  raw.fill(0);
  assertEquals(sets.walk(1, { tree }, 0), true);
  assertEquals(new Set(raw.subarray(2 * 2048)), new Set([3.1, 4.1, 5.1, 6.1]));
  const rows = { columns: data.features, numRows: 9000, raw: new Float64Array(9000), single: true };
  walkRows(flatTree(tree), rows, 0, 8999, 9000);
  assertEquals(rows.raw[8999], Math.fround(raw[8999]));
  const bytes = (length: number) => new ArrayBuffer(length);
  const room = (count: number) => flatSpace(tree.numNodes, 2, bytes, count);
  assertEquals(writeFlat(tree, room(1), terms), false);
  assertEquals(writeFlat(tree, room(2), terms), true);
  assertEquals(writeFlat(tree, flatSpace(tree.numNodes - 1, 2, bytes)), false);
  assertEquals(writeFlat(tree, flatSpace(tree.numNodes, 1, bytes)), false);
  assertEquals(writeFlat(tree, flatSpace(tree.numNodes, 2, bytes)), true);
});

Deno.test("a level that the set of its node has no word for takes the second branch, whatever set follows", () => {
  const tree = createTreeBuilder(1);
  tree.splitSubset(0, 0, Uint32Array.of(1), 0);
  tree.splitSubset(2, 0, Uint32Array.of(0xffffffff, 0xffffffff), 0);
  for (let node = 0; node < tree.numNodes; node++) tree.setValue(node, [node]);
  const codes = Int32Array.of(0, 1, 33, 70, -1);
  const raw = new Float64Array(codes.length);
  walkRows(flatTree(tree), { columns: [{ codes }], numRows: 5, raw, single: false }, 0, 0, 5);
  assertEquals(raw, Float64Array.of(1, 3, 3, 4, 1));
});
