import { assert, assertEquals, assertMatch } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { warnOfSteepLeaves } from "../../../../src/algorithms/boost/steep_leaves.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Two classes over two columns of six levels; and the rows moved by so many levels. */
function levelled(seed: number): (shift: number) => Dataset {
  const rng = createRng(seed);
  const numRows = 120 + rng.nextInt(150);
  const levels = () => Float64Array.from({ length: numRows }, () => rng.nextInt(6));
  const [a, b] = [levels(), levels()];
  const codes = Int32Array.from(a, (x, i) => 2 * x + b[i] + 2 * rng.nextFloat() > 8.5 ? 1 : 0);
  return (shift) =>
    createDataset([
      { kind: "numeric", name: "a", values: a.map((x) => 100 * (x + shift)) },
      { kind: "numeric", name: "b", values: b.map((x) => 512.3 + x - shift) },
    ], { kind: "classification", name: "y", codes, classes: ["no", "yes"] });
}

/** Trains on levels; how much larger scores get between them, and what training told. */
async function betweenLevels(
  seed: number,
  preset: string,
): Promise<{ readonly times: number; readonly steep: readonly string[] }> {
  const table = levelled(seed);
  const params = { preset, linearTree: true, rounds: 20, learningRate: 0.1, minRowsPerLeaf: 5 };
  const told: string[] = [];
  const onWarning = (message: string) => told.push(message);
  const model = await trainBoost(table(0), params, { onWarning });
  const most = (shift: number) =>
    model.predictRaw(table(shift)).data.reduce((m, raw) => Math.max(m, Math.abs(raw)), 0);
  const steep = told.filter((message) => message.startsWith("A linear leaf changes by"));
  return { times: most(0.15) / most(0), steep };
}

// Where a column is the same in all rows of a leaf, sums over rows of all weights have an inverse of
// rounding errors only: raw scores of dozens and more between the levels that the training rows had.
Deno.test("linear leaves on histograms score between the levels of their columns", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const { times, steep } = await betweenLevels(seed, "treeline-lean@1");
    assert(times < 2, `${seed}: ${times} times larger than at the levels`);
    assertEquals(steep, []);
  }
});

Deno.test("linear leaves by LightGBM's method tell terms that make scores between levels explode", async () => {
  let told = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const { times, steep } = await betweenLevels(seed, "lightgbm@4");
    // A term of thirty spreads changes by some five over the 0.15 of five levels.
    if (times > 30) assertEquals(steep.length, 1, `${seed}: ${times} times larger`);
    for (const message of steep) assertMatch(message, /column "[ab]".*linearLambda above 0/);
    told += steep.length;
  }
  assert(told > 0);
});

Deno.test("rows of weight 0 have no say in whether linear leaves are steep", async () => {
  const data = levelled(1)(0);
  const params = { preset: "lightgbm@4", linearTree: true, rounds: 20, minRowsPerLeaf: 5 };
  const model = await trainBoost(data, params);
  const toldOf = (far: number) => {
    const sampleWeight = Float64Array.from({ length: data.numRows }, (_, row) => row === 0 ? 0 : 1);
    const features = data.features.map((column) => {
      assert(column.kind === "numeric");
      return { ...column, values: Float64Array.from(column.values).fill(far, 0, 1) };
    });
    const told: string[] = [];
    warnOfSteepLeaves(model, { ...data, features, sampleWeight }, (text) => told.push(text));
    return told;
  };
  assertEquals(toldOf(NaN).length, 1);
  assertEquals(toldOf(1e12), toldOf(NaN));
});
