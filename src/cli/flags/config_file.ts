/**
 * `--config FILE`: hyperparameters, and flags of a command in camelCase, as one JSON object.
 *
 * @module
 */
import { SourceError, UsageError } from "../../errors.ts";
import { kebab } from "../../params/resolve.ts";
import { openBytes } from "../../runtime/open.ts";
import { checkChoice } from "./arguments.ts";
import type { FlagSpec } from "../common/command.ts";
import { type CliIo, takeStdin } from "../common/io.ts";
import { visible } from "../../util/visible.ts";

/** What a file says, the flags apart from the hyperparameters. */
export interface Config {
  /** Values of flags by name, as the command line would have them. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Everything else. */
  readonly params: ReadonlyMap<string, unknown>;
}

/**
 * Reads a file; a value of a flag must be one that the flag takes.
 *
 * @param own The command's flags that are no hyperparameters.
 * @throws {SourceError} `E_IO_NOT_FOUND`, `E_IO_READ`; {@linkcode UsageError} for what is no object,
 * and for a value that its flag cannot have.
 */
export async function readConfig(
  path: string,
  io: CliIo,
  own: readonly FlagSpec[],
): Promise<Config> {
  const specs = new Map(own.map((spec) => [spec.name, spec]));
  const flags = new Map<string, readonly string[]>();
  const params = new Map<string, unknown>();
  const keys = new Map<string, string>();
  for (const [key, value] of Object.entries(await readObject(path, io))) {
    const spec = specs.get(kebab(key).replaceAll("_", "-"));
    if (spec === undefined) {
      params.set(key, value);
      continue;
    }
    const before = keys.get(spec.name);
    if (before !== undefined) refuse(path, `both "${before}" and "${key}": drop one`);
    keys.set(spec.name, key);
    const { texts, expected } = textsOf(spec, value);
    if (expected !== undefined) {
      refuse(path, `${JSON.stringify(key)}: ${JSON.stringify(value)}: expected ${expected}`);
    }
    if (texts === undefined) continue;
    checkChoice(spec, texts);
    flags.set(spec.name, texts);
  }
  return { flags, params };
}

/** The value as words of a command line, none where it is not given; or what would be right. */
function textsOf(
  { kind, name }: FlagSpec,
  value: unknown,
): { readonly texts?: readonly string[]; readonly expected?: string } {
  if (name === "set") return { expected: "hyperparameters as keys of their own" };
  if (name === "config") return { expected: "what that file holds" };
  if (value === null) return {};
  if (kind === "switch") {
    if (typeof value !== "boolean") return { expected: "true or false" };
    return value ? { texts: [] } : {};
  }
  const isWord = (word: unknown) => typeof word === "string" || typeof word === "number";
  if (kind === "list" && Array.isArray(value) && value.every(isWord)) {
    return { texts: [value.map((word) => quoted(String(word))).join(",")] };
  }
  if (kind === "repeat" && Array.isArray(value) && value.every(isWord)) {
    return { texts: value.map(String) };
  }
  if (isWord(value) || typeof value === "boolean") return { texts: [String(value)] };
  return {
    expected: kind === "list" || kind === "repeat" ? "a list of words" : "one word or number",
  };
}

/** A word as an item of a list. */
function quoted(word: string): string {
  return /[,"]|^\s|\s$/.test(word) ? `"${word.replaceAll('"', '""')}"` : word;
}

function refuse(path: string, problem: string): never {
  throw new UsageError("E_USAGE", `Cannot use --config "${path}" with ${problem}`, {
    details: { flag: "--config" },
  });
}

async function readObject(path: string, io: CliIo): Promise<object> {
  const text = new TextDecoder().decode(await openBytes(path === "-" ? takeStdin(io) : path));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? `: ${visible(cause.message)}` : ""; // it quotes the file
    throw new SourceError("E_IO_READ", `Cannot read "${path}": it is not JSON${why}`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError("E_USAGE", `Cannot use --config "${path}": expected an object`);
  }
  return value;
}
