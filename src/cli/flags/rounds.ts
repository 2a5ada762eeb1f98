/**
 * `--rounds` of `predict` and `explain`: the model that the run had after so many rounds.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import type { Flags } from "../common/command.ts";

/** A model and the number of its first rounds to use; undefined for all. */
export interface RoundsOfModel {
  readonly model: Model;
  readonly rounds: number | undefined;
}

/**
 * What `--rounds` asks for. The first rounds of a DART model are a model of their own, with the
 * weights that they had then.
 *
 * @throws {UsageError} for rounds after the best one, which weigh nothing.
 */
export async function roundsFlag(flags: Flags, model: Model): Promise<RoundsOfModel> {
  const rounds = flags.number("rounds");
  // Too many: the model says so.
  if (rounds === undefined || rounds > model.numRounds) return { model, rounds };
  const { countedRounds, keepRounds } = await import("../../algorithms/update/keep_rounds.ts");
  await import("../../format/explain.ts"); // all that files hold
  const counted = countedRounds(model);
  const problem = rounds > counted
    ? `rounds after ${counted}, the best, are kept and weigh nothing`
    : undefined;
  if (problem === undefined) {
    const isDart = model.info.algorithm === "boost" &&
      model.rules.treeWeight.some((weight) => weight % 1 > 0);
    return isDart ? { model: keepRounds(model, rounds), rounds: undefined } : { model, rounds };
  }
  throw new UsageError("E_USAGE", `Cannot use --rounds ${rounds}: ${problem}`, {
    details: { flag: "--rounds", value: rounds, rounds: counted },
  });
}
