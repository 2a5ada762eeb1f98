/**
 * Hyperparameters as flags: made from the parameter table, so that none is forgotten.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import { adviceOnParam } from "../../params/elsewhere.ts";
import { canonicalParam, canonicalParams, kebab, resolveAlgorithm } from "../../params/resolve.ts";
import { ALGORITHM_NAMES, allParams } from "../../params/table.ts";
import type { AlgorithmName, ParamInput } from "../../params/types.ts";
import { flagReader } from "./arguments.ts";
import type { FlagGroup, Flags, FlagSpec } from "../common/command.ts";
import { readConfig } from "./config_file.ts";
import type { CliIo } from "../common/io.ts";

/** `maxDepth` → `--max-depth`. */
export function flagOfParam(name: string): string {
  return `--${kebab(name)}`;
}

/** Heading of the flags that are hyperparameters. */
export const PARAM_TITLE =
  "Hyperparameters (also --set NAME=VALUE, with any name of XGBoost or LightGBM)";

/** Parameters whose flag means something else on every command line. */
const RESERVED: ReadonlySet<string> = new Set(["verbose", "quiet"]);

/** Flags of every hyperparameter of every algorithm; `taken` are names the command uses itself. */
export function paramFlags(taken: readonly FlagSpec[]): FlagGroup {
  const reserved = new Set([...taken.map((flag) => flag.name), ...RESERVED]);
  const flags = new Map<string, FlagSpec>();
  for (const [name, spec] of allParams()) {
    const flag = kebab(name);
    if (reserved.has(flag) || flags.has(flag)) continue;
    const about = (/^.*?[.](?=\s|$)/.exec(spec.doc)?.[0] ?? spec.doc).replace(/\.$/, "");
    flags.set(flag, {
      name: flag,
      kind: "text",
      value: spec.kind === "choice" ? spec.choices!.join("|") : VALUES[spec.kind] ?? "VALUE",
      suggested: spec.choices ?? (spec.kind === "boolean" ? ["true", "false"] : []),
      about,
      ...(spec.default === undefined || spec.default === "" ? {} : {
        default: typeof spec.default === "string" ? spec.default : JSON.stringify(spec.default),
      }),
    });
  }
  return {
    title: PARAM_TITLE,
    flags: [...flags.values()],
    aliasOf: flagOfAlias,
    adviceOn: (given) => adviceOnParam(given.replace(/^--/, "")),
  };
}

/** The flag of a parameter that other libraries call so. */
function flagOfAlias(given: string): string | undefined {
  const word = given.replace(/^--/, "");
  for (const algorithm of ALGORITHM_NAMES) {
    const name = canonicalParam(algorithm, word);
    if (name !== undefined) return flagOfParam(name);
  }
  return undefined;
}

const VALUES: { readonly [kind: string]: string } = {
  number: "X",
  integer: "N",
  boolean: "true|false",
  numbers: "X,Y",
  texts: "A,B",
  table: "A=X,B=Y",
  groups: "JSON",
};

/** `--set` and `--config`. */
export const CONFIG_FLAGS: readonly FlagSpec[] = [
  {
    name: "set",
    kind: "repeat",
    value: "NAME=VALUE",
    about: "Set a hyperparameter by any of its names",
  },
  {
    name: "config",
    kind: "text",
    value: "FILE",
    about: "JSON file of hyperparameters; flags take precedence",
  },
];

/** Flags and hyperparameters of one call, those of `--config` filled in. */
export interface Given {
  /** The command's own flags; where one was not given, what the file says. */
  readonly flags: Flags;
  /** Hyperparameters by canonical name. */
  readonly params: ParamInput;
  readonly algorithm: AlgorithmName;
}

/**
 * Reads hyperparameters from `--config`, over them from `--set` and their own flags. Other keys of
 * the file are flags of the command in camelCase: `target`, `validFraction`.
 *
 * @param own The command's flags that are no hyperparameters.
 * @throws {UsageError} when `--set` has no `=`, and for a file that {@linkcode readConfig} refuses.
 */
export async function readGiven(
  flags: Flags,
  io: CliIo,
  own: readonly FlagSpec[],
): Promise<Given> {
  const path = flags.text("config");
  const file = path === undefined ? undefined : await readConfig(path, io, own);
  const merged = file === undefined ? flags : overlay(flags, flagReader(file.flags));
  const algorithm = resolveAlgorithm(merged.text("algorithm") ?? "boost");
  // Canonical names first: a file's `eta` and a flag's `--learning-rate` are the same parameter.
  const params = new Map<string, unknown>();
  for (const [name, value] of canonicalParams(algorithm, Object.fromEntries(file?.params ?? []))) {
    params.set(name, value);
  }
  for (const [name, value] of canonicalParams(algorithm, paramsOnLine(flags, own))) {
    params.set(name, value);
  }
  return { flags: merged, params: Object.fromEntries(params), algorithm };
}

/** What `--set` and the parameters' own flags say, under the names given. */
function paramsOnLine(flags: Flags, own: readonly FlagSpec[]): ParamInput {
  const taken = new Set([...own.map(({ name }) => name), ...RESERVED]);
  const given: { [name: string]: unknown } = Object.create(null);
  for (const [name] of allParams()) {
    if (flags.has(kebab(name)) && !taken.has(kebab(name))) given[name] = flags.text(kebab(name));
  }
  for (const pair of flags.repeated("set")) {
    const cut = pair.indexOf("=");
    if (cut < 1) {
      throw new UsageError("E_USAGE", `Cannot use --set "${pair}": expected NAME=VALUE`, {
        details: { flag: "--set", value: pair },
      });
    }
    const name = pair.slice(0, cut);
    const value = pair.slice(cut + 1);
    if (name in given && given[name] !== value) {
      throw new UsageError("E_USAGE", `Cannot set ${name} twice: ${given[name]} and ${value}`);
    }
    given[name] = value;
  }
  return given;
}

/** The first flags where they are given, else the second. */
function overlay(first: Flags, second: Flags): Flags {
  const pick = (name: string) => first.has(name) ? first : second;
  return {
    has: (name) => first.has(name) || second.has(name),
    text: (name) => pick(name).text(name),
    number: (name) => pick(name).number(name),
    list: (name) => pick(name).list(name),
    repeated: (name) => pick(name).repeated(name),
  };
}
