/**
 * Small data sets for tests of boosting.
 *
 * @module
 */
import { assert } from "@std/assert";
import { createDataset } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { createRng } from "../../../src/util/rng.ts";

/** A column of numbers. */
export function numeric(name: string, values: number[]) {
  return { kind: "numeric", name, values: Float64Array.from(values) } as const;
}

/** One column and amounts. */
export function regression(x: number[], y: number[]): Dataset {
  return createDataset([numeric("x", x)], {
    kind: "regression",
    name: "y",
    values: Float64Array.from(y),
  });
}

/** y = 3a − 2b + noise; classes by sign. */
export function noisy(numRows: number, seed: number): { numbers: Dataset; classes: Dataset } {
  const rng = createRng(seed);
  const a = Array.from({ length: numRows }, () => rng.nextFloat());
  const b = Array.from({ length: numRows }, () => rng.nextFloat());
  const y = a.map((value, i) => 3 * value - 2 * b[i] - 0.5 + 0.4 * (rng.nextFloat() - 0.5));
  const features = [numeric("a", a), numeric("b", b)];
  return {
    numbers: createDataset(features, {
      kind: "regression",
      name: "y",
      values: Float64Array.from(y),
    }),
    classes: createDataset(features, {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (value) => value > 0 ? 1 : 0),
      classes: ["no", "yes"],
    }),
  };
}

/** A number and a category of three; y grows with both, `slope` times as fast with the number. */
export function mixedTable(seed: number, slope = 3, numRows = 300): Dataset {
  const rng = createRng(seed);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(3));
  const y = a.map((value, i) => slope * value + codes[i] + 0.1 * rng.nextFloat());
  return createDataset([
    { kind: "numeric", name: "a", values: a },
    { kind: "categorical", name: "c", codes, categories: ["p", "q", "r"] },
  ], { kind: "regression", name: "y", values: y });
}

/** The same rows with y above 2.5 or not as their class. */
export function twoClasses(data: Dataset): Dataset {
  const { target } = data;
  assert(target?.kind === "regression");
  const codes = Int32Array.from(target.values, (y) => y > 2.5 ? 1 : 0);
  return { ...data, target: { kind: "classification", name: "y", codes, classes: ["lo", "hi"] } };
}
