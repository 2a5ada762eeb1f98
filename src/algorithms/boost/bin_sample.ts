/**
 * Bins that were chosen while data were read, before training knew of them: which rows training will
 * choose bins from and how much each counts, so that reading does the same.
 *
 * @module
 */
import { checkArgument, checkOptions } from "../../door.ts";
import { selectRows } from "../../data/dataset/dataset.ts";
import { splitRows } from "../../data/dataset/split.ts";
import type { Dataset } from "../../data/types.ts";
import { ParameterError } from "../../errors.ts";
import type { BinnedSample } from "../../files/counted_rows.ts";
import { resolveLoss } from "../../loss/losses.ts";
import { canonicalParams, resolveParams } from "../../params/resolve.ts";
import type { ParamsFor } from "../../params/typed.ts";
import { classFactors, weighClasses } from "../common/class_weights.ts";
import { committeeMembers } from "./committee.ts";
import { trainsCommittee } from "./committee_choice.ts";
import { countedData } from "./learnt_rows.ts";
import { heldOutParts } from "../common/validation.ts";

/** What {@linkcode boostSample} must know of the training besides its parameters. */
export interface SampleMeans {
  /** Whether training is given a validation set, and so holds out no rows itself. @default false */
  readonly valid?: boolean;
  /** Whether {@linkcode trainCalibrated} does the training; it may hold out rows. @default false */
  readonly calibrated?: boolean;
}

/**
 * Tells a reader of bins which rows {@linkcode trainBoost} would compute cuts from with these
 * parameters: all but those of weight 0 and those that it holds out for early stopping, with class
 * weights applied.
 *
 * @param params The parameters of the training.
 * @returns The `sample` of {@linkcode BinnedOptions}.
 * @throws {ParameterError} `E_PARAM_UNKNOWN`, `E_PARAM_RANGE` or `E_PARAM_CONFLICT` for wrong
 * parameters.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readBinned } from "../../files/read_binned.ts";
 * import { trainBoost } from "./boost.ts";
 * const file = new TextEncoder().encode("x,y\n1,a\n2,b\n3,b\n");
 * const params = { classWeights: { a: 2 }, rounds: 1 };
 * const data = await readBinned(file, { target: "y", sample: boostSample(params) });
 * assertEquals((await trainBoost(data, params)).numTrees, 1);
 * ```
 */
export function boostSample(
  params: ParamsFor["boost"],
  means: SampleMeans = {},
): (data: Dataset) => BinnedSample {
  checkArgument("boostSample", "params", params, "object");
  checkOptions<SampleMeans>("boostSample", means, { valid: "flag", calibrated: "flag" });
  canonicalParams("boost", params);
  return (data) => {
    const given = canonicalParams("boost", params);
    const plain = resolveParams("boost", params);
    if (means.calibrated === true && means.valid !== true && !trainsCommittee(data, params)) {
      const { validFraction, seed } = plain;
      const fractions = [1 - validFraction, validFraction];
      const [rest] = splitRows(data, { fractions, seed, stratify: true });
      const found = boostSample(params, { valid: true })(selectRows(data, rest));
      return { ...found, rows: found.rows?.map((row) => rest[row]) ?? rest };
    }
    const { loss, data: shaped } = resolveLoss(plain.loss, data, plain);
    let rows: Int32Array | undefined;
    const select = (from: Dataset, chosen: Int32Array) => {
      rows = rows === undefined ? chosen : chosen.map((row) => rows![row]);
      return selectRows(from, chosen);
    };
    const counted = countedData(shaped, loss, plain, select);
    const isCommittee = committeeMembers(counted, loss.numOutputs, plain, given) > 1;
    const holdsOut = !isCommittee && means.valid !== true && plain.earlyStoppingRounds > 0;
    const kept = holdsOut ? select(counted, heldOutParts(counted, plain)[0]) : counted;
    const factors = classFactors(kept, plain);
    const train = factors === undefined ? kept : weighClasses(kept, factors);
    return {
      ...(rows !== undefined && { rows }),
      ...(train.sampleWeight !== undefined && { weights: train.sampleWeight }),
      key: keyOf(train),
    };
  };
}

/** Stands for the labels and weights of rows in their order: two hashes of 32 bits. */
function keyOf({ target, sampleWeight, numRows }: Dataset): string {
  const number = new Float64Array(1);
  const halves = new Uint32Array(number.buffer);
  const hashes = [0x811c9dc5, 0x9e3779b9];
  const add = (values: ArrayLike<number>) => {
    let [a, b] = hashes;
    for (let i = 0; i < values.length; i++) {
      number[0] = values[i];
      a = Math.imul(Math.imul(a ^ halves[0], 0x01000193) ^ halves[1], 0x85ebca6b);
      a ^= a >>> 15;
      b = Math.imul(Math.imul(b ^ halves[1], 0xc2b2ae35) ^ halves[0], 0x27d4eb2f);
      b ^= b >>> 13;
    }
    hashes[0] = a;
    hashes[1] = b;
  };
  if (target !== undefined) add(target.kind === "classification" ? target.codes : target.values);
  if (sampleWeight !== undefined) add(sampleWeight);
  return [numRows, ...hashes.map((hash) => (hash >>> 0).toString(16))].join(":");
}

/**
 * Refuses bins that were chosen from other rows, or with other weights, than training would choose.
 *
 * @param train What is trained on.
 * @param why What makes it differ from the rows that were read.
 * @throws {ParameterError} `E_PARAM_CONFLICT`
 */
export function requireBinsOf(train: Dataset, why: string): void {
  let key: string | undefined;
  for (const column of train.features) {
    if (column.kind !== "numeric" || column.binned === undefined) continue;
    if (column.binned.chosenFor === (key ??= keyOf(train))) continue;
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot train on these bins: ${why}, and bins were chosen from other rows or weights; read ` +
        `the data with sample: boostSample(params)`,
      { details: { column: column.name } },
    );
  }
}
