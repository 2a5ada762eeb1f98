/**
 * Everything the page shows, computed before a tag is written.
 *
 * @module
 */
import { DataError, TreelineError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import type { ShapValues } from "../../explain/tree_shap.ts";
import { featureOf, putCell } from "../body/encoder.ts";
import { type Batch, createBatch } from "../body/batch.ts";
import {
  checkExplained,
  type Contribution,
  contributionsOf,
  explainBatch,
  explainedOutput,
} from "../answer/explain.ts";
import { scoreBatch } from "../answer/predict.ts";
import { probabilityAt, type Scores } from "../answer/scores.ts";
import type { Served } from "../models/types.ts";
import { commonCategories, type FeatureRange, featureRanges } from "./defaults.ts";
import { type Importance, importanceOf } from "./importance.ts";
import type { Words } from "./element.ts";
import { shownNumber } from "./shown.ts";
import { type TreeView, treeView } from "./tree_view.ts";
import { type WhatIf, whatIfOf } from "./what_if.ts";

/** Categories up to which a feature is a drop-down list. */
const MAX_OPTIONS = 200;

/** One field of the form. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: "number" | "select" | "text";
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly range: FeatureRange | undefined;
  readonly problem: string | undefined;
  /** How the value reads in tables. */
  readonly shown: string;
}

/** The score of the form's row. */
export interface Result {
  /** Class, or the number. */
  readonly headline: string;
  readonly probabilities: readonly { readonly label: string; readonly value: number }[];
  readonly raw: number;
  readonly bias: number | undefined;
  readonly contributions: readonly Contribution[];
  /** Why there are no contributions. */
  readonly noReasons: string | undefined;
  /** What the curve and bars measure. */
  readonly scoreName: Words;
}

/** The whole page. */
export interface View {
  readonly models: readonly string[];
  readonly served: Served;
  /** The model by its name, with a version where one was asked for: the form asks for the same. */
  readonly asked: string;
  readonly fields: readonly Field[];
  readonly result: Result | undefined;
  readonly whatIf: WhatIf | undefined;
  readonly importance: readonly Importance[];
  readonly tree: TreeView | undefined;
  readonly treeNumber: number;
}

/** Values as a form sent them. */
export type FormValues = ReadonlyMap<string, string>;

/** What the page tells of a model whatever the form says. */
interface Facts {
  readonly ranges: readonly (FeatureRange | undefined)[];
  readonly common: readonly number[];
  readonly importance: readonly Importance[];
}

/** Found once: each is a walk over all nodes, seconds for a million of them. */
const facts = new WeakMap<Model, Facts>();

function factsOf(model: Model): Facts {
  let found = facts.get(model);
  if (found === undefined) {
    found = {
      ranges: featureRanges(model),
      common: commonCategories(model),
      importance: importanceOf(model),
    };
    facts.set(model, found);
  }
  return found;
}

/**
 * Computes the page of a model.
 *
 * @param maxMillis Milliseconds that scoring and explaining may take; what is not done then is left out.
 * @default Infinity
 */
export function viewOf(
  served: Served,
  models: readonly string[],
  form: FormValues,
  maxMillis: number = Infinity,
): View {
  const until = performance.now() + maxMillis;
  const { model, encoder } = served;
  const { ranges, common, importance } = factsOf(model);
  const batch = createBatch(encoder.schema, 1, encoder.starts);
  const fields = encoder.schema.features.map((_, f) =>
    fieldOf(served, batch, f, ranges[f], common[f], form)
  );
  const wanted = Number(form.get("vary") ?? NaN);
  const first = importance[0]?.feature ?? 0;
  const vary = Number.isInteger(wanted) && wanted >= 0 && wanted < fields.length ? wanted : first;
  const treeNumber = clampTree(Number(form.get("tree") ?? 1), model.numTrees);
  const good = fields.every((field) => field.problem === undefined);
  const result = good ? resultOf(served, batch, maxMillis) : undefined;
  const whatIf = good && fields.length > 0
    ? whatIfOf(served, batch, vary, ranges[vary], until - performance.now())
    : undefined;
  return {
    models,
    served,
    asked: form.get("model") ?? served.name,
    fields,
    result,
    whatIf,
    importance,
    tree: model.numTrees > 0 ? treeView(model, treeNumber - 1, batch.x) : undefined,
    treeNumber,
  };
}

