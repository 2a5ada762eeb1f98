/**
 * What a stage of Spark says beside its booster: settings that change scores, and wrappings of the bytes.
 *
 * @module
 */
import { ConversionError } from "../errors.ts";
import type { ImportOptions } from "./import_model.ts";
import { shapeOfJava, stringsOfJava } from "./wire/java_object.ts";

/**
 * Reads a stage's metadata: warns of what a caller has to do, refuses what would change scores.
 *
 * @returns Rounds that it scores with; `best` those up to the best one of early stopping; undefined: all.
 */
export function checkStage(
  metadata: Uint8Array,
  { onWarning }: ImportOptions,
): "best" | number | undefined {
  const text = new TextDecoder().decode(metadata);
  // The stage's own settings come before the defaults.
  const setting = (name: string): string | undefined =>
    new RegExp(`"${name}"\\s*:\\s*("?)(-?[\\w.+-]+)\\1`).exec(text)?.[2];
  for (const name of ["treeLimit", "startIteration"]) {
    const value = Number(setting(name) ?? 0);
    if (value !== 0) throw scoresWithPart(name, value);
  }
  const missing = setting("missing");
  if (missing !== undefined && !/^nan$/i.test(missing)) {
    onWarning?.(
      `The Spark stage took ${missing} for missing: leave such cells empty (or null) when scoring`,
    );
  }
  const margin = /"(?:base_margin_col|baseMarginCol)"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(text)?.[1];
  if (margin !== undefined) {
    onWarning?.(
      `The Spark stage starts each row from its column ${margin} in the place of the base score; this ` +
        "model starts all from the base score",
    );
  }
  // XGBClassifier and XGBRegressor are inside, which stop at the best round.
  return /"class"\s*:\s*"xgboost\.spark\./.test(text) ? rangeOf(text) ?? "best" : undefined;
}

/** End of the `iteration_range` of a stage; undefined for none, and for 0, which stands for none. */
function rangeOf(text: string): number | undefined {
  const range = /"iteration_range"\s*:\s*\[\s*(\d+)\s*,\s*(\d+)\s*\]/.exec(text);
  if (range === null || Number(range[2]) === 0) return undefined;
  if (Number(range[1]) !== 0) throw scoresWithPart("iteration_range", `[${range[1]}, ${range[2]}]`);
  return Number(range[2]);
}

function scoresWithPart(setting: string, value: number | string): ConversionError {
  return new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import this Spark stage: ${setting} is ${value}, so it scores with a part of its trees; ` +
      "expected 0, or the booster's own file, which stands for all of them",
    { details: { setting, value } },
  );
}

/** A booster of xgboost4j-spark; classifiers of old releases have the number of classes in front. */
export function withoutClassCount(bytes: Uint8Array): Uint8Array {
  return !isBooster(bytes) && bytes[0] === 0 && bytes[1] === 0 && isBooster(bytes.subarray(4))
    ? bytes.subarray(4)
    : bytes;
}

/** Whether a booster begins here: JSON, UBJSON, "binf", or 136 bytes and the name of an objective. */
function isBooster(bytes: Uint8Array): boolean {
  let head = "";
  for (const byte of bytes.subarray(0, 160)) head += String.fromCharCode(byte);
  if (/^(\{|binf)/.test(head)) return true;
  const length = head.charCodeAt(136);
  return length < 64 && head.slice(137, 144) === "\0".repeat(7) &&
    /^[a-z]+:[a-z]/.test(head.slice(144));
}

/** The LightGBM text in the serialized booster that SynapseML's `model.save` leaves. */
export function lightgbmOfJava(bytes: Uint8Array): Uint8Array {
  const { fields } = shapeOfJava(bytes);
  for (const name of ["bestIteration", "startIteration"]) {
    const value = fields.get(name) ?? 0;
    if (value <= 0) continue;
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import this LightGBM booster of SynapseML: ${name} is ${value}, so it scores with a part ` +
        "of its trees; expected what saveNativeModel() writes",
      { details: { setting: name, value } },
    );
  }
  const models = stringsOfJava(bytes, "tree\n");
  if (models.length === 1) return models[0];
  throw new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import this LightGBM booster of SynapseML: it holds ${models.length} models; ` +
      "expected one, or what saveNativeModel() writes",
    { details: { models: models.length } },
  );
}
