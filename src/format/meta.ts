/**
 * The JSON part of a model: contract, rules and story, written canonically (equal models give equal
 * bytes) and checked field by field when read.
 *
 * @module
 */
import type { InputFeature, Schema } from "../data/types.ts";
import type { ModelError } from "../errors.ts";
import type {
  Calibration,
  Ensemble,
  ModelInfo,
  NumericProfile,
  Postprocess,
} from "../model/types.ts";

/** What is stored beside the trees: the contract, the story, and rules of scoring. */
export interface Meta {
  readonly schema: Schema;
  readonly info: ModelInfo;
  readonly aggregate: Ensemble["aggregate"];
  readonly leafWidth: number;
  readonly numOutputs: number;
  readonly treesPerRound: number;
  readonly postprocess: Postprocess;
  readonly profile: NumericProfile;
}

/** The rules of scoring alone. */
export function rulesOf({ schema: _schema, info: _info, ...rules }: Meta): Omit<
  Meta,
  "schema" | "info"
> {
  return rules;
}

type Record = { readonly [key: string]: unknown };

const LINKS: readonly Postprocess["name"][] = [
  "identity",
  "exp",
  "sigmoid",
  "softmax",
  "oneVsAll",
  "hinge",
  "signedSquare",
  "log1pExp",
  "proportions",
  "probability",
  "probit",
  "softmaxZero",
];

/**
 * Checks parsed JSON.
 *
 * @param where What is read, for messages: `byte 80` or `the JSON`.
 * @throws {ModelError} `E_MODEL_CORRUPT` naming the path of the wrong field.
 */
export function readMeta(value: unknown, fail: Fail): Meta {
  const [get] = fields(value, "the metadata", fail, "");
  return {
    schema: get("schema", readSchema),
    info: shallow(get("info", record), MAX_DEPTH, fail) as unknown as ModelInfo,
    aggregate: get("aggregate", oneOf("sum", "average", "vote", "median", "min", "max")),
    leafWidth: get("leafWidth", count),
    numOutputs: get("numOutputs", count),
    treesPerRound: get("treesPerRound", count),
    postprocess: get("postprocess", readPostprocess),
    profile: get("profile", readProfile),
  };
}

/** Levels of nesting in `info`: whoever walks it may do so by recursion. */
const MAX_DEPTH = 64;

function shallow(value: unknown, depth: number, fail: Fail): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw fail(`info has more than ${MAX_DEPTH} levels`);
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (let i = 0; i < members.length; i++) shallow(members[i], depth - 1, fail);
  return value;
}

type Fail = (problem: string) => ModelError;

/** Checks what stands at a path. */
type Read<T> = (value: unknown, path: string, fail: Fail) => T;

/** How the members of an object are read: one that must be there, and one that may be, as an object. */
type Fields = [
  get: <T>(key: string, read: Read<T>) => T,
  may: <K extends string, T>(key: K, read: Read<T>) => { readonly [key in K]?: T },
];

function fields(value: unknown, path: string, fail: Fail, prefix = `${path}.`): Fields {
  const root = record(value, path, fail);
  const get: Fields[0] = (key, read) => read(root[key], prefix + key, fail);
  return [
    get,
    <K extends string, T>(key: K, read: Read<T>) =>
      (root[key] === undefined ? {} : { [key]: get(key, read) }) as { [key in K]?: T },
  ];
}

function readSchema(value: unknown, path: string, fail: Fail): Schema {
  const [get, may] = fields(value, path, fail);
  const features = get("features", list).map((f, i) =>
    readFeature(f, `schema.features[${i}]`, fail)
  );
  const names = new Set<string>();
  for (const { name } of features) {
    if (names.has(name)) throw fail(`two features are named ${JSON.stringify(name)}`);
    names.add(name);
  }
  // Keys in the order of canonical JSON, here and in features: hashes are taken of the text.
  return {
    absentColumns: get("absentColumns", oneOf("missing", "error")),
    classes: get("classes", texts),
    extraColumns: get("extraColumns", oneOf("ignore", "error")),
    features,
    ...may("missingCells", texts),
    ...may("sparse", oneOf("zero", "missing")),
    ...may("target", readTarget),
    task: get("task", oneOf("regression", "classification", "ranking")),
  };
}

