import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../src/convert/import_model.ts";
import type { Row } from "../../../src/data/types.ts";
import { ModelError, ParameterError } from "../../../src/errors.ts";
import { createShapExplainer, explainShap } from "../../../src/explain/tree_shap.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { randomParts, randomRows } from "../../support/models/random.ts";
import { surrogateParts } from "../../support/models/surrogate.ts";

/** Value of the model when only some features are known: the definition, by walking every branch. */
function conditional(
  model: Model,
  x: Float64Array,
  known: ReadonlySet<number>,
  node: number,
): number {
  const { trees } = model.ensemble;
  const first = trees.firstChild[node];
  if (first < 0) return trees.leaf[node];
  const feature = trees.feature[node];
  if (known.has(feature)) {
    const value = x[feature];
    const branch = value !== value ? trees.missing[node] : value <= trees.threshold[node] ? 0 : 1;
    return conditional(model, x, known, first + branch);
  }
  const total = trees.cover[first] + trees.cover[first + 1];
  return [0, 1].reduce(
    (sum, c) => {
      const share = total > 0 ? trees.cover[first + c] / total : 0.5;
      return sum + share * conditional(model, x, known, first + c);
    },
    0,
  );
}

/** Shapley values by their formula over all subsets. */
function shapley(model: Model, x: Float64Array): number[] {
  const n = x.length;
  const factorial = (k: number): number => k <= 1 ? 1 : k * factorial(k - 1);
  const value = (known: ReadonlySet<number>): number => {
    let sum = 0;
    for (let t = 0; t < model.numTrees; t++) {
      sum += conditional(model, x, known, model.ensemble.trees.treeStart[t]);
    }
    return sum;
  };
  return Array.from({ length: n }, (_, i) => {
    let phi = 0;
    for (let mask = 0; mask < 1 << n; mask++) {
      if (mask >> i & 1) continue;
      const known = new Set(Array.from({ length: n }, (_, f) => f).filter((f) => mask >> f & 1));
      const weight = factorial(known.size) * factorial(n - known.size - 1) / factorial(n);
      phi += weight * (value(new Set([...known, i])) - value(known));
    }
    return phi;
  });
}

Deno.test("explainShap() equals the Shapley formula over all subsets", () => {
  for (let seed = 1; seed <= 6; seed++) {
    const model = createModel(randomParts({ seed, numeric: 4, trees: 3, depth: 5 }));
    const rows = randomRows(model.schema, 5, seed);
    const shap = explainShap(model, rows);
    rows.forEach((row, r) => {
      const x = Float64Array.from(
        model.schema.features,
        (f) => row[f.name] === null ? NaN : Number(row[f.name]),
      );
      shapley(model, x).forEach((want, f) => {
        assertAlmostEquals(shap.values[r * 4 + f], want, 1e-12);
      });
    });
  }
});

Deno.test("explainShap() adds up to the raw score: outputs, weights, categories, exotic nodes, averages", () => {
  const specs = [
    { seed: 1, outputs: 3, categorical: 2 },
    { seed: 2, outputs: 3, leafWidth: 3, categorical: 1 },
    { seed: 3, weights: true, categorical: 2 },
    { seed: 4, categorical: 2, exotic: 0.4 },
    { seed: 5, aggregate: "average", weights: true },
    { seed: 6, categorical: 2, unknown: "node" },
    { seed: 7, categorical: 2, unknown: "missing" },
  ] as const;
  for (const spec of specs) {
    const model = createModel(randomParts({ depth: 6, f32: false, ...spec }));
    const rows = randomRows(model.schema, 40, spec.seed);
    const { values, bias, numFeatures, numOutputs } = explainShap(model, rows);
    const raw = model.predictRaw(rows).data;
    raw.forEach((score, i) => {
      let sum = bias[i % numOutputs];
      for (let f = 0; f < numFeatures; f++) sum += values[i * numFeatures + f];
      assertAlmostEquals(sum, score, 1e-9, `seed ${spec.seed}, entry ${i}`);
    });
  }
});

