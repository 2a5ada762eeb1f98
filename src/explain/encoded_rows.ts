/**
 * Input as the trees see it, a block of rows at a time: encoded by the model's contract and rounded
 * as its profile says.
 *
 * @module
 */
import { createContract } from "../model/contract.ts";
import { type ColumnOptions, encodeInput, type PredictInput } from "../model/encode.ts";
import type { Model } from "../model/model.ts";
import { lacksOffset } from "../model/offset_column.ts";

/** Rows at a time: small enough for caches, large enough to forget the overhead. */
const BLOCK = 256;

/**
 * Encodes input and visits it in blocks.
 *
 * @param visit Receives row-major `rows × numFeatures` and the number of the first row.
 * @param least Blocks to make of few rows, so that every thread has one.
 * @returns Number of rows, and the raw scores that they start from where there are such.
 * @throws {ModelError} `E_MODEL_SCHEMA` where the model's rows start from an offset that is not there.
 */
export function eachEncodedBlock(
  model: Model,
  input: PredictInput,
  options: ColumnOptions,
  begin: (numRows: number) => void,
  visit: (x: Float64Array, from: number, rows: number) => void,
  least = 1,
): { readonly rows: number; readonly offset: Float64Array | undefined } {
  const numFeatures = model.schema.features.length;
  const encoded = encodeInput(createContract(model.schema), input, options);
  const { offset } = encoded;
  if (offset === undefined && model.info.offset !== undefined) throw lacksOffset(model.info.offset);
  const size = Math.max(1, Math.min(BLOCK, Math.ceil(encoded.rows / least)));
  const x = new Float64Array(size * numFeatures);
  const isFloat32 = model.ensemble.profile.input === "f32";
  begin(encoded.rows);
  for (let from = 0; from < encoded.rows; from += size) {
    const to = Math.min(encoded.rows, from + size);
    encoded.fill(from, to, x);
    if (isFloat32) { for (let i = 0; i < x.length; i++) x[i] = Math.fround(x[i]); }
    visit(x, from, to - from);
  }
  encoded.finish();
  return { rows: encoded.rows, offset };
}
