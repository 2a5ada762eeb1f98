/**
 * How commands that make a model out of a model begin and end: `--out` must say where it goes, and
 * what was done is told once it is there.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import { encodeModel } from "../../format/binary.ts";
import type { Model } from "../../model/model.ts";
import type { Invocation } from "../common/command.ts";
import { columns } from "./output.ts";
import { fileFacts, modelFacts } from "./told.ts";
import { writeOut } from "./write.ts";

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

/** A model that was made of another, and what was done. */
export interface Changed {
  readonly model: Model;
  /** Its file. @default as the model is written */
  readonly bytes?: Uint8Array;
  /** For `--json`, beside the file and the model. */
  readonly facts: object;
  /** For people, beside rounds and bytes. */
  readonly lines: readonly (readonly [name: string, value: string | number])[];
}

/** Writes the model and tells the story; on stdout only the model where it goes there. */
export async function writeChanged(
  call: Invocation,
  { model, bytes = encodeModel(model), facts, lines }: Changed,
): Promise<void> {
  await writeOut(call, bytes, { inPlace: true });
  const path = call.flags.text("out");
  if (path === "-") return;
  await call.out.result(
    { ...await fileFacts(path, bytes), ...modelFacts(model), ...facts },
    columns(
      [...lines, ["rounds", model.numRounds], ["bytes", bytes.length]]
        .map(([name, value]) => [String(name), String(value)]),
    ),
  );
}