Deno.test("explainShap() adds up to the raw score where a background is given or surrogates decide", () => {
  const check = (model: Model, rows: readonly Row[], background?: readonly Row[]) => {
    const shap = explainShap(model, rows, background === undefined ? {} : { background });
    const { values, bias, numFeatures } = shap;
    model.predictRaw(rows).data.forEach((score, r) => {
      const own = values.subarray(r * numFeatures, (r + 1) * numFeatures);
      assertAlmostEquals(own.reduce((a, b) => a + b, bias[0]), score, 1e-9, `row ${r}`);
    });
  };
  for (let seed = 20; seed < 26; seed++) {
    // A missing value that goes by every branch goes by the stored weights, as in scoring.
    const model = createModel(randomParts({ seed, depth: 5, categorical: 1, exotic: 0.5 }));
    check(model, randomRows(model.schema, 60, seed), randomRows(model.schema, 40, seed + 100));
  }
  const model = createModel(surrogateParts());
  const cells = [null, 0, 0.5, 2, 3, 7, 9]; // thresholds among them
  const rows = cells.flatMap((x) =>
    cells.flatMap((y) =>
      [null, "a", "b", "d", "new"].flatMap((c) => cells.map((z) => ({ x, y, c, z })))
    )
  );
  check(model, rows);
  check(model, rows, rows);
});

Deno.test("explainShap() gives nothing to a feature that no tree tests", () => {
  const tree = createTreeBuilder();
  tree.splitThreshold(0, 1, 0.5, 0);
  [NaN, -1, 1].forEach((value, node) => tree.setValue(node, [value]));
  [4, 1, 3].forEach((cover, node) => tree.setStats(node, cover, 0));
  const parts = randomParts({ seed: 1, numeric: 3, trees: 1 });
  const model = createModel({
    ...parts,
    ensemble: { ...parts.ensemble, trees: packTrees([tree]) },
  });
  const shap = explainShap(model, [{ x0: 9, x1: 1, x2: -9 }]);
  assertEquals([shap.values[0], shap.values[2]], [0, 0]);
  assertAlmostEquals(shap.values[1], 1 - (-1 * 0.25 + 1 * 0.75), 1e-15);
});

Deno.test("explainShap() weighs branches by how many rows of a background take them", () => {
  const [tree, leaf] = [createTreeBuilder(), createTreeBuilder()];
  tree.splitThreshold(0, 1, 0.5, 0);
  [NaN, -1, 1].forEach((value, node) => tree.setValue(node, [value]));
  [4, 1, 3].forEach((cover, node) => tree.setStats(node, cover, 0));
  leaf.setValue(0, [8]); // and no weight, which a tree of one leaf does not need
  const parts = randomParts({ seed: 1, numeric: 2, trees: 2 });
  const model = createModel({
    ...parts,
    ensemble: { ...parts.ensemble, trees: packTrees([tree, leaf]), baseScore: new Float64Array(1) },
  });
  const row = { x0: 0, x1: 1 };
  const background = [0, 0, 0.5, 0, 2].map((x1) => ({ x0: 0, x1 }));
  for (const [given, mean] of [[{}, 0.5], [{ background }, -0.6]] as const) {
    const { bias, values } = explainShap(model, [row], given);
    assertAlmostEquals(bias[0], 8 + mean, 1e-12);
    assertAlmostEquals(values[1], 1 - mean, 1e-12);
  }
});

