/**
 * Memory of the kernels that grow trees level by level (`grow/histogram/level_grower.ts`).
 *
 * @module
 */
import { tableBytes } from "../../grow/histogram/alone.ts";
import { isPlain } from "../../grow/histogram/split/score.ts";
import type { GrowingLayout, HistLayout } from "../../grow/histogram/workspace/layout.ts";
import {
  GROW_FEATURE_BYTES,
  GROW_PLAN_BYTES,
  growBytes,
  GrowFeature,
} from "../../kernels/items/grow.ts";
import type { Arena } from "../../kernels/memory.ts";
import { LEVEL_ENTRY_BYTES } from "../../kernels/types.ts";
import type { BoostPlan } from "../plan.ts";

/** A level is evaluated at once: `maxItems` has room for 128 pairs. */
const MOST_LEVELS = 9;

/** Whether the kernels know all that a plan's trees depend on. */
export function isGrownByLevels(plan: BoostPlan): boolean {
  const { growth = "depth", maxDepth = 6, featuresPerTree = 1 } = plan;
  const { featuresPerLevel = 1, featuresPerNode = 1 } = plan;
  return growth === "depth" && maxDepth > 0 && maxDepth <= MOST_LEVELS &&
    featuresPerTree === 1 && featuresPerLevel === 1 && featuresPerNode === 1 &&
    plan.featureWeights === undefined && plan.interactions === undefined;
}

/** Bytes that {@linkcode layOutGrowing} takes at most, but for those of features. */
export function growingBytes(plan: BoostPlan, maxLeaves: number, mostBins: number): number {
  if (!isGrownByLevels(plan)) return 0;
  return GROW_PLAN_BYTES + growBytes(2 * maxLeaves) + tableBytes(maxLeaves, mostBins);
}

/** Lays out nodes, tables and what is known of features; `undefined` where scores need more than sums. */
export function layOutGrowing(
  arena: Arena,
  layout: HistLayout,
  maxLeaves: number,
): GrowingLayout | undefined {
  const { bins: { places, features8 }, levels, params, sets: [{ rows }] } = layout;
  if (!isPlain(params) || levels.others || places.length === 0) return undefined;
  const features = arena.alloc(GROW_FEATURE_BYTES * places.length);
  const { u32 } = arena.memory; // after it may have grown
  places.forEach(({ wide, numBins, categorical, position }, feature) => {
    let entry = 0;
    if (categorical) {
      entry = levels.at + LEVEL_ENTRY_BYTES * levels.first[position];
      while (u32[(entry >>> 2) + 2] !== feature) entry += LEVEL_ENTRY_BYTES;
    }
    const at = (features + GROW_FEATURE_BYTES * feature) >>> 2;
    u32[at + GrowFeature.column] = rows.columns[feature];
    u32[at + GrowFeature.numBins] = numBins;
    u32[at + GrowFeature.wide] = wide ? 1 : 0;
    u32[at + GrowFeature.categorical] = categorical ? 1 : 0;
    u32[at + GrowFeature.levels] = entry;
  });
  const levelFirst = arena.alloc(4 * (features8 + 1));
  arena.memory.u32.set(levels.first, levelFirst >>> 2);
  const capacity = 2 * maxLeaves - 1;
  const mostBins = places.reduce((most, { numBins }) => Math.max(most, numBins), 0);
  const tables = tableBytes(maxLeaves, mostBins);
  return {
    ...placeOf(arena, capacity, tables),
    capacity,
    tableBytes: tables,
    features,
    levelFirst,
  };
}

/** The same for a thread that grows trees by itself. */
export function layOutOwnGrowing(arena: Arena, growing: GrowingLayout): GrowingLayout {
  return { ...growing, ...placeOf(arena, growing.capacity, growing.tableBytes) };
}

function placeOf(
  arena: Arena,
  capacity: number,
  tables: number,
): Pick<GrowingLayout, "plan" | "nodes" | "tables"> {
  return {
    plan: arena.alloc(GROW_PLAN_BYTES),
    nodes: arena.alloc(growBytes(capacity)),
    tables: arena.alloc(tables),
  };
}
