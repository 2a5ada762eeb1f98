/**
 * The input contract of a model, from the data it learnt from.
 *
 * @module
 */
import { checkOptions } from "../../door.ts";
import { checkShape } from "./shape.ts";
import { keptMissing } from "../missing_cells.ts";
import type { Dataset, InputFeature, Schema, UnknownRule } from "../types.ts";

/** Parts of a schema that do not follow from the data. */
export interface SchemaOptions {
  /** For each feature, whether training saw missing values in it. @default all false */
  readonly missingLearnt?: readonly boolean[];
  /** Whether zeros of numeric features count as missing. @default false */
  readonly zeroIsMissing?: boolean;
  /** How categories that training did not see are scored. @default "heavier" */
  readonly unknown?: UnknownRule;
  /** Task of the model. @default the kind of the target, or regression without one */
  readonly task?: Schema["task"];
  /** What scoring does with columns that the model does not know. @default "ignore" */
  readonly extraColumns?: Schema["extraColumns"];
  /** What scoring does if a column of the model is absent. @default "missing" */
  readonly absentColumns?: Schema["absentColumns"];
}

/**
 * The schema that a model trained on `data` would have: its features, target, classes and rules for
 * missing and unknown values.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = {
 *   numRows: 1,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1]) }],
 * } as const;
 * assertEquals(schemaFromDataset(data).features, [
 *   { kind: "numeric", name: "x", missing: "heavier" },
 * ]);
 * ```
 */
export function schemaFromDataset(data: Dataset, options: SchemaOptions = {}): Schema {
  checkShape("schemaFromDataset", data);
  checkOptions<SchemaOptions>("schemaFromDataset", options, {
    missingLearnt: "list",
    zeroIsMissing: "flag",
    unknown: ["heavier", "missing", "node", "error"],
    task: ["regression", "classification", "ranking"],
    extraColumns: ["ignore", "error"],
    absentColumns: ["missing", "error"],
  });
  const { target } = data;
  const missingCells = data.missingCells && keptMissing(data.missingCells);
  const features = data.features.map((column, at): InputFeature => {
    const missing = options.missingLearnt?.[at] === true ? "learnt" : "heavier";
    const zero = options.zeroIsMissing === true && { zeroIsMissing: true };
    return column.kind === "numeric" ? { kind: "numeric", name: column.name, missing, ...zero } : {
      kind: "categorical",
      name: column.name,
      missing,
      unknown: options.unknown ?? "heavier",
      categories: column.categories,
    };
  });
  return {
    features,
    ...(target !== undefined && { target: { name: target.name } }),
    task: options.task ?? target?.kind ?? "regression",
    classes: target?.kind === "classification" ? target.classes : [],
    extraColumns: options.extraColumns ?? "ignore",
    absentColumns: options.absentColumns ?? "missing",
    ...(data.sparse !== undefined && { sparse: data.sparse }),
    ...(missingCells !== undefined && { missingCells }),
  };
}
