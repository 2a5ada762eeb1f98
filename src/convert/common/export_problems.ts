/**
 * What a format cannot hold of a model, feature by feature. An export that would change a score is
 * refused with this list; nothing is approximated.
 *
 * @module
 */
import { missingNumbers } from "../../data/missing_cells.ts";
import { ConversionError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { NodeKind } from "../../model/types.ts";

/** A reason, and the feature it is about where it is about one. */
export interface ExportProblem {
  readonly feature?: string;
  readonly reason: string;
}

/** What a format can hold. */
export interface ExportAbility {
  /** Sets of categories. */
  readonly subset: boolean;
  /** Tests for equality (ONNX). */
  readonly equal: boolean;
  /** One branch for each category. */
  readonly multiway: boolean;
  /** Features and thresholds are float32. */
  readonly float32: boolean;
  /** Leaves have to be float32. */
  readonly float32Leaves: boolean;
  readonly aggregates: readonly string[];
  readonly links: readonly string[];
  /** `|x| ≤ 1e-35` counts as missing. */
  readonly zeroIsMissing: boolean;
  /** Cells besides the empty one mean missing. */
  readonly missingCells: boolean;
}

/** Everything about a model that a format with these abilities cannot hold; each said once. */
export function exportProblems(model: Model, can: ExportAbility): readonly ExportProblem[] {
  const { ensemble, schema } = model;
  const { trees, leafWidth } = ensemble;
  const found = new Map<string, ExportProblem>();
  const add = (reason: string, feature?: number) => {
    const name = feature === undefined ? undefined : schema.features[feature].name;
    found.set(`${name}\0${reason}`, { reason, ...(name === undefined ? {} : { feature: name }) });
  };
  if (!can.aggregates.includes(ensemble.aggregate)) {
    add(`trees are joined by "${ensemble.aggregate}"`);
  }
  if (!can.links.includes(ensemble.postprocess.name)) {
    add(`the link is "${ensemble.postprocess.name}"`);
  }
  if (ensemble.linear !== undefined) add("leaves are linear models");
  if (ensemble.surrogates !== undefined) add("missing values follow surrogate splits");
  if (ensemble.postprocess.costs !== undefined) add("classes are chosen by the cost of mistakes");
  if (model.calibration !== undefined) add("responses are calibrated");
  if (schema.missingCells !== undefined && !can.missingCells) {
    const marks = missingNumbers(schema.missingCells);
    if (marks.length > 0) add(`numbers count as missing: ${marks.join(", ")}`);
  }
  schema.features.forEach((feature, f) => {
    if (feature.missing === "error") add("a missing value is an error", f);
    if (feature.kind === "numeric") {
      if (feature.zeroIsMissing === true && !can.zeroIsMissing) add("zero counts as missing", f);
    } else if (feature.unknown === "node") add("an unknown value stops at the node", f);
    else if (feature.unknown === "error") add("an unknown value is an error", f);
  });
  for (let node = 0; node < trees.kind.length; node++) {
    const feature = trees.feature[node];
    switch (trees.kind[node]) {
      case NodeKind.leaf:
        if (!can.float32Leaves) continue;
        for (let k = node * leafWidth; k < (node + 1) * leafWidth; k++) {
          if (Math.fround(trees.leaf[k]) !== trees.leaf[k]) add("leaves need more than float32");
        }
        continue;
      case NodeKind.threshold:
        // Where features are rounded to float32 anyway, the float32 below the threshold says the same.
        if (
          can.float32 && ensemble.profile.input === "f64" &&
          Math.fround(trees.threshold[node]) !== trees.threshold[node]
        ) {
          add("thresholds need more than float32", feature);
        }
        break;
      case NodeKind.subset:
        if (!can.subset) add("it is tested by sets of categories", feature);
        break;
      case NodeKind.multiway:
        if (!can.multiway) add("it is tested with one branch for each category", feature);
        break;
      default:
        if (!can.equal) add("it is tested for equality", feature);
        if (can.float32 && Math.fround(trees.threshold[node]) !== trees.threshold[node]) {
          add("it is tested for equality with a number beyond float32", feature);
        }
    }
    if (trees.missing[node] > 1) {
      if (trees.kind[node] !== NodeKind.multiway || trees.missing[node] >= 254) {
        add("missing values stop at a node or take every branch", feature);
      }
    }
  }
  return [...found.values()];
}

/** @throws {ConversionError} `E_CONVERT_UNSUPPORTED` naming every feature, when there are problems. */
export function refuseProblems(
  format: string,
  problems: readonly ExportProblem[],
  hint?: string,
): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, 20).map(({ feature, reason }) =>
    feature === undefined ? reason : `${JSON.stringify(feature)}: ${reason}`
  );
  const more = problems.length > shown.length ? ` and ${problems.length - shown.length} more` : "";
  throw new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot write this model as ${format}: ${shown.join("; ")}${more}`,
    {
      details: {
        format,
        problems,
        ...(hint === undefined ? {} : { hint }),
        features: [...new Set(problems.flatMap((p) => p.feature === undefined ? [] : [p.feature]))],
      },
    },
  );
}
