/**
 * Values of categorical columns that a vocabulary does not have, for warnings.
 *
 * @module
 */
import type { Dataset, InputFeature } from "../types.ts";

/** Rows with such values by name of the feature; features without any are left out. */
export function unknownLevels(
  features: readonly InputFeature[],
  data: Dataset,
): ReadonlyMap<string, number> {
  const byName = new Map(data.features.map((column) => [column.name, column]));
  const unknown = new Map<string, number>();
  for (const feature of features) {
    const column = byName.get(feature.name);
    if (column?.kind !== "categorical" || feature.kind !== "categorical") continue;
    const known = new Set(feature.categories);
    const isKnown = column.categories.map((value) => known.has(value));
    let count = 0;
    for (const code of column.codes) if (code >= 0 && isKnown[code] !== true) count++;
    if (count > 0) unknown.set(feature.name, count);
  }
  return unknown;
}

/** The warning. */
export function unknownSentence(name: string, count: number, rows: number): string {
  return `${JSON.stringify(name)} holds values the model never saw in ${count} of ${rows} rows`;
}
