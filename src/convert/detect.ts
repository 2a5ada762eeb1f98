/**
 * Which tool wrote these bytes, by content and never by file name; and for what Treeline does not
 * read, what it is and how to save it differently.
 *
 * @module
 */
import { ConversionError } from "../errors.ts";
import { isXgboostBinary } from "./xgboost/binary.ts";

/** Formats an importer exists for; `json` needs a look inside. */
export type DetectedFormat = "json" | "xgboost-ubj" | "xgboost-binary" | "lightgbm-text" | "onnx";

/** Formats of model files that can be imported. */
export type ForeignFormat =
  | "xgboost-json"
  | "xgboost-ubj"
  | "xgboost-binary"
  | "lightgbm-text"
  | "onnx"
  | "catboost-json"
  | "sklearn-json";

/** All of them. */
export const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  "xgboost-json",
  "xgboost-ubj",
  "xgboost-binary",
  "lightgbm-text",
  "onnx",
  "catboost-json",
  "sklearn-json",
];

/** Says no, with what it is and what to do instead. */
function notAModel(found: string, advice: string, hint?: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import these bytes: ${found}; ${advice}`,
    { details: { found, ...(hint !== undefined && { hint }) } },
  );
}

/** Where nothing says what the file is. */
const CHECK_PATH = "check the path: the file should be what `save_model` or `treeline train` wrote";

/** First bytes of a file of our own, as in ../format/sections.ts. */
const TREELINE = "\x89TLM\r\n\x1a\n";
/** Trees of XGBoost's dump_model() and get_dump(). */
const TEXT_DUMP = /^(booster\[|0:\[|0:leaf=)/;
/** How the Python code of CatBoost begins, without and with categories. */
const CATBOOST_PYTHON = /^### +(Model data|Types to hold CTR's data)/;
/** A protobuf of a version and a message, in whose place ONNX has the name of a tool. */
// deno-lint-ignore no-control-regex -- bytes, not text
const COREML = /^\x08[\x01-\x7f]\x12[\x80-\xff]*[\x01-\x7f]\x0a/;
/** What to do with a model that lies there as something to run. */
const SAVE_ITSELF = `save the model itself: CatBoost's with save_model(path, format="json")`;

/** First bytes of things people mistake for a model file. */
const SIGNATURES: readonly (readonly [string, string, string])[] = [
  [
    "\x80\x02",
    "this is a Python pickle",
    "pickles run code and are not read; use tools/sklearn_export.py or the library's own save_model",
  ],
  [
    "\x80\x03",
    "this is a Python pickle",
    "pickles run code and are not read; use tools/sklearn_export.py or the library's own save_model",
  ],
  [
    "\x80\x04",
    "this is a Python pickle",
    "pickles run code and are not read; use tools/sklearn_export.py or the library's own save_model",
  ],
  [
    "\x80\x05",
    "this is a Python pickle",
    "pickles run code and are not read; use tools/sklearn_export.py or the library's own save_model",
  ],
  [
    "CBM1",
    "this is a CatBoost binary model",
    `save it with save_model(path, format="json"), which CatBoost does unless it has features of text or embeddings`,
  ],
  [
    "PK\x03\x04",
    "this is a ZIP archive (an H2O MOJO, a .skops or .npz file?)",
    "expected a model file of XGBoost, LightGBM, CatBoost or ONNX",
  ],
  ["\x1f\x8b", "this is gzip data", "unpack it first"],
  ["<?xml", "this is XML (PMML?)", "expected a model file of XGBoost, LightGBM, CatBoost or ONNX"],
  ["<PMML", "this is PMML", "expected a model file of XGBoost, LightGBM, CatBoost or ONNX"],
  ["#include", "this is C++ code (of CatBoost or LightGBM?)", SAVE_ITSELF],
];

/**
 * Recognises a foreign model file.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` saying what the bytes are, where that is known.
 */
export function detectFormat(bytes: Uint8Array): DetectedFormat {
  let head = "";
  for (const byte of bytes.subarray(0, 64)) head += String.fromCharCode(byte);
  if (bytes.length === 0) throw notAModel("there are none", "expected a model file", CHECK_PATH);
  for (const [signature, found, advice] of SIGNATURES) {
    if (head.startsWith(signature)) throw notAModel(found, advice);
  }
  if (head.startsWith(TREELINE)) {
    throw notAModel("this is a Treeline model file", "read it with decodeModel() or loadModel()");
  }
  const text = head.replace(/^\xef\xbb\xbf/, "").trimStart();
  if (TEXT_DUMP.test(text)) {
    throw notAModel(
      "this is an XGBoost text dump, which has lost the base score",
      "use save_model() with JSON or UBJ",
    );
  }
  if (CATBOOST_PYTHON.test(text)) {
    throw notAModel("this is the Python code of a CatBoost model", SAVE_ITSELF);
  }
  if (/^\{[UilIL]/.test(head)) return "xgboost-ubj";
  if (text.startsWith("{") || text.startsWith("[")) return "json";
  if (/^tree\r?\n/.test(text)) return "lightgbm-text";
  if (isXgboostBinary(bytes)) return "xgboost-binary";
  if (COREML.test(head)) throw notAModel("this is a Core ML model", SAVE_ITSELF);
  if (looksLikeOnnx(bytes)) return "onnx";
  throw notAModel(
    "their first bytes belong to no known format",
    "expected XGBoost (JSON, UBJ, binary), LightGBM text, ONNX, CatBoost JSON or tools/sklearn_export.py",
    CHECK_PATH,
  );
}

/** A protobuf whose first field is `ir_version` (field 1) or any low field of ModelProto. */
function looksLikeOnnx(bytes: Uint8Array): boolean {
  return bytes.length > 8 && (bytes[0] === 0x08 || bytes[0] === 0x12 || bytes[0] === 0x3a);
}

/** Tells JSON documents apart by their keys. */
export function detectJson(document: unknown): ForeignFormat {
  const has = (key: string): boolean =>
    typeof document === "object" && document !== null && Object.hasOwn(document, key);
  if (has("learner")) return "xgboost-json";
  if (has("oblivious_trees")) return "catboost-json";
  if (has("treeline_sklearn")) return "sklearn-json";
  if (has("format") && (document as { format: unknown }).format === "treeline-model") {
    throw notAModel("this is a Treeline model as JSON", "read it with modelFromJson()");
  }
  if (Array.isArray(document) || has("nodeid")) {
    throw notAModel(
      "this is a JSON dump of trees (XGBoost's dump_model?), which has lost the base score",
      "use save_model() with JSON or UBJ",
    );
  }
  if (has("tree_info")) {
    throw notAModel(
      "this is LightGBM's dump_model(), a description for people",
      "use save_model(), which writes text",
    );
  }
  if (has("trees") && has("features_info")) {
    throw notAModel(
      "this is a CatBoost model with non-symmetric trees",
      `train it with grow_policy="SymmetricTree"`,
    );
  }
  throw notAModel(
    "this JSON has none of the keys of a known model",
    `expected "learner" (XGBoost), "oblivious_trees" (CatBoost) or "treeline_sklearn"`,
  );
}
