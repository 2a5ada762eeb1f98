/**
 * Foreign file → model: recognise, read, convert, prove, and write down where it came from.
 *
 * @module
 */
import { checkArgument, checkOptions, checkParts } from "../door.ts";
import { ConversionError } from "../errors.ts";
import { createModel, type Model } from "../model/model.ts";
import type { ModelOrigin, ModelParts } from "../model/types.ts";
import { convertCatboost } from "./catboost/import.ts";
import { detectFormat, detectJson, FOREIGN_FORMATS, type ForeignFormat } from "./detect.ts";
import type { Imported } from "./common/imported.ts";
import { convertLightgbm } from "./lightgbm/import.ts";
import { readLightgbmText } from "./lightgbm/text.ts";
import { checkLimit, type FullLimits, fullLimits, type ImportLimits } from "./common/limits.ts";
import { countRounds } from "./rounds.ts";
import { VERSION } from "../util/version.ts";
import { convertSklearn } from "./sklearn.ts";
import { sha256Hex } from "../util/sha256.ts";
import { importOnnx } from "./onnx/import.ts";
import { decodeText } from "./wire/bytes.ts";
import { parseTolerantJson } from "./wire/tolerant_json.ts";
import { convertXgboost } from "./xgboost/import.ts";
import { readXgboostBinary } from "./xgboost/binary.ts";
import { readXgboostDocument } from "./xgboost/document.ts";
import { readXgboostUbjson } from "./xgboost/ubjson.ts";

