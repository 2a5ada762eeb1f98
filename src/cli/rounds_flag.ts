/**
 * `--rounds` of `predict` and `explain`: refused where the first rounds of a model are not what the
 * run had after them.
 *
 * @module
 */
import { countedRounds } from "../algorithms/keep_rounds.ts";
import { UsageError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import type { Flags } from "./command.ts";

/**
 * The number of `--rounds`; undefined where it was not given.
 *
 * @throws {UsageError} for rounds after the best one, which weigh nothing, and for a part of a DART
 * model trained here, whose later rounds have rescaled the earlier ones.
 */
export function roundsFlag(flags: Flags, model: Model): number | undefined {
  const rounds = flags.number("rounds");
  if (rounds === undefined || rounds > model.numRounds) return rounds; // too many: the model says so
  const counted = countedRounds(model);
  const problem = rounds > counted
    ? `rounds after ${counted}, the best, are kept and weigh nothing`
    : rounds < counted && model.info.algorithm === "boost" &&
        model.rules.treeWeight.some((weight) => weight !== 0 && weight !== 1)
    ? "later rounds have rescaled the earlier ones (DART)"
    : undefined;
  if (problem === undefined) return rounds;
  throw new UsageError("E_USAGE", `Cannot use --rounds ${rounds}: ${problem}`, {
    details: { flag: "--rounds", value: rounds, rounds: counted },
  });
}
