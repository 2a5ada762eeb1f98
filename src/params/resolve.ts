/**
 * From what a user wrote to complete, checked parameters. Names may be those of XGBoost, LightGBM,
 * CatBoost or scikit-learn; values may be text (flags); every message has one shape.
 *
 * @module
 */
import { checkArgument, isObject, shownValue } from "../door.ts";
import { ParameterError } from "../errors.ts";
import { nearest } from "../util/nearest.ts";
import { adviceOnParam } from "./elsewhere.ts";
import { presetParams } from "./presets.ts";
import { ALGORITHM_NAMES, ALGORITHM_WORDS, allParams, paramsOf } from "./table.ts";
import type { ResolvedParams } from "./typed.ts";
import type { AlgorithmName, ParamInput, ParamSpec } from "./types.ts";

/** Lower case, with `-` for `_`: flags and Python names find the same entry. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** `maxDepth` as a flag: `max-depth`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const NAMES = new Map<AlgorithmName, ReadonlyMap<string, string>>();

/** Every accepted spelling of an algorithm's parameters with the canonical name. */
function namesOf(algorithm: AlgorithmName): ReadonlyMap<string, string> {
  let names = NAMES.get(algorithm) as Map<string, string> | undefined;
  if (names === undefined) {
    names = new Map<string, string>();
    for (const [name, spec] of paramsOf(algorithm)) {
      for (const alias of spec.aliases) names.set(fold(alias), name);
    }
    for (const name of paramsOf(algorithm).keys()) {
      names.set(fold(name), name);
      names.set(kebab(name), name);
    }
    NAMES.set(algorithm, names);
  }
  return names;
}

/** Canonical name of an algorithm's parameter, or undefined. */
export function canonicalParam(algorithm: AlgorithmName, name: string): string | undefined {
  return namesOf(algorithm).get(fold(name)) ?? namesOf(algorithm).get(fold(kebab(name)));
}

/**
 * Canonical name of an algorithm.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name.
 */
export function resolveAlgorithm(word: string): AlgorithmName {
  checkArgument("train", "algorithm", word, "text");
  const known = ALGORITHM_WORDS.get(word.toLowerCase().replaceAll("_", "-"));
  if (known !== undefined) return known;
  const right = nearest(word, ALGORITHM_WORDS.keys());
  throw new ParameterError(
    "E_PARAM_UNKNOWN",
    `Cannot use algorithm ${JSON.stringify(word)}: ${
      right === undefined
        ? `known algorithms are ${[...new Set(ALGORITHM_WORDS.values())].join(", ")}`
        : `did you mean "${right}"?`
    }`,
    { details: { param: "algorithm", value: word, nearest: right } },
  );
}

/**
 * Checks and completes parameters: other names become canonical ones, text becomes numbers, ranges are
 * checked, and defaults (those of the preset, if there is one) are filled in.
 *
 * @returns The value of every parameter by its canonical name.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` for a parameter that does not exist, `E_PARAM_RANGE` for
 * a wrong value, `E_PARAM_CONFLICT` if a parameter has different values under two names.
 *
 * @example An alias and a flag's text
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const params = resolveParams("boost", { eta: "0.3", max_depth: 4 });
 * assertEquals([params.learningRate, params.maxDepth, params.rounds], [0.3, 4, 250]);
 * ```
 */
export function resolveParams<A extends AlgorithmName>(
  algorithm: A,
  input: ParamInput,
): ResolvedParams[A] {
  const specs = paramsOf(algorithm);
  const given = canonicalParams(algorithm, input);
  const resolved: { [name: string]: unknown } = Object.create(null);
  const presetName = given.get("preset") ?? specs.get("preset")?.default;
  const preset = typeof presetName === "string" ? presetParams(presetName) : {};
  for (const [name, spec] of specs) {
    if (given.has(name)) resolved[name] = given.get(name);
    else if (Object.hasOwn(preset, name)) resolved[name] = preset[name];
    else if (spec.default !== undefined) resolved[name] = spec.default;
  }
  return resolved as ResolvedParams[A];
}

