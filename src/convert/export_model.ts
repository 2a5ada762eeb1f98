/**
 * Model → foreign file, checked before it is handed out: the bytes are read back and score probe
 * rows on every threshold exactly as the model does under the target's arithmetic.
 *
 * @module
 */
import type { Dataset, Row } from "../data/types.ts";
import { ConversionError, UsageError } from "../errors.ts";
import { createModel, type Model } from "../model/model.ts";
import type { NumericProfile } from "../model/types.ts";
import { exportOnnx } from "./export_onnx.ts";
import { exportTypescript, plainCore } from "./export_typescript.ts";
import { exportXgboostJson, exportXgboostUbj } from "./export_xgboost.ts";
import { importModel } from "./import_model.ts";
import { type ProbeRows, probeRows } from "./probe_rows.ts";

/** Formats that can be written, besides Treeline's own. */
export const EXPORT_FORMATS = ["xgboost-json", "xgboost-ubj", "onnx", "typescript"] as const;

/** A format that can be written. */
export type ExportFormat = typeof EXPORT_FORMATS[number];

/** What was written and how it was checked. */
export interface Exported {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Rows whose raw scores were compared; all were equal. */
  readonly checkedRows: number;
  /**
   * Largest difference between the raw scores that the file stands for (float32 sums, say) and the
   * model's own, in units of max(1, |score|). 0 when the target computes as the model does.
   */
  readonly difference: number;
}

/** How an export is checked. */
export interface ExportOptions {
  /** Rows to compare besides the probes. */
  readonly samples?: readonly Row[];
  /** Probe rows. @default 500 */
  readonly probes?: number;
}

/**
 * Writes a model in another tool's format.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` with the list of features that the format cannot
 * hold exactly, or when the written file does not score as the model does.
 */
export function exportModel(
  model: Model,
  format: ExportFormat,
  options: ExportOptions = {},
): Exported {
  const bytes = write(model, format);
  const probes = probeRows(model, options.probes ?? 500);
  const rows = [...probes.rows, ...options.samples ?? []];
  const target = underProfile(model, profileOf(model, format));
  const expected = target.predictRaw(rows).data;
  const got = readBack(model, format, bytes, probes, options.samples ?? []);
  const own = model.predictRaw(rows).data;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(
      difference,
      Math.abs(expected[i] - own[i]) / Math.max(1, Math.abs(own[i])),
    );
    if (i < got.length && !Object.is(expected[i], got[i]) && expected[i] !== got[i]) {
      const row = Math.floor(i / model.numOutputs) + 1;
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot write this model as ${format}: row ${row} of the check scores ${got[i]}, expected ${
          expected[i]
        }`,
        { details: { row, expected: expected[i], got: got[i], cells: rows[row - 1] } },
      );
    }
  }
  return { bytes, checkedRows: got.length / model.numOutputs, difference };
}

function write(model: Model, format: ExportFormat): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  switch (format) {
    case "xgboost-json":
      return encoder.encode(exportXgboostJson(model));
    case "xgboost-ubj":
      return exportXgboostUbj(model);
    case "onnx":
      return exportOnnx(model);
    case "typescript":
      return encoder.encode(exportTypescript(model));
    default:
      throw new UsageError(
        "E_USAGE",
        `Cannot write the format "${String(format)}": expected one of ${EXPORT_FORMATS.join(", ")}`,
      );
  }
}

/** How the target computes. */
function profileOf(model: Model, format: ExportFormat): NumericProfile {
  const { profile } = model.ensemble;
  if (format === "typescript") return profile;
  if (format === "onnx") {
    return { ...profile, sum: profile.input === "f64" ? "f64" : "f32", base: "last" };
  }
  return { input: "f32", sum: "f32", base: "first", shownTest: "<" };
}

/** The same trees under another arithmetic; base scores become float32 where sums are. */
function underProfile(model: Model, profile: NumericProfile): Model {
  const { ensemble, schema, info } = model;
  const baseScore = profile.sum === "f32"
    ? ensemble.baseScore.map(Math.fround)
    : ensemble.baseScore;
  return createModel({ schema, info, ensemble: { ...ensemble, baseScore, profile } });
}

function readBack(
  model: Model,
  format: ExportFormat,
  bytes: Uint8Array,
  probes: ProbeRows,
  samples: readonly Row[],
): ArrayLike<number> {
  if (format === "typescript") {
    // The generated evaluator itself, without its types.
    const run = new Function(`${plainCore(model)}\nreturn predictRaw;`)() as (row: Row) => number[];
    return [...probes.rows, ...samples].flatMap((row) => run(row));
  }
  const back = importModel(bytes);
  if (format !== "onnx") return back.predictRaw([...probes.rows, ...samples]).data;
  // ONNX takes codes, so the samples are left to the probes.
  const data: Dataset = {
    numRows: probes.codes.length,
    features: back.schema.features.map((feature, f) => ({
      kind: "numeric",
      name: feature.name,
      values: Float64Array.from(probes.codes, (codes) => codes[f]),
    })),
  };
  return back.predictRaw(data).data;
}