/** How a model file of another library is imported. */
export interface ImportOptions {
  /** Format of the bytes. @default recognised by content */
  readonly from?: ForeignFormat;
  /** Labels of the classes in the library's order. @default those in the file, or "0", "1", … */
  readonly classes?: readonly string[];
  /** Names of the features in the library's order. @default those in the file, or f0, f1, … */
  readonly featureNames?: readonly string[];
  /** Name of the target, so that a column of this name is not reported as unknown. */
  readonly target?: string;
  /**
   * The rounds to use: `all` of them, as XGBoost's `Booster.predict` does in spite of early stopping;
   * `best`, those up to the best one, as its scikit-learn classes do; or a number of first rounds.
   *
   * @default "all"; for a folder of xgboost.spark, the rounds that the stage scores with
   */
  readonly rounds?: "all" | "best" | number;
  /** Largest sizes that are accepted. */
  readonly limits?: ImportLimits;
  /** Called with warnings about this file. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Imports a model of XGBoost (JSON, UBJSON, legacy binary), LightGBM (text), ONNX (TreeEnsemble),
 * CatBoost (JSON) or scikit-learn (through `tools/sklearn_export.py`).
 *
 * Scores equal those of the library, whose arithmetic the model follows (docs/compatibility.md lists
 * what was compared).
 *
 * @throws {ConversionError} `E_CONVERT_SYNTAX` with the place for a damaged file;
 * `E_CONVERT_UNSUPPORTED` for a file that is not such a model, or that Treeline cannot represent
 * exactly, with the reason.
 * @throws {ModelError} `E_MODEL_LIMIT` beyond `limits`, before memory is allocated.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for a wrong option.
 *
 * @example An XGBoost model of one stump
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const tree = {
 *   tree_param: { num_nodes: "3", size_leaf_vector: "0" },
 *   left_children: [1, -1, -1], right_children: [2, -1, -1], split_indices: [0, 0, 0],
 *   split_conditions: [0.5, -1, 1], default_left: [1, 0, 0],
 * };
 * const model = importModel(new TextEncoder().encode(JSON.stringify({
 *   version: [2, 1, 4],
 *   learner: {
 *     learner_model_param: { base_score: "5E-1", num_class: "0", num_feature: "1" },
 *     objective: { name: "reg:squarederror" }, feature_names: ["x"], feature_types: ["float"],
 *     gradient_booster: {
 *       name: "gbtree",
 *       model: { gbtree_model_param: { num_trees: "1" }, tree_info: [0], trees: [tree] },
 *     },
 *   },
 * })));
 * assertEquals(model.predictValue([{ x: 0.4 }, { x: 0.5 }, { x: null }]), new Float64Array([-0.5, 1.5, -0.5]));
 * ```
 */
export function importModel(bytes: Uint8Array, options: ImportOptions = {}): Model {
  checkImport("importModel", options);
  checkArgument("importModel", "bytes", bytes, "bytes");
  return createModel(importParts(bytes, options).parts);
}

/**
 * Checks how a file is to be imported.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name, or `E_PARAM_RANGE`.
 */
export function checkImport(call: string, options: ImportOptions): void {
  checkOptions<ImportOptions>(call, options, {
    from: FOREIGN_FORMATS,
    classes: "texts",
    featureNames: "texts",
    target: "text",
    rounds: "any",
    limits: "object",
    onWarning: "function",
  });
  const { limits, rounds } = options;
  // Numbers and words are judged by what the model has.
  if (rounds !== undefined && typeof rounds !== "string" && typeof rounds !== "number") {
    checkArgument(call, "rounds", rounds, "whole", 'a whole number, "all" or "best"');
  }
  if (limits === undefined) return;
  checkParts<ImportLimits>(call, "limits", limits, {
    maxBytes: "number",
    maxNodes: "number",
    maxTrees: "number",
    maxFeatures: "number",
    maxOutputs: "number",
    maxCategoryWords: "number",
    maxCategories: "number",
    maxLeafValues: "number",
  });
}

/** A file or stage that bytes were taken out of. */
export interface Around {
  /** The file as it lies: what the origin's SHA-256 is of. */
  readonly source?: Uint8Array;
  /** Rounds that a stage scores with; `best` where early stopping found one. @default all */
  readonly rounds?: "best" | number | undefined;
}

/**
 * As {@linkcode importModel}, before the model is made, with the file's own node numbers.
 *
 * @param around What lies around the bytes.
 */
export function importParts(
  bytes: Uint8Array,
  options: ImportOptions = {},
  around: Around = {},
): { readonly parts: ModelParts; readonly sourceIds: Int32Array } {
  const read = readForeign(bytes, options.from, fullLimits(options.limits));
  const imported = countRounds(read, options.rounds, around.rounds);
  for (const warning of imported.warnings) options.onWarning?.(warning);
  const { source = bytes } = around;
  const file = source === bytes ? imported.file ?? bytes : source;
  return { parts: describe(imported, file, options), sourceIds: imported.sourceIds };
}

/** Reads and converts bytes of a known or recognised format. */
function readForeign(
  bytes: Uint8Array,
  from: ForeignFormat | undefined,
  limits: FullLimits,
): Imported {
  checkLimit("the size of the file in bytes", bytes.length, limits.maxBytes);
  const detected = from ?? detectFormat(bytes);
  switch (detected) {
    case "xgboost-ubj":
      return convertXgboost(readXgboostUbjson(bytes, limits), limits);
    case "xgboost-binary":
      return convertXgboost(readXgboostBinary(bytes, limits), limits);
    case "lightgbm-text":
      return convertLightgbm(
        readLightgbmText(textOf(bytes, "a LightGBM model"), limits),
        limits,
      );
    case "onnx":
      return importOnnx(bytes, limits);
  }
  const document = parseTolerantJson(textOf(bytes, "a JSON model"), "a JSON model");
  const format = from ?? detectJson(document);
  switch (format) {
    case "catboost-json":
      return convertCatboost(document, limits);
    case "sklearn-json":
      return convertSklearn(document, limits);
    default:
      return convertXgboost(readXgboostDocument(document, "xgboost-json", limits), limits);
  }
}

/** The text of a file, without the mark of its encoding that may stand in front. */
function textOf(bytes: Uint8Array, what: string): string {
  const text = decodeText(bytes, what);
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Adds names the caller knows better, and the origin. */
function describe(imported: Imported, file: Uint8Array, options: ImportOptions): ModelParts {
  let { schema } = imported;
  if (options.featureNames !== undefined) {
    checkNames("feature names", options.featureNames, schema.features.length);
    const names = options.featureNames;
    schema = { ...schema, features: schema.features.map((f, i) => ({ ...f, name: names[i] })) };
  }
  if (options.classes !== undefined) {
    checkNames("classes", options.classes, schema.classes.length);
    schema = { ...schema, classes: options.classes };
  }
  const { target } = options;
  if (target !== undefined) {
    if (schema.features.some(({ name }) => name.normalize() === target.normalize())) {
      throw namingError("target", `a feature is named ${JSON.stringify(target)}`);
    }
    schema = { ...schema, target: { name: target } };
  }
  return {
    schema,
    ensemble: imported.ensemble,
    info: {
      version: VERSION,
      algorithm: "import",
      params: imported.notes,
      ...(imported.warnings.length > 0 ? { warnings: imported.warnings } : {}),
      origin: originOf(imported, file),
    },
  };
}

/** The origin; the hash is taken when somebody asks, which for scoring alone is never. */
function originOf(imported: Imported, file: Uint8Array): ModelOrigin {
  const copy = imported.file === file ? file : file.slice();
  let hash: string | undefined;
  return {
    format: imported.format,
    library: imported.library,
    ...(imported.version === undefined ? {} : { version: imported.version }),
    get sha256() {
      return hash ??= sha256Hex(copy);
    },
  };
}

/** @throws {ConversionError} unless there are as many names as expected, each once. */
function checkNames(what: string, given: readonly string[], expected: number): void {
  if (given.length !== expected) {
    throw namingError(what, `${given.length} are given, expected ${expected}`);
  }
  const seen = new Set<string>();
  for (const each of given) {
    const name = each.normalize();
    if (seen.has(name)) throw namingError(what, `${JSON.stringify(name)} occurs twice`);
    seen.add(name);
  }
}

function namingError(what: string, problem: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot name the model's ${what}: ${problem}`,
    { details: { hint: "names stand in the library's own order, each once" } },
  );
}