Deno.test("explainShap() counts a background where the file has no weights, and refuses votes", () => {
  const parts = randomParts({ seed: 3, numeric: 2, trees: 2 });
  const bare = { ...parts.ensemble.trees, cover: parts.ensemble.trees.cover.map(() => 0) };
  const model = createModel({ ...parts, ensemble: { ...parts.ensemble, trees: bare } });
  const rows = randomRows(model.schema, 30, 1);
  assertThrows(() => explainShap(model, rows), ParameterError, "background");
  const { bias, values, numFeatures } = explainShap(model, rows, { background: rows });
  const raw = model.predictRaw(rows).data;
  raw.forEach((score, r) => {
    const sum = values.subarray(r * numFeatures, (r + 1) * numFeatures).reduce(
      (a, b) => a + b,
      bias[0],
    );
    assertAlmostEquals(sum, score, 1e-9);
  });
  const votes = createModel(randomParts({ seed: 1, outputs: 3, leafWidth: 3, aggregate: "vote" }));
  const error = assertThrows(() => explainShap(votes, rows), ParameterError);
  assert(error.message.includes("vote"));
});

Deno.test("explainShap() refuses linear leaves, as LightGBM 4.7 does", () => {
  const file = "../../golden/models/lightgbm-4.7.0/linear_leaf_without_terms/model.txt";
  const model = importModel(Deno.readFileSync(new URL(file, import.meta.url)));
  const error = assertThrows(
    () => explainShap(model, [{}], { columns: "lenient" }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_CONFLICT");
  assert(error.message.includes("linear models"));
});

Deno.test("createShapExplainer() gives the bits of explainShap() call after call, also after one that threw", () => {
  const model = createModel(
    randomParts({ seed: 9, numeric: 3, categorical: 2, trees: 5, depth: 5 }),
  );
  const explain = createShapExplainer(model);
  for (const count of [3, 1, 0, 3]) {
    const rows = randomRows(model.schema, count, count);
    const found = explain(rows);
    assertEquals(found, explainShap(model, rows));
    found.values.fill(7); // what was handed out is the caller's
    found.bias.fill(7);
    let trees = 0;
    const stop = () => {
      if (++trees === 3) throw new RangeError("enough");
    };
    if (count > 0) assertThrows(() => explain(rows, { onTree: stop }), RangeError, "enough");
  }
});

Deno.test("explainShap() tells of each tree of each row, and of a large tree more than once", () => {
  const small = createModel(randomParts({ seed: 9, numeric: 3, trees: 2, depth: 3 }));
  const told: number[] = [];
  explainShap(small, randomRows(small.schema, 3, 1), { onTree: (rows) => told.push(rows) });
  assertEquals(told, [0, 0, 1, 1, 2, 2]);
  // A chain of 200 features: the leaf at depth d has a path of d, and squares up to 200 make 2.7 million.
  const tree = createTreeBuilder(1);
  let node = 0;
  for (let f = 0; f < 200; f++) {
    const first = tree.splitThreshold(node, f, 0, 0);
    tree.setStats(node, 201 - f, 1);
    tree.setStats(first + 1, 1, 0);
    tree.setValue(first + 1, [f]);
    node = first;
  }
  tree.setStats(node, 1, 0);
  tree.setValue(node, [200]);
  const features = Array.from({ length: 200 }, (_, f) => (
    { kind: "numeric", name: `f${f}`, missing: "learnt" } as const
  ));
  const chain = createModel({
    schema: { ...small.schema, features },
    ensemble: {
      ...small.ensemble,
      trees: packTrees([tree]),
      treeOutput: new Int32Array(1),
      treeWeight: new Float64Array([1]),
    },
    info: small.info,
  });
  const rows = [{}, {}].map(() => Object.fromEntries(features.map(({ name }) => [name, -1])));
  told.length = 0;
  explainShap(chain, rows, { onTree: (done) => told.push(done) });
  assert(told.length >= 6 && told.length < 50, `${told}`);
  assertEquals([told[0], told[1], told.at(-1)], [0, 0, 1]);
});

Deno.test("explainShap() is as exact on paths of hundreds of features as on short ones", () => {
  // Each test lets a share z of the rows on; the row goes on to the end, the only leaf that is not 0. What
  // the score is where some features are known is z to the power of those that are not, whichever they
  // are, so each contributes as much: (1 − zⁿ) / n.
  for (const n of [60, 130, 400]) {
    for (const z of [0.2, 0.5, 0.7, 0.999]) {
      const tree = createTreeBuilder();
      let node = 0;
      for (let f = 0; f < n; f++) {
        const first = tree.splitThreshold(node, f, 0, 0);
        tree.setValue(first, [0]);
        tree.setStats(first, tree.numNodes === 3 ? 1 - z : tree.cover[node] * (1 - z), 0);
        tree.setStats(first + 1, tree.numNodes === 3 ? z : tree.cover[node] * z, 0);
        node = first + 1;
      }
      tree.setValue(node, [1]);
      const parts = randomParts({ seed: 1, numeric: n });
      const model = createModel({
        ...parts,
        ensemble: {
          ...parts.ensemble,
          trees: packTrees([tree]),
          treeOutput: new Int32Array(1),
          treeWeight: Float64Array.of(1),
          baseScore: new Float64Array(1),
        },
      });
      const row = Object.fromEntries(parts.schema.features.map(({ name }) => [name, 1]));
      const shap = explainShap(model, [row]);
      const each = (1 - z ** n) / n;
      // Rounding adds up over a path.
      for (const value of shap.values) assertAlmostEquals(value, each, 1e-13);
      assertAlmostEquals(shap.bias[0] + shap.values.reduce((a, b) => a + b), 1, 1e-11);
    }
  }
});

Deno.test("explainShap() refuses offsets that are not one for each raw score, as scoring does", () => {
  const model = createModel(randomParts({ seed: 12, numeric: 1, outputs: 3 }));
  const features = [{ kind: "numeric", name: "x0", values: Float64Array.of(1, 2) }] as const;
  const of = (length: number) => ({
    numRows: 2,
    features,
    offset: new Float64Array(length).fill(1),
  });
  const error = assertThrows(() => explainShap(model, of(2)), ModelError);
  assertEquals(error.code, "E_MODEL_SCHEMA");
  assertThrows(() => model.predictRaw(of(2)), ModelError);
  const { values, bias, numFeatures } = explainShap(model, of(6));
  const raw = model.predictRaw(of(6)).data;
  for (let line = 0; line < 6; line++) {
    const own = values.subarray(line * numFeatures, (line + 1) * numFeatures);
    assertAlmostEquals(own.reduce((sum, x) => sum + x, bias[line % 3]), raw[line], 1e-12);
  }
});

Deno.test("explainShap() refuses a background of no rows, which would say that all branches are equal", () => {
  const model = createModel(randomParts({ seed: 3, numeric: 2, trees: 2 }));
  const error = assertThrows(
    () => explainShap(model, [{ x0: 0, x1: 0 }], { background: [] }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_RANGE");
});

Deno.test("explainShap() refuses models of which some trees have weights: the others' means are unknown", () => {
  const parts = randomParts({ seed: 5, numeric: 2, trees: 4 });
  const { trees } = parts.ensemble;
  const [start, end] = [trees.treeStart[1], trees.treeStart[3]];
  assert(trees.treeStart[2] - start > 1 && end - trees.treeStart[2] > 1);
  const cover = trees.cover.map((weight, node) => node >= start && node < end ? 0 : weight);
  const ensemble = { ...parts.ensemble, trees: { ...trees, cover } };
  const model = createModel({ ...parts, ensemble });
  const rows = randomRows(parts.schema, 5, 1);
  const error = assertThrows(() => explainShap(model, rows), ParameterError, "2 of its trees");
  assertEquals(error.code, "E_PARAM_CONFLICT");
  const whole = createModel(parts);
  assertEquals(
    explainShap(model, rows, { background: rows }),
    explainShap(whole, rows, { background: rows }),
  );
});
