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
export function readMeta(value: unknown, fail: (problem: string) => ModelError): Meta {
  const root = record(value, "the metadata", fail);
  return {
    schema: readSchema(root.schema, fail),
    info: shallow(record(root.info, "info", fail), MAX_DEPTH, fail) as unknown as ModelInfo,
    aggregate: oneOf(
      root.aggregate,
      ["sum", "average", "vote", "median", "min", "max"],
      "aggregate",
      fail,
    ),
    leafWidth: count(root.leafWidth, "leafWidth", fail),
    numOutputs: count(root.numOutputs, "numOutputs", fail),
    treesPerRound: count(root.treesPerRound, "treesPerRound", fail),
    postprocess: readPostprocess(root.postprocess, fail),
    profile: readProfile(root.profile, fail),
  };
}

/** Levels of nesting in `info`: whoever walks it may do so by recursion. */
const MAX_DEPTH = 64;

function shallow(value: unknown, depth: number, fail: Fail): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw fail(`info is nested more than ${MAX_DEPTH} levels deep`);
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (let i = 0; i < members.length; i++) shallow(members[i], depth - 1, fail);
  return value;
}

type Fail = (problem: string) => ModelError;

function readSchema(value: unknown, fail: Fail): Schema {
  const root = record(value, "schema", fail);
  if (!Array.isArray(root.features)) throw fail("schema.features is no list");
  const features = root.features.map((f, i) => readFeature(f, `schema.features[${i}]`, fail));
  const names = new Set<string>();
  for (const { name } of features) {
    if (names.has(name)) throw fail(`two features are named ${JSON.stringify(name)}`);
    names.add(name);
  }
  const target = root.target === undefined ? undefined : record(root.target, "schema.target", fail);
  return {
    features,
    ...(target && { target: { name: text(target.name, "schema.target.name", fail) } }),
    task: oneOf(root.task, ["regression", "classification", "ranking"], "schema.task", fail),
    classes: texts(root.classes, "schema.classes", fail),
    extraColumns: oneOf(root.extraColumns, ["ignore", "error"], "schema.extraColumns", fail),
    absentColumns: oneOf(root.absentColumns, ["missing", "error"], "schema.absentColumns", fail),
    ...(root.sparse !== undefined && {
      sparse: oneOf(root.sparse, ["zero", "missing"], "schema.sparse", fail),
    }),
    ...(root.missingCells !== undefined && {
      missingCells: texts(root.missingCells, "schema.missingCells", fail),
    }),
  };
}

function readFeature(value: unknown, path: string, fail: Fail): InputFeature {
  const root = record(value, path, fail);
  const name = text(root.name, `${path}.name`, fail);
  const missing = oneOf(root.missing, ["learnt", "heavier", "error"], `${path}.missing`, fail);
  if (oneOf(root.kind, ["numeric", "categorical"], `${path}.kind`, fail) === "numeric") {
    return {
      kind: "numeric",
      name,
      missing,
      ...flags(root, path, ["zeroIsMissing"], fail),
    };
  }
  return {
    kind: "categorical",
    name,
    missing,
    unknown: oneOf(root.unknown, ["heavier", "missing", "node", "error"], `${path}.unknown`, fail),
    categories: texts(root.categories, `${path}.categories`, fail),
    ...flags(root, path, ["coded", "float32Codes"], fail),
  };
}

function readPostprocess(value: unknown, fail: Fail): Postprocess {
  const root = record(value, "postprocess", fail);
  return {
    name: oneOf(root.name, LINKS, "postprocess.name", fail),
    ...(root.scale !== undefined && { scale: finite(root.scale, "postprocess.scale", fail) }),
    ...flags(root, "postprocess", ["normalise"], fail),
    ...(root.costs !== undefined && { costs: numbers(root.costs, "postprocess.costs", fail) }),
  };
}

function readProfile(value: unknown, fail: Fail): NumericProfile {
  const root = record(value, "profile", fail);
  return {
    input: oneOf(root.input, ["f32", "f64"], "profile.input", fail),
    sum: oneOf(root.sum, ["f32", "f64"], "profile.sum", fail),
    base: oneOf(root.base, ["first", "last"], "profile.base", fail),
    shownTest: oneOf(root.shownTest, ["<=", "<"], "profile.shownTest", fail),
  };
}

/** Checks the calibration of each output. */
export function readCalibration(value: unknown, fail: Fail): readonly Calibration[] {
  if (!Array.isArray(value)) throw fail("calibration is no list");
  return value.map((item, i): Calibration => {
    const path = `calibration[${i}]`;
    const root = record(item, path, fail);
    switch (oneOf(root.method, ["platt", "temperature", "isotonic"], `${path}.method`, fail)) {
      case "platt":
        return {
          method: "platt",
          a: finite(root.a, `${path}.a`, fail),
          b: finite(root.b, `${path}.b`, fail),
        };
      case "temperature":
        if (!(finite(root.t, `${path}.t`, fail) > 0)) throw fail(`${path}.t is not positive`);
        return { method: "temperature", t: root.t as number };
      default: {
        const [x, y] = [numbers(root.x, `${path}.x`, fail), numbers(root.y, `${path}.y`, fail)];
        const rises = x.every((v, k) => k === 0 || v >= x[k - 1]);
        if (x.length === 0 || x.length !== y.length || !rises) throw fail(`${path} is no curve`);
        return { method: "isotonic", x, y };
      }
    }
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

function texts(value: unknown, path: string, fail: Fail): readonly string[] {
  if (!Array.isArray(value)) throw fail(`${path} is no list`);
  const distinct = new Set<string>();
  for (const item of value) distinct.add(text(item, `an entry of ${path}`, fail));
  if (distinct.size !== value.length) throw fail(`${path} has an entry twice`);
  return value;
}

function finite(value: unknown, path: string, fail: Fail): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw fail(`${path} is no finite number`);
}

function numbers(value: unknown, path: string, fail: Fail): readonly number[] {
  if (!Array.isArray(value)) throw fail(`${path} is no list`);
  for (const item of value) finite(item, `an entry of ${path}`, fail);
  return value;
}

function count(value: unknown, path: string, fail: Fail): number {
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  throw fail(`${path} is no positive whole number`);
}

/** Those of the named members that are true. */
function flags<Name extends string>(
  root: Record,
  path: string,
  names: readonly Name[],
  fail: Fail,
): { readonly [name in Name]?: true } {
  const set: { [name in Name]?: true } = {};
  for (const name of names) {
    const value = root[name];
    if (value === true) set[name] = true;
    else if (value !== undefined && value !== false) {
      throw fail(`${path}.${name} is neither true nor false`);
    }
  }
  return set;
}

function oneOf<T extends string>(
  value: unknown,
  choices: readonly T[],
  path: string,
  fail: Fail,
): T {
  if (choices.includes(value as T)) return value as T;
  throw fail(`${path} is none of ${choices.join(", ")}`);
}
