/**
 * Predictions as CSV, in the columns that the command line's `predict` writes.
 *
 * @module
 */
import type { Batch } from "../body/batch.ts";
import type { RowErrors } from "../body/partial.ts";
import { checkKind, leavesOf, type PredictionKind } from "../answer/predict.ts";
import { probabilityAt, type Scores } from "../answer/scores.ts";
import type { PredictQuery } from "./query.ts";
import type { Served } from "../models/types.ts";
import { modelHeaders } from "../models/version.ts";

/** One line a row under a header; a row that could not be read is an empty cell in every column. */
export function csvAnswer(
  served: Served,
  batch: Batch,
  scores: Scores,
  { kind, rounds }: Pick<PredictQuery, "kind" | "rounds">,
  errors: RowErrors,
): Response {
  const { header, cellsAt } = columnsOf(served, batch, scores, kind, rounds);
  const bad = new Set(errors?.map(({ row }) => row - 1));
  const lines = [header.map(csvCell).join(",")];
  let at = 0;
  for (let row = 0; row < scores.rows + bad.size; row++) {
    lines.push(bad.has(row) ? ",".repeat(header.length - 1) : cellsAt(at++).join(","));
  }
  return new Response(lines.join("\n") + "\n", {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      ...modelHeaders(served),
    },
  });
}

function columnsOf(
  { model }: Served,
  batch: Batch,
  scores: Scores,
  kind: PredictionKind,
  rounds: number | undefined,
): { readonly header: readonly string[]; readonly cellsAt: (row: number) => readonly string[] } {
  const { classes } = model.schema;
  const { numOutputs, raw, value, labels } = scores;
  if (kind === "class" || (kind === "default" && classes.length > 0)) {
    return { header: ["prediction"], cellsAt: (row) => [csvCell(classes[labels[row]])] };
  }
  if (kind === "proba" && classes.length > 0) {
    return {
      header: classes,
      cellsAt: (row) =>
        classes.map((_, k) => numberCell(probabilityAt(scores, classes.length, row, k))),
    };
  }
  if (kind === "leaf") {
    const { data, cols } = leavesOf(model, batch, rounds);
    return {
      header: Array.from({ length: cols }, (_, tree) => `tree${tree}`),
      cellsAt: (row) => Array.from(data.subarray(row * cols, (row + 1) * cols), String),
    };
  }
  checkKind(model, kind);
  const data = kind === "raw" ? raw : value;
  const single = kind === "raw" ? "raw" : "prediction";
  const header = numOutputs === 1
    ? [single]
    : Array.from({ length: numOutputs }, (_, k) => classes[k] ?? `${single}${k}`);
  return {
    header,
    cellsAt: (row) => header.map((_, k) => numberCell(data[row * numOutputs + k])),
  };
}

function numberCell(value: number): string {
  return value - value === 0 ? String(value) : "";
}

/** Text as a cell, quoted where it must be. */
function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
