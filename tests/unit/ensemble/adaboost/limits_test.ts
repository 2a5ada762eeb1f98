/**
 * Where AdaBoost ends: trees that are perfect, or no better than chance.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainAdaBoost } from "../../../../src/algorithms/classic/adaboost.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { TrainingError } from "../../../../src/errors.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

const CLASSES = ["a", "b", "c", "d"];

function numbers(x: readonly number[], y: readonly number[], weight?: readonly number[]): Dataset {
  return {
    numRows: x.length,
    features: [{ kind: "numeric", name: "x", values: Float64Array.from(x) }],
    target: { kind: "regression", name: "y", values: Float64Array.from(y) },
    ...(weight && { sampleWeight: Float64Array.from(weight) }),
  };
}

Deno.test("SAMME refuses a first tree of K classes that errs on 1 − 1/K, and takes one that errs on half", async () => {
  const same = countedRows(CLASSES, [[0, 0, 1], [0, 1, 1], [0, 2, 1], [0, 3, 1]]);
  const error = await assertRejects(() => trainAdaBoost(same, { rounds: 3 }), TrainingError);
  assertEquals([error.code, error.details.error], ["E_TRAIN_NUMERIC", 0.75]);
  const pairs = countedRows(CLASSES, [[0, 0, 1], [0, 1, 1], [1, 2, 1], [1, 3, 1]]);
  const [first] = (await trainAdaBoost(pairs, { rounds: 1 })).info.rounds as unknown as {
    readonly error: number;
    readonly weight: number;
  }[];
  assertEquals(first.error, 0.5);
  assertAlmostEquals(first.weight, Math.log(3), 1e-15); // ln(½/½) + ln(K − 1)
});

for (const [what, weights] of [["", []], [", whatever rows of weight 0 say", [0]]] as const) {
  Deno.test(`R2 ends at an average loss of a half, with a single tree of weight 0${what}`, async () => {
    // The mean 1 is off by 1, 0, 0 and 1, of which 1 is the most: a loss of ½.
    const y = [0, 1, 1, 2, ...weights.map(() => 1000)];
    const data = numbers(y.map(() => 0), y, [1, 1, 1, 1, ...weights]);
    const model = await trainAdaBoost(data, { rounds: 5, resample: false });
    assertEquals(model.info.rounds, [{ error: 0.5, weight: 0 }]);
    assertEquals([...model.predictValue({ x: 0 })], [1]);
  });
}

Deno.test("R2 ends at a tree without errors", async () => {
  const model = await trainAdaBoost(numbers([0, 0, 1, 1], [3, 3, 5, 5]), {
    rounds: 5,
    resample: false,
  });
  assertEquals(model.info.rounds, [{ error: 0, weight: 1 }]);
  assertEquals([...model.predictValue([{ x: 0 }, { x: 1 }])], [3, 5]);
});

Deno.test("R2 with resample draws rows by their weight", async () => {
  for (const count of [800, 60_000]) {
    // Half are 0 and weigh 3, half are 1 and weigh 1: a quarter of the draws are 1.
    const y = Array.from({ length: count }, (_, row) => row < count / 2 ? 0 : 1);
    const data = numbers(y.map(() => 0), y, y.map((label) => label === 0 ? 3 : 1));
    const model = await trainAdaBoost(data, { rounds: 1, resample: true });
    const [mean] = model.predictValue({ x: 0 });
    assert(Math.abs(mean - 0.25) < 5 * Math.sqrt(0.1875 / count), `${mean}`);
  }
});
