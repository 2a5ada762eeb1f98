/**
 * A model from what the command line names: a path, an address, `-`, or one inside the program.
 *
 * @module
 */
import type { ImportOptions } from "../../convert/import_model.ts";
import { ConversionError, SourceError, TreelineError, UsageError } from "../../errors.ts";
import { loadModel } from "../../files/load_model.ts";
import { decodeModel } from "../../format/decode.ts";
import type { Model } from "../../model/model.ts";
import { isFolder } from "../../runtime/folder.ts";
import { openBytes, sizeOf } from "../../runtime/open.ts";
import type { ArgumentSpec, Invocation } from "../common/command.ts";
import { type CliIo, nameSource, takeStdin } from "../common/io.ts";

/** What opens a model, and warns. */
export type Opening = Pick<Invocation, "io" | "out">;

/** The argument that names a model. */
export const MODEL_ARGUMENT: ArgumentSpec = {
  name: "MODEL",
  about: "Path, URL, or - for stdin",
  required: true,
};

/** How a model inside the program is named: `embedded:NAME`. */
export const EMBEDDED = "embedded:";

/**
 * Loads a model: a `.tlm` file, its JSON twin, or a file of another library (or the folder that
 * Spark leaves), told apart by content. What a person should know of the latter is warned of.
 *
 * @param options How a file of another library is read.
 */
export async function openModel(
  call: Opening,
  given: string,
  options: ImportOptions = {},
): Promise<Model> {
  await import("../../format/explain.ts"); // makes models tell all that files hold
  return await openScorer(call, given, options);
}

/** As `openModel`, for who only scores: its nodes cannot be looked at. */
export async function openScorer(
  { io, out }: Opening,
  given: string,
  options: ImportOptions = {},
): Promise<Model> {
  try {
    return await readModel(io, given, { onWarning: (message) => out.warn(message), ...options });
  } catch (error) {
    throw error instanceof TreelineError ? placed(error, given) : error;
  }
}

/** Tables that are given in the place of a model. */
const TABLE = /\.(csv|tsv|jsonl|ndjson|svm|libsvm)(\.gz)?$/i;

/** The error with the name of the file, which those who read bytes do not know. */
function placed(error: TreelineError, given: string): TreelineError {
  nameSource(error, given);
  if (!(error instanceof ConversionError)) return error;
  const hint = TABLE.test(given) ? "the model comes first, the table after it" : undefined;
  return hint === undefined ? error : new ConversionError(error.code, error.message, {
    cause: error.cause,
    details: { ...error.details, hint },
  });
}

async function readModel(io: CliIo, given: string, options: ImportOptions): Promise<Model> {
  if (given.startsWith(EMBEDDED)) {
    checkOwn(options);
    return await loadModel(embeddedUrl(io, given));
  }
  if (given !== "-" && sizeOf(given) === undefined && await isFolder(given)) {
    const { openModelFolder } = await import("./model_folder.ts");
    return await openModelFolder(given, options);
  }
  const bytes = await openBytes(given === "-" ? takeStdin(io) : given);
  const head = String.fromCharCode(...bytes.subarray(0, 64));
  const isOwn = head.slice(1, 4) === "TLM";
  if (!isOwn && !OWN_JSON.test(head)) {
    const { importModel } = await import("../../convert/import_model.ts");
    return importModel(bytes, options);
  }
  checkOwn(options);
  if (isOwn) return decodeModel(bytes);
  const { modelFromJson } = await import("../../format/json.ts");
  return modelFromJson(new TextDecoder().decode(bytes));
}

/** Flags that say how a file of another library is read. */
const FOREIGN_FLAGS = {
  from: "from",
  classes: "classes",
  featureNames: "feature-names",
  target: "target",
  rounds: "rounds",
};

/** Refuses them where the file is our own, which says all of it. */
function checkOwn(options: ImportOptions): void {
  for (const [name, flag] of Object.entries(FOREIGN_FLAGS)) {
    if (options[name as keyof ImportOptions] === undefined) continue;
    throw new UsageError(
      "E_USAGE",
      `Cannot use --${flag} with a model of Treeline: expected a file of another library`,
      { details: { flag: `--${flag}` } },
    );
  }
}

/** How `modelToJson` begins, whatever the spacing. */
const OWN_JSON = /^\s*\{\s*"format"\s*:\s*"treeline-model"/;

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
