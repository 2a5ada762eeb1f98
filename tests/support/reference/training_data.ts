/**
 * The training data of the cases in ../shared/models, as the libraries saw it.
 *
 * @module
 */
// deno-lint-ignore-file camelcase
import { createDataset } from "../../../src/data/dataset/dataset.ts";
import type { Column, Dataset, Target } from "../../../src/data/types.ts";
import { readCsv } from "../../../src/files/read_csv.ts";
import { sharedPath } from "../shared.ts";
import { numpyPermutation } from "./numpy_random.ts";

/** What meta.json says of a case. */
export interface CaseMeta {
  readonly params: { readonly [name: string]: unknown };
  readonly rounds: number;
  readonly train: string;
  readonly classes: readonly string[] | null;
  readonly levels: { readonly [column: string]: readonly string[] } | null;
  readonly feature_types: { readonly [column: string]: string };
  /** LightGBM: positions of the columns that it took for categories. */
  readonly categorical_features?: readonly number[];
  readonly eval_history: {
    readonly [set: string]: { readonly [metric: string]: readonly number[] };
  } | null;
}

/** meta.json of a case. */
export function readMeta(path: string): CaseMeta {
  return JSON.parse(Deno.readTextFileSync(sharedPath(`models/${path}/meta.json`)));
}

const TARGETS: { readonly [dataset: string]: string } = {
  abalone: "rings",
  adult: "income",
  auto_mpg: "mpg",
  bank_marketing: "y",
  bike_sharing_hour: "cnt",
  breast_cancer: "diagnosis",
  california_housing: "median_house_value",
  credit_g: "class",
  dermatology: "class",
  diabetes: "progression",
  iris: "species",
  letter: "class",
  motorcycle_claims: "claim_cost",
  nursery: "class",
  penguins: "species",
  titanic: "survived",
};

/** Features as numbers (level codes for text), one part of the rows each. */
export interface CaseData {
  readonly train: Dataset;
  readonly test: Dataset;
}

/**
 * Rebuilds the two parts that `meta.train` describes.
 *
 * @param names Columns in the library's order; those of `categorical_features` become categories.
 */
export async function readCase(
  meta: CaseMeta,
  names: readonly string[] = Object.keys(meta.feature_types),
): Promise<CaseData> {
  const match = /^dataset (\w+) \(([\w.]+)\), .*RandomState\((\d+)\).*first max\((\d+), n\/\/5\)/
    .exec(meta.train);
  if (match === null) throw new Error(`cannot rebuild: ${meta.train}`);
  const [, name, file, seed, atLeast] = match;
  const target = TARGETS[name];
  const types = Object.fromEntries(
    Object.entries(meta.levels ?? {}).map(([column]) => [column, "categorical" as const]),
  );
  const data = await readCsv(sharedPath(`datasets/${file}`), {
    target,
    missing: ["", "?"],
    types,
    task: meta.classes === null ? "regression" : "classification",
  });
  const codes = new Map(data.features.map((column) => [column.name, column]));
  // feature_names_unicode renames its columns: then take them in order.
  const columns = names.every((column) => codes.has(column))
    ? names.map((column) => codes.get(column)!)
    : data.features.filter((column) => column.name !== "name");
  const features = columns.map((column, i) =>
    meta.categorical_features?.includes(i) ? asCategories(column, meta) : asNumbers(column, meta)
  );
  const order = numpyPermutation(Number(seed), data.numRows);
  const numTest = Math.max(Number(atLeast), Math.floor(data.numRows / 5));
  const first = /first (\d+) training rows/.exec(meta.train)?.[1];
  const whole = createDataset(features, asTarget(data.target!, meta));
  const pick = (rows: Int32Array) => selectRowsOf(whole, rows);
  return {
    train: pick(
      first === undefined
        ? order.slice(numTest)
        : order.slice(numTest).sort().slice(0, Number(first)),
    ),
    test: pick(order.slice(0, numTest).sort()),
  };
}

/** Categories in the order of the levels, so that codes are the library's. */
function asCategories(column: Column, meta: CaseMeta): Column {
  const levels = meta.levels?.[column.name];
  if (column.kind === "numeric" || levels === undefined) {
    throw new Error(`levels of ${column.name}`);
  }
  const map = column.categories.map((value) => levels.indexOf(value));
  return {
    kind: "categorical",
    name: column.name,
    codes: column.codes.map((code) => code < 0 ? -1 : map[code]),
    categories: levels,
  };
}

function asNumbers(column: Column, meta: CaseMeta): Column {
  if (column.kind === "numeric") return column;
  const levels = meta.levels?.[column.name] ?? column.categories;
  const map = column.categories.map((value) => levels.indexOf(value));
  return {
    kind: "numeric",
    name: column.name,
    values: Float64Array.from(column.codes, (code) => code < 0 ? NaN : map[code]),
  };
}

/** Binary cases name the positive class second ("not x", "x"). */
function asTarget(target: Target, meta: CaseMeta): Target {
  if (target.kind === "regression" || meta.classes === null) return target;
  if (meta.classes.length > 2) return target;
  const positive = target.classes.indexOf(meta.classes[1]);
  return {
    ...target,
    codes: target.codes.map((code) => code === positive ? 1 : 0),
    classes: meta.classes,
  };
}

function selectRowsOf(data: Dataset, rows: Int32Array): Dataset {
  const target = data.target!;
  return {
    numRows: rows.length,
    features: data.features.map((column): Column =>
      column.kind === "numeric"
        ? { ...column, values: Float64Array.from(rows, (row) => column.values[row]) }
        : { ...column, codes: Int32Array.from(rows, (row) => column.codes[row]) }
    ),
    target: target.kind === "regression"
      ? { ...target, values: Float64Array.from(rows, (row) => target.values[row]) }
      : { ...target, codes: Int32Array.from(rows, (row) => target.codes[row]) },
  };
}
