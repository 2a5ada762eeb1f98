/**
 * A model of counts whose rows start from an offset column, rows for it, and their right scores.
 *
 * @module
 */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import { datasetFromRows } from "../../../src/data/records/rows.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import type { Model } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Counts that grow with exposure; the column holds its logarithm. */
function csv(numRows: number): string {
  const rng = createRng(7);
  const lines = Array.from({ length: numRows }, () => {
    const [x, years] = [rng.nextInt(10), 1 + rng.nextInt(5)];
    const n = Array.from({ length: years * 4 }, () => rng.nextFloat() < 0.05 * x ? 1 : 0);
    return `${x},${rng.nextInt(2) === 0 ? "u" : "v"},${Math.log(years)},${
      n.reduce((a: number, b) => a + b, 0)
    }`;
  });
  return `x,c,years,n\n${lines.join("\n")}\n`;
}

/** What the model was trained on. */
export const TEXT = csv(300);
export const DATA = parseCsv(TEXT, { target: "n", offset: "years" });
export const MODEL = decodeModel(
  encodeModel(await trainBoost(DATA, { loss: "poisson", rounds: 20 }, { threads: 1 })),
);

/** Rows to score, each with its offset. */
export const ROWS = [
  { x: 3, c: "u", years: Math.log(2) },
  { x: 8, c: "v", years: 0 },
  { x: 8, c: "v", years: Math.log(5) },
];

/** What each row must score: the trees (a dataset with offsets of 0) times the exposure. */
function expected(model: Model): number[] {
  const { offset: _, ...plain } = datasetFromRows(ROWS, { offset: "years" });
  const rates = model.predictValue({ ...plain, offset: new Float64Array(ROWS.length) });
  return ROWS.map(({ years }, row) => rates[row] * Math.exp(years));
}

/** Compares with {@linkcode expected}. */
export function assertScores(found: ArrayLike<number>, model = MODEL): void {
  const wanted = expected(model);
  assertEquals(found.length, wanted.length);
  // exp(a + b) and exp(a)·exp(b) part in the last places.
  wanted.forEach((value, i) => assertAlmostEquals(found[i], value, 1e-12 * value));
}
