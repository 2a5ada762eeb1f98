import { assert, assertEquals } from "@std/assert";
import { trainLogitBoost } from "../../../../src/algorithms/classic/logitboost.ts";
import { selectRows } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";

/** Class and side of 10 agree but in the last rows, which weigh nothing. */
const ROWS = 44;
const X = Float64Array.from({ length: ROWS }, (_, i) => i % 20);
const DATA: Dataset = {
  numRows: ROWS,
  features: [{ kind: "numeric", name: "x", values: X }],
  target: {
    kind: "classification",
    name: "y",
    classes: ["a", "b"],
    codes: Int32Array.from(X, (x, i) => i < 40 === x < 10 ? 0 : 1),
  },
  sampleWeight: Float64Array.from(X, (_, i) => i < 40 ? 1 : 0),
};

Deno.test("logitboost stops where the rows that count are separated, whatever the others are", async () => {
  const losses: number[] = [];
  const params = { rounds: 600, learningRate: 1 };
  const model = await trainLogitBoost(DATA, params, {
    onRound: ({ metrics }) => losses.push(metrics.train.logLoss),
  });
  const without = selectRows(DATA, Int32Array.from({ length: 40 }, (_, row) => row));
  const alone = await trainLogitBoost(without, params);
  assertEquals(model.numRounds, alone.numRounds);
  assert(model.numRounds < 600 && losses.every((loss) => Number.isFinite(loss)));
  assertEquals(model.predictRaw({ x: 3 }), alone.predictRaw({ x: 3 }));
});