function readTarget(value: unknown, path: string, fail: Fail): { readonly name: string } {
  return { name: fields(value, path, fail)[0]("name", text) };
}

function readFeature(value: unknown, path: string, fail: Fail): InputFeature {
  const [get] = fields(value, path, fail);
  const name = get("name", text);
  const missing = get("missing", oneOf("learnt", "heavier", "error"));
  if (get("kind", oneOf("numeric", "categorical")) === "numeric") {
    return { kind: "numeric", missing, name, ...flags(get, ["zeroIsMissing"]) };
  }
  return {
    categories: get("categories", texts),
    ...flags(get, ["coded", "float32Codes"]),
    kind: "categorical",
    missing,
    name,
    unknown: get("unknown", oneOf("heavier", "missing", "node", "error")),
  };
}

function readPostprocess(value: unknown, path: string, fail: Fail): Postprocess {
  const [get, may] = fields(value, path, fail);
  return {
    name: get("name", oneOf(...LINKS)),
    ...may("scale", finite),
    ...flags(get, ["normalise"]),
    ...may("costs", numbers),
  };
}

function readProfile(value: unknown, path: string, fail: Fail): NumericProfile {
  const [get] = fields(value, path, fail);
  return {
    input: get("input", oneOf("f32", "f64")),
    sum: get("sum", oneOf("f32", "f64")),
    base: get("base", oneOf("first", "last")),
    shownTest: get("shownTest", oneOf("<=", "<")),
  };
}

/** Checks the calibration of each output. */
export function readCalibration(value: unknown, fail: Fail): readonly Calibration[] {
  return list(value, "calibration", fail).map((item, i): Calibration => {
    const path = `calibration[${i}]`;
    const [get] = fields(item, path, fail);
    const method = get("method", oneOf("platt", "temperature", "isotonic"));
    if (method === "platt") return { method, a: get("a", finite), b: get("b", finite) };
    if (method === "temperature") {
      const t = get("t", finite);
      if (!(t > 0)) throw fail(`${path}.t is not positive`);
      return { method, t };
    }
    const x = get("x", numbers);
    const y = get("y", numbers);
    const rises = x.every((v, k) => k === 0 || v >= x[k - 1]);
    if (x.length === 0 || x.length !== y.length || !rises) throw fail(`${path} is no curve`);
    return { method, x, y };
  });
}

function record(value: unknown, path: string, fail: Fail): Record {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record;
  throw fail(`${path} is no object`);
}

function text(value: unknown, path: string, fail: Fail): string {
  if (typeof value === "string") return value;
  throw fail(`${path} is no text`);
}

function list(value: unknown, path: string, fail: Fail): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw fail(`${path} is no list`);
}

function texts(value: unknown, path: string, fail: Fail): readonly string[] {
  const all = list(value, path, fail).map((item) => text(item, `an entry of ${path}`, fail));
  if (new Set(all).size !== all.length) throw fail(`${path} has an entry twice`);
  return all;
}

function finite(value: unknown, path: string, fail: Fail): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw fail(`${path} is no finite number`);
}

function numbers(value: unknown, path: string, fail: Fail): readonly number[] {
  return list(value, path, fail).map((item) => finite(item, `an entry of ${path}`, fail));
}

function count(value: unknown, path: string, fail: Fail): number {
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  throw fail(`${path} is no positive whole number`);
}

/** Those of the named members that are true. */
function flags<Name extends string>(
  get: Fields[0],
  names: readonly Name[],
): { readonly [name in Name]?: true } {
  const set: { [name in Name]?: true } = {};
  for (const name of names) if (get(name, flag)) set[name] = true;
  return set;
}

function flag(value: unknown, path: string, fail: Fail): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  throw fail(`${path} is neither true nor false`);
}

function oneOf<T extends string>(...choices: readonly T[]): Read<T> {
  return (value, path, fail) => {
    if (choices.includes(value as T)) return value as T;
    throw fail(`${path} is none of ${choices.join(", ")}`);
  };
}
