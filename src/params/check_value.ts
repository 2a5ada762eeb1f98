/**
 * Values of parameters: checked by what the parameter takes. They may be text (flags); every message has
 * one shape.
 *
 * @module
 */
import { isObject, shownValue } from "../door.ts";
import { ParameterError } from "../errors.ts";
import { nearest } from "../util/nearest.ts";
import type { ParamSpec } from "./types.ts";

/**
 * One checked value; text is read as the parameter's kind.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
export function checkValue(name: string, spec: ParamSpec, value: unknown): unknown {
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
