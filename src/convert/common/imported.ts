/**
 * What a reader of a foreign format returns: the parts of a model, and how its nodes are numbered at
 * home (parity checks compare leaf numbers).
 *
 * @module
 */
import type { CategoricalInput, InputFeature, Schema } from "../../data/types.ts";
import { ConversionError } from "../../errors.ts";
import type { Ensemble, Json, Postprocess } from "../../model/types.ts";

/** Parts of a model, before the origin is written down. */
export interface Imported {
  readonly schema: Schema;
  readonly ensemble: Ensemble;
  readonly format: string;
  readonly library: string;
  readonly version?: string;
  /** Things worth keeping from the file: objective, attributes. Plain JSON. */
  readonly notes: { readonly [name: string]: Json };
  /** Things a person should read: doubts, differences between releases. */
  readonly warnings: readonly string[];
  /** Rounds up to the best one, where early stopping found one and the file keeps later ones or not. */
  readonly bestRounds?: number;
  /** Number of each node in the foreign file (XGBoost: node id, LightGBM: leaf number). */
  readonly sourceIds: Int32Array;
  /** A copy of the file, where the reader has made one anyway. */
  readonly file?: Uint8Array;
}

/** Schema of an imported model: every route of a missing value is part of the file. */
export function importedSchema(
  features: readonly InputFeature[],
  task: Schema["task"],
  classes: readonly string[],
  hasNames: boolean,
): Schema {
  for (const feature of features) {
    if (feature.kind === "categorical" && feature.coded !== true) checkLevels(feature);
  }
  return {
    features,
    task,
    classes,
    extraColumns: "ignore",
    // A file without names comes from sparse data, where an absent entry is an ordinary missing value.
    absentColumns: hasNames ? "error" : "missing",
  };
}

/**
 * Refuses a name that two levels have, say the text "1" and the number 1: one would score as the other.
 * So would a level without a name, since empty text is a missing value on every way into a model.
 */
function checkLevels({ name, categories }: InputFeature & { readonly kind: "categorical" }): void {
  const seen = new Set<string>();
  for (const level of categories) {
    if (level === "") {
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot import the levels of "${name}": one of them is "", which reads as a missing value; ` +
          "expected names of one letter or more",
        { details: { feature: name, level } },
      );
    }
    if (seen.has(level)) {
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot import the levels of "${name}": two of them are called ${
          JSON.stringify(level)
        }; expected different names`,
        { details: { feature: name, level } },
      );
    }
    seen.add(level);
  }
}

/** How many classes the outputs of a classifier stand for: one output for two, but for a softmax of one. */
export function numClasses({ name }: Postprocess, numOutputs: number): number {
  return name === "softmax" ? numOutputs : Math.max(2, numOutputs);
}

/**
 * Refuses the number of a level or label that a double does not hold: two would become one.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED`
 */
export function checkLevel(value: unknown, what: string): void {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return;
  throw new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import ${what}: ${value} is beyond 2^53, where numbers run together; expected levels that are text`,
    { details: { value } },
  );
}

/**
 * Of levels whose text depends on who writes them.
 *
 * @param names Features that have some, as JSON.
 */
export function writtenOtherwise(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [
    `Levels of ${
      names.join(", ")
    } are numbers with fractions, or true and false: they are named as JSON ` +
    "writes them (2, 1.5, 0.00001, true), where a CSV of pandas has 2.0, 1e-05 and True",
  ];
}

/** "0", "1", … */
export function codeNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => String(i));
}

/**
 * A column of categories as other libraries have it: missing values go where training sent them, new
 * ones with the heavier child.
 *
 * @param levels Names of the categories; undefined where cells are their codes.
 * @param count Number of categories.
 */
export function importedCategory(
  name: string,
  levels: readonly string[] | undefined,
  count: number,
): CategoricalInput {
  return {
    kind: "categorical",
    name,
    missing: "learnt",
    unknown: "heavier",
    categories: levels ?? codeNames(count),
    ...(levels === undefined && { coded: true }),
  };
}

/** Names as given, or f0, f1, …; equal names get a suffix, since columns are matched by name. */
export function featureNames(given: readonly string[], count: number): readonly string[] {
  const seen = new Set<string>();
  // The next suffix of each name, so that a file of equal names does not count from 2 each time.
  const next = new Map<string, number>();
  return Array.from({ length: count }, (_, i) => {
    const base = (given[i] ?? `f${i}`).normalize("NFC");
    let name = base;
    if (seen.has(name)) {
      let n = next.get(base) ?? 2;
      do name = `${base}#${n++}`; while (seen.has(name));
      next.set(base, n);
    }
    seen.add(name);
    return name;
  });
}
