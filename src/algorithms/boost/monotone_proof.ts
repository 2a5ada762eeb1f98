/**
 * What becomes of a boosted model whose trees do not keep the order that `monotone` asks for.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import type { BoostPlan } from "../../ensemble/plan.ts";
import {
  describeBreach,
  monotoneBreaches,
  proveMonotone,
} from "../../ensemble/boosting/prove_monotone.ts";
import type { TrainOptions } from "../../ensemble/types.ts";
import { isProbability } from "../../model/postprocess.ts";
import type { Model } from "../../model/model.ts";
import type { Ensemble, Json } from "../../model/types.ts";
import type { BoostParams } from "../../params/typed.ts";
import { monotoneOf } from "./named_columns.ts";

/** What is to be proved. */
export interface OrderPromise {
  /** Direction of each feature: 1, −1 or 0. */
  readonly monotone: ArrayLike<number>;
  readonly rules: NonNullable<BoostPlan["monotoneRules"]>;
}

/**
 * Proves the order of a finished model, or, where LightGBM's trees are wanted as they are, says which
 * of them break it.
 *
 * @returns What the model's story says of it: `monotoneBroken` with the numbers of the trees (from 1)
 *   and the first pair of leaves in words; empty where the order is kept.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` naming tree, leaves and feature, and what keeps the order.
 */
export function orderStory(
  ensemble: Ensemble,
  features: readonly InputFeature[],
  { monotone, rules }: OrderPromise,
  onWarning: TrainOptions["onWarning"],
): { readonly [key: string]: Json } {
  const { baseScore, postprocess } = ensemble;
  if (
    baseScore.length > 1 && isProbability(postprocess.name) &&
    Array.from(monotone).some((direction) => direction !== 0)
  ) {
    onWarning?.(
      `monotone orders the raw score of each of ${baseScore.length} classes: their probabilities ` +
        `depend on all scores and may go against it; one model a class (class or not) keeps it`,
    );
  }
  if (rules !== "lightgbm-unproved") {
    const expected = rules === "sound"
      ? ""
      : "; LightGBM's own trees break the order here: expected " +
        'monotoneRules "sound", whose trees keep it, or "lightgbm-unproved" for these trees as they are';
    proveMonotone(ensemble, monotone, features, expected);
    return {};
  }
  const found = monotoneBreaches(ensemble, monotone, features);
  if (found.length === 0) return {};
  const first = describeBreach(found[0], features);
  onWarning?.(
    `The model is not monotone: ${found.length} of ${ensemble.treeWeight.length} trees break the ` +
      `order, as LightGBM's do; ${first}`,
  );
  return { monotoneBroken: { trees: found.map(({ tree }) => tree + 1), first } };
}

/** How many trees of a model do not keep the order that it was trained to keep. */
export function numBroken({ info, schema, ensemble }: Model): number {
  const directions = monotoneOf(schema, info.params?.monotone as BoostParams["monotone"]);
  return directions ? monotoneBreaches(ensemble, directions, schema.features).length : 0;
}

/** The stories of a model's trees and of those that were added to `numTrees` of them. */
export function joinedOrder(
  before: Json | undefined,
  added: Json | undefined,
  numTrees: number,
): { readonly [key: string]: Json } {
  type Broken = { readonly trees: readonly number[]; readonly first: string };
  const [old, next] = [before, added] as (Broken | undefined)[];
  if (next === undefined) return {};
  const moved = next.trees.map((tree) => tree + numTrees);
  return {
    monotoneBroken: {
      trees: [...(old?.trees ?? []), ...moved],
      first: old?.first ?? next.first.replace(/^tree \d+/, `tree ${moved[0]}`),
    },
  };
}
