/**
 * How rows are divided into folds, and the datasets of all folds.
 *
 * @module
 */
import type { BinShare } from "../binning/bin_share.ts";
import { selectRows } from "../data/dataset/dataset.ts";
import { groupFolds, timeFolds } from "../data/dataset/folds.ts";
import { checkShape } from "../data/dataset/shape.ts";
import { type Fold, kFold } from "../data/dataset/split.ts";
import { rowsOfWeight } from "../data/dataset/weightless.ts";
import type { Dataset } from "../data/types.ts";
import { checkOptions, isObject } from "../door.ts";
import { ParameterError } from "../errors.ts";
import { CROSS_VALIDATE, type CrossValidateOptions } from "./cross_validation.ts";
import { type FoldData, shareOf } from "./fold.ts";

/** Folds as the options ask, and their name. */
export function makeFolds(
  data: Dataset,
  options: CrossValidateOptions,
): { readonly folds: readonly Fold[]; readonly how: string } {
  const { folds = 5, seed = 0, groups, time } = options;
  if (groups !== undefined && time !== undefined) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      "Cannot fold by groups and by time at once: expected one of them",
      { details: { param: "groups" } },
    );
  }
  const given = groups ?? (time === true ? undefined : time);
  if (given !== undefined && given.length !== data.numRows) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot fold ${data.numRows} rows by ${given.length} keys: expected one a row`,
      { details: { param: groups === undefined ? "time" : "groups", length: given.length } },
    );
  }
  const rows = groups !== undefined || time !== undefined ? rowsOfWeight(data, true) : undefined;
  // Where nothing weighs anything, training says so.
  const counted = rows?.length === 0 ? undefined : rows;
  if (groups !== undefined) {
    const found = wholeQueries(data, groupFolds(groups, folds, seed, counted), "groups");
    return { folds: found, how: `${folds} folds of whole groups` };
  }
  if (time !== undefined) {
    const times = time === true ? queryNumbers(data) : time;
    const found = wholeQueries(data, timeFolds(data.numRows, folds, times, counted), "time");
    return { folds: found, how: `${found.length} folds in order of time` };
  }
  const stratify = options.stratify ?? data.target?.kind === "classification";
  return {
    folds: kFold(data, { folds, seed, stratify }),
    how: data.group === undefined
      ? `${folds} folds${stratify ? " by class" : ""}`
      : `${folds} folds of whole queries`,
  };
}

/** Rows of one query come at one time, where their order is all that is known. */
function queryNumbers({ group }: Dataset): Float64Array | undefined {
  if (group === undefined) return undefined;
  let query = 0;
  return Float64Array.from(group, (id, row) => row > 0 && id !== group[row - 1] ? ++query : query);
}

/**
 * The folds, refused where one of them tears a query apart: what is left of it is ranked as if it were
 * all, and the rest may train the model that is judged by it.
 */
function wholeQueries({ group }: Dataset, folds: readonly Fold[], param: string): readonly Fold[] {
  if (group === undefined) return folds;
  const foldOf = new Int32Array(group.length).fill(-1);
  folds.forEach(({ test }, k) => test.forEach((row) => foldOf[row] = k));
  for (let row = 1; row < group.length; row++) {
    if (group[row] !== group[row - 1] || foldOf[row] === foldOf[row - 1]) continue;
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot fold by ${param}: rows ${row} and ${row + 1} are of one query and would be in ` +
        `different folds; expected one key for all rows of a query`,
      { details: { param, row: row + 1 } },
    );
  }
  return folds;
}

/** The datasets of all folds, and the bins that trainings on them share. */
export interface PreparedFolds {
  /** Number of rows in all folds together. */
  readonly numRows: number;
  /** The datasets of each fold. */
  readonly parts: readonly FoldData[];
  /** How rows were divided, in words. */
  readonly how: string;
  /** Bins of each fold's training rows, by the parameters of binning; at most 256 MiB. */
  readonly share: BinShare;
}

/**
 * Makes the datasets of all folds once, for several calls of {@linkcode crossValidate}, such as the
 * trials of a search. Trainings with the same parameters of binning then share the bins of a fold's
 * training rows (with histograms and with `treeMethod: "lightgbm"`). The models are the same, byte for
 * byte, as without sharing.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a wrong number of folds or keys, `E_PARAM_CONFLICT`
 * for `groups` together with `time`.
 *
 * @example Two settings on the same folds
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { crossValidate } from "./cross_validate.ts";
 * const x = Float64Array.from({ length: 60 }, (_, i) => i % 7);
 * const folds = prepareFolds({
 *   numRows: 60,
 *   features: [{ kind: "numeric", name: "x", values: x }],
 *   target: { kind: "regression", name: "y", values: x.map((v) => v > 3 ? 1 : 0) },
 * }, { folds: 3 });
 * for (const maxDepth of [1, 2]) await crossValidate(folds, { rounds: 5, maxDepth });
 * assertEquals(folds.share.hits, 3);
 * ```
 */
export function prepareFolds(data: Dataset, options: CrossValidateOptions = {}): PreparedFolds {
  checkShape("prepareFolds", data);
  checkOptions<CrossValidateOptions>("prepareFolds", options, CROSS_VALIDATE);
  return foldsOf(data, options);
}

/** As {@linkcode prepareFolds}, of arguments that were looked at. */
export function foldsOf(data: Dataset, options: CrossValidateOptions): PreparedFolds {
  const { folds, how } = makeFolds(data, options);
  const parts = folds.map(({ train, test }) => ({
    train: selectRows(data, train),
    test: selectRows(data, test),
    rows: test,
  }));
  return { numRows: data.numRows, parts, how, share: shareOf(parts) };
}

/** Whether folds are given in the place of rows. */
export function isPrepared(data: Dataset | PreparedFolds): data is PreparedFolds {
  return isObject(data) && "parts" in data;
}

/** @throws {ParameterError} `E_PARAM_CONFLICT` for options that would fold again. */
export function checkPrepared(folds: PreparedFolds, options: CrossValidateOptions): PreparedFolds {
  const again = (["folds", "seed", "stratify", "groups", "time"] as const)
    .find((name) => options[name] !== undefined);
  if (again === undefined) return folds;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use ${again} with folds that are cut out: give it to prepareFolds`,
    { details: { param: again } },
  );
}
