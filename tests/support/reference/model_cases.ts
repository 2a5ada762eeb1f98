/**
 * Every reference model under a folder laid out like ../shared/models: import it, score its input,
 * and measure the distance to the library's own numbers. The golden test asserts the results and
 * `tools/write/compatibility.ts` prints them.
 *
 * @module
 */
import { importParts } from "../../../src/convert/import_model.ts";
import { parseTolerantJson } from "../../../src/convert/wire/tolerant_json.ts";
import type { Dataset, NumericColumn, Row } from "../../../src/data/types.ts";
import { TreelineError } from "../../../src/errors.ts";
import { explainShap } from "../../../src/explain/tree_shap.ts";
import "../../../src/model/score/rows/rows.ts"; // single rows are scored as the library and the server do
import { createModel, type Model } from "../../../src/model/model.ts";
import type { ModelParts } from "../../../src/model/types.ts";
import type { PredictInput } from "../../../src/model/encode.ts";
import { datasetOf, differentBits32, worst } from "./parity.ts";
import { csvCells, readLibsvm, readTable } from "./tables.ts";
import { sliceRounds } from "./slice_rounds.ts";

/** One comparison. */
export interface Check {
  readonly what: string;
  /** Largest difference in units of max(1, |expected|). */
  readonly difference: number;
  readonly tolerance: number;
  /** Entries that are not the same number (float32 where the library sums in float32). */
  readonly unequal: number;
  readonly total: number;
  /** Whether every entry has to be the same number. */
  readonly exact: boolean;
}

/** Everything found out about one model file. */
export interface CaseResult {
  readonly group: string;
  readonly name: string;
  readonly file: string;
  readonly format: string;
  readonly rows: number;
  readonly checks: readonly Check[];
  /** Why it was refused, where it was. */
  readonly refused?: string;
  readonly mustRefuse: boolean;
}

/** Whether a result is as it has to be; otherwise says why not. */
export function problemOf(result: CaseResult): string | undefined {
  if (result.mustRefuse) {
    return result.refused === undefined ? "it was imported but must be refused" : undefined;
  }
  if (result.refused !== undefined) return `it was refused: ${result.refused}`;
  if (result.checks.length === 0) return "nothing was compared";
  for (const check of result.checks) {
    if (check.exact && check.unequal > 0) {
      return `${check.what}: ${check.unequal} of ${check.total} differ, expected none (${check.difference})`;
    }
    if (!(check.difference <= check.tolerance)) {
      return `${check.what}: the difference is ${check.difference}, expected at most ${check.tolerance}`;
    }
  }
  return undefined;
}

/** Names of the folders in a folder, sorted. */
export function foldersIn(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].filter((e) => e.isDirectory).map((e) => e.name).sort();
}

interface Meta {
  readonly formats?: readonly string[];
  readonly input: string;
  readonly library: string;
  readonly tolerance: number;
  readonly "must_reject"?: boolean;
  readonly params?: { readonly objective?: string };
}

