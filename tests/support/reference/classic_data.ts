// deno-lint-ignore-file camelcase -- names of scikit-learn in reference files
/**
 * Shared data sets as the reference results of classic learners used them.
 *
 * @module
 */
import { parseCsv } from "../../../src/data/csv/parse.ts";
import type { CsvOptions } from "../../../src/data/csv/parse.ts";
import { selectRows } from "../../../src/data/dataset/dataset.ts";
import type { Column, Dataset } from "../../../src/data/types.ts";
import { sharedPath } from "../shared.ts";

/** Reads a shared CSV file. */
export function readTable(name: string, options: CsvOptions): Dataset {
  return parseCsv(Deno.readTextFileSync(sharedPath(`datasets/${name}`)), options);
}

/** Reads a shared JSON file. */
// deno-lint-ignore no-explicit-any -- reference files have many shapes
export function readReference(name: string): any {
  return JSON.parse(Deno.readTextFileSync(sharedPath(`reference/${name}`)));
}

/** Rows without missing values. */
export function completeRows(data: Dataset): Dataset {
  const rows: number[] = [];
  for (let row = 0; row < data.numRows; row++) {
    const lacks = data.features.some((column) =>
      column.kind === "numeric" ? Number.isNaN(column.values[row]) : column.codes[row] < 0
    );
    if (!lacks) rows.push(row);
  }
  return selectRows(data, Int32Array.from(rows));
}

/** Numbers rounded to float32 and categories as their codes: what scikit-learn was given. */
export function asFloat32(data: Dataset): Dataset {
  const features = data.features.map((column): Column => ({
    kind: "numeric",
    name: column.name,
    values: column.kind === "numeric"
      ? Float64Array.from(column.values, Math.fround)
      : Float64Array.from(column.codes, (code) => code < 0 ? NaN : code),
  }));
  return { ...data, features };
}

const TARGETS: { readonly [name: string]: string } = {
  iris: "species",
  wine: "cultivar",
  breast_cancer: "diagnosis",
  diabetes: "progression",
  auto_mpg: "mpg",
  abalone: "rings",
};

/** Training data as scikit-learn had it: complete rows, float32, categories as codes. */
export function sklearnData(name: string, regression: boolean): Dataset {
  return asFloat32(completeRows(readTable(`${name}.csv`, {
    target: TARGETS[name],
    drop: name === "auto_mpg" ? ["name"] : [],
    task: regression ? "regression" : "classification",
  })));
}
