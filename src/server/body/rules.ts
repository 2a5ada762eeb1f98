/**
 * The model's rules about what a request may lack or add, applied once the batch is filled.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import { ModelError } from "../../errors.ts";
import { type Encoder, quote } from "./encoder.ts";
import type { Batch } from "./batch.ts";
import { lackingError } from "./partial.ts";

/**
 * `model`: the rules stored in the model. `strict`: refuse both. `lenient`: accept both, an absent
 * one only where the model learnt what missing means.
 */
export type ColumnRule = "model" | "strict" | "lenient";

/**
 * Checks a filled batch and says what was noticed.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` for absent or unknown columns that the rule refuses.
 * @throws {DataError} `E_DATA_TYPE` for missing values of a feature that must be given.
 */
export function reportBatch(encoder: Encoder, batch: Batch, rule: ColumnRule): InputReport {
  const { features, extraColumns, absentColumns } = encoder.schema;
  const { rows, tally, sent, named } = batch;
  // Nothing that was sent is a column of the model: most likely it is meant for another route.
  if (batch.ignored.size > 0 && !named.includes(1)) {
    const expected = features.map(({ name }) => name);
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot score column ${list([...batch.ignored])}: the model knows only ${list(expected)}`,
      { details: { columns: [...batch.ignored].slice(0, 100).map((name) => name.slice(0, 200)) } },
    );
  }
  if (batch.plain || isPlain(batch)) return { ...NOTHING_NOTICED, rows };
  const missing = new Map<string, number>();
  const unknown = new Map<string, number>();
  const absent: string[] = [];
  const refused: string[] = [];
  for (let f = 0; f < features.length; f++) {
    const unsent = rows - sent[f];
    const lacking = unsent + tally.missing[f];
    if (lacking === 0 && tally.unknown[f] === 0) continue;
    const feature = features[f];
    if (tally.unknown[f] > 0) unknown.set(feature.name, tally.unknown[f]);
    if (lacking === 0) continue;
    missing.set(feature.name, lacking);
    if (named[f] === 0) {
      absent.push(feature.name);
      const all = rule === "strict" || (rule === "model" && absentColumns === "error");
      if (all || feature.missing !== "learnt") refused.push(feature.name);
    } else if (feature.missing === "error") {
      let row = 0;
      while (row < rows - 1 && !Number.isNaN(batch.x[row * features.length + f])) row++;
      throw lackingError(feature.name, row);
    }
  }
  if (refused.length > 0) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot score without column ${list(refused)}: send a value, or null where it is not known`,
      { details: { columns: refused.slice(0, 100) } },
    );
  }
  const ignored = [...batch.ignored];
  if (ignored.length > 0 && (rule === "strict" || (rule === "model" && extraColumns === "error"))) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot score with column ${list(ignored)}: the model does not know it`,
      { details: { columns: ignored.slice(0, 100).map((name) => name.slice(0, 200)) } },
    );
  }
  return { rows, missing, unknown, absent, ignored };
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(quote).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** The report of rows in which every value was sent and known, and nothing else. */
export const NOTHING_NOTICED: InputReport = {
  rows: 0,
  missing: new Map(),
  unknown: new Map(),
  absent: [],
  ignored: [],
};

/** Whether every value was sent and known, and nothing else. */
function isPlain({ rows, sent, tally, ignored }: Batch): boolean {
  const { missing, unknown } = tally;
  for (let f = 0; f < sent.length; f++) {
    if (sent[f] !== rows || missing[f] !== 0 || unknown[f] !== 0) return false;
  }
  return ignored.size === 0;
}
