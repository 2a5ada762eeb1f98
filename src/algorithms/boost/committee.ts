/**
 * When boosting trains a committee instead of one model, and which rows each member leaves out.
 *
 * Where nothing says how long to train, the data must: a committee judges every row by the member
 * that has not seen it, stops when that no longer improves, and wastes no row.
 *
 * @module
 */
import { kFold } from "../../data/dataset/split.ts";
import type { Dataset } from "../../data/types.ts";
import { OUT_OF_FOLD } from "../../ensemble/boosting/committee.ts";
import type { CommitteePlan } from "../../ensemble/plan.ts";
import { ParameterError } from "../../errors.ts";
import type { ResolvedBoost } from "./plan.ts";

/** Rounds after which a committee stops in any case, and how long it waits for an improvement. */
const MOST_ROUNDS = 500;
const PATIENCE = 50;
/**
 * Rounds kept, as a multiple of those that are best for a member by itself: averaging takes out part
 * of what overfitting puts in. By cross-validation inside training parts (docs/algorithms.md).
 */
export const COMMITTEE_STRETCH = 1.3;
/** Late rounds take up to so many times the learning rate: long runs need half the rounds. */
const GROWTH = 3;
/** Rows × outputs from which they do. */
const LEAST_GROWTH_CELLS = 1000;
/** Below, parts say too little; above (rows × outputs), five models cost more than they gain. */
const LEAST_ROWS = 40;
const MOST_CELLS = 100_000;
const USUAL_MEMBERS = 5;
const SMALL_ROWS = 2000;

/** What a given value makes of the rest: any of these says how long to train, or how. */
const SINGLE_BY = [
  "rounds",
  "earlyStoppingRounds",
  "earlyStoppingSet",
  "dropRate",
  "oneDrop",
  "parallelTrees",
];

/**
 * Number of members: the one given, else 5 where the data are neither tiny nor large and nothing
 * else decides how long to train, else 1.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a committee of DART or exact trees.
 */
export function committeeMembers(
  data: Dataset,
  numOutputs: number,
  params: ResolvedBoost,
  given: ReadonlyMap<string, unknown>,
): number {
  const why = params.treeMethod === "exact"
    ? "exact splits"
    : params.dropRate > 0 || params.oneDrop
    ? "dropped rounds (DART)"
    : undefined;
  if (params.committee !== undefined) {
    if (params.committee === 1 || why === undefined) return params.committee;
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot train a committee of ${params.committee} with ${why}: drop one of the two`,
      { details: { param: "committee", value: params.committee } },
    );
  }
  const { numRows } = data;
  const fits = numRows >= LEAST_ROWS && numRows * numOutputs <= MOST_CELLS &&
    (data.group === undefined || new Set(data.group).size >= LEAST_ROWS);
  return fits && why === undefined && !SINGLE_BY.some((name) => given.has(name))
    ? USUAL_MEMBERS
    : 1;
}

/**
 * The parameters of a committee: those not given are made for it.
 *
 * @param outOfFold Whether members can judge the rows that they do not learn from.
 * @throws {ParameterError} `E_PARAM_CONFLICT` where they cannot and nothing says how long to train.
 */
export function committeeParams(
  data: Dataset,
  numOutputs: number,
  params: ResolvedBoost,
  given: ReadonlyMap<string, unknown>,
  outOfFold: boolean,
): ResolvedBoost {
  const rounds = given.has("rounds");
  const made: ResolvedBoost = {
    ...params,
    featuresPerNode: params.featuresPerNode ?? usualFeatures(data),
    learningRateGrowth: params.learningRateGrowth ?? usualGrowth(data, numOutputs, given),
  };
  if (!outOfFold) {
    if (rounds && params.earlyStoppingSet !== OUT_OF_FOLD) return made;
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      "Cannot tell how long to continue: a committee's members may have seen these rows, so that " +
        "they cannot judge them; expected rounds (with a validation set for early stopping)",
      { details: { param: rounds ? "earlyStoppingSet" : "rounds" } },
    );
  }
  return {
    ...made,
    rounds: rounds ? params.rounds : MOST_ROUNDS,
    earlyStoppingRounds: given.has("earlyStoppingRounds")
      ? params.earlyStoppingRounds
      : rounds
      ? 0
      : PATIENCE,
    earlyStoppingSet: params.earlyStoppingSet ?? OUT_OF_FOLD,
  };
}

/** Small data learn fast at any rate: there small steps cost nothing and are a little better. */
export function usualGrowth(
  { numRows }: Pick<Dataset, "numRows">,
  numOutputs: number,
  given: ReadonlyMap<string, unknown>,
): number {
  return given.has("learningRate") || numRows * numOutputs < LEAST_GROWTH_CELLS ? 1 : GROWTH;
}

/** Small data with numbers gain from drawn features; tables of categories only are often exact rules. */
function usualFeatures({ numRows, features }: Dataset): number {
  return numRows < SMALL_ROWS && features.some(({ kind }) => kind === "numeric") ? 0.5 : 1;
}

/**
 * Deals the rows (or queries) to as many parts as there are members, by class for classification.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for more members than there are rows or queries.
 */
export function committeePlan(data: Dataset, members: number, seed: number): CommitteePlan {
  const parts = data.group === undefined ? data.numRows : new Set(data.group).size;
  if (members > parts) {
    const units = data.group === undefined ? "rows" : "queries";
    const what = data.sampleWeight === undefined ? units : `${units} of a weight above 0`;
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot train a committee of ${members} on ${parts} ${what}: each member leaves out a part; ` +
        `expected committee 1 (a single model)${parts > 1 ? ` to ${parts}` : ""}`,
      { details: { param: "committee", value: members } },
    );
  }
  const partOf = new Uint8Array(data.numRows);
  kFold(data, { folds: members, seed }).forEach(({ test }, part) => {
    for (const row of test) partOf[row] = part;
  });
  return { members, partOf };
}
