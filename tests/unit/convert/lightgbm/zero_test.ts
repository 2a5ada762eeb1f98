/** Zeros and missing values of LightGBM's nodes as plain tests. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { unfoldZeros } from "../../../../src/convert/lightgbm/zero.ts";
import { ConversionError } from "../../../../src/errors.ts";
import { explainShap } from "../../../../src/explain/tree_shap.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { slowLightgbm } from "../../../support/slow/lightgbm.ts";

const ZERO = Math.fround(1e-35);
const VALUES = [
  NaN,
  0,
  -0,
  5e-324,
  -5e-324,
  ZERO,
  -ZERO,
  1.1e-35,
  -1.1e-35,
  ...[-3, -2, -1, 1, 2, 3],
  Infinity,
  -Infinity,
];

/** Decision types: missing kind none, zero or NaN; default right or left. */
const KINDS = [0, 4, 6, 8, 10];

/** A file of stumps and one tree of depth 2, all on one feature. */
function file(nodes: readonly (readonly [threshold: number, decision: number])[]): string {
  const head = "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n" +
    "max_feature_idx=1\nobjective=regression\nfeature_names=x y\nfeature_infos=[-3:3] [-3:3]\n\n";
  const trees = nodes.map(([threshold, decision], t) =>
    `Tree=${t}\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\nsplit_gain=5 2\n` +
    `threshold=${threshold} 0.5\ndecision_type=${decision} 8\nleft_child=1 -1\nright_child=-2 -3\n` +
    `leaf_value=${t + 1} ${10 * (t + 1)} ${100 * (t + 1)}\nleaf_count=3 5 2\n` +
    `internal_count=10 5\nis_linear=0\nshrinkage=1\n\n`
  );
  return `${head}${trees.join("\n")}\nend of trees\n\npandas_categorical:null\n`;
}

const rows = VALUES.flatMap((x) => [0, 1].map((y) => ({ x, y })));
const cellsOf = (list: typeof rows) =>
  list.map(({ x, y }) => ({ x: Number.isNaN(x) ? null : x, y }));

function assertScores(text: string): void {
  const slow = slowLightgbm(text);
  const model = importModel(new TextEncoder().encode(text));
  const scores = model.predictRaw(cellsOf(rows)).data;
  rows.forEach(({ x, y }, r) => {
    assertEquals([x, scores[r]], [x, slow.sums(Float64Array.of(x, y))[0]]);
  });
}

const THRESHOLDS = [-2, -ZERO, -1e-36, 0, ZERO, 2, Infinity, -Infinity];

Deno.test("importModel() takes every missing kind of LightGBM at every side of zero", () => {
  for (const threshold of THRESHOLDS) {
    for (const kind of KINDS) assertScores(file([[threshold, kind]]));
  }
});

Deno.test("importModel() takes nodes of one feature that differ in their missing kind", () => {
  for (const threshold of THRESHOLDS) {
    for (const first of KINDS) {
      for (const second of KINDS) assertScores(file([[threshold, first], [1, second]]));
    }
  }
});

Deno.test("a feature counts zeros as missing only where no node tells the two apart", () => {
  const zeroIsMissing = (nodes: Parameters<typeof file>[0]) =>
    importModel(new TextEncoder().encode(file(nodes))).schema.features[0].kind === "numeric" &&
    "zeroIsMissing" in importModel(new TextEncoder().encode(file(nodes))).schema.features[0];
  // Threshold 2, default left: zero goes left anyway.
  assertEquals(zeroIsMissing([[2, 6]]), false);
  assertEquals(zeroIsMissing([[2, 4]]), true);
  // The second node sends NaN right and zero left.
  assertEquals(zeroIsMissing([[2, 4], [2, 8]]), false);
});

Deno.test("three tests for one node keep contributions and covers, also through a file", () => {
  const text = file([[2, 4], [2, 8]]);
  const model = importModel(new TextEncoder().encode(text));
  assertEquals(model.ensemble.trees.kind.length > 10, true);
  const again = decodeModel(encodeModel(model));
  // By hand: the first tree's root has shares 5/10 and 5/10, its left child 3/5 and 2/5.
  const mean = 0.5 * (0.6 * 1 + 0.4 * 100) + 0.5 * 10 + 0.5 * (0.6 * 2 + 0.4 * 200) + 0.5 * 20;
  for (const one of [model, again]) {
    const shap = explainShap(one, cellsOf(rows));
    assertAlmostEquals(shap.bias[0], mean, 1e-12);
    const scores = one.predictRaw(cellsOf(rows)).data;
    rows.forEach((_, r) => {
      const sum = shap.bias[0] + shap.values[2 * r] + shap.values[2 * r + 1];
      assertAlmostEquals(sum, scores[r], 1e-9); // the promise of the module
    });
    // x = 0, y = 0. Tree 1 goes right (10), tree 2 left and left (2). Both features known or not:
    // v({}) as above; v({x}) = 10 + (0.6·2 + 0.4·200); v({y}) = (0.5·1 + 0.5·10) + (0.5·2 + 0.5·20); v(all) = 12.
    const at = rows.findIndex(({ x, y }) => x === 0 && y === 0);
    const [vx, vy, all] = [10 + 81.2, 5.5 + 11, 12];
    assertAlmostEquals(shap.values[2 * at], 0.5 * (vx - mean) + 0.5 * (all - vy), 1e-12);
    assertAlmostEquals(shap.values[2 * at + 1], 0.5 * (vy - mean) + 0.5 * (all - vx), 1e-12);
  }
});

Deno.test("unfoldZeros() refuses what would blow up, and leaves what is no tree to its caller", () => {
  // A chain of 20 nodes that each become three: 2^20 leaves.
  const inner = Array.from({ length: 20 }, (_, i) => i);
  const left = [...inner.map((i) => i + 1), ...new Array(21).fill(-1)];
  const right = [...inner.map((i) => 21 + i), ...new Array(21).fill(-1)];
  const error = assertThrows(
    () => unfoldZeros(left, right, (node) => node < 20, 10_000, () => "x"),
    ConversionError,
    `feature "x"`,
  );
  assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
  assert(unfoldZeros(left, right, (node) => node < 3, 10_000, () => "x")!.origin.length > 41);
  assertEquals(unfoldZeros([1, 0, -1], [2, 2, -1], () => true, 100, () => "x"), undefined);
});
