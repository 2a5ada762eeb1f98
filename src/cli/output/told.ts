/**
 * What commands tell of the files and models that they write, in the words that `--json` has for
 * them (docs/cli.md).
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import { hexOf } from "../../util/hex.ts";
import type { Invocation } from "../common/command.ts";

/** A file: its path where it has one, its size and its digest. */
export async function fileFacts(
  path: string | undefined,
  content: Uint8Array | string,
): Promise<{ readonly out?: string; readonly byteLength: number; readonly sha256: string }> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
  return {
    ...(path !== undefined && { out: path }),
    byteLength: bytes.length,
    sha256: hexOf(digest),
  };
}

/** Tells, with `--json`, of a file that `--out` names and that is written; of stdout nothing. */
export async function tellFile(
  { flags, out }: Pick<Invocation, "flags" | "out">,
  content: Uint8Array | string,
  facts: object = {},
): Promise<void> {
  const path = flags.text("out") ?? "-";
  if (out.json && path !== "-") {
    await out.result({ ...await fileFacts(path, content), ...facts }, "");
  }
}

/** A model: what it predicts, and how large it is. */
export function modelFacts({ info, schema, numRounds, numTrees, schemaHash }: Model) {
  return {
    algorithm: info.algorithm,
    task: schema.task,
    ...(schema.target !== undefined && { target: schema.target.name }),
    classes: schema.classes,
    features: schema.features,
    schemaHash,
    rounds: numRounds,
    trees: numTrees,
  };
}
