import { assertAlmostEquals } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import type { Dataset } from "../../../../src/data/types.ts";

function table(x: readonly number[], y: readonly number[]): Dataset {
  return {
    numRows: x.length,
    features: [{ kind: "numeric", name: "x", values: Float64Array.from(x) }],
    target: { kind: "regression", name: "y", values: Float64Array.from(y) },
  };
}

/** One split, whose leaves are the means of their rows; the score of a row without a value. */
async function scoreOfMissing(data: Dataset): Promise<number> {
  const params = { rounds: 1, committee: 1, learningRate: 1, lambda: 0, minChildWeight: 0 };
  const model = await train(data, { ...params, maxDepth: 1 });
  return Number(model.predictRaw({ ...table([NaN], [0]) }).data[0]);
}

const LOW = [1, 1];
const HIGH = [5, 5, 5, 5, 5, 5];

/** Leaves are float32: a score of 10 is off by less than 1e-6. */
async function assertScore(data: Dataset, expected: number) {
  assertAlmostEquals(await scoreOfMissing(data), expected, 1e-6);
}

Deno.test("missing values go to the side that they resemble, the lighter one too", async () => {
  const data = table([...LOW, NaN, ...HIGH], [0, 0, 0, 10, 10, 10, 10, 10, 10]);
  await assertScore(data, 0);
  const other = table([...HIGH.map(() => 1), NaN, 5, 5], [10, 10, 10, 10, 10, 10, 0, 0, 0]);
  await assertScore(other, 0);
});

Deno.test("where training has no missing values, they go to the heavier side", async () => {
  await assertScore(table([...LOW, ...HIGH], [0, 0, ...HIGH.map(() => 10)]), 10);
  const other = table([...HIGH.map(() => 1), 5, 5], [...HIGH.map(() => 10), 0, 0]);
  await assertScore(other, 10);
});
