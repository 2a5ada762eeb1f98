/**
 * Model → foreign file, checked before it is handed out: the bytes are read back and score probe
 * rows on every threshold exactly as the model does.
 *
 * @module
 */
import { checkArgument, checkModel, checkOptions } from "../door.ts";
import type { Dataset, Row } from "../data/types.ts";
import { ConversionError, TreelineError, UsageError } from "../errors.ts";
import { selfTestRows } from "../format/self_test.ts";
import { createContract } from "../model/contract.ts";
import { encodeInput } from "../model/encode.ts";
import { contentsOf } from "../format/self_test.ts";
import { Model } from "../model/model.ts";
import { exportOnnx } from "./onnx/export.ts";
import { exportTypescript, plainCore } from "./export_typescript.ts";
import { exportXgboostJson, exportXgboostUbj } from "./xgboost/export.ts";
import { float32Model } from "./common/export_rounding.ts";
import { importModel } from "./import_model.ts";
import { type ProbeRows, probeRows, rowOf } from "./probe_rows.ts";

/** Formats of other tools in which models can be written. */
export const EXPORT_FORMATS = ["xgboost-json", "xgboost-ubj", "onnx", "typescript"] as const;

/** One of {@linkcode EXPORT_FORMATS}. */
export type ExportFormat = typeof EXPORT_FORMATS[number];

/** An exported file, and how it was checked. */
export interface Exported {
  /** Contents of the file. Text is UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of rows whose raw scores were compared. All of them were equal. */
  readonly checkedRows: number;
  /**
   * Largest difference between raw scores of the file and those of the model, divided by
   * max(1, |score|). It is 0 without `rounding`.
   */
  readonly difference: number;
  /**
   * The same, if the model scores rows whose numbers were rounded to float32 first: without the effect
   * of thresholds that differ by less than a float32, only that of rounded leaves and sums.
   */
  readonly differenceOnFloat32Rows: number;
}

/** Options of {@linkcode exportModel}. */
export interface ExportOptions {
  /** Rows to compare, besides the probes and the rows of the self-test of the model. */
  readonly samples?: readonly Row[];
  /** Number of rows that are made to probe the thresholds; 0 or more. @default 500 */
  readonly probes?: number;
  /**
   * `"float32"` rounds features, thresholds, leaves, weights and sums to float32, as XGBoost computes;
   * `difference` of the result says by how much scores change. Without it, XGBoost's formats refuse a
   * model that is not float32 throughout, and ONNX has float64 sums.
   */
  readonly rounding?: "float32";
  /**
   * For models with an offset column: write the trees without it. You then have to add the column to
   * the raw scores of the file yourself. Without it such models are refused, except in TypeScript,
   * which can express the column. @default false
   */
  readonly withoutOffset?: boolean;
}

/**
 * Writes a model in the format of another tool. The file is read back, and must give the raw scores of
 * the model for all rows of the check.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` with the list of features that the format cannot
 * express exactly, or if the file does not score as the model does.
 * @throws {UsageError} `E_USAGE` for another format.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for a wrong option.
 */
