/**
 * Model ⇄ JSON text that people can read and diff; lossless, so that a model comes back with the
 * same bytes.
 *
 * @module
 */
import { checkModel } from "../door.ts";
import { ModelError } from "../errors.ts";
import { canonicalJson } from "../model/hash.ts";
import { createModel, type Model } from "../model/model.ts";
import type { Ensemble, LinearLeaves, Surrogates, Trees } from "../model/types.ts";
import { ATTACHMENTS } from "./decode.ts";
import { readCalibration, readMeta } from "./meta.ts";

const VERSION = 1;

/** Arrays of the document, in the order in which they are written. */
const TREE_ARRAYS = {
  treeStart: Int32Array,
  kind: Uint8Array,
  feature: Int32Array,
  threshold: Float64Array,
  firstChild: Int32Array,
  missing: Uint8Array,
  categoryAt: Int32Array,
  categoryPool: Uint32Array,
  leaf: Float64Array,
  cover: Float64Array,
  gain: Float64Array,
} as const;
const ENSEMBLE_ARRAYS = {
  baseScore: Float64Array,
  treeOutput: Int32Array,
  treeWeight: Float64Array,
} as const;
const LINEAR_ARRAYS = {
  constant: Float64Array,
  termStart: Int32Array,
  termFeature: Int32Array,
  termCoefficient: Float64Array,
} as const;

const SURROGATE_ARRAYS = {
  start: Int32Array,
  feature: Int32Array,
  threshold: Float64Array,
  below: Uint8Array,
  categoryAt: Int32Array,
  pool: Uint8Array,
} as const;

type Arrays = { readonly [name: string]: { from(values: ArrayLike<number>): ArrayLike<number> } };

/**
 * Writes a model as JSON text for people and diffs. It is lossless: {@linkcode modelFromJson} gives
 * the same model. Each member, and each array, is one line.
 *
 * @throws {ModelError} `E_MODEL_CORRUPT` if `info` or the schema hold what a file cannot.
 */
export function modelToJson(model: Model): string {
  checkModel("modelToJson", model);
  const { ensemble } = model;
  const fail = (problem: string) =>
    new ModelError("E_MODEL_CORRUPT", `Cannot write this model: ${problem}`);
  const meta = readMeta({ ...ensemble, schema: model.schema, info: model.info }, fail);
  const members = [`"format":"treeline-model"`, `"version":${VERSION}`];
  for (const [name, value] of Object.entries(meta)) {
    members.push(`${JSON.stringify(name)}:${canonicalJson(value)}`);
  }
  if (model.calibration !== undefined) {
    const calibration = readCalibration(model.calibration, fail, ensemble.numOutputs);
    members.push(`"calibration":${canonicalJson(calibration)}`);
  }
  members.push(...arraysToJson(ENSEMBLE_ARRAYS, ensemble));
  members.push(`"trees":{\n${arraysToJson(TREE_ARRAYS, ensemble.trees).join(",\n")}\n}`);
  if (ensemble.linear !== undefined) {
    members.push(`"linear":{\n${arraysToJson(LINEAR_ARRAYS, ensemble.linear).join(",\n")}\n}`);
  }
  if (ensemble.surrogates !== undefined) {
    const arrays = arraysToJson(SURROGATE_ARRAYS, ensemble.surrogates);
    members.push(`"surrogates":{\n${arrays.join(",\n")}\n}`);
  }
  if (model.attachments.size > 0) {
    const sections = Array.from(
      model.attachments,
      ([id, bytes]) => `${JSON.stringify(id)}:"${base64(bytes)}"`,
    );
    members.push(`"attachments":{\n${sections.join(",\n")}\n}`);
  }
  return `{\n${members.join(",\n")}\n}\n`;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Optional sections that were written, in the order of the file. */
function readAttachments(
  value: unknown,
  fail: (problem: string) => ModelError,
): Map<string, Uint8Array> {
  const record = (value ?? {}) as { readonly [id: string]: unknown };
  const attachments = new Map<string, Uint8Array>();
  for (const id of ATTACHMENTS) {
    if (record[id] === undefined) continue;
    try {
      const text = atob(String(record[id]));
      attachments.set(id, Uint8Array.from(text, (char) => char.charCodeAt(0)));
    } catch {
      throw fail(`attachment ${id} is not base64`);
    }
  }
  return attachments;
}

function arraysToJson(arrays: Arrays, from: unknown): string[] {
  const record = from as { readonly [name: string]: ArrayLike<number> };
  return Object.keys(arrays).map((name) => `"${name}":[${Array.from(record[name], numberText)}]`);
}

/** Shortest text that parses to the same number; what JSON lacks becomes text or null. */
function numberText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return value !== value ? "null" : `"${value}"`;
}

