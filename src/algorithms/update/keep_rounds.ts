/**
 * The first rounds of a boosted model as a model: of one that kept all rounds after early stopping,
 * any number; the rounds after the best one are in its file and weigh nothing.
 *
 * @module
 */
import { checkModel } from "../../door.ts";
import { ParameterError } from "../../errors.ts";
import { firstRounds } from "../../model/edit.ts";
import { createModel, type Model } from "../../model/model.ts";
import type { Json } from "../../model/types.ts";
import { dartParams, dartWeights } from "./dart_weights.ts";

/** Rounds that count: fewer than there are where a model kept those after its best one. */
export function countedRounds({ info, numRounds }: Model): number {
  const { kept } = info as { readonly kept?: { readonly rounds: number } };
  return kept?.rounds ?? numRounds;
}

/**
 * The model of the first rounds of a boosted model. The trees of a DART model get the weights that
 * they had after these rounds. A calibration is kept only if `rounds` are the ones that it was
 * fitted for.
 *
 * @param rounds Number of rounds, 0 to `model.numRounds`. By default those that count: with early
 * stopping, those up to the best one.
 * @throws {ParameterError} `E_PARAM_RANGE` for a wrong number of rounds, `E_PARAM_CONFLICT` if the
 * trees are not added up, or if their weights are not those of a DART run.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { trainBoost } from "../boost/boost.ts";
 * const x = Float64Array.from({ length: 20 }, (_, i) => i);
 * const model = await trainBoost({
 *   numRows: 20,
 *   features: [{ kind: "numeric", name: "x", values: x }],
 *   target: { kind: "regression", name: "y", values: x },
 * }, { rounds: 9 });
 * assertEquals(keepRounds(model, 4).predictValue({ x: 3 }), model.predictValue({ x: 3 }, { rounds: 4 }));
 * ```
 */
export function keepRounds(model: Model, rounds: number = countedRounds(model)): Model {
  checkModel("keepRounds", model);
  const counted = countedRounds(model);
  const { ensemble, info, calibration, schema, numRounds } = model;
  if (!Number.isInteger(rounds) || rounds < 0 || rounds > numRounds) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot keep ${rounds} rounds: expected a whole number from 0 to ${numRounds}`,
      { details: { param: "rounds", value: rounds } },
    );
  }
  const weights = weightsOf(model, rounds, counted);
  if (ensemble.aggregate !== "sum" || weights === undefined) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot keep ${rounds} of ${numRounds} rounds: ${
        ensemble.aggregate === "sum"
          ? "its trees have weights that no run of DART by its parameters gives"
          : "the trees are not added up"
      }`,
      { details: { param: "rounds", value: rounds } },
    );
  }
  const { kept: _, calibration: fitted, ...story } = info as { [name: string]: unknown };
  shorten(story, numRounds - rounds);
  const same = rounds === counted;
  return createModel({
    schema,
    ensemble: { ...firstRounds(ensemble, rounds), treeWeight: weights },
    info: {
      ...story,
      ...(same && fitted !== undefined ? { calibration: fitted } : {}),
    } as typeof info,
    ...(same && calibration !== undefined ? { calibration } : {}),
  });
}

/** Leaves so many last rounds out of the story of continuations. */
function shorten(story: { [name: string]: unknown }, dropped: number): void {
  if (!Array.isArray(story.continued)) return;
  const continued: Json[] = [];
  for (const run of story.continued.toReversed() as { readonly rounds: number }[]) {
    const rounds = Math.max(0, run.rounds - dropped);
    dropped -= run.rounds - rounds;
    if (rounds > 0) continued.unshift({ ...run, rounds });
  }
  if (continued.length > 0) story.continued = continued;
  else delete story.continued;
}

/** Weight of each tree of the first rounds after the last of them, where it can be told. */
function weightsOf(model: Model, rounds: number, counted: number): Float64Array | undefined {
  const { treesPerRound, treeWeight } = model.ensemble;
  const numTrees = rounds * treesPerRound;
  if (rounds === counted) return treeWeight.slice(0, numTrees);
  const params = dartParams(model);
  if (params !== undefined) {
    const found = dartWeights(model, params, rounds, counted);
    return found && Float64Array.from(
      { length: numTrees },
      (_, t) => found[Math.floor(t / treesPerRound)],
    );
  }
  const full = treeWeight.subarray(0, counted * treesPerRound).every((weight) => weight === 1);
  return full ? new Float64Array(numTrees).fill(1) : undefined;
}
