import { assert, assertEquals } from "@std/assert";
import { labelsOf } from "../../../../src/data/dataset/target.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { openEngine } from "../../../../src/ensemble/engine/engine.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Bytes of the block of memory that a run on ten numbers a row works in. */
async function bytesOf(numRows: number, maxDepth: number): Promise<number> {
  const rng = createRng(1);
  const column = () => Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const data: Dataset = {
    numRows,
    features: Array.from({ length: 10 }, (_, f) => ({
      kind: "numeric",
      name: `x${f}`,
      values: column(),
    })),
    target: { kind: "regression", name: "y", values: column() },
  };
  const plan: BoostPlan = {
    loss: squaredLoss(),
    rounds: 1,
    learningRate: 0.1,
    seed: 0,
    maxDepth,
    minRowsPerLeaf: 1,
    minChildWeight: 0,
  };
  const engine = await openEngine(data, labelsOf(data), [], plan, { threads: 1 });
  const { length } = engine.team.context.memory.u8;
  engine.close();
  return length;
}

Deno.test("depth does not cost memory once there are as many leaves as rows", async () => {
  const deep = await bytesOf(30_000, 30);
  assertEquals(deep, await bytesOf(30_000, 15));
  // 24 MiB for histograms; a row: 10 bins, 7 numbers of 8 bytes, and as a leaf 8 for each of its 15
  // blocks, 96 for two splits, 40 for its sums, place and value. Twice that is room enough.
  const perRow = 10 + 7 * 8 + 15 * 8 + 96 + 40;
  assert(deep < 24 * 2 ** 20 + 2 * 30_000 * perRow, `${deep} bytes`);
});

Deno.test("a deep tree's memory grows no faster than the rows", async () => {
  const [one, two] = [await bytesOf(15_000, 30), await bytesOf(30_000, 30)];
  assert(two < 2 * one, `${one}, then ${two} bytes`);
});
