/**
 * Runs of LightGBM that are stored as its rows, parameters and trees (tests/golden/lightgbm_runs).
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Dataset } from "../../../src/data/types.ts";
import type { Model } from "../../../src/model/model.ts";
import { NodeKind } from "../../../src/model/types.ts";

/**
 * `[feature, threshold or categories, missing left]`, or `[value]` of a leaf; parents come first. The
 * side is null where LightGBM has none (missing type None).
 */
export type RunNode =
  | readonly [number, number | readonly number[], boolean | null]
  | readonly [number];

/** Columns, NaN as null. */
export type RunColumns = readonly (readonly (number | null)[])[];

/** The rows; columns of `categories` hold codes. */
export function runData(
  columns: RunColumns,
  labels: readonly number[],
  { binary, categories }: { readonly binary: boolean; readonly categories: readonly number[] },
): Dataset {
  return {
    numRows: labels.length,
    features: columns.map((column, f) =>
      categories.includes(f)
        ? {
          kind: "categorical",
          name: `x${f}`,
          codes: Int32Array.from(column, (code) => code ?? -1),
          categories: Array.from(
            { length: 1 + Math.max(...column.map(Number)) },
            (_, code) => `${code}`,
          ),
        }
        : {
          kind: "numeric",
          name: `x${f}`,
          values: Float64Array.from(column, (value) => value ?? NaN),
        }
    ),
    target: binary
      ? { kind: "classification", name: "y", codes: Int32Array.from(labels), classes: ["0", "1"] }
      : { kind: "regression", name: "y", values: Float64Array.from(labels) },
  };
}

/** Compares a tree: structure, thresholds and sides exactly, leaves within 1e-5 (float32 labels). */
export function compareRunTree(model: Model, tree: number, wanted: readonly RunNode[]): void {
  const { trees, baseScore } = model.ensemble;
  let next = 0;
  const walk = (node: number): void => {
    const at = `tree ${tree} node ${next}`;
    const want = wanted[next++];
    const first = trees.firstChild[node];
    assertEquals(first < 0, want.length === 1, `${at}: leaf or not`);
    if (want.length === 1) {
      const value = trees.leaf[node] + (tree === 0 ? baseScore[0] : 0);
      assertAlmostEquals(value, want[0], 1e-5 * Math.max(1, Math.abs(want[0])), at);
      return;
    }
    const [feature, cut, missingLeft] = want;
    assertEquals(trees.feature[node], feature, `${at}: feature`);
    if (typeof cut === "number") {
      assertEquals(trees.kind[node], NodeKind.threshold, at);
      // Where LightGBM's model has ∞, its dump writes 1e300.
      assertEquals(trees.threshold[node], cut === 1e300 ? Infinity : cut, `${at}: threshold`);
      if (missingLeft !== null) {
        assertEquals(trees.missing[node] === 0, missingLeft, `${at}: side of missing values`);
      }
    } else {
      const word = trees.categoryPool[trees.categoryAt[node]];
      const found = Array.from({ length: 32 }, (_, code) => code)
        .filter((code) => (word >>> code & 1) === 1);
      assertEquals(found, cut, `${at}: categories`);
    }
    walk(first);
    walk(first + 1);
  };
  walk(trees.treeStart[tree]);
  assert(next === wanted.length);
}
