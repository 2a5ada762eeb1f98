/**
 * XGBoost's JSON and UBJSON share one document; this reads it into an {@linkcode XgboostSource}.
 *
 * Schema: https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html, with the changes of
 * 2.0 (vector leaves), 3.1 (`base_score` as a list, `cats`) and 3.3 (`weight_drop` in any booster).
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import {
  asFields,
  fieldError,
  type Fields,
  integerAt,
  listAt,
  numbersAt,
  objectAt,
  optional,
  textAt,
  textsAt,
  toNumber,
} from "../common/document.ts";
import { checkLevel } from "../common/imported.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";
import { readyTrees } from "./kernel.ts";
import type { XgboostSource, XgboostTree } from "./source.ts";

/** Reads the parsed document of a model file. */
export function readXgboostDocument(
  document: unknown,
  format: XgboostSource["format"],
  limits: FullLimits,
): XgboostSource {
  const root = asFields(document, "the document");
  const learner = objectAt(root, "learner");
  const params = objectAt(learner, "learner_model_param");
  const booster = objectAt(learner, "gradient_booster");
  const name = textAt(booster, "name");
  if (name === "gblinear") throw linearBooster();
  if (name !== "gbtree" && name !== "dart") {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import the booster "${name}": expected "gbtree" or "dart"`,
      { details: { booster: name } },
    );
  }
  const outer = name === "dart" && optional(booster, "gbtree") !== undefined
    ? objectAt(booster, "gbtree")
    : booster;
  const model = objectAt(outer, "model");
  const treeParams = objectAt(model, "gbtree_model_param");
  const ready = readyTrees(optional(model, "trees"));
  const list = ready === undefined ? listAt(model, "trees") : [];
  const numTrees = ready?.numTrees ?? list.length;
  checkLimit("the number of trees", numTrees, limits.maxTrees);
  const numFeatures = checkLimit(
    "the number of features",
    integerAt(params, "num_feature"),
    limits.maxFeatures,
  );
  checkRounds(model, numTrees);
  const weightDrop = optional(booster, "weight_drop") !== undefined
    ? numbersAt(booster, "weight_drop", numTrees)
    : optional(model, "weight_drop") !== undefined
    ? numbersAt(model, "weight_drop", numTrees)
    : undefined;
  const version = versionOf(root);
  const levels = readLevels(model);
  const doubtfulLevels = levels.flatMap((names, feature) =>
    names?.isDoubtful && !countsBytes(version) ? [feature] : []
  );
  return {
    version,
    format,
    objective: textAt(objectAt(learner, "objective"), "name"),
    numFeatures,
    numClasses: checkLimit(
      "the number of classes",
      integerAt(params, "num_class", 0),
      limits.maxOutputs,
    ),
    numTargets: checkLimit(
      "the number of targets",
      integerAt(params, "num_target", 1),
      limits.maxOutputs,
    ),
    baseScore: parseBaseScore(optional(params, "base_score")),
    baseIsMargin: false,
    baseIsFound: integerAt(params, "boost_from_average", 1) !== 0,
    featureNames: textsAt(learner, "feature_names"),
    featureTypes: textsAt(learner, "feature_types"),
    levels: levels.map((level, feature) =>
      doubtfulLevels.includes(feature) ? undefined : level?.names
    ),
    doubtfulLevels,
    attributes: readAttributes(learner),
    numParallelTree: Math.max(1, integerAt(treeParams, "num_parallel_tree", 1)),
    trees: list.map((tree, i) => {
      const fields = asFields(tree, `trees[${i}]`);
      // The library puts each tree at its number, whatever its place in the list.
      const id = integerAt(fields, "id", i);
      if (id !== i) throw fieldError(`trees[${i}].id`, id, `${i}, its place`);
      return readTree(fields);
    }),
    treeInfo: numbersAt(model, "tree_info", numTrees),
    ...(weightDrop === undefined ? {} : { weightDrop }),
    ...(ready === undefined ? {} : { ready }),
  };
}

/** Where rounds begin; the library scores with the trees from the first to the last of them. */
function checkRounds(model: Fields, numTrees: number): void {
  if (optional(model, "iteration_indptr") === undefined) return;
  const starts = Array.from(numbersAt(model, "iteration_indptr"));
  const inOrder = starts.every((start, i) => start >= (starts[i - 1] ?? 0));
  if (inOrder && starts[0] === 0 && starts.at(-1) === numTrees) return;
  throw fieldError("iteration_indptr", starts, `places from 0 to ${numTrees}, in order`);
}

/** The refusal of a linear model, with the reason. */
export function linearBooster(): ConversionError {
  return new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import the booster "gblinear": it is a linear model and has no trees, expected "gbtree" or "dart"`,
    { details: { booster: "gblinear" } },
  );
}

/**
 * Reads every spelling of `base_score`: `0.5`, `"5E-1"`, `"[5E-1]"`, `"[0E0,0E0]"`, `[0.5]`.
 *
 * @throws {ConversionError} `E_CONVERT_SYNTAX` when it is none of them.
 */
