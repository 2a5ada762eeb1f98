/**
 * Scores as columns of a table, named as users will look for them.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import type { Model, PredictOptions } from "../../model/model.ts";
import type { TableScore } from "../../parallel/score/protocol.ts";

/** What `predict` can give. */
export const KINDS = ["class", "value", "proba", "raw", "leaf"] as const;

/** What `predict` can give. */
export type Kind = (typeof KINDS)[number];

/** Scores of some rows: cell of `column` in `row` is `cells[row * names.length + column]`. */
export type Cells = ArrayLike<number | string>;

/** The columns of a kind, and how rows become cells. */
export interface ScoreColumns {
  readonly names: readonly string[];
  /** The method of the model that gives them. */
  readonly method: TableScore;
  score(data: Dataset, options: PredictOptions): Cells;
}

/** What users mean by a prediction when they do not say. */
export function defaultKind(model: Model): Kind {
  return model.schema.task === "classification" ? "class" : "value";
}

/**
 * Columns: `class` and `value` one named `prediction`; `proba` one a class; `raw` (and `value` of
 * several outputs) one an output, named by its class; `leaf` one a tree.
 */
export function scoreColumns(model: Model, kind: Kind, rounds?: number): ScoreColumns {
  const { classes } = model.schema;
  const { numOutputs } = model;
  // Refused before any row is read where the model has no such scores.
  if (kind === "proba") model.predictProba([]);
  if (kind === "class") model.predictClass([]);
  const outputs = classes.length === numOutputs
    ? classes
    : Array.from({ length: numOutputs }, (_, k) => `output${k}`);
  switch (kind) {
    case "class":
      return {
        names: ["prediction"],
        method: "predictClass",
        score: (data, options) => model.predictClass(data, options),
      };
    case "value":
      return {
        names: numOutputs === 1 ? ["prediction"] : outputs,
        method: "predictValue",
        score: (data, options) => model.predictValue(data, options),
      };
    case "proba":
      return {
        names: classes,
        method: "predictProba",
        score: (data, options) => model.predictProba(data, options).data,
      };
    case "raw":
      return {
        names: numOutputs === 1 ? ["raw"] : outputs,
        method: "predictRaw",
        score: (data, options) => model.predictRaw(data, options).data,
      };
    case "leaf": {
      const numTrees = (rounds ?? model.numRounds) * model.rules.treesPerRound;
      return {
        names: Array.from({ length: numTrees }, (_, tree) => `tree${tree}`),
        method: "predictLeaf",
        score: (data, options) => model.predictLeaf(data, options).data,
      };
    }
  }
}
