import { assert, assertEquals, assertThrows } from "@std/assert";
import type { InputFeature } from "../../../src/data/types.ts";
import { DataError, ModelError } from "../../../src/errors.ts";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { randomParts, randomRows } from "../../support/models/random.ts";
import { textModel } from "../../support/models/small.ts";

const SPECS = [
  { seed: 1, trees: 20, depth: 6 },
  { seed: 2, trees: 20, depth: 6, categorical: 2, outputs: 3, profile: { input: "f32" } },
  { seed: 3, trees: 8, depth: 12, f32: false, categorical: 1, unknown: "missing" },
  { seed: 4, trees: 8, depth: 4, exotic: 0.4, categorical: 2 },
] as const;

Deno.test("positional() scores rows, blocks and columns as the named way does", () => {
  for (const spec of SPECS) {
    const { schema, ...parts } = randomParts(spec);
    const model = createModel({ schema, ...parts });
    const rows = randomRows(schema, 300, 5);
    const expected = model.predictRaw(rows).data;
    const numFeatures = schema.features.length;
    const x = new Float64Array(rows.length * numFeatures);
    rows.forEach((row, r) =>
      schema.features.forEach((feature, f) => {
        const cell = row[feature.name];
        x[r * numFeatures + f] = cell === null || Number.isNaN(cell)
          ? NaN
          : feature.kind === "numeric"
          ? cell as number
          : feature.categories.indexOf(cell as string); // −1: unknown
      })
    );
    const scorer = model.positional(model.schemaHash);
    const out = new Float64Array(expected.length);
    scorer.rawRowsInto(x, out);
    assertEquals(out, expected);
    const columns = schema.features.map((_, f) =>
      Float64Array.from(rows, (_, r) => x[r * numFeatures + f])
    );
    out.fill(0);
    scorer.rawColumnsInto(columns, out);
    assertEquals(out, expected);
    const one = new Float64Array(model.numOutputs);
    for (let r = 0; r < rows.length; r++) {
      scorer.rawInto(x.subarray(r * numFeatures, (r + 1) * numFeatures), one);
      assertEquals(one, expected.subarray(r * one.length, (r + 1) * one.length));
    }
    scorer.valueInto(x.subarray(0, numFeatures), one);
    assertEquals(one, model.predictValue(rows[0]));
  }
});

Deno.test("positional() casts codes and takes tiny numbers for zero as rows by name do", () => {
  const { schema, ...parts } = randomParts({ seed: 3, categorical: 2, numeric: 2, f32: false });
  const features = schema.features.map((feature) =>
    feature.kind === "numeric"
      ? { ...feature, zeroIsMissing: true }
      : { ...feature, coded: true, float32Codes: true }
  );
  const model = createModel({ schema: { ...schema, features }, ...parts });
  // LightGBM's zero is 1e-35 as a float32, a little more than 1e-35; XGBoost's negative codes are unknown.
  const values = [0, Math.fround(1e-35), 1.1e-35, -0.5, -1, 0.9, 1, 2.5, 16777217, NaN];
  const scorer = model.positional(model.schemaHash);
  const out = new Float64Array(model.numOutputs);
  for (const value of values) {
    const cell = Number.isNaN(value) ? null : value;
    const row = Object.fromEntries(features.map(({ name }) => [name, cell]));
    scorer.rawInto(new Float64Array(features.length).fill(value), out);
    assertEquals([value, ...out], [value, ...model.predictRaw([row]).data]);
  }
});

Deno.test("positional() refuses another schema's hash and rows of another length", () => {
  const model = createModel(randomParts({ seed: 1 }));
  const other = createModel(randomParts({ seed: 1, numeric: 5 }));
  assertThrows(() => model.positional(other.schemaHash), ModelError, "schema hash");
  const scorer = model.positional(model.schemaHash);
  const out = new Float64Array(1);
  assertThrows(() => scorer.rawInto(new Float64Array(3), out), DataError, "found 3 numbers");
  assertThrows(() => scorer.rawRowsInto(new Float64Array(9), out), DataError, "whole rows");
});

Deno.test("positional() allocates nothing that stays in a million calls", () => {
  const model = createModel(randomParts({ seed: 1, trees: 3, depth: 3 }));
  const scorer = model.positional(model.schemaHash);
  const row = Float64Array.of(0.1, -0.5, NaN, 2);
  const out = new Float64Array(1);
  const million = () => {
    const before = Deno.memoryUsage().heapUsed;
    for (let i = 0; i < 1_000_000; i++) {
      row[0] = (i % 100) / 50 - 1;
      scorer.rawInto(row, out);
    }
    return Deno.memoryUsage().heapUsed - before;
  };
  // The first runs compile; a number boxed in each call would be 16 MB, which the collector takes away in
  // parts of some MB, so that any run ends some hundred kB above or below where it began.
  const growth = [million(), million(), million()];
  assert(Math.min(...growth.map(Math.abs)) < 1 << 14, `the heap grew by ${growth} bytes`);
});

Deno.test("positional() takes any code beyond the last category for an unknown one, by the feature's rule", () => {
  const tree = createTreeBuilder(1);
  // b and missing values left, all else right.
  const left = tree.splitSubset(0, 0, new Uint32Array([0b010]), 0);
  tree.setValue(left, [10]);
  tree.setValue(left + 1, [20]);
  const { schema, ensemble, info } = textModel();
  const [job] = schema.features;
  const raw = (unknown: "heavier" | "missing" | "error", code: number) => {
    const model = createModel({
      schema: { ...schema, features: [{ ...job, unknown } as InputFeature] },
      ensemble: { ...ensemble, trees: packTrees([tree]) },
      info,
    });
    const out = new Float64Array(1);
    model.positional(model.schemaHash).rawInto(Float64Array.of(code), out);
    return out[0];
  };
  for (const unknown of ["heavier", "missing", "error"] as const) {
    assertEquals([0, 1, NaN].map((code) => raw(unknown, code)), [20, 10, 10]);
  }
  for (const code of [-1, 2, 3, 1e9]) {
    assertEquals([raw("heavier", code), raw("missing", code)], [20, 10], `${code}`);
    assertThrows(() => raw("error", code), DataError);
  }
});
