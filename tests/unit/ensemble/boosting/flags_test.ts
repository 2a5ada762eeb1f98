import { assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 3000;

/** Columns of two values, and such as seem to be at first. */
function makeData(): Dataset {
  const rng = createRng(9);
  const column = (of: (row: number) => number) =>
    Float64Array.from({ length: ROWS }, (_, i) => of(i));
  const flag = () => rng.nextInt(2);
  const values = {
    flag: column(flag),
    floats: Float32Array.from(column(() => 0.1 + 0.2 * flag())),
    rare: column((row) => row === 2999 ? -4 : 5),
    constant: column(() => 7),
    zeros: column(() => flag() - 0.5 < 0 ? -0 : 0),
    infinite: column(() => flag() === 0 ? -Infinity : 3),
    three: column((row) => row < 100 ? row & 1 : rng.nextInt(3)),
    missingLate: column((row) => row < 100 ? row & 1 : [0, 1, NaN][rng.nextInt(3)]),
    missingFirst: column((row) => row === 0 ? NaN : flag()),
    number: column(() => rng.nextFloat()),
  };
  const all = Object.values(values);
  const target = column((row) =>
    all.reduce((sum, one, f) => {
      const value = one[row];
      return sum + (Number.isFinite(value) ? (f + 1) * value : f) * (f % 3 === 0 ? 1 : -1);
    }, rng.nextFloat())
  );
  return {
    numRows: ROWS,
    features: Object.entries(values).map(([name, one]) => ({ kind: "numeric", name, values: one })),
    target: { kind: "regression", name: "y", values: target },
  };
}

// Columns of rows that have weights are binned by sorting.
Deno.test("columns of two values have the trees of sorted columns, on any threads", async () => {
  const data = makeData();
  const plan = { loss: squaredLoss(), rounds: 8, learningRate: 0.5, seed: 1 };
  const train = async (from: Dataset, threads: number, kernels: "wasm" | "twin" = "wasm") => {
    const { ensemble: { trees }, missingLearnt } = await boost(from, plan, { threads, kernels });
    return [trees.feature, trees.threshold, trees.missing, trees.leaf, missingLearnt];
  };
  const sorted = await train({ ...data, sampleWeight: new Float64Array(ROWS).fill(1) }, 1);
  const features = new Set(sorted[0] as Int32Array);
  assertEquals([0, 1, 2, 5, 6, 7, 8, 9].filter((f) => !features.has(f)), []);
  for (const threads of [1, 2, 3]) assertEquals(await train(data, threads), sorted);
  assertEquals(await train(data, 2, "twin"), sorted);
});
