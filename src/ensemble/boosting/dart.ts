/**
 * DART: some earlier rounds are left out while a new one is fitted, then all are scaled so that the
 * sum keeps its size. Rashmi & Gilad-Bachrach, AISTATS 2015; scaling as in XGBoost (`tree`,
 * `forest`) or LightGBM.
 *
 * The weights after every round are kept, since later rounds change them: the best prefix of a run
 * is its first trees with the weights they had then.
 *
 * @module
 */
import { type Rng, shuffle } from "../../util/rng.ts";
import type { DartPlan } from "../plan.ts";

/**
 * Chooses the rounds to drop, in ascending order.
 *
 * @param weights Weight of each round so far.
 */
export function chooseDropped(weights: ArrayLike<number>, plan: DartPlan, rng: Rng): number[] {
  const count = weights.length;
  if (count === 0 || rng.nextFloat() < plan.skipDrop) return [];
  let total = 0;
  for (let i = 0; i < count; i++) total += weights[i];
  const share = (i: number) =>
    plan.dropBy === "weighted" && total > 0 ? (weights[i] * count) / total : 1;
  let dropped: number[] = [];
  for (let i = 0; i < count; i++) {
    if (rng.nextFloat() < plan.dropRate * share(i)) dropped.push(i);
  }
  if (dropped.length === 0 && plan.oneDrop) {
    // As XGBoost does: where rounds are dropped by weight, the one is drawn by weight too.
    const byWeight = plan.dropBy === "weighted" && total > 0;
    dropped.push(byWeight ? drawByWeight(weights, total, rng) : rng.nextInt(count));
  }
  if (plan.maxDrop > 0 && dropped.length > plan.maxDrop) {
    dropped = shuffle(dropped, rng).slice(0, plan.maxDrop);
  }
  return dropped.sort((a, b) => a - b);
}

/** A round whose chance is its weight over their sum, `total`. */
function drawByWeight(weights: ArrayLike<number>, total: number, rng: Rng): number {
  let left = rng.nextFloat() * total;
  let round = 0;
  while (round < weights.length - 1 && left >= weights[round]) left -= weights[round++];
  return round;
}

/**
 * Weights after a round: those of the dropped rounds are scaled, the new round's is added.
 *
 * @param learningRate Already in the leaves of every tree.
 */
export function scaleWeights(
  weights: ArrayLike<number>,
  dropped: readonly number[],
  plan: DartPlan,
  learningRate: number,
): Float64Array {
  const next = new Float64Array(weights.length + 1);
  next.set(Float64Array.from(weights));
  const k = dropped.length;
  const [fresh, old] = k === 0
    ? [1, 1]
    : plan.dropScale === "tree"
    ? [1 / (k + learningRate), k / (k + learningRate)]
    : plan.dropScale === "forest"
    ? [1 / (1 + learningRate), 1 / (1 + learningRate)]
    : [1 / (k + 1), k / (k + 1)];
  for (const round of dropped) next[round] *= old;
  next[weights.length] = fresh;
  return next;
}
