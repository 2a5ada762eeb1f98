/**
 * What the leaves of each round of a finished model were made with: parameters may have changed where
 * rounds were added to it, and late rounds may have taken larger steps.
 *
 * @module
 */
import { learningRateOf } from "../../ensemble/boosting/round.ts";
import { LOSS_PARAMS } from "../../loss/recipe.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../model/types.ts";
import { canonicalParams } from "../../params/resolve.ts";
import type { ParamInput } from "../../params/types.ts";
import { usualGrowth } from "../boost/committee.ts";
import { resolveBoost, type ResolvedBoost } from "../boost/plan.ts";
import { mergedParams } from "./model_params.ts";

/** Parameters that shape the values of leaves; the seed, which draws for a loss, has a place of its own. */
const LEAF_PARAMS = [
  "preset",
  "learningRate",
  "learningRateGrowth",
  "lambda",
  "alpha",
  "maxDeltaStep",
  "pathSmooth",
  "monotone",
  "linearTree",
  ...LOSS_PARAMS.filter((name) => name !== "maxDeltaStep" && name !== "seed"),
] as const;

/** Those of them that a continuation was given, as its story has them; nothing where there are none. */
export function leafParams(params: ParamInput): { readonly params?: Json } {
  const given = canonicalParams("boost", params);
  const own = LEAF_PARAMS.filter((name) => given.has(name))
    .map((name) => [name, JSON.parse(JSON.stringify(given.get(name))) as Json]);
  return own.length === 0 ? {} : { params: Object.fromEntries(own) as Json };
}

/** Some rounds that were made with the same parameters. */
export interface LeafSteps {
  /** Last of these rounds, from 1. */
  readonly last: number;
  readonly params: ResolvedBoost;
  /** What they made the loss from. */
  readonly given: unknown;
  /** Learning rate of a round of theirs. */
  readonly rate: (round: number) => number;
}

interface Continued {
  readonly rounds: number;
  readonly numRows: number;
  readonly seed?: number;
  readonly params?: ParamInput;
}

/** The rounds of a model in their order, by what they were made with. */
export function leafStepsOf(model: Model, numOutputs: number): LeafSteps[] {
  const { info, numRounds } = model;
  const later = (info.continued ?? []) as unknown as readonly Continued[];
  const added = later.reduce((sum, { rounds }) => sum + rounds, 0);
  const first = { rounds: Math.max(0, numRounds - added), numRows: info.numRows ?? 0 };
  const runs: Continued[] = [first, ...later];
  let last = 0;
  return runs.map(({ rounds, numRows, seed, params = {} }, i) => {
    last = i + 1 < runs.length ? last + rounds : Infinity;
    const merged = mergedParams(model, seed === undefined ? params : { ...params, seed });
    const resolved = resolveBoost(merged);
    const given = canonicalParams("boost", merged);
    const usual = Number(info.committee ?? 1) > 1 ? usualGrowth({ numRows }, numOutputs, given) : 1;
    const { learningRate, learningRateGrowth = usual } = resolved;
    return {
      last,
      params: resolved,
      given: merged.loss,
      rate: (round) => learningRateOf({ learningRate, learningRateGrowth }, round),
    };
  });
}
