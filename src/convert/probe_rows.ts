/**
 * Rows that try a model where it is most likely to differ: on its thresholds and beside them, zero,
 * missing values, every category and values outside the vocabulary.
 *
 * @module
 */
import type { Row, Schema } from "../data/types.ts";
import type { Model } from "../model/model.ts";
import { NodeKind } from "../model/types.ts";
import { nextDown32, nextDown64, nextUp32, nextUp64 } from "../util/float.ts";
import { createRng } from "../util/rng.ts";

/** Rows for a model and what each cell is as a number: value, category code, K for unknown, NaN. */
export interface ProbeRows {
  readonly rows: readonly Row[];
  readonly codes: readonly Float64Array[];
}

/** Text that no vocabulary holds. */
const UNKNOWN = "\u0001 not a category";

/** Makes `count` rows, the same ones every time. */
export function probeRows(model: Model, count: number): ProbeRows {
  const { schema, ensemble } = model;
  const { trees, profile } = ensemble;
  const thresholds: number[][] = schema.features.map(() => []);
  for (let node = 0; node < trees.kind.length; node++) {
    const kind = trees.kind[node];
    if (kind === NodeKind.threshold || kind === NodeKind.equal) {
      thresholds[trees.feature[node]].push(trees.threshold[node]);
    }
  }
  const rng = createRng(20_250_711);
  const [down, up] = profile.input === "f32" ? [nextDown32, nextUp32] : [nextDown64, nextUp64];
  const numeric = (list: readonly number[]): number => {
    const dice = rng.nextInt(10);
    if (dice === 0) return NaN;
    if (dice === 1) return [0, -0, 1e-40, -1e-40, 3e38, -3e38][rng.nextInt(6)];
    if (list.length === 0) return rng.nextFloat();
    const t = list[rng.nextInt(list.length)];
    if (dice < 4) return t;
    if (dice < 6) return down(t);
    if (dice < 8) return up(t);
    const other = list[rng.nextInt(list.length)];
    const between = t + (other - t) * rng.nextFloat();
    return profile.input === "f32" ? Math.fround(between) : between;
  };
  const codes = Array.from(
    { length: count },
    () =>
      Float64Array.from(schema.features, (feature, f) => {
        if (feature.kind === "numeric") return numeric(thresholds[f]);
        const { length } = feature.categories;
        const choice = rng.nextInt(length + 2); // length is unknown, length + 1 missing
        return choice > length ? NaN : choice;
      }),
  );
  return { rows: codes.map((row) => rowOf(schema, row)), codes };
}

/** Cells that are encoded as these numbers: values, codes of categories, K for unknown, NaN for missing. */
export function rowOf(schema: Schema, codes: Float64Array): Row {
  const row = Object.create(null) as { [name: string]: string | number | null };
  schema.features.forEach((feature, f) => {
    const code = codes[f];
    if (Number.isNaN(code)) row[feature.name] = null;
    else if (feature.kind === "numeric") row[feature.name] = code;
    else if (code < feature.categories.length) row[feature.name] = feature.categories[code];
    else row[feature.name] = feature.coded === true ? feature.categories.length + 3 : UNKNOWN;
  });
  return row;
}
