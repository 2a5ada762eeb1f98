/**
 * The first rounds of a boosted model as a model: of one that kept all rounds after early stopping,
 * any number; the rounds after the best one are in its file and weigh nothing.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import { firstRounds } from "../model/edit.ts";
import { createModel, type Model } from "../model/model.ts";

/** Rounds that count: fewer than there are where a model kept those after its best one. */
export function countedRounds({ info, numRounds }: Model): number {
  const { kept } = info as { readonly kept?: { readonly rounds: number } };
  return kept?.rounds ?? numRounds;
}

/**
 * The model of the first rounds. A calibration stays only where the rounds are those that counted.
 *
 * @param rounds @default the rounds that count
 * @throws {ParameterError} `E_PARAM_RANGE` for more rounds than there are, `E_PARAM_CONFLICT` for
 * DART, whose later rounds have rescaled the earlier ones, and for trees that are not added up.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { trainBoost } from "./boost.ts";
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
  const counted = countedRounds(model);
  const { ensemble, info, calibration, schema, numRounds } = model;
  if (!Number.isInteger(rounds) || rounds < 0 || rounds > numRounds) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot keep ${rounds} rounds: expected a whole number from 0 to ${numRounds}`,
      { details: { param: "rounds", value: rounds } },
    );
  }
  const full = ensemble.treeWeight
    .subarray(0, counted * ensemble.treesPerRound)
    .every((weight) => weight === 1);
  if (ensemble.aggregate !== "sum" || (!full && rounds !== counted)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot keep ${rounds} of ${numRounds} rounds: ${
        ensemble.aggregate === "sum"
          ? "later rounds have rescaled the earlier ones (DART)"
          : "the trees are not added up"
      }`,
      { details: { param: "rounds", value: rounds } },
    );
  }
  const { kept: _, calibration: fitted, ...story } = info as { [name: string]: unknown };
  const same = rounds === counted;
  return createModel({
    schema,
    ensemble: firstRounds(ensemble, rounds, full),
    info: {
      ...story,
      ...(same && fitted !== undefined ? { calibration: fitted } : {}),
    } as typeof info,
    ...(same && calibration !== undefined ? { calibration } : {}),
  });
}
