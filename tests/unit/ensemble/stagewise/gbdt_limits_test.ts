/**
 * Leaves of gradient boosting whose best step is not a number, and starts of weighted rows.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainGbdt } from "../../../../src/algorithms/classic/gbdt.ts";
import { definePointwiseLoss } from "../../../../src/loss/custom.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

function numbers(y: readonly number[], weight?: readonly number[]): Dataset {
  return {
    numRows: y.length,
    features: [{ kind: "numeric", name: "x", values: Float64Array.from(y, (_, row) => row) }],
    target: { kind: "regression", name: "y", values: Float64Array.from(y) },
    ...(weight && { sampleWeight: Float64Array.from(weight) }),
  };
}

Deno.test("trainGbdt() takes one unit of the log link where a leaf has no events", async () => {
  for (const loss of ["poisson", "tweedie"]) {
    const params = { loss, rounds: 1, maxDepth: 1, learningRate: 0.5 };
    const raw = (await trainGbdt(numbers([0, 0, 1, 1]), params)).predictRaw([{ x: 0 }, { x: 3 }]);
    // Start ln ½; the best step of the right leaf is ln 2, for its mean is 1.
    assertAlmostEquals(raw.data[0], Math.log(0.5) - 0.5, 1e-14);
    assertAlmostEquals(raw.data[1], Math.log(0.5) + 0.5 * Math.log(2), 1e-14);
  }
});

Deno.test("trainGbdt() goes on where classes are told apart to the last bit", async () => {
  const classes = ["a", "b", "c"];
  const data = countedRows(classes, [[0, 0, 4], [1, 1, 4], [2, 2, 4]]);
  const model = await trainGbdt(data, { rounds: 120, learningRate: 1, maxDepth: 2 });
  assertEquals(model.numRounds, 120);
  const { data: p } = model.predictProba([{ x: 0 }, { x: 1 }, { x: 2 }]);
  assert([0, 4, 8].every((at) => p[at] === 1), `${p}`);
});

Deno.test("trainGbdt() starts Huber's loss at the weighted median", async () => {
  const data = numbers([0, 1, 2, 9], [1, 1, 1, 5]);
  assertEquals((await trainGbdt(data, { loss: "huber", rounds: 1 })).ensemble.baseScore[0], 9);
});

Deno.test("trainGbdt() tells the same fall of the loss of undrawn rows for a loss of a script", async () => {
  const y = Array.from({ length: 60 }, (_, row) => (row * row) % 17);
  const data = numbers(y, y.map((_, row) => row % 3));
  const params = { rounds: 6, subsample: 0.5, seed: 4 };
  const own = definePointwiseLoss({
    name: "half-squared",
    gradient: (label, raw) => raw - label,
    hessian: () => 1,
    value: (label, raw) => (raw - label) ** 2 / 2,
  });
  const [found, expected] = [
    (await trainGbdt(data, { ...params, loss: own })).info.oobImprovement as number[],
    (await trainGbdt(data, { ...params, loss: "squared" })).info.oobImprovement as number[],
  ];
  assertEquals(found.length, 6);
  found.forEach((fall, round) => assertAlmostEquals(fall, expected[round], 1e-9));
});