/** Reads text, or nothing when the file does not exist. */
function textIn(folder: URL, name: string): string | undefined {
  try {
    return Deno.readTextFileSync(new URL(name, folder));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Compares numbers; `bits` 32 compares as float32. */
export function compare(
  what: string,
  actual: ArrayLike<number>,
  expected: readonly ArrayLike<number>[],
  tolerance: number,
  bits: 32 | 64,
  exact = false,
): Check {
  const cols = expected[0]?.length ?? 0;
  let unequal = 0;
  if (bits === 32) unequal = differentBits32(actual, expected);
  else {
    for (let r = 0; r < expected.length; r++) {
      for (let k = 0; k < cols; k++) if (actual[r * cols + k] !== expected[r][k]) unequal++;
    }
  }
  return {
    what,
    difference: worst(actual, expected),
    tolerance,
    unequal,
    total: expected.length * cols,
    exact,
  };
}

/** Imports a file, or says why it was refused. */
export function importOrRefuse(
  bytes: Uint8Array,
): { readonly parts: ModelParts; readonly sourceIds: Int32Array } | string {
  try {
    return importParts(bytes);
  } catch (error) {
    if (error instanceof TreelineError) return error.message;
    throw error;
  }
}

/** All files of one generated XGBoost or LightGBM case. */
export function checkGenerated(group: string, name: string, folder: URL): CaseResult[] {
  const meta = JSON.parse(textIn(folder, "meta.json")!) as Meta;
  let covers: Float64Array | undefined;
  return meta.formats!.map((file): CaseResult => {
    const base = { group, name, file, mustRefuse: meta.must_reject === true };
    const imported = importOrRefuse(Deno.readFileSync(new URL(file, folder)));
    if (typeof imported === "string") {
      return { ...base, format: "–", rows: 0, checks: [], refused: imported };
    }
    const model = createModel(imported.parts);
    const input = readInput(folder, meta.input, model);
    const checks = meta.library === "lightgbm"
      ? lightgbmChecks(folder, model, input, meta)
      : xgboostChecks(folder, model, input, meta);
    const leaves = leafCheck(folder, imported, model, input);
    // The other formats hold the same trees, which the leaves and the covers prove.
    const { cover } = model.ensemble.trees;
    const contributions = covers === undefined
      ? contributionCheck(folder, model, input, meta)
      : [compare("covers", cover, [covers], 1e-7, 32)]; // JSON has decimals, the others float32
    covers ??= cover;
    return {
      ...base,
      format: model.info.origin!.format,
      rows: model.predictRaw(input).rows,
      checks: [...checks, ...leaves, ...contributions, singleRowCheck(model, input)],
    };
  });
}

function readInput(folder: URL, name: string, model: Model): PredictInput {
  const strings = textIn(folder, "input_strings.csv");
  if (
    strings !== undefined && model.schema.features.some((f) => f.kind === "categorical" && !f.coded)
  ) {
    const [header, ...rows] = csvCells(strings);
    return rows.map((row) => Object.fromEntries(row.map((cell, i) => [header[i], cell])));
  }
  const text = textIn(folder, name)!;
  const rows = name.endsWith(".libsvm")
    ? readLibsvm(text, model.schema.features.length)
    : readTable(text).rows;
  return datasetOf(model, rows);
}

/** What `predict()` of the library returns for this model. */
function libraryPrediction(
  model: Model,
  input: PredictInput,
  objective: string,
): ArrayLike<number> {
  if (objective === "multi:softmax") return model.predictClass(input).map(Number);
  return model.predictValue(input);
}

function xgboostChecks(folder: URL, model: Model, input: PredictInput, meta: Meta): Check[] {
  const checks: Check[] = [];
  const objective = String(model.info.params!.objective);
  const expect = (
    file: string,
    what: string,
    actual: (m: Model) => ArrayLike<number>,
    exact = false,
  ) => {
    const text = textIn(folder, file);
    if (text === undefined) return;
    checks.push(compare(what, actual(model), readTable(text).rows, meta.tolerance, 32, exact));
  };
  expect("margin.csv", "margin", (m) => m.predictRaw(input).data, true);
  expect("pred.csv", "pred", (m) => libraryPrediction(m, input, objective));
  for (const entry of Deno.readDirSync(folder)) {
    const match = /^pred_iter_(\d+)_(\d+)\.csv$/.exec(entry.name);
    if (match === null) continue;
    const part = sliceRounds(model, Number(match[1]), Number(match[2]));
    expect(
      entry.name,
      `rounds ${match[1]}–${match[2]}`,
      () => libraryPrediction(part, input, objective),
    );
  }
  return checks;
}

function lightgbmChecks(folder: URL, model: Model, input: PredictInput, meta: Meta): Check[] {
  const checks: Check[] = [];
  const isAverage = model.ensemble.aggregate === "average";
  const raw = model.predictRaw(input).data;
  // The library does not average the raw scores of a random forest, only its predictions.
  const sums = isAverage ? raw.map((x) => x * model.numRounds) : raw;
  checks.push(
    compare("raw", sums, readTable(textIn(folder, "raw.csv")!).rows, 1e-12, 64, !isAverage),
    compare(
      "pred",
      model.predictValue(input),
      readTable(textIn(folder, "pred.csv")!).rows,
      1e-12,
      64,
    ),
  );
  for (const entry of Deno.readDirSync(folder)) {
    const match = /^pred_start(\d+)_num(\d+)\.csv$/.exec(entry.name);
    if (match === null) continue;
    const part = sliceRounds(model, Number(match[1]), Number(match[1]) + Number(match[2]));
    const expected = readTable(textIn(folder, entry.name)!).rows;
    checks.push(
      compare(
        `rounds ${match[1]}+${match[2]}`,
        part.predictValue(input),
        expected,
        meta.tolerance,
        64,
      ),
    );
  }
  return checks;
}

function leafCheck(
  folder: URL,
  imported: { readonly parts: ModelParts; readonly sourceIds: Int32Array },
  model: Model,
  input: PredictInput,
): Check[] {
  const text = textIn(folder, "leaf.csv");
  if (text === undefined || model.numTrees === 0) return [];
  const { data, rows, cols } = model.predictLeaf(input);
  const { treeStart } = imported.parts.ensemble.trees;
  const ids = new Float64Array(rows * cols);
  for (let i = 0; i < ids.length; i++) ids[i] = imported.sourceIds[treeStart[i % cols] + data[i]];
  return [compare("leaf", ids, readTable(text).rows, 0, 64, true)];
}

/** Each row alone has the bits it has among the others, which were compared with the library's. */
function singleRowCheck(model: Model, input: PredictInput): Check {
  const { data, rows, cols } = model.predictRaw(input);
  // Faster scorers take over after some rows: the second time through, all rows are theirs.
  const single = new Float64Array(2 * rows * cols);
  for (let i = 0; i < 2 * rows; i++) {
    single.set(model.predictRaw(rowOf(input, i % rows)).data, i * cols);
  }
  const expected = Array.from({ length: 2 * rows }, (_, i) => {
    const from = (i % rows) * cols;
    return data.subarray(from, from + cols);
  });
  return compare("single rows", single, expected, 0, 64, true);
}

function rowOf(input: PredictInput, r: number): Row {
  if (Array.isArray(input)) return (input as readonly Row[])[r];
  const { features } = input as Dataset;
  return Object.fromEntries(
    features.map((column) => [column.name, (column as NumericColumn).values[r]]),
  );
}

function contributionCheck(folder: URL, model: Model, input: PredictInput, meta: Meta): Check[] {
  const text = textIn(folder, "contribs.csv");
  if (text === undefined) return [];
  const isXgboost = meta.library === "xgboost";
  const { ensemble } = model;
  // Contributions add up in doubles; so must the margin they are compared with.
  const exact = createModel({
    schema: model.schema,
    info: model.info,
    ensemble: { ...ensemble, profile: { ...ensemble.profile, sum: "f64" } },
  });
  const shap = explainShap(exact, input);
  const factor = !isXgboost && ensemble.aggregate === "average" ? model.numRounds : 1;
  const { numFeatures, numOutputs, rows } = shap;
  const width = numFeatures + 1;
  const joined = new Float64Array(rows * numOutputs * width);
  const sums = new Float64Array(rows * numOutputs);
  for (let i = 0; i < sums.length; i++) {
    const bias = shap.bias[i % numOutputs];
    sums[i] = bias;
    joined[(i + 1) * width - 1] = bias * factor;
    for (let f = 0; f < numFeatures; f++) {
      const value = shap.values[i * numFeatures + f];
      sums[i] += value;
      joined[i * width + f] = value * factor;
    }
  }
  const raw = exact.predictRaw(input).data;
  const rawRows = Array.from(
    { length: rows },
    (_, r) => raw.subarray(r * numOutputs, (r + 1) * numOutputs),
  );
  return [
    compare("contribs", joined, readTable(text).rows, isXgboost ? 1e-4 : 1e-7, isXgboost ? 32 : 64),
    compare("contribs + bias = margin", sums, rawRows, 1e-9, 64),
  ];
}

interface OrtOutput {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: readonly (number | string)[];
}

/** One ONNX case. */
export function checkOnnx(group: string, name: string, folder: URL): CaseResult {
  // Graphs of several tree ensembles and arithmetic are refused, naming the operators.
  const base = { group, name, file: "model.onnx", mustRefuse: name.endsWith("_graph") };
  const imported = importOrRefuse(Deno.readFileSync(new URL("model.onnx", folder)));
  if (typeof imported === "string") {
    return { ...base, format: "–", rows: 0, checks: [], refused: imported };
  }
  const model = createModel(imported.parts);
  const input = datasetOf(model, readTable(textIn(folder, "input.csv")!).rows);
  const ort = parseTolerantJson(textIn(folder, "ort.json")!) as unknown as {
    outputs: { [name: string]: OrtOutput };
  };
  const checks = Object.values(ort.outputs).map((output): Check => {
    if (typeof output.data[0] === "string" || output.type === "int64") {
      const classes = model.predictClass(input);
      const unequal = classes.filter((label, i) => label !== String(output.data[i])).length;
      return {
        what: "label",
        difference: unequal > 0 ? Infinity : 0,
        tolerance: 0,
        unequal,
        total: classes.length,
        exact: true,
      };
    }
    const width = output.dims.at(-1)!;
    const data = output.data as readonly number[];
    const rows = Array.from(
      { length: data.length / width },
      (_, r) => data.slice(r * width, (r + 1) * width),
    );
    // ONNX Runtime sums float32 in an order that depends on its threads: a few units in the last place.
    // Its PROBIT takes the root of a difference of two float32 numbers near 4, whose last place is 5e-7;
    // near 1/2 the difference is all rounding: sqrt(5e-7) < 1e-3.
    const tolerance = model.ensemble.postprocess.name === "probit" ? 1e-3 : 1e-6;
    return compare("scores", onnxScores(model, input, width), rows, tolerance, 32);
  });
  checks.push(singleRowCheck(model, input));
  return { ...base, format: "onnx", rows: model.predictRaw(input).rows, checks };
}

function onnxScores(model: Model, input: PredictInput, width: number): ArrayLike<number> {
  if (model.schema.task !== "classification") return model.predictValue(input);
  const link = model.ensemble.postprocess.name;
  if (link === "probit") return model.predictValue(input); // no probabilities, says the model
  if (link !== "identity") return model.predictProba(input).data;
  const raw = model.predictRaw(input).data;
  if (model.numOutputs === width) return raw;
  // One margin for two classes comes out as (−s, s).
  return Float64Array.from(
    { length: 2 * raw.length },
    (_, i) => i % 2 === 0 ? -raw[i >> 1] : raw[i >> 1],
  );
}
