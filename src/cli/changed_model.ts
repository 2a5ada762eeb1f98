/**
 * How commands that make a model out of a model begin and end: `--out` must say where it goes, and
 * what was done is told once it is there.
 *
 * @module
 */
import { UsageError } from "../errors.ts";
import { encodeModel } from "../format/binary.ts";
import type { Model } from "../model/model.ts";
import type { Invocation } from "./command.ts";
import { columns } from "./output.ts";
import { writeOut } from "./write_output.ts";

/** The path of `--out`, which must be given. */
export function needOut({ flags, out }: Pick<Invocation, "flags" | "out">, verb: string): string {
  const path = flags.text("out");
  if (path === undefined) throw new UsageError("E_USAGE", `Cannot ${verb}: --out is missing`);
  if (path === "-" && out.json) {
    throw new UsageError(
      "E_USAGE",
      "Cannot print both the model and --json to stdout: give --out a path",
    );
  }
  return path;
}

/** Writes the model and tells the story; on stdout only the model where it goes there. */
export async function writeChanged(
  call: Invocation,
  model: Model,
  story: { readonly [name: string]: string | number },
): Promise<void> {
  const bytes = encodeModel(model);
  await writeOut(call, bytes, { inPlace: true });
  if (call.flags.text("out") === "-") return;
  const facts = { ...story, rounds: model.numRounds, byteLength: bytes.length };
  await call.out.result(
    facts,
    columns(Object.entries(facts).map(([name, value]) => [name, String(value)])),
  );
}
