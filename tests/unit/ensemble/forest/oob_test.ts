import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainBagging } from "../../../../src/algorithms/classic/bagging.ts";
import { outOfBag } from "../../../../src/algorithms/classic/forest.ts";
import { trainRandomForest } from "../../../../src/algorithms/classic/random_forest.ts";
import { selectRows } from "../../../../src/data/dataset/dataset.ts";
import { TrainingError } from "../../../../src/errors.ts";
import type { Model } from "../../../../src/model/model.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 90;
const TREES = 5;

/** Three classes over a number and a category, of which a fifth is missing. */
function holes(): Dataset {
  const rng = createRng(8);
  const x = Float64Array.from({ length: ROWS }, () => rng.nextFloat());
  const codes = Int32Array.from({ length: ROWS }, () => rng.nextInt(3));
  const classes = Int32Array.from({ length: ROWS }, (_, row) => {
    const score = x[row] + codes[row] / 3 + 0.3 * rng.nextFloat();
    return score < 0.6 ? 0 : score < 1.1 ? 1 : 2;
  });
  return {
    numRows: ROWS,
    features: [
      { kind: "numeric", name: "x", values: x.map((v) => rng.nextFloat() < 0.2 ? NaN : v) },
      {
        kind: "categorical",
        name: "c",
        codes: codes.map((code) => rng.nextFloat() < 0.2 ? -1 : code),
        categories: ["p", "q", "r"],
      },
    ],
    target: { kind: "classification", name: "y", codes: classes, classes: ["a", "b", "c"] },
  };
}

const INBAG = Array.from(
  { length: TREES },
  (_, t) => Array.from({ length: ROWS }, (_, row) => (row * 7 + t * 11) % 13 % 3),
);

for (const base of ["c45", "cart"] as const) {
  for (const aggregate of ["average", "vote"] as const) {
    Deno.test(`outOfBag() of ${aggregate} of bagged ${base} is what the trees without the row answer`, async () => {
      const data = holes();
      const params = { base, aggregate, inbag: INBAG, trees: TREES };
      const found = outOfBag(await trainBagging(data, params))!;
      // The same trees, each as a model of its own.
      const alone = await Promise.all(INBAG.map(async (counts) => {
        const model = await trainBagging(data, { ...params, trees: 1, inbag: [counts] });
        return model.predictProba(data).data;
      }));
      const { codes } = data.target as { readonly codes: Int32Array };
      let right = 0;
      let judged = 0;
      for (let row = 0; row < ROWS; row++) {
        const sum = [0, 0, 0];
        let count = 0;
        INBAG.forEach((counts, t) => {
          if (counts[row] > 0) return;
          for (let k = 0; k < 3; k++) sum[k] += alone[t][3 * row + k];
          count++;
        });
        assertEquals(found.treesOfRow[row], count);
        const shares = Array.from(found.predictions.data.subarray(3 * row, 3 * row + 3));
        if (count === 0) {
          assert(shares.every(Number.isNaN));
          continue;
        }
        // Shares of branches are multiplied in another order.
        shares.forEach((p, k) => assertAlmostEquals(p, sum[k] / count, 1e-14, `row ${row}`));
        judged++;
        if (shares.indexOf(Math.max(...shares)) === codes[row]) right++;
      }
      assertEquals(found.rowsWithout, ROWS - judged);
      assertAlmostEquals(found.metrics.accuracy, right / judged, 1e-14);
    });
  }
}

Deno.test("bagged C4.5 lets a missing value go to all branches out of the bag", async () => {
  // Tree 0 learns from rows 0–5: x ≤ 2 is a (two rows), x > 2 is b (four rows). Row 6 lacks x and
  // answers by share: a 1/3, b 2/3.
  const data: Dataset = {
    numRows: 7,
    features: [{
      kind: "numeric",
      name: "x",
      values: new Float64Array([1, 2, 5, 6, 7, 8, NaN]),
    }],
    target: {
      kind: "classification",
      name: "y",
      codes: new Int32Array([0, 0, 1, 1, 1, 1, 0]),
      classes: ["a", "b"],
    },
  };
  const inbag = [[1, 1, 1, 1, 1, 1, 0]];
  const model = await trainBagging(data, {
    base: "c45",
    trees: 1,
    inbag,
    importance: "permutation",
  });
  const { predictions } = outOfBag(model)!;
  assertAlmostEquals(predictions.data[12], 1 / 3, 1e-15);
  assertAlmostEquals(predictions.data[13], 2 / 3, 1e-15);
});

Deno.test("out-of-bag answers are the same on any number of threads, and those of the trees handed over", async () => {
  // Enough for threads to start.
  const data = selectRows(holes(), Int32Array.from({ length: 40 * ROWS }, (_, i) => i * 7 % ROWS));
  const params = { trees: 31 };
  const alone = outOfBag(await trainRandomForest(data, params, { threads: 1 }))!;
  for (const threads of [2, 3]) {
    assertEquals(outOfBag(await trainRandomForest(data, params, { threads })), alone);
  }
  const stop = new AbortController();
  const onRound = ({ round }: { readonly round: number }) => void (round === 24 && stop.abort());
  const { details } = await assertRejects(
    () => trainRandomForest(data, params, { threads: 2, signal: stop.signal, onRound }),
    TrainingError,
  );
  const shorter = await trainRandomForest(data, { trees: details.trees as number }, { threads: 1 });
  assertEquals(outOfBag(details.model as Model), outOfBag(shorter));
});