export function exportModel(
  given: Model,
  format: ExportFormat,
  options: ExportOptions = {},
): Exported {
  checkModel("exportModel", given);
  checkOptions<ExportOptions>("exportModel", options, {
    samples: "list",
    probes: "any",
    rounding: ["float32"],
    withoutOffset: "flag",
  });
  const { probes = 0 } = options;
  if (probes !== 0) {
    checkArgument("exportModel", "probes", probes, "count", "a whole number from 0 to 1e9");
  }
  const model = startOf(given, format, options);
  const trees = treesOf(model);
  const written = options.rounding === "float32" ? float32Model(model) : model;
  const bytes = write(written, format);
  const checks = checkRows(trees, options);
  const scored = treesOf(written).predictRaw(checks.rows).data;
  const expected = scored.map((score, i) => startAt(model, i) + score);
  const got = readBack(written, format, bytes, checks);
  for (let i = 0; i < expected.length; i++) {
    if (!Object.is(expected[i], got[i]) && expected[i] !== got[i]) {
      const row = Math.floor(i / model.numOutputs) + 1;
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot write this model as ${format}: row ${row} of the check scores ${got[i]}, expected ${
          expected[i]
        }`,
        { details: { row, expected: expected[i], got: got[i], cells: checks.rows[row - 1] } },
      );
    }
  }
  const rounded = checks.codes.map((row) => rowOf(model.schema, row.map(Math.fround)));
  return {
    bytes,
    checkedRows: checks.rows.length,
    difference: largest(scored, trees.predictRaw(checks.rows).data),
    differenceOnFloat32Rows: largest(scored, trees.predictRaw(rounded).data),
  };
}

/** A model of the same trees without an offset column. */
function treesOf(model: Model): Model {
  const { offset: _, ...info } = model.info;
  return new Model({ ...contentsOf(model), info });
}

/** The model itself, or its trees without the offset column where that is asked for. */
function startOf(model: Model, format: ExportFormat, { withoutOffset }: ExportOptions): Model {
  const { offset } = model.info;
  if (offset === undefined || (format === "typescript" && withoutOffset !== true)) return model;
  if (withoutOffset === true) return treesOf(model);
  throw new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot write this model as ${format}: its rows start from the offset column ${
      JSON.stringify(offset)
    }, which the format does not hold; expected withoutOffset (--without-offset) for the trees alone, ` +
      "whose raw scores lack the column",
    { details: { format, column: offset } },
  );
}

/** Raw score that row `i` of the check starts from: some of both signs where there is a column. */
function startAt({ info }: Model, i: number): number {
  return info.offset === undefined ? 0 : (i % 7 - 3.25) / 8;
}

/** Largest difference in units of max(1, |own|). */
function largest(scores: ArrayLike<number>, own: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < own.length; i++) {
    if (scores[i] === own[i]) continue;
    most = Math.max(most, Math.abs(scores[i] - own[i]) / Math.max(1, Math.abs(own[i])));
  }
  return most;
}

/** Probes on the thresholds, the rows that the model's file keeps, and the caller's. */
function checkRows(model: Model, { probes = 500, samples = [] }: ExportOptions): ProbeRows {
  const { schema } = model;
  const width = schema.features.length;
  const made = probeRows(model, probes);
  const codes = [...made.codes];
  const rows = [...made.rows];
  const add = (x: Float64Array, count: number) => {
    for (let r = 0; r < count; r++) {
      codes.push(x.slice(r * width, (r + 1) * width));
      rows.push(rowOf(schema, codes.at(-1)!));
    }
  };
  const stored = selfTestRows(model);
  if (stored !== undefined) add(stored.x, stored.rows);
  const encoded = encodeInput(createContract(schema), samples);
  const x = new Float64Array(encoded.rows * width);
  encoded.fill(0, encoded.rows, x);
  add(x, encoded.rows);
  return { rows, codes };
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

/** Reads a written file; one that is too large to be read back cannot be checked, and is not written. */
function importChecked(bytes: Uint8Array, format: ExportFormat): Model {
  try {
    return importModel(bytes);
  } catch (error) {
    if (!(error instanceof TreelineError) || error.code !== "E_MODEL_LIMIT") throw error;
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot write this model as ${format}: it cannot be read back for the check (${error.message}); ` +
        "sets of categories are read as chains of tests, which deep trees with many levels multiply",
      { cause: error, details: { format } },
    );
  }
}

function readBack(
  model: Model,
  format: ExportFormat,
  bytes: Uint8Array,
  { rows, codes }: ProbeRows,
): ArrayLike<number> {
  if (format === "typescript") {
    // The generated evaluator itself, without its types.
    const run = new Function(`${plainCore(model)}\nreturn predictRaw;`)() as (row: Row) => number[];
    const { offset } = model.info;
    return rows.flatMap((row, i) => run(offset ? { ...row, [offset]: startAt(model, i) } : row));
  }
  const back = importChecked(bytes, format);
  if (format !== "onnx") return back.predictRaw(rows).data;
  // ONNX takes codes.
  const data: Dataset = {
    numRows: codes.length,
    features: back.schema.features.map((feature, f) => ({
      kind: "numeric",
      name: feature.name,
      values: Float64Array.from(codes, (row) => row[f]),
    })),
  };
  return back.predictRaw(data).data;
}
