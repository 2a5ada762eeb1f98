import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { partialDependence } from "../../../src/explain/partial_dependence.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { randomParts } from "../../support/models/random.ts";

const tree = createTreeBuilder();
tree.splitThreshold(0, 0, 0.5, 0);
tree.splitThreshold(2, 1, 0.5, 0);
[NaN, 0, NaN, 2, 10].forEach((value, node) => tree.setValue(node, [value]));
const parts = randomParts({ seed: 1, numeric: 2, trees: 1 });
const model = createModel({
  ...parts,
  ensemble: { ...parts.ensemble, trees: packTrees([tree]), baseScore: new Float64Array(1) },
});
const data = {
  numRows: 4,
  features: [
    { kind: "numeric", name: "x0", values: new Float64Array([0, 0, 1, 1]) },
    { kind: "numeric", name: "x1", values: new Float64Array([0, 1, 0, 1]) },
  ],
} as const;

Deno.test("partialDependence() is the mean over rows with the feature set", () => {
  const { mean, curves, grid } = partialDependence(model, data, "x0", {
    grid: [0, 1],
    curves: true,
  });
  assertEquals(grid, [0, 1]);
  // x0 = 0 gives 0 everywhere; x0 = 1 gives 2 where x1 = 0 and 10 where x1 = 1.
  assertAlmostEquals(mean[0], 0);
  assertAlmostEquals(mean[1], (2 + 10 + 2 + 10) / 4);
  assertEquals(Array.from(curves!), [0, 2, 0, 10, 0, 2, 0, 10]);
});

Deno.test("partialDependence() is of responses, or of raw scores when asked", () => {
  const { ensemble } = model;
  const linked = createModel({
    ...parts,
    ensemble: { ...ensemble, postprocess: { name: "exp" } },
  });
  const of = (options = {}) =>
    partialDependence(linked, data, "x0", { grid: [0, 1], ...options }).mean;
  const expected = [1, (Math.exp(2) + Math.exp(10)) / 2];
  of().forEach((value, i) => assertAlmostEquals(value, expected[i], 1e-12 * expected[i]));
  assertEquals([...of({ scale: "raw" })], [0, 6]);
});

Deno.test("partialDependence() has a curve of each row and output", () => {
  const three = createModel(randomParts({ seed: 3, numeric: 2, outputs: 3 }));
  const { mean, curves, numOutputs } = partialDependence(three, data, "x0", {
    grid: [-1, 0, 1],
    curves: true,
  });
  assertEquals([numOutputs, mean.length, curves!.length], [3, 9, 4 * 9]);
  for (let r = 0; r < 4; r++) {
    const rows = [-1, 0, 1].map((x0) => ({ x0, x1: data.features[1].values[r] }));
    assertEquals(curves!.slice(9 * r, 9 * r + 9), three.predictValue(rows));
  }
});

Deno.test("partialDependence() makes a grid of the data's own values and names an absent column", () => {
  assertEquals(partialDependence(model, data, "x1").grid, [0, 1]);
  assertThrows(() => partialDependence(model, data, "y"), DataError, `"y"`);
});

Deno.test("partialDependence() of a grid of one point asks at the median", () => {
  const rows = [5, 1, 9, 7, NaN, 3];
  const wide: Dataset = {
    numRows: 6,
    features: [
      { kind: "numeric", name: "x0", values: Float64Array.from(rows) },
      { kind: "numeric", name: "x1", values: new Float64Array(6) },
    ],
  };
  assertEquals(partialDependence(model, wide, "x0", { gridSize: 1 }).grid, [5]);
  assertEquals(partialDependence(model, wide, "x0", { gridSize: 2 }).grid, [1, 9]);
});

Deno.test("partialDependence() counts a row of weight 2 as two rows", () => {
  const weighted = { ...data, sampleWeight: Float64Array.of(1, 2, 0, 1) };
  const rows = [0, 1, 1, 3];
  const doubled = {
    numRows: 4,
    features: data.features.map((column) => ({
      ...column,
      values: Float64Array.from(rows, (row) => column.values[row]),
    })),
  };
  const of = (d: Dataset) => partialDependence(model, d, "x0", { grid: [0, 1] }).mean;
  assertEquals(of(weighted), of(doubled));
  // x0 = 1 gives 2, 10, 10, 10.
  assertEquals(of(weighted), Float64Array.of(0, 8));
});

Deno.test("partialDependence() refuses grids of no points", () => {
  for (const gridSize of [0, -1, 2.5, NaN]) {
    const error = assertThrows(
      () => partialDependence(model, data, "x0", { gridSize }),
      ParameterError,
    );
    assertEquals(error.code, "E_PARAM_RANGE");
  }
});