function parseBaseScore(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.map((item) => toNumber(item, "base_score"));
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array);
  if (typeof value === "string" && value.trim().startsWith("[")) {
    const inner = /^\s*\[([^[\]]*)\]\s*$/.exec(value)?.[1];
    if (inner === undefined) throw fieldError("base_score", value, "a list of numbers");
    return inner.split(",").map((item) => toNumber(item.trim(), "base_score"));
  }
  return [toNumber(value, "base_score")];
}

function versionOf(root: Fields): string {
  const version = optional(root, "version");
  if (version === undefined) return "unknown";
  const parts = Array.from(numbersAt(root, "version"));
  if (!(parts[0] <= 3)) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import a model of XGBoost ${
        parts.join(".")
      }: expected version 3 or earlier; save it with one of these`,
      { details: { version: parts.join(".") } },
    );
  }
  return parts.join(".");
}

function readAttributes(learner: Fields): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const fields = optional(learner, "attributes");
  if (typeof fields !== "object" || fields === null) return attributes;
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === "string") attributes.set(key, value);
  }
  return attributes;
}

interface Levels {
  readonly names: readonly string[];
  /** Some letter takes more than one byte. */
  readonly isDoubtful: boolean;
}

/**
 * Whether level names are cut where they end. Before 3.4 the Python package counted letters where the
 * file counts bytes (dmlc/xgboost#12371), so that names after a letter of several bytes are shifted, the
 * last ones lost, and nothing in the file says so.
 */
function countsBytes(version: string): boolean {
  const [major, minor = 0] = version.split(".").map(Number);
  return major > 3 || (major === 3 && minor >= 4);
}

/** Level names of string categories, kept by 3.1 and later as UTF-8 bytes and offsets. */
function readLevels(model: Fields): (Levels | undefined)[] {
  const cats = optional(model, "cats");
  if (cats === undefined) return [];
  return listAt(asFields(cats, "cats"), "enc").map((item, feature) => {
    const path = `cats.enc[${feature}]`;
    const encoding = asFields(item, path);
    if (optional(encoding, "offsets") === undefined) {
      // Levels that are numbers are stored as such (after a type code).
      const values = optional(encoding, "values");
      if (values === undefined) return undefined;
      const numbers = Array.from(numbersAt(encoding, "values"));
      for (const value of numbers) checkLevel(value, `the levels of ${path}`);
      return numbers.length === 0 ? undefined : { names: numbers.map(String), isDoubtful: false };
    }
    const offsets = numbersAt(encoding, "offsets");
    const bytes = numbersAt(encoding, "values");
    if (offsets.length <= 1) return undefined;
    const names: string[] = [];
    let isDoubtful = false;
    const decoder = new TextDecoder();
    for (let i = 0; i + 1 < offsets.length; i++) {
      const [from, to] = [offsets[i], offsets[i + 1]];
      if (!(from >= 0 && from <= to && to <= bytes.length)) {
        throw fieldError(`${path}.offsets[${i + 1}]`, to, `an offset from ${from} on`);
      }
      const name = new Uint8Array(to - from);
      for (let j = from; j < to; j++) name[j - from] = bytes[j];
      isDoubtful ||= name.some((byte) => byte > 127);
      names.push(decoder.decode(name));
    }
    return { names, isDoubtful };
  });
}

function readTree(tree: Fields): XgboostTree {
  const left = numbersAt(tree, "left_children");
  const n = left.length;
  const params = objectAt(tree, "tree_param");
  const width = integerAt(params, "size_leaf_vector", 1);
  const has = (key: string): boolean => optional(tree, key) !== undefined;
  let vector: XgboostTree["vector"];
  if (width > 1) {
    vector = has("leaf_weights")
      ? { width, by: "leaf", values: numbersAt(tree, "leaf_weights") }
      : { width, by: "node", values: numbersAt(tree, "base_weights", n * width) };
  }
  const isCategorical = has("categories_nodes") && numbersAt(tree, "categories_nodes").length > 0;
  return {
    left,
    right: numbersAt(tree, "right_children", n),
    feature: numbersAt(tree, "split_indices", n),
    condition: numbersAt(tree, "split_conditions", n),
    defaultLeft: numbersAt(tree, "default_left", n),
    ...(has("split_type") ? { splitType: numbersAt(tree, "split_type", n) } : {}),
    ...(has("sum_hessian") ? { cover: numbersAt(tree, "sum_hessian", n) } : {}),
    ...(has("loss_changes") ? { gain: numbersAt(tree, "loss_changes", n) } : {}),
    ...(isCategorical
      ? {
        categories: {
          nodes: numbersAt(tree, "categories_nodes"),
          segments: numbersAt(tree, "categories_segments"),
          sizes: numbersAt(tree, "categories_sizes"),
          values: numbersAt(tree, "categories"),
        },
      }
      : {}),
    ...(vector === undefined ? {} : { vector }),
  };
}
