/**
 * Models of scikit-learn (through the exporter) and CatBoost with what the library says of some rows.
 *
 * @module
 */
import { importModel } from "../../../src/convert/import_model.ts";
import { parseTolerantJson } from "../../../src/convert/wire/tolerant_json.ts";
import type { Cell } from "../../../src/data/types.ts";

interface Expected {
  readonly X: readonly (readonly Cell[])[];
  readonly names: readonly string[] | null;
  readonly out: readonly (readonly number[])[];
  readonly raw?: readonly (readonly number[])[];
}

/** Names of the cases in a folder: `NAME.json` is the model, `NAME.exp.json` what it should say. */
export function casesIn(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].map((entry) => entry.name)
    .filter((name) => name.endsWith(".exp.json")).map((name) => name.slice(0, -9)).sort();
}

/** Whether a case is as its library has it; otherwise says why not. */
export function problemOfCase(folder: URL, name: string): string | undefined {
  const text = Deno.readTextFileSync(new URL(`${name}.exp.json`, folder));
  const expected = parseTolerantJson(text) as unknown as Expected;
  const model = importModel(Deno.readFileSync(new URL(`${name}.json`, folder)));
  const names = expected.names ?? expected.X[0].map((_, i) => `f${i}`);
  const rows = expected.X.map((row) => Object.fromEntries(row.map((cell, i) => [names[i], cell])));
  const actual = model.schema.task === "classification"
    ? model.predictProba(rows).data
    : model.predictValue(rows);
  const out = expected.out.flat();
  if (actual.length !== out.length) return `${actual.length} responses, expected ${out.length}`;
  // Sums are equal to the last bit; only exp() differs between libraries, by a unit or two.
  const link = model.ensemble.postprocess.name;
  const tolerance = link === "identity" || link === "probability" ? 0 : 4 * 2 ** -52;
  for (let i = 0; i < out.length; i++) {
    const difference = Math.abs(actual[i] - out[i]) / Math.max(1, Math.abs(out[i]));
    if (!(difference <= tolerance)) return `response ${i} is ${actual[i]}, expected ${out[i]}`;
  }
  const raw = expected.raw?.flat() ?? [];
  const scores = raw.length > 0 ? model.predictRaw(rows).data : [];
  const at = raw.findIndex((want, i) => scores[i] !== want);
  return at < 0 ? undefined : `raw score ${at} is ${scores[at]}, expected ${raw[at]}`;
}
