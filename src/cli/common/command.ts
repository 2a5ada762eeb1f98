/**
 * What a command is: a row of the table from which arguments, help and completions are made.
 *
 * @module
 */
import type { CliIo } from "./io.ts";

/** One flag, without its leading dashes. */
export interface FlagSpec {
  /** kebab-case; a `switch` whose name begins with `no-` is given as `--no-x`. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /**
   * `switch` has no value; `text` and `number` have one; `list` is comma-separated; `repeat` may be
   * given several times.
   */
  readonly kind: "switch" | "text" | "number" | "list" | "repeat";
  /** Shown for the value in help: `PATH`, `N`. */
  readonly value?: string;
  /** The only values allowed. */
  readonly choices?: readonly string[];
  /** Values that completions offer, where others are right, too (other names of them). */
  readonly suggested?: readonly string[];
  /** One sentence without a final period. */
  readonly about: string;
  /** Shown in help. */
  readonly default?: string;
}

/** Flags under one heading of the help. */
export interface FlagGroup {
  readonly title: string;
  readonly flags: readonly FlagSpec[];
  /**
   * The flag, with its dashes, that is meant by a name of another library; undefined where there is
   * none.
   */
  readonly aliasOf?: (given: string) => string | undefined;
  /** What takes the place of a flag that no name here stands for. */
  readonly adviceOn?: (given: string) => string | undefined;
}

/** A positional argument. */
export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  /** Takes all that follow. */
  readonly many?: boolean;
  /** Values that completions offer; the command itself refuses others. */
  readonly choices?: readonly string[];
}

/** The parsed flags of one call, read by name. */
export interface Flags {
  has(name: string): boolean;
  text(name: string): string | undefined;
  /** @throws {UsageError} when the value is not a finite number. */
  number(name: string): number | undefined;
  list(name: string): readonly string[] | undefined;
  repeated(name: string): readonly string[];
}

/** What a command gets. */
export interface Invocation {
  /** Every command, in the order of the overview. */
  readonly commands: readonly Listed[];
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly io: CliIo;
  readonly out: Output;
}

/** How a command speaks: results to stdout, all else to stderr. */
export interface Output {
  readonly json: boolean;
  readonly verbose: boolean;
  /** Part of the result, as it is. */
  write(text: string | Uint8Array): Promise<void>;
  /** The result: one JSON document with `--json`, else the text. */
  result(json: unknown, text: string): Promise<void>;
  /** For people; silent with `--quiet`. */
  note(text: string): void;
  /** For people, even with `--quiet`. */
  warn(text: string): void;
  /** Replaces the last progress line; only where a terminal looks and `--quiet` is not given. */
  progress(text: string): void;
  /** Wipes the progress line. */
  endProgress(): void;
}

/** A verb of the command line, as the overview has it. */
export interface Listed {
  readonly name: string;
  /** One line without a final period. */
  readonly about: string;
  /** Loads what it is. */
  readonly load: () => Promise<Command>;
}

/** What a command's file says of it; name and line are in the table. */
export type CommandBody = Omit<Command, "name" | "about">;

/** A verb of the command line. */
export interface Command extends Omit<Listed, "load"> {
  readonly arguments: readonly ArgumentSpec[];
  readonly groups: readonly FlagGroup[];
  /** Lines a user may copy. */
  readonly examples: readonly string[];
  /** Does the work; errors become exit codes. */
  run(call: Invocation): Promise<void>;
}
