/**
 * Section TEST: rows and the raw scores they must give, so that a copy can prove on the machine where
 * it serves that it scores as it did where it was made.
 *
 * @module
 */
import { checkModel } from "../door.ts";
import { CheckError, ModelError } from "../errors.ts";
import { createContract } from "../model/contract.ts";
import { encodeInput, type PredictInput } from "../model/encode.ts";
import { Model } from "../model/model_class.ts";
import { createReader, joinArrays } from "./bytes.ts";

/** Most rows that a file keeps. */
const MAX_ROWS = 256;

/**
 * A copy of a model that carries rows with the raw scores it gives them. They are stored in its file,
 * and loaders compare them bit by bit.
 *
 * @param input At most 256 rows, without an offset column.
 * @throws {ModelError} `E_MODEL_LIMIT` for more rows; `E_MODEL_SCHEMA` for rows that do not fit the
 * model, or that have an offset.
 */
export function withSelfTest(model: Model, input: PredictInput): Model {
  checkModel("withSelfTest", model);
  const attachments = new Map(model.attachments).set("TEST", selfTestOf(model, input));
  return new Model({ ...contentsOf(model), attachments });
}

/** The section TEST of a model: rows, and the raw scores that they have now. */
export function selfTestOf(model: Model, input: PredictInput): Uint8Array {
  const { schema } = model;
  const encoded = encodeInput(createContract(schema), input);
  if (encoded.rows > MAX_ROWS) {
    throw new ModelError(
      "E_MODEL_LIMIT",
      `Cannot keep ${encoded.rows} self-test rows: at most ${MAX_ROWS} are kept`,
    );
  }
  const x = new Float64Array(encoded.rows * schema.features.length);
  encoded.fill(0, encoded.rows, x);
  if (encoded.offset !== undefined) {
    throw new ModelError("E_MODEL_SCHEMA", "Cannot keep self-test rows that have an offset");
  }
  return renewSelfTest(model, { x, rows: encoded.rows });
}

/** The section TEST of rows as trees see them, and the raw scores that a model gives them. */
export function renewSelfTest(
  model: Model,
  { x, rows }: Pick<SelfTestRows, "x" | "rows">,
): Uint8Array {
  const head = Uint32Array.of(rows, model.schema.features.length, model.numOutputs, 0);
  const raw = new Float64Array(rows * model.numOutputs);
  model.positional(model.schemaHash).rawRowsInto(x, raw);
  return joinArrays([head, x, raw]);
}

/** What a model was made of. */
export function contentsOf(model: Model): ConstructorParameters<typeof Model>[0] {
  const { schema, schemaHash, info, rules, storage, calibration, attachments } = model;
  return {
    schema,
    schemaHash,
    info,
    rules,
    storage,
    attachments,
    ...(calibration && { calibration }),
  };
}

/** The rows that a model carries: encoded, row-major, and their raw scores. */
export interface SelfTestRows {
  readonly rows: number;
  /** Row-major `rows × features`: values and codes as the trees see them before rounding. */
  readonly x: Float64Array;
  readonly raw: Float64Array;
}

/**
 * Reads the rows that a model carries; undefined when it carries none.
 *
 * @throws {ModelError} `E_MODEL_CORRUPT` when they are of another shape than the model.
 */
export function selfTestRows(model: Model): SelfTestRows | undefined {
  const bytes = model.attachments.get("TEST");
  if (bytes === undefined) return undefined;
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const reader = createReader(aligned, 0, aligned.length);
  const [rows, numFeatures, numOutputs, zero] = reader.u32(4);
  if (
    numFeatures !== model.schema.features.length || numOutputs !== model.numOutputs || zero !== 0
  ) {
    throw new ModelError("E_MODEL_CORRUPT", "Cannot run the self-test: it is of another shape");
  }
  const x = reader.f64(rows * numFeatures);
  const raw = reader.f64(rows * numOutputs);
  reader.end();
  return { rows, x, raw };
}

/**
 * Scores the rows that a model carries and compares the raw scores bit by bit. Rows are scored one by
 * one and as a batch, often enough to exercise every scorer.
 *
 * @returns Number of rows that were compared; 0 if the model carries none.
 * @throws {CheckError} `E_CHECK_FAILED` with the first row that differs.
 */
export function runSelfTest(model: Model): number {
  checkModel("runSelfTest", model);
  const stored = selfTestRows(model);
  if (stored === undefined) return 0;
  const { rows, x, raw: expected } = stored;
  const numFeatures = model.schema.features.length;
  const { numOutputs } = model;
  const scorer = model.positional(model.schemaHash);
  const found = new Float64Array(rows * numOutputs);
  const row = new Float64Array(numOutputs);
  for (let pass = 0; pass < 2; pass++) {
    for (let r = 0; r < rows; r++) {
      scorer.rawInto(x.subarray(r * numFeatures, (r + 1) * numFeatures), row);
      found.set(row, r * numOutputs);
    }
    compare(found, expected, numOutputs);
  }
  // The kernel takes batches: fill one with the rows, over and over.
  const copies = Math.ceil(128 / Math.max(1, rows));
  const batch = new Float64Array(copies * x.length);
  for (let i = 0; i < copies; i++) batch.set(x, i * x.length);
  const results = new Float64Array(copies * found.length);
  scorer.rawRowsInto(batch, results);
  for (let i = 0; i < copies; i++) {
    compare(results.subarray(i * found.length, (i + 1) * found.length), expected, numOutputs);
  }
  return rows;
}

function compare(found: Float64Array, expected: Float64Array, numOutputs: number): void {
  for (let i = 0; i < expected.length; i++) {
    if (Object.is(found[i], expected[i])) continue;
    const row = Math.floor(i / numOutputs) + 1;
    throw new CheckError(
      "E_CHECK_FAILED",
      `Cannot trust this model here: row ${row} of its self-test gives ${found[i]}, ` +
        `expected ${expected[i]}`,
      { details: { row, found: found[i], expected: expected[i] } },
    );
  }
}
