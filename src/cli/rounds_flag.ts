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
 * @throws {UsageError} for rounds after the best one, which weigh nothing.
 */
export function roundsFlag(flags: Flags, model: Model): number | undefined {
  const rounds = flags.number("rounds");
  if (rounds === undefined || rounds > model.numRounds) return rounds; // too many: the model says so
  const counted = countedRounds(model);
  const problem = rounds > counted
    ? `rounds after ${counted}, the best, are kept and weigh nothing`
    : undefined;
  if (problem === undefined) return rounds;
  throw new UsageError("E_USAGE", `Cannot use --rounds ${rounds}: ${problem}`, {
    details: { flag: "--rounds", value: rounds, rounds: counted },
  });
}
