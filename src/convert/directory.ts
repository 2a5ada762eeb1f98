/**
 * Models as distributed engines leave them: a directory of metadata and parts. This picks the files
 * that hold the model and joins them; reading the disk is somebody else's job.
 *
 * - `xgboost.spark` (PySpark): `model/part-*`, JSON text cut into lines at any character;
 * - xgboost4j-spark: `data/model` (before 3.0 `data/XGBoostClassificationModel` and the like), the
 *   booster's bytes;
 * - SynapseML: `part-*`, the lines of a LightGBM text model (`saveNativeModel`), or
 *   `complexParams/lightGBMBooster`, a Java object around that text (`save`);
 * - Ray and plain: `model.ubj`, `model.json`, `model.txt`, `model.onnx`.
 *
 * @module
 */
import { checkArgument } from "../door.ts";
import { ConversionError } from "../errors.ts";
import { createModel, type Model } from "../model/model.ts";
import { checkImport, type ImportOptions, importParts } from "./import_model.ts";
import { checkStage, lightgbmOfJava, withoutClassCount } from "./spark_stage.ts";

/** The files of a directory that hold a model, and how they are joined. */
export interface ModelFiles {
  /** Paths in the order of joining, relative to the directory. */
  readonly paths: readonly string[];
  /**
   * How the files are joined. `bytes`: one file as it is; `text`: the parts one after the other;
   * `pieces`: the parts without line ends; `booster`: one file of xgboost4j-spark; `java`: a Java
   * object around the text.
   */
  readonly join: "bytes" | "text" | "pieces" | "booster" | "java";
  /** Path of the metadata of the Spark stage, if there are any. */
  readonly metadata?: string;
}

const WHOLE = ["model.ubj", "model.json", "model.txt", "model.onnx", "model.bin", "model"];

/** The booster of a stage of xgboost4j-spark: by its class before 3.0. */
const BOOSTER = /(^|\/)data\/(model|XGBoost(Classification|Regression|Ranker)Model)$/;

/**
 * Finds the model among the files of a directory that Spark, SynapseML, Ray or a plain `save_model`
 * has written (docs/distributed.md lists the layouts).
 *
 * @param names Paths of all files, relative to the directory, separated by `/`.
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` if there is no model, or more than one.
 */
export function pickModelFiles(names: readonly string[]): ModelFiles {
  checkArgument("pickModelFiles", "names", names, "texts");
  const files = names.filter((name) => {
    const base = name.split("/").at(-1)!;
    return !base.startsWith(".") && !base.startsWith("_") && !base.endsWith(".crc");
  }).sort();
  const found = (paths: readonly string[], join: ModelFiles["join"]): ModelFiles => {
    // The model's own stage, not the pipeline around it.
    const stage = /^(.*\/)?(data|model|complexParams)\/[^/]*$/.exec(paths[0])?.[1] ?? "";
    const metadata = files.find((name) => name.startsWith(`${stage}metadata/part-`));
    return { paths, join, ...(metadata === undefined ? {} : { metadata }) };
  };
  const boosters = files.filter((name) => BOOSTER.test(name));
  const objects = files.filter((name) => /(^|\/)complexParams\/lightGBMBooster$/.test(name));
  const pieces = files.filter((name) => /(^|\/)model\/part-/.test(name));
  const folders = new Set(pieces.map((name) => name.slice(0, name.lastIndexOf("/"))));
  const all = [...boosters, ...objects, ...folders];
  if (all.length > 1) throw cannot(`it holds ${all.length} models (${all.join(", ")})`);
  if (boosters.length === 1) return found(boosters, "booster");
  if (objects.length === 1) return found(objects, "java");
  if (folders.size === 1) return found(pieces, "pieces");
  const parts = files.filter((name) => /^part-[^/]*$/.test(name));
  if (parts.length > 0) return found(parts, "text");
  for (const name of WHOLE) if (files.includes(name)) return found([name], "bytes");
  const models = files.filter((name) => /^[^/]+\.(ubj|json|onnx|txt|bin|model)$/.test(name));
  if (models.length === 1) return found(models, "bytes");
  throw cannot(
    models.length === 0
      ? "it holds no model file"
      : `it holds several files (${models.join(", ")})`,
  );
}

function cannot(found: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import this directory: ${found}; expected data/model (xgboost4j-spark), model/part-* ` +
      `(xgboost.spark), part-* or complexParams/lightGBMBooster (SynapseML), or one of ${
        WHOLE.slice(0, 4).join(", ")
      }`,
    { details: { found } },
  );
}

/**
 * Imports a model from the files of a directory; see {@linkcode pickModelFiles}.
 *
 * @param files Contents by path relative to the directory. Only files that `pickModelFiles` names
 * are needed.
 * @throws {ConversionError} As {@linkcode pickModelFiles} and {@linkcode importModel}.
 * @throws {ModelError} As {@linkcode importModel}.
 */
export function importFiles(
  files: ReadonlyMap<string, Uint8Array>,
  options: ImportOptions = {},
): Model {
  checkArgument("importFiles", "files", files, "map");
  for (const [path, bytes] of files) checkArgument("importFiles", `files ${path}`, bytes, "bytes");
  checkImport("importFiles", options);
  const picked = pickModelFiles([...files.keys()]);
  const metadata = picked.metadata === undefined ? undefined : files.get(picked.metadata);
  const rounds = metadata && checkStage(metadata, options);
  const bytes = joinFiles(picked, (path) => files.get(path)!);
  // The origin names the file as it lies, where it is one.
  const source = picked.paths.length === 1 ? files.get(picked.paths[0])! : bytes;
  return createModel(importParts(bytes, options, { source, rounds }).parts);
}

function joinFiles(picked: ModelFiles, read: (path: string) => Uint8Array): Uint8Array {
  if (picked.join === "bytes") return read(picked.paths[0]);
  if (picked.join === "booster") return withoutClassCount(read(picked.paths[0]));
  if (picked.join === "java") return lightgbmOfJava(read(picked.paths[0]));
  const chunks = picked.paths.map((path) => {
    const bytes = read(path);
    return picked.join === "text" ? bytes : bytes.filter((byte) => byte !== 10 && byte !== 13);
  });
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
