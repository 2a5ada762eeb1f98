/**
 * Arguments → positionals and flags, by the table of a command.
 *
 * `parseArgs` of `@std/cli` reads the value of `--out -` and of `--lambda -1` as another flag, so a
 * flag that takes a value is joined to it (`--out=-`) first.
 *
 * @module
 */
import { parseArgs } from "../../deps/cli.ts";
import { UsageError } from "../../errors.ts";
import type { Command, Flags, FlagSpec } from "../common/command.ts";
import { GLOBAL_FLAGS } from "./global.ts";
import { flagElsewhere, meantBy, valueElsewhere } from "./meant.ts";

/** What was given on the command line after the name of the command. */
export interface ParsedArguments {
  readonly args: readonly string[];
  readonly flags: Flags;
}

/** All flags a command understands. */
export function flagsOf(command: Command): readonly FlagSpec[] {
  return [...command.groups.flatMap((group) => group.flags), ...GLOBAL_FLAGS.flags];
}

/**
 * Reads the arguments of a command.
 *
 * @throws {UsageError} `E_USAGE` for unknown flags, missing values, values outside `choices`, and
 * too few or too many positionals.
 */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const specs = flagsOf(command);
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const alias = Object.fromEntries(
    specs.flatMap((spec) => spec.short === undefined ? [] : [[spec.short, spec.name]]),
  );
  const parsed = parseArgs(joinValues(args, byName, alias), {
    string: specs.filter((spec) => spec.kind !== "switch").map((spec) => spec.name),
    boolean: specs.filter((spec) => spec.kind === "switch").map((spec) => spec.name),
    collect: specs.filter((spec) => spec.kind !== "switch").map((spec) => spec.name),
    negatable: [],
    alias,
    unknown: (argument) => {
      if (!argument.startsWith("-") || argument === "-") return true;
      throw unknownFlag(argument.split("=")[0]!, specs, command);
    },
  });
  const values = new Map<string, readonly string[]>();
  for (const spec of specs) {
    const given = parsed[spec.name];
    if (given === true) values.set(spec.name, []);
    if (!Array.isArray(given) || given.length === 0) continue;
    if (given.length > 1 && spec.kind !== "repeat") {
      throw new UsageError(
        "E_USAGE",
        `Cannot use --${spec.name} ${given.length} times: once is enough`,
      );
    }
    checkChoice(spec, given);
    values.set(spec.name, given.map(String));
  }
  const positionals = parsed._.map(String);
  checkCount(command, positionals);
  return { args: positionals, flags: flagReader(values) };
}

/**
 * `--out x` and `-o x` → `--out=x`, and `--keep-all` → `--keep-all=true` where it is true or false, up
 * to a lone `--`.
 */
function joinValues(
  args: readonly string[],
  specs: ReadonlyMap<string, FlagSpec>,
  alias: { readonly [short: string]: string },
): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const argument = args[i]!;
    if (argument === "--") return [...joined, ...args.slice(i)];
    const short = /^-([A-Za-z])$/.exec(argument)?.[1];
    const name = short === undefined ? /^--([^=]+)$/.exec(argument)?.[1] : alias[short];
    const spec = name === undefined ? undefined : specs.get(name);
    if (spec === undefined || spec.kind === "switch") {
      const [flag, value] = argument.split("=", 2);
      const known = specs.get(flag!.replace(/^--/, ""));
      if (flag!.startsWith("--") && value !== undefined && known?.kind === "switch") {
        throw new UsageError("E_USAGE", `Cannot read ${argument}: --${known.name} takes no value`);
      }
      joined.push(argument);
      continue;
    }
    const value = args[i + 1];
    const isFlag = value !== undefined &&
      specs.has(/^--([^=]+)(=.*)?$/.exec(value)?.[1] ?? "");
    if (value !== undefined && !isFlag) {
      joined.push(`--${spec.name}=${value}`);
      i++;
      continue;
    }
    // What is true or false is true where nothing is said.
    if (spec.value !== "true|false") {
      throw new UsageError(
        "E_USAGE",
        `Cannot read --${spec.name}: a value must follow it${isFlag ? `, found ${value}` : ""}`,
      );
    }
    joined.push(`--${spec.name}=true`);
  }
  return joined;
}

