/** What {@linkcode parseArgs} is told about the flags of a command. */
export interface ParseOptions {
  /** Flags whose value stays text. */
  readonly string: readonly string[];
  /** Flags without a value. */
  readonly boolean: readonly string[];
  /** Flags that may be given several times. */
  readonly collect: readonly string[];
  /** Flags that understand `--no-NAME`. */
  readonly negatable: readonly string[];
  /** Short name of a flag → the flag. */
  readonly alias: { readonly [short: string]: string };
  /** Called for each argument that is not a known flag; `false` drops it from the result. */
  readonly unknown: (argument: string, key?: string) => unknown;
}

/** Splits arguments into flags and the rest (`_`). */
export function parseArgs(
  args: readonly string[],
  options: ParseOptions,
): { readonly _: readonly (string | number)[]; readonly [flag: string]: unknown };
