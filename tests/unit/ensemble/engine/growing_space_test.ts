import { assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { runRound } from "../../../../src/ensemble/boosting/round.ts";
import { openEngine } from "../../../../src/ensemble/engine/engine.ts";
import { layOutGrowing } from "../../../../src/ensemble/engine/growing_space.ts";
import { labelsOf } from "../../../../src/data/dataset/target.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import type { GrowTask } from "../../../../src/grow/histogram/tree/grow_task.ts";
import { growsByLevels } from "../../../../src/grow/histogram/level_grower.ts";
import { GROW_FEATURE_BYTES } from "../../../../src/kernels/items/grow.ts";
import { createArena } from "../../../../src/kernels/memory.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";

const FEW: Dataset = {
  numRows: 3,
  features: [{ kind: "numeric", name: "x", values: Float64Array.of(1, 2, 3) }],
  target: { kind: "regression", name: "y", values: Float64Array.of(1, 2, 4) },
};

const MANY: Dataset = {
  ...FEW,
  features: [{
    kind: "categorical",
    name: "k",
    codes: Int32Array.of(0, 1, 2),
    categories: Array.from({ length: 400 }, (_, level) => `${level}`),
  }],
};

/** Whether the kernels grow a plan's trees. */
async function isByLevels(
  other: Partial<BoostPlan>,
  { data = FEW, kernels = "wasm" as "wasm" | "twin" } = {},
): Promise<boolean> {
  const plan = { loss: squaredLoss(), rounds: 1, learningRate: 1, seed: 0, ...other };
  const engine = await openEngine(data, labelsOf(data), [], plan, { threads: 1, kernels });
  engine.close();
  return engine.team.context.layout.growing !== undefined;
}

Deno.test("kernels grow trees by levels, where these need no more than they know", async () => {
  const plain: readonly Partial<BoostPlan>[] = [
    {},
    { maxDepth: 9 },
    { maxLeaves: 5, gamma: 1, alpha: 1, minRowsPerLeaf: 2, subsample: 0.5 },
  ];
  for (const other of plain) assertEquals(await isByLevels(other), true);
  const others: readonly Partial<BoostPlan>[] = [
    { growth: "leaf" },
    { maxDepth: 10 },
    { maxDepth: 0 },
    { featuresPerTree: 0.5 },
    { featuresPerLevel: 0.5 },
    { featuresPerNode: 0.5 },
    { featureWeights: [1] },
    { interactions: [[0]] },
    { monotone: [1] },
    { maxDeltaStep: 1 },
    { pathSmooth: 1 },
  ];
  for (const other of others) assertEquals(await isByLevels(other), false);
  assertEquals(await isByLevels({}, { data: MANY }), false);
  assertEquals(await isByLevels({}, { kernels: "twin" }), false);
});

Deno.test("trees grow by levels only where all nodes of the last have room for histograms", async () => {
  const plan = { loss: squaredLoss(), rounds: 1, learningRate: 1, seed: 0 };
  const engine = await openEngine(FEW, labelsOf(FEW), [], plan, { threads: 1 });
  engine.close();
  const isRoom = (maxDepth: number, numPlaces: number) =>
    growsByLevels(engine.team.context, { limits: { maxDepth }, pool: { numPlaces } } as GrowTask);
  // Before the fourth level of splits there are eight nodes.
  assertEquals([isRoom(4, 7), isRoom(4, 9), isRoom(5, 9), isRoom(1, 4)], [
    false,
    true,
    false,
    true,
  ]);
});

Deno.test("what is known of features is kept where the memory grows for it", async () => {
  const plan = { loss: squaredLoss(), rounds: 1, learningRate: 1, seed: 0 };
  const engine = await openEngine(FEW, labelsOf(FEW), [], plan, { threads: 1 });
  engine.close();
  const { layout, memory } = engine.team.context;
  const byteLength = memory.u8.length;
  const moved = layOutGrowing(createArena(memory, byteLength - 64), layout, 8)!;
  assertEquals(memory.u8.length > byteLength, true);
  const featuresAt = (at: number) => [...memory.u8.subarray(at, at + GROW_FEATURE_BYTES)];
  assertEquals(featuresAt(moved.features), featuresAt(layout.growing!.features));
});

Deno.test("what was put beside the last tree makes place for the next one's", async () => {
  const plan = { loss: squaredLoss(), rounds: 1, learningRate: 1, seed: 0, maxDepth: 1 };
  const labels = labelsOf(FEW);
  const engine = await openEngine(FEW, labels, [], plan, { threads: 1 });
  const { growing } = engine.team.context.layout;
  const at = engine.tables.put(new Uint8Array(100));
  runRound(engine, plan, labels, 1);
  engine.close();
  assertEquals([growing !== undefined, engine.tables.put(new Uint8Array(1))], [true, at]);
});