/**
 * Makes a model from the text that {@linkcode modelToJson} wrote, after the checks that a binary file
 * gets.
 *
 * @throws {ModelError} `E_MODEL_MAGIC` if it is not such a text, `E_MODEL_VERSION` if it is too new,
 * `E_MODEL_CORRUPT` if its parts are damaged or contradict each other.
 */
export function modelFromJson(text: string): Model {
  let document: { readonly [key: string]: unknown };
  try {
    document = JSON.parse(text) ?? {};
  } catch (cause) {
    throw new ModelError("E_MODEL_MAGIC", "Cannot read this model: it is not JSON", { cause });
  }
  if (document.format !== "treeline-model") {
    throw new ModelError(
      "E_MODEL_MAGIC",
      `Cannot read this model: its "format" is not "treeline-model"`,
    );
  }
  if (document.version !== VERSION) {
    throw new ModelError(
      "E_MODEL_VERSION",
      `Cannot read this model: it has version ${document.version}, expected ${VERSION}`,
    );
  }
  const fail = (problem: string) =>
    new ModelError("E_MODEL_CORRUPT", `Cannot read this model: ${problem}`);
  const meta = readMeta(document, fail);
  const { schema, info, ...rules } = meta;
  const ensemble: Ensemble = {
    ...rules,
    ...readArrays(ENSEMBLE_ARRAYS, document, fail) as Pick<Ensemble, keyof typeof ENSEMBLE_ARRAYS>,
    trees: readArrays(TREE_ARRAYS, document.trees, fail) as unknown as Trees,
    ...(document.linear !== undefined && {
      linear: readArrays(LINEAR_ARRAYS, document.linear, fail) as unknown as LinearLeaves,
    }),
    ...(document.surrogates !== undefined && {
      surrogates: readArrays(SURROGATE_ARRAYS, document.surrogates, fail) as unknown as Surrogates,
    }),
  };
  return createModel({
    schema,
    info,
    ensemble,
    attachments: readAttachments(document.attachments, fail),
    ...(document.calibration !== undefined && {
      calibration: readCalibration(document.calibration, fail, ensemble.numOutputs),
    }),
  });
}

function readArrays(
  arrays: Arrays,
  from: unknown,
  fail: (problem: string) => ModelError,
): { [name: string]: ArrayLike<number> } {
  const record = (from ?? {}) as { readonly [name: string]: unknown };
  const result: { [name: string]: ArrayLike<number> } = {};
  for (const name of Object.keys(arrays)) {
    const values = record[name];
    if (!Array.isArray(values)) throw fail(`${name} is not a list`);
    const numbers = values.map((value) => {
      if (typeof value === "number") return value;
      if (value === null) return NaN;
      if (value === "Infinity" || value === "-Infinity") return Number(value);
      throw fail(`${name} holds ${JSON.stringify(value)}`);
    });
    const array = arrays[name].from(numbers);
    for (let i = 0; i < numbers.length; i++) {
      if (!Object.is(array[i], numbers[i])) throw fail(`${name} holds ${numbers[i]}`);
    }
    result[name] = array;
  }
  return result;
}
