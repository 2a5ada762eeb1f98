/**
 * What XGBoost's files cannot hold of a model.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import type { Postprocess } from "../../model/types.ts";
import { type ExportProblem, exportProblems, refuseProblems } from "../common/export_problems.ts";
import { float32Model, float32Problems } from "../common/export_rounding.ts";

const LINKS: readonly Postprocess["name"][] = [
  "identity",
  "sigmoid",
  "softmax",
  "exp",
  "hinge",
  "oneVsAll",
];

/** @throws {ConversionError} `E_CONVERT_UNSUPPORTED` naming every feature, when there are problems. */
export function refuseForXgboost(model: Model): void {
  const problems = problemsOf(model);
  if (problems.length > 0) refuseProblems("XGBoost", problems, hintFor(model));
}

function problemsOf(model: Model): readonly ExportProblem[] {
  const { ensemble } = model;
  const { postprocess, treeWeight } = ensemble;
  const problems = [...exportProblems(model, {
    subset: true,
    equal: false,
    multiway: false,
    float32: false, // float32Problems() names features that need more
    float32Leaves: true,
    aggregates: ["sum"],
    links: LINKS,
    zeroIsMissing: false,
    missingCells: false,
  })];
  if ((postprocess.scale ?? 1) !== 1) {
    problems.push({ reason: `the sigmoid has the factor ${postprocess.scale}` });
  }
  if (postprocess.normalise === true) {
    problems.push({ reason: "one-vs-all scores are divided by their sum" });
  }
  if (postprocess.name === "softmax" && ensemble.numOutputs < 2) {
    problems.push({ reason: "softmax of one output" });
  }
  for (const feature of model.schema.features) {
    if (feature.kind !== "categorical" || feature.coded === true) continue;
    // XGBoost 3.1 to 3.3 take one letter for one byte (dmlc/xgboost#12371), and before 3.1 has no names.
    if (feature.categories.some((level) => !isAscii(level))) {
      problems.push({
        feature: feature.name,
        reason: "names of its levels have letters outside ASCII",
      });
    }
  }
  if (treeWeight.some((weight) => Math.fround(weight) !== weight)) {
    problems.push({ reason: "weights of trees need more than float32" });
  }
  return [...problems, ...float32Problems(model)];
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** What helps: rounding, where nothing else stands in the way. */
function hintFor(model: Model): string | undefined {
  if (problemsOf(float32Model(model)).length > 0) return undefined;
  const rounding =
    `rounding "float32" (--rounding float32) accepts float32 and measures what it changes`;
  // The exact method has no categories.
  return model.schema.features.some(({ kind }) => kind === "categorical")
    ? rounding
    : `${rounding}; preset "xgboost@2" with treeMethod "exact" trains in XGBoost's own arithmetic`;
}