function unknownFlag(
  given: string,
  specs: readonly FlagSpec[],
  { groups, arguments: args }: Command,
): UsageError {
  const names = specs.map((spec) => `--${spec.name}`);
  const own = groups.map(({ aliasOf }) => aliasOf?.(given)).find((flag) => flag !== undefined);
  const right = own !== undefined && names.includes(own) ? own : flagElsewhere(given, names);
  if (right !== undefined) {
    return new UsageError("E_USAGE", `Cannot use ${given}: its name here is ${right}`, {
      details: { flag: given, nearest: right.split(" ")[0] },
    });
  }
  const advice = groups.map(({ adviceOn }) => adviceOn?.(given)).find((text) => text !== undefined);
  if (advice !== undefined) {
    return new UsageError("E_USAGE", `Cannot use ${given}: ${advice}`, {
      details: { flag: given },
    });
  }
  const bare = args.find(({ name }) => `--${name.toLowerCase()}` === given);
  if (bare !== undefined) {
    return new UsageError("E_USAGE", `Cannot use ${given}: ${bare.name} stands without a flag`, {
      details: { flag: given },
    });
  }
  const { nearest, note } = meantBy(given, names);
  return new UsageError("E_USAGE", `Cannot use ${given}: there is no such flag${note}`, {
    details: { flag: given, nearest },
  });
}

/**
 * Refuses values that a flag does not take.
 *
 * @throws {UsageError} `E_USAGE` with the value that was meant, where one is near.
 */
export function checkChoice(spec: FlagSpec, given: readonly unknown[]): void {
  if (spec.choices === undefined) return;
  for (const value of given.map(String)) {
    if (spec.choices.includes(value)) continue;
    const right = valueElsewhere(value, spec.choices);
    const { nearest, note } = right === undefined
      ? meantBy(value, spec.choices)
      : { nearest: right, note: `; its name here is ${right}` };
    throw new UsageError(
      "E_USAGE",
      `Cannot use --${spec.name} "${value}": expected ${choicesText(spec.choices)}${note}`,
      { details: { flag: `--${spec.name}`, value, nearest } },
    );
  }
}

/** The values of a flag; those that are punctuation stand in quotes. */
export function choicesText(choices: readonly string[]): string {
  return choices.map((choice) => /\w/.test(choice) ? choice : JSON.stringify(choice)).join(", ");
}

function checkCount(command: Command, positionals: readonly string[]): void {
  const needed = command.arguments.filter((argument) => argument.required);
  const missing = needed[positionals.length];
  if (missing !== undefined) {
    throw new UsageError("E_USAGE", `Cannot ${actionOf(command)}: ${missing.name} is missing`, {
      details: { argument: missing.name },
    });
  }
  const extra = positionals[command.arguments.length];
  if (extra !== undefined && command.arguments.at(-1)?.many !== true) {
    throw new UsageError(
      "E_USAGE",
      `Cannot ${actionOf(command)}: "${extra}" is one argument too many`,
      { details: { argument: extra } },
    );
  }
}

/** Commands that are called by what they print, not by what they do. */
const NOUNS: ReadonlySet<string> = new Set([
  "types",
  "openapi",
  "params",
  "completions",
  "version",
]);

/** What a command does, for "Cannot …". */
function actionOf({ name }: Command): string {
  return NOUNS.has(name) ? `print ${name}` : name;
}

/** `a, "b, c"` → `a` and `b, c`: commas part items, quotes keep commas and spaces, two are one. */
function itemsOf(list: string): string[] {
  const items = list.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/g);
  return [...items].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!.trim())
    .filter((item) => item !== "");
}

/** Reads given values by name and kind. */
export function flagReader(values: ReadonlyMap<string, readonly string[]>): Flags {
  const text = (name: string) => values.get(name)?.[0];
  return {
    has: (name) => values.has(name),
    text,
    number(name) {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = value.trim() === "" ? NaN : Number(value);
      if (Number.isFinite(number)) return number;
      throw new UsageError("E_USAGE", `Cannot use --${name} "${value}": expected a number`, {
        details: { flag: `--${name}`, value },
      });
    },
    list: (name) => {
      const value = text(name);
      return value === undefined ? undefined : itemsOf(value);
    },
    repeated: (name) => values.get(name) ?? [],
  };
}
