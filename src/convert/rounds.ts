/**
 * The rounds of an imported model that count: files hold those after the best one, too, and who scores with
 * them differs within one library.
 *
 * @module
 */
import { ConversionError } from "../errors.ts";
import { firstRounds } from "../model/edit.ts";
import type { Imported } from "./common/imported.ts";

/**
 * A model of the rounds asked for, else of those that its stage scores with, else of all of them, with a
 * warning where early stopping found fewer to be best.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` for more rounds than there are, and for the best ones of a
 * file that names none.
 */
export function countRounds(
  imported: Imported,
  asked: "all" | "best" | number | undefined,
  stage: "best" | number | undefined,
): Imported {
  const { ensemble } = imported;
  const all = (ensemble.trees.treeStart.length - 1) / ensemble.treesPerRound;
  const bestRounds = imported.bestRounds && Math.min(imported.bestRounds, all);
  const wanted = asked ?? (stage === "best" ? bestRounds : stage) ?? "all";
  const rounds = wanted === "all" ? all : wanted === "best" ? bestRounds : wanted;
  if (rounds === undefined) {
    throw cannot("best", "the file names no best round (best_iteration)");
  }
  if (!Number.isInteger(rounds) || rounds < 0 || rounds > all) {
    throw cannot(rounds, `expected a whole number from 0 to ${all}`);
  }
  if (rounds < all) return firstOf(imported, rounds, all, asked === undefined);
  if (asked !== undefined || bestRounds === undefined || bestRounds >= all) return imported;
  return warned(
    imported,
    `Early stopping found round ${bestRounds} best, the file holds ${all}: all are used, as by ` +
      "Booster.predict; XGBClassifier and XGBRegressor stop at the best, as --rounds best " +
      '(rounds: "best") does here',
  );
}

function firstOf(imported: Imported, rounds: number, all: number, isStage: boolean): Imported {
  const ensemble = firstRounds(imported.ensemble, rounds);
  const kept = {
    ...imported,
    ensemble,
    sourceIds: imported.sourceIds.slice(0, ensemble.trees.kind.length),
    notes: { ...imported.notes, rounds: { kept: rounds, of: all } },
  };
  return isStage
    ? warned(
      kept,
      `The Spark stage scores with the first ${rounds} of ${all} rounds: so does this model`,
    )
    : kept;
}

function warned(imported: Imported, warning: string): Imported {
  return { ...imported, warnings: [...imported.warnings, warning] };
}

function cannot(value: string | number, why: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot keep ${value === "best" ? "the best" : value} rounds of this model: ${why}`,
    { details: { param: "rounds", value } },
  );
}
