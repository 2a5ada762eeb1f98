/**
 * Weights that the rounds of a DART run had after any of them. The draws of a run depend on its
 * seed, its parameters and the weights so far only, so they can be made again from what the model
 * stores; the weights that it holds prove that they are the same.
 *
 * @module
 */
import { chooseDropped, scaleWeights } from "../../ensemble/boosting/dart.ts";
import { STREAM } from "../../ensemble/boosting/round.ts";
import type { Model } from "../../model/model.ts";
import { resolveParams } from "../../params/resolve.ts";
import { forkRng } from "../../util/rng.ts";
import { dartOf, type ResolvedBoost } from "../boost/plan.ts";

/** Parameters of the run that a model is of, if rounds were dropped in it. */
export function dartParams({ info }: Model): ResolvedBoost | undefined {
  if (info.algorithm !== "boost" || info.params === undefined) return undefined;
  const params = resolveParams("boost", info.params);
  return params.dropRate > 0 || params.oneDrop ? params : undefined;
}

/**
 * Weight of each of the first rounds after the last of them; undefined where the model was changed
 * since it was trained.
 *
 * @param params Those of {@linkcode dartParams}.
 * @param counted Rounds that the model's own weights belong to.
 */
export function dartWeights(
  { info, ensemble }: Model,
  params: ResolvedBoost,
  rounds: number,
  counted: number,
): Float64Array | undefined {
  const dart = dartOf(params);
  const { treesPerRound, treeWeight } = ensemble;
  let found: Float64Array | undefined;
  let weights = new Float64Array(0);
  for (let round = 0; round <= Math.max(rounds, counted); round++) {
    if (round > 0) {
      const dropped = chooseDropped(weights, dart, forkRng(info.seed ?? 0, round, STREAM.drop));
      weights = Float64Array.from(scaleWeights(weights, dropped, dart, params.learningRate));
    }
    if (round === rounds) found = weights;
    if (round !== counted) continue;
    const same = weights.every((weight, r) =>
      treeWeight.subarray(r * treesPerRound, (r + 1) * treesPerRound).every((w) => w === weight)
    );
    if (!same) return undefined;
  }
  return found;
}
