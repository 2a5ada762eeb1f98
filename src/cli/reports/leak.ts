/**
 * Figures that are too good: where hardly an error is left on rows that did not teach, a column often
 * tells the answer (what is only known after it, or a copy of it).
 *
 * @module
 */
import { selectRows } from "../../data/dataset/dataset.ts";
import { splitRows } from "../../data/dataset/split.ts";
import type { Column, Dataset } from "../../data/types.ts";
import { withoutWeightless } from "../../data/dataset/weightless.ts";
import { ParameterError } from "../../errors.ts";
import { looksTrainedOn, trainedRows } from "../../format/training_stats.ts";
import type { Model } from "../../model/model.ts";
import { log } from "../../util/math.ts";
import { sum } from "../../util/sum.ts";

/** Share of the error of the best constant below which hardly any is left. */
const HARDLY_ANY = 0.01;
/** Share of the gain from which on a column is named. */
const MOST_GAIN = 0.5;

/**
 * Whether a model leaves less than a hundredth of the error of the best constant: of its log loss, or
 * of the standard deviation.
 *
 * @param train Training rows, whose constant is compared with.
 * @param figures Metrics of rows that did not teach the model; others than `logLoss` and `rmse` do not count.
 */
export function doubtAboutSuccess(
  train: Dataset,
  figures: readonly { readonly [metric: string]: number }[],
): boolean {
  const name = train.target?.kind === "classification" ? "logLoss" : "rmse";
  const values = figures.flatMap((metrics) => metrics[name] ?? []);
  return values.length > 0 && Math.max(...values) < HARDLY_ANY * constantError(train);
}

/** Log loss of the classes' shares, or the standard deviation; 0 without a target. */
function constantError({ numRows, target, sampleWeight }: Dataset): number {
  if (target === undefined) return 0;
  const weigh = (row: number) => sampleWeight?.[row] ?? 1;
  const weights = Float64Array.from({ length: numRows }, (_, row) => weigh(row));
  const total = sum(weights);
  if (target.kind === "classification") {
    const shares = new Float64Array(target.classes.length);
    target.codes.forEach((code, row) => shares[code] += weigh(row) / total);
    return -sum(shares.map((share) => share > 0 ? share * log(share) : 0));
  }
  const mean = sum(weights.map((weight, row) => weight * target.values[row])) / total;
  return Math.sqrt(
    sum(weights.map((weight, row) => weight * (target.values[row] - mean) ** 2)) / total,
  );
}

/** What to look at, with the column that makes most of the gain. */
export async function leakText(model: Model): Promise<string> {
  const { featureImportance } = await import("../../explain/importance.ts");
  const gains = featureImportance(model);
  const total = gains.reduce((all, { gain }) => all + gain, 0);
  const first = gains.find(({ gain }) => gain > MOST_GAIN * total);
  const column = first === undefined
    ? ""
    : `; ${JSON.stringify(first.feature)} makes ${
      Math.round(100 * first.gain / total)
    } % of the gain`;
  return `hardly an error is left: make sure that no column tells the answer${column}`;
}

/** The rows that training learns from. */
function counted(model: Model, data: Dataset): Dataset {
  return withoutWeightless(data, model.schema.task === "ranking");
}

/** Whether a table looks like the rows that the model was trained on, those of weight 0 left out or not. */
export function looksLearnt(model: Model, data: Dataset): boolean {
  const weighty = counted(model, data);
  return looksTrainedOn(model, weighty) || (weighty !== data && looksTrainedOn(model, data));
}

/** Rows by which a share of a few classes may be off a share of the whole. */
const ROUNDED_ROWS = 100;
/** Shares that are held out as a rule. */
const USUAL_SHARES = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5];

/**
 * The share of a table that the model was trained on, where the table looks like the one that training
 * held a part of out (`--valid-fraction`, drawn by the model's seed); else undefined.
 */
export function shareTrainedOn(model: Model, data: Dataset): number | undefined {
  const counts = [...trainedRows(model)].filter((rows) =>
    rows < data.numRows && rows >= data.numRows / 2
  );
  if (counts.length === 0) return undefined;
  const seed = model.info.seed ?? 0;
  const shares = data.sampleWeight?.includes(0) === true
    ? USUAL_SHARES // how many of the rows held out weigh nothing is chance
    : new Set(counts.flatMap((rows) => shareOf(rows, data.numRows)));
  for (const share of shares) {
    const first = firstPart(data, share, seed);
    if (first === undefined) continue;
    const train = selectRows(data, first);
    if (looksLearnt(model, train)) return train.numRows / data.numRows;
  }
  return undefined;
}

/** Shares that people give: hundredths and thirds. Classes round each for itself. */
function shareOf(rows: number, numRows: number): number[] {
  const exact = 1 - rows / numRows;
  const share = Math.abs(exact - 1 / 3) < 0.003 ? 1 / 3 : Math.round(100 * exact) / 100;
  return share > 0 && Math.abs(share - exact) * numRows <= ROUNDED_ROWS ? [share] : [];
}

/** Rows that training would keep; undefined where queries are too few to hold some out. */
function firstPart(data: Dataset, share: number, seed: number): Int32Array | undefined {
  try {
    return splitRows(data, {
      fractions: [1 - share, share],
      seed,
      stratify: data.target?.kind === "classification",
    })[0];
  } catch (error) {
    if (error instanceof ParameterError) return undefined;
    throw error;
  }
}

/** Columns that are named at most. */
const MOST_NAMED = 10;

/** Says which columns have no value or one in all rows, and so teach nothing; undefined without any. */
export function idleText({ features, sampleWeight }: Dataset): string | undefined {
  const weighsAll = sampleWeight?.includes(0) !== true;
  const named = ["missing", "the same"].flatMap((what, kinds) => {
    const names = features.filter((column) => kindsOf(column, weighsAll) === kinds)
      .map(({ name }) => JSON.stringify(name));
    if (names.length === 0) return [];
    const more = names.length - MOST_NAMED;
    const list = names.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
    return [`${list} ${names.length === 1 ? "is" : "are"} ${what} in all rows`];
  });
  return named.length === 0 ? undefined : `${named.join("; ")}: nothing is learnt from that`;
}

/**
 * 0 where all rows are missing, 1 where all are the same, 2 for more. Bins that are chosen part any
 * two values of rows that weigh something; of others they tell nothing.
 */
function kindsOf(column: Column, weighsAll: boolean): number {
  if (column.kind === "categorical") return kindsIn(column.codes, (code) => code < 0);
  const { binned, values } = column;
  if (binned === undefined) return kindsIn(values, Number.isNaN);
  if (binned.cuts.length > 0 || !weighsAll) return 2;
  const codes = new Uint8Array(binned.numRows);
  binned.writeCodes(codes);
  return kindsIn(codes, (code) => code === 1); // missing: one behind the only bin
}

function kindsIn(values: ArrayLike<number>, isMissing: (value: number) => boolean): number {
  const first = values[0]!;
  const missing = isMissing(first);
  for (let row = 1; row < values.length; row++) {
    if (missing ? !isMissing(values[row]!) : values[row] !== first) return 2;
  }
  return missing ? 0 : 1;
}
