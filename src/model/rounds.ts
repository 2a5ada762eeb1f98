/**
 * How many trees the first rounds of a model are.
 *
 * @module
 */
import { unusable } from "../small_door.ts";
import type { Rules } from "./packed.ts";
import type { ModelInfo } from "./types.ts";

/** What is asked of a model. */
interface Counted {
  readonly info: ModelInfo;
  readonly numRounds: number;
  readonly numTrees: number;
  readonly rules: Rules;
}

/**
 * Trees of the first rounds; all of them for `undefined`.
 *
 * @param weighed Whether their weights count; where only leaves are asked for they do not.
 * @throws {ParameterError} `E_PARAM_RANGE` for more rounds than there are, for those that were kept
 * after the best one and weigh nothing, and for a part of a DART model trained here: its later rounds
 * have rescaled the earlier ones. `keepRounds` gives the model of any number of rounds.
 */
export function treesOfRounds(
  { info, numRounds, numTrees, rules }: Counted,
  rounds: number | undefined,
  weighed = true,
): number {
  if (rounds === undefined) return numTrees;
  const { treesPerRound, treeWeight } = rules;
  const { kept } = info as { readonly kept?: { readonly rounds: number } };
  const most = weighed && kept ? kept.rounds : numRounds;
  // DART has weights between 0 and 1; rounds after the best one, where they were kept, have 0.
  const least = weighed && info.algorithm === "boost" && treeWeight.some((w) => w % 1 > 0)
    ? most
    : 0;
  if (!Number.isInteger(rounds) || rounds < least || rounds > most) {
    throw unusable(
      "rounds",
      rounds,
      `a whole number from ${least} to ${most}${
        least || most < numRounds ? "; others by keepRounds" : ""
      }`,
      { param: "rounds", value: rounds },
    );
  }
  return rounds * treesPerRound;
}
