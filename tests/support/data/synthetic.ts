/**
 * A table made of whole numbers by an integer recurrence, the same everywhere, and a hash of the
 * trees that grow on it.
 *
 * @module
 */
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { createDataset } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { type Ensemble, NodeKind } from "../../../src/model/types.ts";
import { sha256Hex } from "../../../src/util/sha256.ts";

/** Two columns of numbers (one with holes), one of categories, two classes. */
export function syntheticTable(numRows: number): Dataset {
  let state = 1;
  const next = (count: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 65536) % count;
  };
  const a = new Float64Array(numRows);
  const b = new Float64Array(numRows);
  const c = new Int32Array(numRows);
  const y = new Int32Array(numRows);
  for (let row = 0; row < numRows; row++) {
    a[row] = next(1000) / 8;
    b[row] = next(9) === 0 ? NaN : next(300) / 4 - 30;
    c[row] = next(7) - 1;
    y[row] = a[row] + (b[row] > 0 ? 20 : 0) + 9 * c[row] + next(60) > 110 ? 1 : 0;
  }
  return createDataset([
    { kind: "numeric", name: "a", values: a },
    { kind: "numeric", name: "b", values: b },
    { kind: "categorical", name: "c", codes: c, categories: ["p", "q", "r", "s", "t", "u"] },
  ], { kind: "classification", name: "y", codes: y, classes: ["no", "yes"] });
}

/** SHA-256 of 8 rounds by a preset of fixed defaults, rows and features drawn. */
export async function hashOfTrees(threads: number): Promise<string> {
  const { ensemble } = await trainBoost(
    syntheticTable(4000),
    { preset: "xgboost@2", rounds: 8, subsample: 0.75, featuresPerNode: 0.7, seed: 11 },
    { threads },
  );
  return sha256Hex(canonicalBytes(ensemble));
}

/**
 * The base score and all nodes in preorder, little-endian: 0 and the leaf; or 1 (number) or 2
 * (categories), the feature, the threshold or Σ 2^code of the categories that go left, and whether
 * missing goes left.
 */
function canonicalBytes({ trees, baseScore }: Ensemble): Uint8Array {
  const bytes: number[] = [];
  const double = (value: number) => bytes.push(...new Uint8Array(Float64Array.of(value).buffer)); // the platforms are little-endian
  const walk = (node: number): void => {
    const first = trees.firstChild[node];
    if (first < 0) {
      bytes.push(0);
      double(trees.leaf[node]);
      return;
    }
    const isNumber = trees.kind[node] === NodeKind.threshold;
    bytes.push(isNumber ? 1 : 2, trees.feature[node]);
    double(isNumber ? trees.threshold[node] : trees.categoryPool[trees.categoryAt[node]] & 63);
    bytes.push(trees.missing[node] === 0 ? 1 : 0);
    walk(first);
    walk(first + 1);
  };
  for (const base of baseScore) double(base);
  for (let t = 0; t + 1 < trees.treeStart.length; t++) walk(trees.treeStart[t]);
  return Uint8Array.from(bytes);
}
