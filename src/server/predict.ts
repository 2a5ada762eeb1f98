/**
 * Scores a batch and writes the predictions as JSON text, one piece a row.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import type { Dataset } from "../data/types.ts";
import { type Batch, batchDataset } from "./encoder.ts";
import { numbersText, numberText } from "./json_text.ts";
import type { ServableModel } from "./types.ts";

/** What a prediction is. `default` is a class with its probabilities, or a number. */
export type PredictionKind = "default" | "value" | "class" | "proba" | "raw" | "leaf";

const KINDS: ReadonlySet<string> = new Set(["default", "value", "class", "proba", "raw", "leaf"]);

/**
 * Reads the `kind` of a request.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
export function kindOf(text: string | undefined): PredictionKind {
  if (text === undefined) return "default";
  if (KINDS.has(text)) return text as PredictionKind;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot answer kind ${JSON.stringify(text.slice(0, 40))}: expected value, class, proba, raw ` +
      "or leaf",
    { details: { param: "kind" } },
  );
}

/**
 * JSON text of each row's prediction.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` when the model has no classes and `kind` asks for some.
 */
export function predictionTexts(
  model: ServableModel,
  batch: Batch,
  kind: PredictionKind,
): string[] {
  const { classes, task } = model.schema;
  if (task !== "classification" && (kind === "class" || kind === "proba")) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot answer kind "${kind}": the model has no classes; ask for value or raw`,
      { details: { param: "kind", task } },
    );
  }
  const data = batchDataset(model.schema, batch);
  if (kind === "class") return model.predictClass(data).map((label) => JSON.stringify(label));
  if (kind === "default" && task === "classification") {
    return classTexts(model, data, classes.map((label) => `${JSON.stringify(label)}:`));
  }
  return matrixTexts(matrixOf(model, data, kind), batch.rows);
}

function matrixOf(model: ServableModel, data: Dataset, kind: PredictionKind): ArrayLike<number> {
  if (kind === "raw") return model.predictRaw(data).data;
  if (kind === "proba") return model.predictProba(data).data;
  return kind === "leaf" ? model.predictLeaf(data).data : model.predictValue(data);
}

/** One number a row as it is, several as an array. */
function matrixTexts(data: ArrayLike<number>, rows: number): string[] {
  const width = data.length / rows;
  const texts = new Array<string>(rows);
  for (let row = 0; row < rows; row++) {
    texts[row] = width === 1 ? numberText(data[row]!) : numbersText(data, row * width, width);
  }
  return texts;
}

/** `{"class": …, "probabilities": {label: …}}` for each row. */
function classTexts(model: ServableModel, input: Dataset, keys: readonly string[]): string[] {
  const labels = model.predictClass(input);
  const { data, rows, cols } = model.predictProba(input);
  const texts = new Array<string>(rows);
  for (let row = 0; row < rows; row++) {
    let text = `{"class":${JSON.stringify(labels[row])},"probabilities":{`;
    for (let k = 0; k < cols; k++) {
      text += (k === 0 ? "" : ",") + keys[k] + numberText(data[row * cols + k]!);
    }
    texts[row] = text + "}}";
  }
  return texts;
}