/** Given parameters only, under canonical names, with checked values; no defaults. */
export function canonicalParams(
  algorithm: AlgorithmName,
  input: ParamInput,
): ReadonlyMap<string, unknown> {
  const specs = paramsOf(algorithm);
  checkArgument("train", "params", input, "object");
  const given = new Map<string, unknown>();
  const spelling = new Map<string, string>();
  for (const [word, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const name = canonicalParam(algorithm, word);
    if (name === undefined) throw unknownParam(algorithm, word);
    const checked = checkValue(name, specs.get(name)!, value);
    if (given.has(name) && JSON.stringify(given.get(name)) !== JSON.stringify(checked)) {
      throw new ParameterError(
        "E_PARAM_CONFLICT",
        `Cannot set ${name} twice: ${spelling.get(name)} is ${
          JSON.stringify(given.get(name))
        } and ${word} is ${JSON.stringify(value)}`,
        { details: { param: name, names: [spelling.get(name), word] } },
      );
    }
    given.set(name, checked);
    spelling.set(name, word);
  }
  return given;
}

/** The error for a name that the algorithm does not have, with the nearest right one. */
export function unknownParam(algorithm: AlgorithmName, word: string): ParameterError {
  const others = allParams().filter(([name, spec]) =>
    !spec.algorithms.includes(algorithm) &&
    [name, ...spec.aliases].some((known) => fold(known) === fold(word))
  );
  if (others.length > 0) {
    const owners = [...new Set(others.flatMap(([, spec]) => spec.algorithms))];
    return new ParameterError(
      "E_PARAM_UNKNOWN",
      `Cannot use parameter "${word}" with algorithm "${algorithm}": it belongs to ${
        owners.join(", ")
      }`,
      { details: { param: word, algorithm, algorithms: owners } },
    );
  }
  const advice = adviceOnParam(word);
  if (advice !== undefined) {
    return new ParameterError("E_PARAM_UNKNOWN", `Cannot use parameter "${word}": ${advice}`, {
      details: { param: word, algorithm },
    });
  }
  const words = [...paramsOf(algorithm)].flatMap(([name, spec]) => [name, ...spec.aliases]);
  const right = nearest(word, words);
  return new ParameterError(
    "E_PARAM_UNKNOWN",
    `Cannot use parameter "${word}": ${
      right === undefined ? `algorithm "${algorithm}" has none like it` : `did you mean "${right}"?`
    }`,
    { details: { param: word, algorithm, nearest: right } },
  );
}

/**
 * Looks up a parameter of an algorithm by any of its names.
 *
 * @returns Its canonical name, kind, range, default, other names and description.
 * @throws {ParameterError} `E_PARAM_UNKNOWN`, with the nearest name.
 */
export function explainParam(
  name: string,
  algorithm: AlgorithmName = "boost",
): ParamSpec & { readonly name: string } {
  checkArgument("explainParam", "name", name, "text");
  checkArgument("explainParam", "algorithm", algorithm, ALGORITHM_NAMES);
  const canonical = canonicalParam(algorithm, name);
  if (canonical === undefined) throw unknownParam(algorithm, name);
  return { name: canonical, ...paramsOf(algorithm).get(canonical)! };
}

/** JSON, or how else a value is shown that JSON does not know. */
function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return shownValue(value);
  }
}

function refuse(name: string, value: unknown, expected: string): never {
  const plain = Array.isArray(value) || isObject(value);
  const shown = plain ? safeJson(value) : shownValue(value);
  throw new ParameterError("E_PARAM_RANGE", `Cannot use ${name} ${shown}: expected ${expected}`, {
    details: { param: name, value, expected },
  });
}

/** "a number in (0, 1]" and the like. */
export function describeRange(spec: ParamSpec): string {
  const what = spec.kind === "integer" ? "a whole number" : "a number";
  const { min, max, open } = spec;
  if (min === undefined && max === undefined) return what;
  if (max === undefined) {
    return open === "min" || open === "both"
      ? `${what} greater than ${min}`
      : `${what} of at least ${min}`;
  }
  const left = min === undefined ? "(−∞" : `${open === "min" || open === "both" ? "(" : "["}${min}`;
  return `${what} in ${left}, ${max}${open === "max" || open === "both" ? ")" : "]"}`;
}

function inRange(value: number, spec: ParamSpec): boolean {
  const { min = -Infinity, max = Infinity, open } = spec;
  const above = open === "min" || open === "both" ? value > min : value >= min;
  const below = open === "max" || open === "both" ? value < max : value <= max;
  return above && below;
}

/** A number from a number or its text; NaN where it is neither. */
function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string" && value.trim() !== "") return Number(value);
  return NaN;
}

/** Parses text that must be JSON or plain words separated by commas. */
function fromText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (text.startsWith("[") || text.startsWith("{")) {
    try {
      return JSON.parse(text);
    } catch {
      return value;
    }
  }
  return text.split(",").map((part) => part.trim());
}

