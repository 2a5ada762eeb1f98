import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { committeePlan } from "../../../../src/algorithms/boost/committee.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** y = x₀ + noise, and a feature that says nothing. */
function noisy(numRows: number, change: (row: number) => number = () => 0): Dataset {
  const rng = createRng(3);
  const x = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const z = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const y = x.map((value, row) => value + 0.3 * rng.nextFloat() + change(row));
  return {
    numRows,
    features: [
      { kind: "numeric", name: "x", values: x },
      { kind: "numeric", name: "z", values: z },
    ],
    target: { kind: "regression", name: "y", values: y },
  };
}

/** What member `member` of five alone says: five times its trees' shares. */
function scoreOf(
  model: Awaited<ReturnType<typeof trainBoost>>,
  data: Dataset,
  member: number,
  rounds: number,
): Float64Array {
  const leaves = model.predictLeaf(data);
  const { trees, baseScore } = model.ensemble;
  return Float64Array.from({ length: data.numRows }, (_, row) => {
    let sum = baseScore[0];
    for (let t = member; t < 5 * rounds; t += 5) {
      sum += 5 * trees.leaf[trees.treeStart[t] + leaves.data[row * leaves.cols + t]];
    }
    return sum;
  });
}

Deno.test("trainBoost() reports a committee's error on rows by the member that has not seen them", async () => {
  const data = noisy(200);
  const model = await trainBoost(data, { metrics: ["rmse"], seed: 5 });
  const { best } = model.info;
  assert(best !== undefined && best.set === "outOfFold");
  assertEquals(model.info.committee, 5);
  assertEquals(model.numRounds, Math.round(1.3 * best.round));
  const { partOf } = committeePlan(data, 5, 5);
  const y = (data.target as { values: Float64Array }).values;
  const scores = [0, 1, 2, 3, 4].map((member) => scoreOf(model, data, member, best.round));
  const squares = y.map((value, row) => (scores[partOf[row]][row] - value) ** 2);
  const rmse = Math.sqrt(squares.reduce((a, b) => a + b) / y.length);
  assertAlmostEquals(best.value, rmse, 1e-9); // sums in another order
  // Had the rows been seen, the error would be smaller.
  const seen = y.map((value, row) => (scores[(partOf[row] + 1) % 5][row] - value) ** 2);
  assert(Math.sqrt(seen.reduce((a, b) => a + b) / y.length) < 0.9 * rmse);
});

Deno.test("trainBoost() tells a committee's error on its training rows as the model has it", async () => {
  const data = noisy(200);
  let told = NaN;
  const model = await trainBoost(
    data,
    { committee: 3, rounds: 6, metrics: ["rmse"], trainMetrics: true },
    { onRound: ({ metrics }) => told = metrics["train"]["rmse"] },
  );
  const y = (data.target as { values: Float64Array }).values;
  const squares = model.predictValue(data).map((value, row) => (value - y[row]) ** 2);
  const rmse = Math.sqrt(squares.reduce((a, b) => a + b) / y.length);
  assertAlmostEquals(told, rmse, 1e-6); // leaves are shares in float32
});

Deno.test("trainBoost() keeps the rows of part k from member k of a committee", async () => {
  const params = { committee: 5, rounds: 4, baseScore: 0 };
  const { partOf } = committeePlan(noisy(200), 5, 0);
  const plain = await trainBoost(noisy(200), params);
  const moved = noisy(200, (row) => partOf[row] === 2 ? 10 : 0);
  const other = await trainBoost(moved, params);
  for (let member = 0; member < 5; member++) {
    const compare = member === 2 ? assertEquals : assertNotEquals;
    compare(scoreOf(plain, moved, member, 4), scoreOf(other, moved, member, 4));
  }
});

Deno.test("trainBoost() gives a committee the same bytes on one thread and on two", async () => {
  const data = noisy(300);
  const [one, two] = await Promise.all([1, 2].map((threads) => trainBoost(data, {}, { threads })));
  assertEquals(encodeModel(one), encodeModel(two));
});

Deno.test("trainBoost() trains one model where something else says how long", async () => {
  const data = noisy(60);
  const params = [
    { rounds: 3 },
    { committee: 1 },
    { preset: "treeline-lean@1" },
    { preset: "xgboost@2" },
    { earlyStoppingRounds: 5 },
    { dropRate: 0.1 },
    { parallelTrees: 2 },
    { treeMethod: "exact" },
  ] as const;
  for (const given of params) {
    assertEquals((await trainBoost(data, given)).info.committee, undefined);
  }
  assertEquals((await trainBoost(noisy(39), {})).info.committee, undefined);
  assertEquals((await trainBoost(data, { committee: 3, rounds: 2 })).numTrees, 6);
});

Deno.test("trainBoost() refuses a committee of exact or dropped trees", async () => {
  for (const other of [{ treeMethod: "exact" }, { dropRate: 0.5 }] as const) {
    const error = await assertRejects(
      () => trainBoost(noisy(60), { committee: 5, ...other }),
      ParameterError,
    );
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
});

Deno.test("trainBoost() refuses a committee of more members than rows or queries", async () => {
  const group = Int32Array.from({ length: 9 }, (_, row) => Math.floor(row / 3));
  for (
    const [data, what] of [
      [noisy(3), "a committee of 5 on 3 rows"],
      [{ ...noisy(9), group }, "a committee of 5 on 3 queries"],
      [
        { ...noisy(9), sampleWeight: Float64Array.from({ length: 9 }, (_, row) => row % 2) },
        "a committee of 5 on 4 rows of a weight above 0",
      ],
    ] as const
  ) {
    const error = await assertRejects(
      () => trainBoost(data, { committee: 5, rounds: 2 }),
      ParameterError,
      what,
    );
    assertEquals(error.details, { param: "committee", value: 5 });
  }
  assertEquals((await trainBoost(noisy(3), { committee: 3, rounds: 2 })).numTrees, 6);
});

Deno.test("trainBoost() keeps a committee's best prefix on a validation set, and metrics of the preset", async () => {
  const rng = createRng(4);
  const rows = (numRows: number): Dataset => {
    const x = Float64Array.from({ length: numRows }, () => rng.nextFloat());
    return {
      numRows,
      features: [{ kind: "numeric", name: "x", values: x }],
      target: {
        kind: "regression",
        name: "y",
        values: x.map((value) => value + 2 * rng.nextFloat()),
      },
    };
  };
  const valid = rows(100);
  const seen: number[] = [];
  const model = await trainBoost(rows(300), {
    preset: "lightgbm@4",
    loss: "huber",
    committee: 3,
    rounds: 40,
    earlyStoppingRounds: 5,
    earlyStoppingSet: "valid",
  }, { valid, onRound: ({ metrics }) => seen.push(metrics.valid.huber) });
  const { best } = model.info;
  assertEquals([best?.set, best?.metric, best?.value], ["valid", "huber", Math.min(...seen)]);
  assertEquals(model.numRounds, best?.round);
  // The history was told by delta 0.9 of the preset, and so is this.
  const { huber } = evaluate(model, valid, ["huber"]).metrics;
  assert(Math.abs(huber - best!.value) < 1e-9, `${huber} ${best?.value}`); // sums in another order
});
