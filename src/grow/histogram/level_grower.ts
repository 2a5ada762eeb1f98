/**
 * Grows a tree level by level by kernels: they choose which nodes are split and write the items of the
 * operations in between. Only trees whose growth needs nothing else: depth-wise, of few levels, all
 * features allowed everywhere, scores of sums alone; `grower.ts` grows any tree, and these ones alike.
 *
 * @module
 */
import { EvaluateArgs } from "../../kernels/items/evaluate.ts";
import {
  GROW_WORDS,
  GrowField,
  GrowNumber,
  NodeList,
  NodeNumber,
  numbersAt,
  wordsAt,
} from "../../kernels/items/grow.ts";
import type { GrowResult } from "./grower.ts";
import type { GrowTask } from "./tree/grow_task.ts";
import { createNodes, type TreeNodes } from "./tree/nodes.ts";
import type { HistContext } from "./workspace/context.ts";
import type { HistLayout } from "./workspace/layout.ts";
import { Op } from "./workspace/op.ts";
import type { Team } from "./workspace/team.ts";

/** Whether the kernels can grow a tree: each node of a level may have a histogram. */
export function growsByLevels({ layout }: HistContext, { limits, pool }: GrowTask): boolean {
  return layout.growing !== undefined && pool.numPlaces > 2 ** (limits.maxDepth - 1);
}

/** Grows a tree as `growHistTree` does. */
export function growLevels(team: Team, task: GrowTask): GrowResult {
  const { context } = team;
  const { kernels, memory, layout } = context;
  // Those of splits stand elsewhere; what was put here after the last tree is not needed any more.
  task.tables.clear();
  const plan = writePlan(context, task);
  const striped = (layout.args >>> 3) + EvaluateArgs.numStriped;
  let numGroups = kernels.plantRoot!(plan);
  while (numGroups >= 0) {
    if (numGroups > 0) {
      if (memory.f64[striped] > 0) team.run(Op.fillStripes);
      team.run(Op.evaluate);
    }
    if (kernels.splitLevel!(plan) > 0) team.run(Op.partition);
    numGroups = kernels.queueLevel!(plan);
  }
  return readTree(context, plan);
}

/** Writes what the kernels are told; returns where. */
function writePlan(
  { memory: { u8, u32, f64 }, layout, growPlan }: HistContext,
  { output, wide, unitG, unitH, packed, leafOf, root, limits, pool }: GrowTask,
): number {
  const { plan } = layout.growing!;
  u8.set(growPlan!, plan);
  const numbers = plan >>> 3;
  f64[numbers + GrowNumber.unitG] = unitG;
  f64[numbers + GrowNumber.unitH] = unitH;
  f64[numbers + GrowNumber.minGain] = limits.minGain;
  f64[numbers + GrowNumber.gradient] = root.gradient;
  f64[numbers + GrowNumber.hessian] = root.hessian;
  const words = (plan + GROW_WORDS) >>> 2;
  u32[words + GrowField.pool] = pool.at;
  u32[words + GrowField.placeBytes] = pool.placeBytes;
  u32[words + GrowField.maxDepth] = limits.maxDepth;
  u32[words + GrowField.maxLeaves] = limits.maxLeaves;
  u32[words + GrowField.wide] = wide ? 1 : 0;
  u32[words + GrowField.output] = output;
  u32[words + GrowField.packed] = packed;
  u32[words + GrowField.leafOf] = leafOf;
  u32[words + GrowField.rows] = root.count;
  u32[words + GrowField.root] = root.place === undefined ? 0 : 1 + root.place;
  return plan;
}

/** The tree that the kernels have grown. */
function readTree(
  { memory: { u8, i32, f64, u32 }, layout }: HistContext,
  plan: number,
): GrowResult {
  const { nodes: at, capacity } = layout.growing!;
  const count = i32[((plan + GROW_WORDS) >>> 2) + GrowField.numNodes];
  const nodes = createNodes(count);
  const words = (list: number) => wordsAt(at, capacity, list) >>> 2;
  const gain = numbersAt(at, capacity, NodeNumber.gain) >>> 3;
  nodes.count = count;
  nodes.gain.set(f64.subarray(gain, gain + count));
  nodes.lower.fill(-Infinity);
  nodes.upper.fill(Infinity);
  for (
    const field of ["feature", "bin", "left", "parent", "leaf", "rows", "missingLeft"] as const
  ) {
    const from = words(NodeList[field]);
    nodes[field].set(i32.subarray(from, from + count));
  }
  const tableOf = u32.slice(words(NodeList.table), words(NodeList.table) + count);
  if (layout.bins.places.some(({ categorical }) => categorical)) {
    readLevels(u8, layout, nodes, tableOf);
  }
  const numLeaves = i32[((plan + GROW_WORDS) >>> 2) + GrowField.numLeaves];
  return { tree: { nodes, numLeaves }, tableOf };
}

/** Levels that go left, of nodes that are split on a category. */
function readLevels(
  u8: Uint8Array,
  { bins: { places } }: HistLayout,
  { count, feature, levels }: TreeNodes,
  tableOf: Uint32Array,
): void {
  for (let node = 0; node < count; node++) {
    if (feature[node] < 0) continue;
    const { categorical, numBins } = places[feature[node]];
    if (categorical) levels.set(node, u8.slice(tableOf[node], tableOf[node] + numBins));
  }
}