function clampTree(wanted: number, numTrees: number): number {
  return Number.isInteger(wanted) ? Math.max(1, Math.min(numTrees, wanted)) : 1;
}

/** Reads one field into the batch. */
function fieldOf(
  served: Served,
  batch: Batch,
  f: number,
  range: FeatureRange | undefined,
  common: number,
  form: FormValues,
): Field {
  const input = served.encoder.schema.features[f];
  // The last field is the offset where rows start from one: none unless told.
  const isOffset = f === served.model.schema.features.length;
  const name = `f${f}`;
  const given = form.get(name);
  let kind: Field["kind"] = "number";
  let options: Field["options"] = [];
  let value: string;
  let cell: unknown;
  let shown: string;
  if (input.kind === "categorical" && input.coded !== true) {
    const { categories } = input;
    kind = categories.length <= MAX_OPTIONS ? "select" : "text";
    if (kind === "select") {
      options = [
        { value: "", label: "(missing)" },
        ...categories.map((label, code) => ({ value: `c${code}`, label })),
        { value: "u", label: "(another value)" },
      ];
      value = given ?? (categories.length > 0 ? `c${common}` : "");
      // A form of another version of the model: what the list shows is what is scored.
      if (!options.some((option) => option.value === value)) value = "";
      const code = /^c(\d+)$/.exec(value)?.[1];
      cell = code !== undefined ? categories[Number(code)] : value === "u" ? UNKNOWN : null;
    } else {
      value = given ?? categories[common];
      cell = value === "" ? null : value;
    }
    shown = cell === UNKNOWN ? "(another value)" : cell === null ? "(missing)" : String(cell);
  } else {
    value = given ?? (isOffset ? "0" : range === undefined ? "" : String(range.middle));
    cell = value;
    shown = value === "" ? "(missing)" : value;
  }
  let problem: string | undefined;
  try {
    putCell(served.encoder, batch, 0, featureOf(served.encoder, batch, input.name), cell);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    problem = kind !== "number"
      ? "The model refuses this value"
      : value === ""
      ? "The model needs a number here"
      : "This is not a number";
  }
  return { name, label: input.name, kind, value, options, range, problem, shown };
}

/** A text that is no category: it holds a character that cannot be typed. */
const UNKNOWN = "\u0000";

function resultOf(served: Served, batch: Batch, maxMillis: number): Result {
  const { model } = served;
  const { classes } = model.schema;
  const scores = scoreBatch(model, batch);
  let shap: ShapValues | undefined;
  let noReasons: string | undefined;
  try {
    checkExplained(batch, model);
    shap = explainBatch(model, batch, maxMillis);
  } catch (error) {
    if (!(error instanceof TreelineError)) throw error;
    noReasons = error.message;
  }
  const output = explainedOutput(scores, 0);
  return {
    headline: classes.length > 0 ? classes[scores.labels[0]] : shownNumber(scores.value[0]),
    probabilities: scores.isProbability
      ? classes.map((label, k) => ({ label, value: probabilityAt(scores, classes.length, 0, k) }))
      : [],
    raw: scores.raw[output],
    bias: shap?.bias[output],
    contributions: shap === undefined ? [] : contributionsOf(shap, 0, output),
    noReasons,
    scoreName: scoreName(served, scores),
  };
}

/** What one number stands for a row in curves: the chance of the last or predicted class. */
function scoreName(served: Served, scores: Scores): Words {
  const { classes, target } = served.model.schema;
  if (!scores.isProbability) return [target ?? "score"];
  return ["chance of ", { name: classes[classes.length === 2 ? 1 : scores.labels[0]] }];
}
