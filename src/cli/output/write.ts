/**
 * Where a command puts its bytes: stdout for `-`, else a file that appears whole or not at all.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import { isSameFile } from "../../runtime/folder.ts";
import { type AtomicWriter, openWriter } from "../../runtime/write.ts";
import type { FlagSpec, Invocation } from "../common/command.ts";

/** `--out` and `--force`. */
export const OUT_FLAGS: readonly FlagSpec[] = [
  {
    name: "out",
    short: "o",
    kind: "text",
    value: "PATH",
    about: "Where to write the result; - is stdout",
  },
  { name: "force", short: "f", kind: "switch", about: "Replace the file if there is one" },
];

/** How a result is written. */
export interface OutOptions {
  /** Long work comes before the first bytes; see `WriteOptions`. @default false */
  readonly late?: boolean;
  /** The result is the first argument made anew, and may take its place. @default false */
  readonly inPlace?: boolean;
}

/** Flags that name files to read. */
const INPUT_FLAGS = ["valid", "input", "config"];

/**
 * Opens the place that `--out` names; without it, stdout.
 *
 * @throws {UsageError} `E_USAGE` where that is a file that the command reads: even `--force` would
 * hardly mean it.
 */
export async function openOut(
  { args, flags, io }: Invocation,
  { late = false, inPlace = false }: OutOptions = {},
): Promise<AtomicWriter> {
  const path = flags.text("out") ?? "-";
  if (path !== "-") {
    const read = [...args.slice(inPlace ? 1 : 0), ...INPUT_FLAGS.map((name) => flags.text(name))];
    for (const input of read) {
      if (input === undefined || !await isSameFile(input, path)) continue;
      throw new UsageError(
        "E_USAGE",
        `Cannot write the result over "${input}", which is read: expected another path in --out`,
        { details: { flag: "--out", value: path } },
      );
    }
    return await openWriter(path, { force: flags.has("force"), late });
  }
  return {
    write: (bytes) => io.stdout(bytes),
    commit: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

/** Writes all bytes to where `--out` says. */
export async function writeOut(
  call: Invocation,
  content: Uint8Array | string,
  options: OutOptions = {},
): Promise<void> {
  const writer = await openOut(call, options);
  try {
    await writer.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
    await writer.commit();
  } finally {
    await writer.abort();
  }
}
