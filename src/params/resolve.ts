/**
 * From what a user wrote to complete, checked parameters. Names may be those of XGBoost, LightGBM,
 * CatBoost or scikit-learn.
 *
 * @module
 */
import { checkArgument } from "../door.ts";
import { ParameterError } from "../errors.ts";
import { nearest } from "../util/nearest.ts";
import { checkValue } from "./check_value.ts";
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
