/**
 * The JSON part of a model: contract, rules and story, written canonically (equal models give equal
 * bytes) and checked field by field when read.
 *
 * @module
 */
import type { InputFeature, Schema } from "../data/types.ts";
import type { ModelError } from "../errors.ts";
import { numbersAlone } from "../model/packed.ts";
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

type Link = Postprocess["name"];

const LINKS: readonly Link[] = [
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
 * @param fail Makes the error of a problem.
 * @throws {ModelError} `E_MODEL_CORRUPT` naming the path of the wrong field.
 */
export function readMeta(value: unknown, fail: Fail): Meta {
  return fields(value, "META", fail, "")<Meta>({
    schema: readSchema,
    info: shallow as Read<unknown> as Read<ModelInfo>,
    aggregate: oneOf("sum", "average", "vote", "median", "min", "max"),
    leafWidth: count,
    numOutputs: count,
    treesPerRound: count,
    postprocess: readPostprocess,
    profile: readProfile,
  });
}

/** Levels of nesting in `info`: whoever walks it may do so by recursion. */
const MAX_DEPTH = 64;

function shallow(value: unknown, path: string, fail: Fail): Record {
  const look = (value: unknown, level: number) => {
    if (typeof value !== "object") return;
    // Keys, of which an empty list has none: `Object.values` would make a list of each.
    for (const key in value) {
      if (level < MAX_DEPTH) look((value as Record)[key], level + 1);
      else throw fail(`info has over ${MAX_DEPTH} levels`);
    }
  };
  look(value, 0);
  return record(value, path, fail);
}

type Fail = (problem: string) => ModelError;

/** Checks what stands at a path. */
type Read<T> = (value: unknown, path: string, fail: Fail) => T;

/** How members are read. */
type Table<T> = { readonly [key in keyof T]: Read<T[key] | undefined> };

/** Reads members that must be there, or that may be. */
interface Fields {
  <T>(table: Table<T>): T;
  <T>(table: Table<T>, optional: true): Partial<T>;
}

function fields(value: unknown, path: string, fail: Fail, prefix = `${path}.`): Fields {
  const root = record(value, path, fail);
  return <T>(table: Table<T>, optional = false) => {
    const found: { [key in keyof T]?: T[key] } = {};
    let keys = Object.keys(table) as (string & keyof T)[];
    if (optional) keys = keys.filter((key) => root[key] !== undefined);
    // Short, since what runs often is compiled anew, as much as it is.
    keys.forEach((key) => {
      const member = table[key](root[key], prefix + key, fail);
      if (member !== undefined) found[key] = member;
    });
    return found as T;
  };
}

function readSchema(value: unknown, path: string, fail: Fail): Schema {
  const pick = fields(value, path, fail);
  // Keys in the order of canonical JSON, here and in features: hashes are taken of the text.
  return {
    ...pick<Omit<Schema, "task">>({
      absentColumns: oneOf("missing", "error"),
      classes: texts,
      extraColumns: oneOf("ignore", "error"),
      features: readFeatures,
    }),
    ...pick({ missingCells: texts, sparse: oneOf("zero", "missing"), target: readTarget }, true),
    ...pick<Pick<Schema, "task">>({ task: oneOf("regression", "classification", "ranking") }),
  } as Schema;
}

function readFeatures(value: unknown, path: string, fail: Fail): readonly InputFeature[] {
  const found = list(value, path, fail);
  // Numbers without rules of their own are compared as text, by the engine: a check of each feature would
  // be interpreted, and many of them make V8 compile.
  const names = found.map((feature) => (feature as InputFeature | null)?.name);
  const text = JSON.stringify(found);
  // Such a feature takes 47 bytes at least: nothing is made of a list of zeros.
  const plain = names.filter(() => text.length > 46 * names.length).map((name): InputFeature => ({
    kind: "numeric",
    missing: "learnt",
    name: `${name}`,
  }));
  const features = JSON.stringify(plain) === text
    ? numbersAlone.add(plain) && plain
    : found.map((feature, i) => readFeature(feature, `${path}[${i}]`, fail));
  if (new Set(names).size !== names.length) throw fail(`${path} has a name twice`);
  return features;
}

function readTarget(value: unknown, path: string, fail: Fail): { readonly name: string } {
  return fields(value, path, fail)({ name: text });
}

function readFeature(value: unknown, path: string, fail: Fail): InputFeature {
  const pick = fields(value, path, fail);
  const input = pick<
    { kind: InputFeature["kind"]; missing: InputFeature["missing"]; name: string }
  >({
    kind: oneOf("numeric", "categorical"),
    missing: oneOf("learnt", "heavier", "error"),
    name: text,
  });
  if (input.kind === "numeric") {
    return { ...input, ...pick({ zeroIsMissing: flag }, true) } as InputFeature;
  }
  return {
    ...pick({ categories: texts }),
    ...pick({ coded: flag, float32Codes: flag }, true),
    ...input,
    ...pick<{ readonly unknown: unknown }>({
      unknown: oneOf("heavier", "missing", "node", "error"),
    }),
  } as InputFeature;
}

function readPostprocess(value: unknown, path: string, fail: Fail): Postprocess {
  const pick = fields(value, path, fail);
  return {
    ...pick({
      // By itself, lest what reads texts runs often enough to be compiled anew.
      name: (value, path, fail) =>
        LINKS.includes(value as Link) ? value as Link : oneOf(...LINKS)(value, path, fail),
    }),
    ...pick({ scale: finite, normalise: flag, costs: numbers }, true),
  } as Postprocess;
}

function readProfile(value: unknown, path: string, fail: Fail): NumericProfile {
  const width = oneOf("f32", "f64");
  return fields(value, path, fail)({
    input: width,
    sum: width,
    base: oneOf("first", "last"),
    shownTest: oneOf("<=", "<"),
  });
}

/** Checks a calibration: a map for each output, or one for all. */
export function readCalibration(
  value: unknown,
  fail: Fail,
  numOutputs: number,
): readonly Calibration[] {
  const maps = list(value, "calibration", fail);
  if (maps.length !== 1 && maps.length !== numOutputs) throw fail("its calibration does not fit");
  return maps.map((item, i): Calibration => {
    const path = `calibration[${i}]`;
    const pick = fields(item, path, fail);
    const { method } = pick<{ method: Calibration["method"] }>({
      method: oneOf("platt", "temperature", "isotonic"),
    });
    if (method === "platt") return { method, ...pick({ a: finite, b: finite }) };
    if (method === "temperature") {
      const { t } = pick({ t: finite });
      if (!(t > 0)) throw fail(`${path}.t is ${t}`);
      return { method, t };
    }
    const { x, y } = pick({ x: numbers, y: numbers });
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

function entries<T>(value: unknown, path: string, fail: Fail, read: Read<T>): readonly T[] {
  return list(value, path, fail).map((item) => read(item, `an entry of ${path}`, fail));
}

function texts(value: unknown, path: string, fail: Fail): readonly string[] {
  const all = entries(value, path, fail, text);
  if (new Set(all).size !== all.length) throw fail(`${path} has an entry twice`);
  return all;
}

function finite(value: unknown, path: string, fail: Fail): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw fail(`${path} is no finite number`);
}

function numbers(value: unknown, path: string, fail: Fail): readonly number[] {
  return entries(value, path, fail, finite);
}

function count(value: unknown, path: string, fail: Fail): number {
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  throw fail(`${path} is no positive whole number`);
}

/** Kept where it is true. */
function flag(value: unknown, path: string, fail: Fail): true | undefined {
  if (typeof value === "boolean") return value || undefined;
  throw fail(`${path} is no boolean`);
}

/** Reads one of several texts. */
function oneOf<const T>(...choices: readonly T[]): Read<T> {
  return (value, path, fail) => {
    if (choices.includes(value as T)) return value as T;
    throw fail(`${path} is none of ${choices.join(", ")}`);
  };
}
