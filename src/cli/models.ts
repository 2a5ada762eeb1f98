/**
 * A model from what the command line names: a path, an address, `-`, or one inside the program.
 *
 * @module
 */
import { SourceError } from "../errors.ts";
import { loadModel } from "../files/model_file.ts";
import { decodeModel } from "../format/binary.ts";
import { modelFromJson } from "../format/json.ts";
import type { Model } from "../model/model.ts";
import { openBytes } from "../runtime/open.ts";
import type { CliIo } from "./io.ts";

/** How a model inside the program is named: `embedded:NAME`. */
export const EMBEDDED = "embedded:";

/** Loads a `.tlm` file or its JSON twin. */
export async function openModel(io: CliIo, given: string): Promise<Model> {
  if (given.startsWith(EMBEDDED)) return await loadModel(embeddedUrl(io, given));
  const bytes = await openBytes(given === "-" ? io.stdin : given);
  const first = bytes.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d);
  return first === 0x7b ? modelFromJson(new TextDecoder().decode(bytes)) : decodeModel(bytes);
}

function embeddedUrl(io: CliIo, given: string): URL {
  const name = given.slice(EMBEDDED.length);
  const found = Object.entries(io.embedded ?? {}).find(([known]) => known === name);
  if (found !== undefined) return found[1];
  const names = Object.keys(io.embedded ?? {});
  throw new SourceError(
    "E_IO_NOT_FOUND",
    `Cannot find model "${name}" in this program: it holds ${
      names.length === 0 ? "none" : names.join(", ")
    }`,
    { details: { source: given } },
  );
}

/** The name a model file is served under: its file name without folder and ending. */
export function modelName(path: string): string {
  if (path === "-") return "model";
  const file = path.startsWith(EMBEDDED)
    ? path.slice(EMBEDDED.length)
    : path.replaceAll("\\", "/").replace(/[?#].*$/, "").split("/").at(-1)!;
  return file.replace(/\.(tlm|json|ubj|txt|onnx)(\.gz)?$/, "") || "model";
}
