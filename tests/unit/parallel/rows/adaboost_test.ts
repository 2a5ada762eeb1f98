import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { blocksOf, HERE } from "../../../../src/metric/job.ts";
import {
  type BoostedRows,
  boostedTask,
  BoostStep,
} from "../../../../src/parallel/rows/adaboost.ts";
import { createRng, forkRng } from "../../../../src/util/rng.ts";

/** Rows in three blocks, so that threads have something to share. */
const ROWS = 9000;

/** Numbers with ties and gaps, levels, and weights of which some are 0. */
function table(classes: number, gaps: boolean): Dataset {
  const rng = createRng(classes + 3);
  const isGap = () => gaps && rng.nextInt(12) === 0;
  const columns: Column[] = Array.from({ length: 3 }, (_, f) => ({
    kind: "numeric",
    name: `x${f}`,
    values: Float64Array.from({ length: ROWS }, () => isGap() ? NaN : rng.nextInt(30) / 30),
  }));
  const [a, b] = columns.map((column) => column.kind === "numeric" ? column.values : undefined);
  const y = Float64Array.from(
    a!,
    (x, row) => (x || 0.5) + (b![row] || 0.5) / 2 + rng.nextFloat() / 2,
  );
  columns.push({
    kind: "categorical",
    name: "c",
    codes: Int32Array.from(y, (v) => isGap() ? -1 : Math.floor(4 * v + 2 * rng.nextFloat()) % 9),
    categories: Array.from({ length: 9 }, (_, k) => `k${k}`),
  });
  return {
    ...createDataset(
      columns,
      classes === 0 ? { kind: "regression", name: "y", values: y } : {
        kind: "classification",
        name: "y",
        codes: Int32Array.from(y, (v) => Math.floor(v * classes / 2)),
        classes: Array.from({ length: classes }, (_, k) => `${k}`),
      },
    ),
    sampleWeight: Float64Array.from({ length: ROWS }, () => rng.nextInt(4) / 3),
  };
}

const CASES:
  readonly (readonly [number, readonly number[], { readonly [name: string]: unknown }])[] = [
    [3, [2, 3, 8], { maxDepth: 2 }],
    [3, [3], { variant: "samme.r", maxDepth: 4 }],
    [2, [2], { base: "c45", maxDepth: 2 }],
    [3, [2], { base: "c45", variant: "samme.r", maxDepth: 2 }],
    [0, [2, 3], { maxDepth: 4 }],
    [0, [3], { resample: false, loss: "exponential", maxLeaves: 6 }],
  ];

for (const [classes, counts, spec] of CASES) {
  Deno.test(`adaboost is the same on several threads: ${classes}, ${JSON.stringify(spec)}`, async () => {
    const data = table(classes, true);
    const said: string[] = [];
    const run = async (threads: number) => {
      const params = { algorithm: "adaboost", rounds: 4, ...spec };
      const onDetail = (message: string) => void said.push(message);
      return encodeModel(await train(data, params, { threads, onDetail }));
    };
    const alone = await run(1);
    for (const threads of counts) {
      assertEquals(await run(threads), alone);
      assert(said.at(-1)!.includes(`on ${Math.min(threads, 4)} threads`), said.join());
    }
  });
}

Deno.test("adaboost: errors of rows in blocks are those of the model's own answers", async () => {
  const data = table(3, false);
  const { codes } = data.target as { readonly codes: Int32Array };
  const model = await train(data, { algorithm: "adaboost", rounds: 3, maxDepth: 2 }, {
    threads: 2,
  });
  const rounds = model.info.rounds as unknown as { error: number; weight: number }[];
  const sum = data.sampleWeight!.reduce((all, w) => all + w, 0);
  const weight = data.sampleWeight!.map((w) => w / sum);
  let before = 0;
  let last = new Float64Array(3 * ROWS);
  rounds.forEach(({ error, weight: alpha }, t) => {
    // A sum of votes by the weights of their trees: what this tree adds is its vote.
    const { data: raw } = model.predictRaw(data, { rounds: t + 1 });
    const sums = Float64Array.from(raw, (value) => value * (before + alpha));
    const votes = sums.map((value, i) => value - last[i]);
    before += alpha;
    last = sums;
    let wrong = 0;
    let all = 0;
    for (let row = 0; row < ROWS; row++) {
      const own = [...votes.subarray(3 * row, 3 * row + 3)];
      const misses = own.indexOf(Math.max(...own)) !== codes[row];
      wrong += misses ? weight[row] : 0;
      all += weight[row];
      if (misses) weight[row] *= Math.exp(alpha);
    }
    // 9000 terms are added in another order.
    assertAlmostEquals(error, wrong / all, 1e-11, `round ${t + 1}`);
  });
});

/** Rows that only draw. */
function drawing(weight: Float64Array): BoostedRows {
  const { count } = blocksOf(weight.length);
  const none = new Float64Array(0);
  return {
    variant: "r2",
    loss: "linear",
    seed: 7,
    numClasses: 0,
    codes: new Int32Array(0),
    values: none,
    weight,
    numberOf: new Int32Array(weight.length),
    said: new Int32Array(0),
    told: none,
    errors: none,
    sums: HERE.floats(2 * count),
    given: HERE.floats(2),
    upTo: HERE.floats(weight.length),
    starts: HERE.floats(count + 1),
    drawn: HERE.ints(weight.length),
    fit: HERE.floats(weight.length),
  };
}

Deno.test("boostedTask() draws the rows that a search through all weights finds", () => {
  // Whole weights have exact sums, in whatever order; the second block weighs nothing.
  const weight = Float64Array.from(
    { length: ROWS },
    (_, row) => row >= 4096 && row < 8192 ? 0 : row * 7 % 5,
  );
  const rows = drawing(weight);
  const { run } = boostedTask(rows);
  const all = (step: number, arg = 0) => {
    // Blocks in any order.
    const items = [2, 0, 1, 3];
    run(step, () => items.shift()!, arg);
  };
  all(BoostStep.accumulate);
  for (let b = 0; b < 3; b++) rows.starts[b + 1] = rows.starts[b] + rows.sums[2 * b];
  const round = 4;
  all(BoostStep.draw, round);
  all(BoostStep.collect);
  const total = weight.reduce((sum, w) => sum + w, 0);
  const expected = new Float64Array(ROWS);
  const streams = [forkRng(7, round, 1), forkRng(7, round, 1, 1), forkRng(7, round, 1, 2)];
  [4096, 4096, ROWS - 8192].forEach((draws, block) => {
    for (let i = 0; i < draws; i++) {
      let left = streams[block]!.nextFloat() * total;
      let row = 0;
      while (left >= weight[row]) left -= weight[row++];
      expected[row]++;
    }
  });
  assertEquals(rows.fit, expected);
  assert(rows.drawn.every((count) => count === 0));
});
