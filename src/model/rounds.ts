/**
 * How many trees the first rounds of a model are.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import type { Model } from "./model.ts";

/**
 * Trees of the first rounds; all of them for `undefined`.
 *
 * @param weighed Whether their weights count; where only leaves are asked for they do not.
 * @throws {ParameterError} `E_PARAM_RANGE` for more rounds than there are, and for a part of a DART
 * model trained here: its later rounds have rescaled the earlier ones, so that the run never had such
 * a model; `keepRounds` gives it.
 */
export function treesOfRounds(
  { info, numRounds, numTrees, rules }: Pick<Model, "info" | "numRounds" | "numTrees" | "rules">,
  rounds: number | undefined,
  weighed = true,
): number {
  if (rounds === undefined) return numTrees;
  const { treesPerRound, treeWeight } = rules;
  // DART has weights between 0 and 1; rounds after the best one, where they were kept, have 0.
  const isDart = weighed && info.algorithm === "boost" &&
    treeWeight.some((w) => w % 1 > 0);
  const least = isDart ? numRounds : 0;
  if (!Number.isInteger(rounds) || rounds < least || rounds > numRounds) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use ${rounds} rounds: expected a whole number from ${least} to ${numRounds}${
        isDart ? "; fewer of DART by keepRounds" : ""
      }`,
      { details: { param: "rounds", value: rounds } },
    );
  }
  return rounds * treesPerRound;
}
