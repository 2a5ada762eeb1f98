/**
 * Where a boosting run begins: at the loss's own start value, or at the scores of a finished model.
 *
 * @module
 */
import { labelsOf, requireTarget } from "../../data/dataset/target.ts";
import type { Dataset } from "../../data/types.ts";
import { baseScoreBeside, rawOfResponse, xgboostStart } from "../../loss/base_score.ts";
import { float32Labels } from "../../loss/labels.ts";
import type { Loss } from "../../loss/types.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { checkLabelSize } from "../common/label_size.ts";
import type { ResolvedBoost } from "./plan.ts";
import type { RuleOf } from "./unknown_rule.ts";

/** Largest float32, which LightGBM's labels are. */
const MOST_FLOAT32 = 3.4028234663852886e38;

/** A finished model, as the run that adds rounds to it sees it. */
export interface BoostStart {
  /** Its rounds: draws go on after theirs. */
  readonly rounds: number;
  /** The rows with the model's scores as offset, beside their own. */
  readonly beside: (data: Dataset) => Dataset;
  /** What it does with a column's values outside the vocabulary. */
  readonly unknownOf: RuleOf;
  /** Scores of each member of a committee, output-major; absent for one model. */
  readonly members?: (data: Dataset) => readonly Float64Array[];
  /** Fingerprint of the rows that a committee was dealt. */
  readonly rows?: string;
  /** Factors of classes that must stay what they were. */
  readonly classFactors?: Float64Array;
}

/** Checks the labels and finds the raw score without trees. */
export function startOf(data: Dataset, loss: Loss, params: ResolvedBoost): Float64Array {
  const isFloat32 = params.curvature === "lightgbm";
  if (isFloat32) checkLabelSize(requireTarget(data), 0, MOST_FLOAT32, "the largest float32");
  const labels = isFloat32 ? float32Labels(labelsOf(data)) : labelsOf(data);
  loss.checkLabels(labels);
  if (params.baseScore !== undefined) return rawOfResponse(loss, params.baseScore);
  if (data.offset !== undefined) return baseScoreBeside(loss, labels, data.offset);
  return params.curvature === "xgboost" ? xgboostStart(loss, labels) : loss.baseScore(labels);
}

/** The column of offsets; those that were handed over as numbers get a name of their own. */
export function offsetName({ offsetName, features }: Dataset): string {
  let name = offsetName ?? "offset";
  while (features.some((column) => column.name === name)) name += "_";
  return name;
}

/** Fingerprint of the labels in their order: rows that have another one are other rows. */
export function rowsFingerprint(data: Dataset): string {
  const { values } = labelsOf(data);
  const bytes = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, i) => bytes.setFloat64(8 * i, value, true));
  return sha256Hex(new Uint8Array(bytes.buffer)).slice(0, 16);
}
