/**
 * Where a command puts its bytes: stdout for `-`, else a file that appears whole or not at all.
 *
 * @module
 */
import { type AtomicWriter, openWriter } from "../runtime/write.ts";
import type { FlagSpec, Invocation } from "./command.ts";

/** `--out` and `--force`. */
export const OUT_FLAGS: readonly FlagSpec[] = [
  {
    name: "out",
    short: "o",
    kind: "text",
    value: "PATH",
    about: "Where the result goes; - is stdout",
  },
  { name: "force", short: "f", kind: "switch", about: "Replace the file if there is one" },
];

/**
 * Opens the place that `--out` names; without it, stdout.
 *
 * @param late Long work comes before the first bytes; see `WriteOptions`.
 */
export async function openOut({ flags, io }: Invocation, late = false): Promise<AtomicWriter> {
  const path = flags.text("out") ?? "-";
  if (path !== "-") return await openWriter(path, { force: flags.has("force"), late });
  return {
    write: (bytes) => io.stdout(bytes),
    commit: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

/** Writes all bytes to where `--out` says. */
export async function writeOut(call: Invocation, content: Uint8Array | string): Promise<void> {
  const writer = await openOut(call);
  try {
    await writer.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
    await writer.commit();
  } finally {
    await writer.abort();
  }
}
