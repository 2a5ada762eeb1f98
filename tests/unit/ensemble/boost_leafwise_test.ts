import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { createDataset } from "../../../src/data/dataset.ts";
import { ParameterError } from "../../../src/errors.ts";
import { createRng } from "../../../src/util/rng.ts";

/** A wave with noise, a useless column and some missing values. */
function wave(numRows: number) {
  const rng = createRng(7);
  const x = Float64Array.from({ length: numRows }, () => rng.nextFloat() * 6);
  const z = Float64Array.from(
    { length: numRows },
    () => rng.nextFloat() < 0.1 ? NaN : rng.nextFloat(),
  );
  const y = x.map((value) => Math.round(10 * Math.abs(value - 3)) / 10);
  return createDataset([
    { kind: "numeric", name: "x", values: x },
    { kind: "numeric", name: "z", values: z },
  ], { kind: "regression", name: "y", values: y });
}

const given = { preset: "lightgbm@4", rounds: 20 };

Deno.test("preset lightgbm@4 takes LightGBM's method, and histograms where that does not do it", async () => {
  const data = wave(500);
  const trees = async (params: object) =>
    (await trainBoost(data, { ...given, ...params })).ensemble;
  const plain = await trees({});
  assertEquals(plain, await trees({ treeMethod: "lightgbm" }));
  const drawn = { subsample: 0.5, seed: 3 };
  assertEquals(await trees(drawn), await trees({ ...drawn, treeMethod: "hist" }));
});

Deno.test("treeMethod lightgbm refuses by name what it would ignore", async () => {
  for (
    const [params, what] of [
      [{ subsample: 0.5 }, "subsample"],
      [{ sampling: "goss" }, "goss"],
      [{ featuresPerTree: 0.5 }, "featuresPerTree"],
      [{ dropRate: 0.1 }, "dropRate"],
      [{ growth: "depth" }, "depth"],
      [{ monotone: { x: 1 }, loss: "absolute" }, "monotone"],
      [{ interactions: [["x"], ["z"]] }, "interactions"],
      [{ parallelTrees: 2 }, "parallelTrees"],
      [{ postPrune: true }, "postPrune"],
    ] as const
  ) {
    await assertRejects(
      () => trainBoost(wave(100), { ...given, treeMethod: "lightgbm", ...params }),
      ParameterError,
      what,
    );
  }
});

Deno.test("treeMethod lightgbm stops early at the best prefix and ends without a split", async () => {
  const data = wave(300);
  const model = await trainBoost(data, { ...given, rounds: 200, earlyStoppingRounds: 5 }, {
    valid: wave(200),
  });
  assertEquals(model.numRounds, model.info.best?.round);
  // One leaf needs 300 rows: the start is the whole model, said in one round.
  const constant = await trainBoost(data, { ...given, minRowsPerLeaf: 300 });
  assertEquals([constant.numRounds, constant.numTrees], [1, 1]);
  const { values } = data.target as { values: Float64Array };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  assert(Math.abs(constant.predictValue({ x: 1, z: 1 })[0] - mean) < 1e-6); // float32 labels
});