/** One checked value; text is read as the parameter's kind. */
function checkValue(name: string, spec: ParamSpec, value: unknown): unknown {
  switch (spec.kind) {
    case "number":
    case "integer": {
      if (typeof value === "string" && spec.choices?.includes(value)) return value;
      // A share of 1.0, as scikit-learn has it for max_features; a number cannot tell it from 1.
      if (typeof value === "string" && /^1\.0*$/.test(value) && spec.choices?.includes("all")) {
        return "all";
      }
      const number = NUMBER_ALIASES.get(`${name}:${String(value)}`) ?? toNumber(value);
      const whole = spec.kind === "number" || Number.isInteger(number);
      if (!Number.isFinite(number) || !whole || !inRange(number, spec)) {
        const words = spec.choices?.map((word) => `"${word}"`).join(", ");
        refuse(name, value, describeRange(spec) + (words === undefined ? "" : ` or ${words}`));
      }
      return number;
    }
    case "boolean":
      if (value === true || value === "true" || value === 1) return true;
      if (value === false || value === "false" || value === 0) return false;
      return refuse(name, value, "true or false");
    case "choice": {
      const choice = CHOICE_ALIASES.get(`${name}:${value}`) ?? value;
      if (typeof choice === "string" && spec.choices!.includes(choice)) return choice;
      const right = typeof value === "string" ? nearest(value, spec.choices!) : undefined;
      return refuse(
        name,
        value,
        `one of ${spec.choices!.join(", ")}${
          right === undefined ? "" : ` (did you mean "${right}"?)`
        }`,
      );
    }
    case "text":
      return typeof value === "string" ? value : refuse(name, value, "a text");
    case "numbers": {
      const list = typeof value === "number" ? [value] : fromText(value);
      const numbers = Array.isArray(list) ? list.map(toNumber) : [];
      if (numbers.length === 0 || !numbers.every((n) => Number.isFinite(n) && inRange(n, spec))) {
        refuse(name, value, `a list, each ${describeRange(spec)}`);
      }
      return numbers;
    }
    case "texts": {
      const list = fromText(value);
      if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) {
        refuse(name, value, "a list of names");
      }
      return list;
    }
    case "table":
      return checkTable(name, spec, value);
    case "groups": {
      const groups = fromText(value);
      const good = Array.isArray(groups) &&
        groups.every((group) => Array.isArray(group) && group.every((f) => typeof f === "string"));
      return good ? groups : refuse(name, value, `lists of column names, [["a","b"],["c"]]`);
    }
    case "value": // lists may be text, as flags are
      return typeof value === "string" && value.trim().startsWith("[") ? fromText(value) : value;
  }
}

/**
 * Numbers by name: an object, JSON text, or `name=1,other=-1`; or one of the spec's words. Where the
 * spec has it, a list: `[1, 0, -1]`, or as XGBoost writes it `(1,0,-1)`.
 */
function checkTable(name: string, spec: ParamSpec, value: unknown): unknown {
  if (typeof value === "string" && spec.choices?.includes(value)) return value;
  const listed = spec.byPosition === true && typeof value === "string"
    ? value.trim().replace(/^\((.*)\)$/, "$1")
    : value;
  let table = fromText(listed);
  if (Array.isArray(table)) {
    const list = spec.byPosition === true ? checkList(spec, table) : undefined;
    if (list !== undefined) return list;
    const pairs = table.map((item) => /^(.*)=([^=]*)$/.exec(String(item))?.slice(1, 3));
    if (!pairs.every((pair) => pair !== undefined)) table = undefined;
    else {
      table = Object.fromEntries(pairs as [string, string][]);
      if (Object.keys(table as object).length < pairs.length) refuse(name, value, "each name once");
    }
  }
  if (typeof table !== "object" || table === null) {
    const byPosition = spec.byPosition === true ? ", or one number for each feature" : "";
    return refuse(name, value, `numbers by name, {"name": 1}, or name=1,other=2${byPosition}`);
  }
  const checked: { [key: string]: number | string } = Object.create(null);
  for (const [key, item] of Object.entries(table)) {
    if (typeof item === "string" && spec.entries?.includes(item)) checked[key] = item;
    else {
      const number = toNumber(item);
      if (!Number.isFinite(number)) refuse(name, value, `a number for ${JSON.stringify(key)}`);
      checked[key] = number;
    }
  }
  return checked;
}

/** Numbers and words by position, or undefined where one is neither. */
function checkList(spec: ParamSpec, list: readonly unknown[]): (number | string)[] | undefined {
  const checked = list.map((item) =>
    typeof item === "string" && spec.entries?.includes(item) ? item : toNumber(item)
  );
  const good = checked.length > 0 &&
    checked.every((item) => typeof item === "string" || Number.isFinite(item));
  return good ? checked : undefined;
}

/** Numbers by which other libraries mean another: LightGBM's −1 is no limit, which is 0 here. */
const NUMBER_ALIASES: ReadonlyMap<string, number> = new Map([
  ["maxDepth:-1", 0],
  ["maxDrop:-1", 0],
]);

/** Values that other libraries use for a choice. */
const CHOICE_ALIASES: ReadonlyMap<string, string> = new Map([
  ["growth:depthwise", "depth"],
  ["growth:lossguide", "leaf"],
  ["growth:Depthwise", "depth"],
  ["growth:Lossguide", "leaf"],
  ["treeMethod:approx", "hist"],
  ["treeMethod:gpu_hist", "hist"],
  ["sampling:bagging", "uniform"],
]);
