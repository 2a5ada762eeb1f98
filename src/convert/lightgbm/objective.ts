/**
 * LightGBM's objectives as far as a finished model needs them.
 *
 * Read from lightgbm-org/LightGBM `src/objective/` (`ConvertOutput` of each class).
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import type { Schema } from "../../data/types.ts";
import type { Postprocess } from "../../model/types.ts";

/** What an objective line means for scoring. */
export interface LightgbmObjective {
  readonly task: Schema["task"];
  readonly postprocess: Postprocess;
  /** Trees of a round, where the line says how many. */
  readonly outputs?: number | undefined;
}

const regression = (name: Postprocess["name"]): LightgbmObjective => ({
  task: "regression",
  postprocess: { name },
  outputs: 1,
});

const PLAIN: ReadonlyMap<string, LightgbmObjective> = new Map([
  ["regression", regression("identity")],
  ["regression_l2", regression("identity")], // LightGBM before 2.1
  ["regression_l1", regression("identity")],
  ["huber", regression("identity")],
  ["fair", regression("identity")],
  ["quantile", regression("identity")],
  ["mape", regression("identity")],
  ["poisson", regression("exp")],
  ["gamma", regression("exp")],
  ["tweedie", regression("exp")],
  ["cross_entropy", regression("sigmoid")],
  ["cross_entropy_lambda", regression("log1pExp")],
  ["xentropy", regression("sigmoid")],
  ["xentlambda", regression("log1pExp")],
  ["lambdarank", { task: "ranking", postprocess: { name: "identity" }, outputs: 1 }],
  ["rank_xendcg", { task: "ranking", postprocess: { name: "identity" }, outputs: 1 }],
  ["multiclass", { task: "classification", postprocess: { name: "softmax" } }],
  ["softmax", { task: "classification", postprocess: { name: "softmax" } }],
]);

/** Those whose scores `reg_sqrt` squares; the library switches it off for `huber`. */
const SQUARED: ReadonlySet<string> = new Set([
  "regression",
  "regression_l2",
  "regression_l1",
  "fair",
  "quantile",
  "mape",
]);

/**
 * Reads an objective line such as `binary sigmoid:1` or `regression sqrt`. A file without one was
 * trained with a custom objective: its scores are raw.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` when the name is not known.
 */
export function lightgbmObjective(line: string): LightgbmObjective {
  const [name = "", ...options] = line.split(" ").filter((word) => word !== "");
  if (name === "" || name === "custom" || name === "none") {
    return { task: "regression", postprocess: { name: "identity" } };
  }
  const option = (key: string): number | undefined => {
    const texts = options.filter((item) => item.startsWith(`${key}:`));
    if (texts.length === 0) return undefined;
    const text = texts[0].slice(key.length + 1);
    if (texts.length > 1 || !/^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text)) throw unknown(line);
    return Number(text);
  };
  const outputs = option("num_class");
  if (name === "binary" || name === "multiclassova") {
    const scale = option("sigmoid") ?? 1;
    if (!(scale > 0 && Number.isFinite(scale))) throw unknown(line);
    return {
      task: "classification",
      ...(name === "binary"
        ? { postprocess: { name: "sigmoid", scale }, outputs: 1 }
        : { postprocess: { name: "oneVsAll", scale }, outputs }),
    };
  }
  if (SQUARED.has(name) && options.includes("sqrt")) return regression("signedSquare");
  const plain = PLAIN.get(name);
  if (plain === undefined) throw unknown(line);
  return plain.outputs === undefined ? { ...plain, outputs } : plain;
}

function unknown(line: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import a model with the objective "${line.slice(0, 60)}": expected one of ` +
      [...PLAIN.keys(), "binary", "multiclassova"].join(", "),
    { details: { objective: line.slice(0, 60) } },
  );
}
