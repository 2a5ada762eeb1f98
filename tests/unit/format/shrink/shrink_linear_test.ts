import { assert, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { importModel } from "../../../../src/convert/import_model.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Row } from "../../../../src/data/types.ts";
import { ModelError } from "../../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { contentsOf } from "../../../../src/format/self_test.ts";
import { shrinkModel } from "../../../../src/format/shrink/shrink.ts";
import { createModel, type Model } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { type Ensemble, NodeKind } from "../../../../src/model/types.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { randomParts, randomRows } from "../../../support/models/random.ts";
import { slowLightgbm } from "../../../support/slow/lightgbm.ts";

const OPTIONS = { explain: false, attachments: false };
const sizeOf = (model: Model) => encodeModel(model, OPTIONS).length;

/** Bytes of the smallest file: the error tells them. */
function smallest(model: Model, rows: readonly Row[]): number {
  const error = assertThrows(
    () => shrinkModel(model, { maxBytes: 1, rows }),
    ModelError,
    "smallest",
  );
  assertEquals((error as ModelError).code, "E_MODEL_LIMIT");
  return (error as ModelError).details.bytes as number;
}

/** An ensemble of numbers walked node by node, written from what the fields mean. */
function walk(
  { trees, linear, treeOutput, treeWeight, baseScore, aggregate }: Ensemble,
  x: number[],
) {
  const out = [...baseScore];
  const total = treeWeight.reduce((sum, w) => sum + w, 0);
  for (let t = 0; t < treeWeight.length; t++) {
    let node = trees.treeStart[t];
    while (trees.kind[node] !== NodeKind.leaf) {
      const value = x[trees.feature[node]];
      const left = trees.kind[node] === NodeKind.equal
        ? value === trees.threshold[node]
        : value <= trees.threshold[node];
      node = trees.firstChild[node] + (Number.isNaN(value) ? trees.missing[node] : left ? 0 : 1);
    }
    let value = trees.leaf[node];
    if (linear && linear.termStart[node + 1] > linear.termStart[node]) {
      const places = Array.from(
        { length: linear.termStart[node + 1] - linear.termStart[node] },
        (_, i) => linear.termStart[node] + i,
      );
      if (places.every((i) => !Number.isNaN(x[linear.termFeature[i]]))) {
        value = linear.constant[node];
        for (const i of places) value += linear.termCoefficient[i] * x[linear.termFeature[i]];
      }
    }
    out[treeOutput[t]] += value * treeWeight[t] / (aggregate === "average" ? total : 1);
  }
  return out;
}

/** Rows anywhere in the ranges that a result names, on their ends too, with gaps. */
function rowsWithin(model: Model, rows: readonly Row[], count: number): Row[] {
  const rng = createRng(3);
  return Array.from({ length: count }, () => {
    const row: { [name: string]: number | null } = {};
    for (const { name } of model.schema.features) {
      const values = rows.map((r) => r[name] as number | null).filter((v) => v !== null);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      const dice = rng.nextInt(8);
      row[name] = dice === 0 || values.length === 0
        ? null
        : dice === 1
        ? least
        : dice === 2
        ? most
        : least + (most - least) * rng.nextFloat();
    }
    return row;
  });
}

const numbersOf = (model: Model, row: Row) =>
  model.schema.features.map(({ name }) => (row[name] as number | null) ?? NaN);

/** A golden model with its rows, and the scores that its text says. */
function golden(path: string) {
  const url = new URL(`../../../golden/models/${path}/`, import.meta.url);
  const bytes = Deno.readFileSync(new URL("model.txt", url));
  const [head, ...lines] = Deno.readTextFileSync(new URL("input.csv", url)).trim().split("\n");
  // Columns lie in the model's order; one file has other names for them.
  const model = importModel(bytes);
  const names = model.schema.features.map(({ name }) => name);
  assertEquals(head.split(",").length, names.length);
  const rows = lines.map((line): Row =>
    Object.fromEntries(line.split(",").map((cell, i) => [names[i], cell === "" ? null : +cell]))
  );
  const slow = slowLightgbm(new TextDecoder().decode(bytes));
  return { model, rows, score: (row: Row) => slow.sums(Float64Array.from(numbersOf(model, row))) };
}

async function trained() {
  const rng = createRng(21);
  const draw = () => Float64Array.from({ length: 500 }, () => Math.fround(rng.nextFloat() * 8));
  const [a, b, c] = [draw(), draw(), draw()];
  for (let i = 0; i < 500; i += 7) b[i] = NaN;
  const y = a.map((x, i) => (x > 4 ? 3 * x : -x) + 2 * (b[i] || 0) * (c[i] > 3 ? 1 : -1));
  const data = createDataset([
    { kind: "numeric", name: "a", values: a },
    { kind: "numeric", name: "b", values: b },
    { kind: "numeric", name: "c", values: c },
  ], { kind: "regression", name: "y", values: y });
  const model = await trainBoost(data, { preset: "lightgbm@4", linearTree: true, rounds: 20 });
  const rows = Array.from(a, (_, i): Row => ({ a: a[i], b: b[i] === b[i] ? b[i] : null, c: c[i] }));
  return { model, rows, score: (row: Row) => walk(model.ensemble, numbersOf(model, row)) };
}

Deno.test("shrinkModel() shrinks linear leaves to any size, within the bound in the ranges it names", async () => {
  const cases = [
    golden("lightgbm-4.6.0/linear_tree_auto_mpg_binary"),
    golden("lightgbm-4.7.0/zero_kinds_mixed_linear"),
    await trained(),
  ];
  for (const { model, rows, score } of cases) {
    assert(model.ensemble.linear !== undefined);
    const full = sizeOf(model);
    const least = smallest(model, rows);
    const probes = [...rows, ...rowsWithin(model, rows, 300)];
    const before = probes.map(score);
    const kinds = new Set<string>();
    for (const share of [0.95, 0.8, 0.6, 0.4, 0.2, 0.1, 0.03, 0]) {
      const maxBytes = Math.ceil(least + share * (full - least));
      const shrunk = shrinkModel(model, { maxBytes, rows });
      assert(shrunk.bytes <= maxBytes && encodeModel(shrunk.model).length === shrunk.bytes);
      assert(Number.isFinite(shrunk.bound) && shrunk.bound > 0);
      const { ensemble } = shrunk.model;
      kinds.add(ensemble.linear ? "linear" : ensemble.treeWeight.length > 0 ? "constant" : "none");
      const again = decodeModel(encodeModel(shrunk.model, OPTIONS));
      const raw = again.predictRaw(probes).data;
      let largest = 0;
      let total = 0;
      probes.forEach((row, r) => {
        walk(ensemble, numbersOf(model, row)).forEach((value, k, { length }) => {
          // LightGBM takes numbers up to 1e-35 for 0; sums in another order differ in the last bits.
          const slack = 1e-12 * (1 + Math.abs(value));
          assert(Math.abs(raw[r * length + k] - value) <= slack);
          const change = Math.abs(value - before[r][k]);
          assert(change <= shrunk.bound + slack, `${change} > ${shrunk.bound}`);
          if (r >= rows.length) return;
          largest = Math.max(largest, change);
          total += change / (length * rows.length);
        });
      });
      const { measured } = shrunk;
      assertEquals(measured!.rows, rows.length);
      assert(Math.abs(measured!.largest - largest) <= 1e-9 * (1 + largest));
      assert(Math.abs(measured!.mean - total) <= 1e-9 * (1 + total));
    }
    assert(kinds.has("linear") && kinds.has("none"), [...kinds].join());
  }
});

Deno.test("shrinkModel() proves bounds of linear leaves beside every other kind of node, weight and sum", () => {
  const exotic = { depth: 4, numeric: 3, categorical: 2, exotic: 0.4, unknown: "node" } as const;
  const specs = [
    { seed: 1, trees: 8, weights: true, ...exotic },
    { seed: 2, trees: 8, outputs: 3, weights: true, aggregate: "average", ...exotic },
    { seed: 3, trees: 9, aggregate: "median", ...exotic },
    { seed: 4, trees: 8, profile: { input: "f32", sum: "f32" }, ...exotic },
    { seed: 5, trees: 6, depth: 3, aggregate: "max", weights: true },
  ] as const;
  for (const spec of specs) {
    const { ensemble, ...rest } = randomParts(spec);
    const rng = createRng(spec.seed);
    const { kind, leaf } = ensemble.trees;
    const counts = Array.from(kind, (k) => k === NodeKind.leaf ? rng.nextInt(3) : 0);
    const termStart = new Int32Array(kind.length + 1);
    counts.forEach((count, node) => termStart[node + 1] = termStart[node] + count);
    const length = termStart[kind.length];
    const linear = {
      constant: leaf.map((value, node) => kind[node] === NodeKind.leaf ? value : 0),
      termStart,
      termFeature: Int32Array.from({ length }, () => rng.nextInt(3)),
      termCoefficient: Float64Array.from({ length }, () => rng.nextFloat() - 0.5),
    };
    const model = createModel({ ...rest, ensemble: { ...ensemble, linear } });
    const rows = randomRows(model.schema, 40, spec.seed);
    const [full, least] = [sizeOf(model), smallest(model, rows)];
    for (const share of [0.9, 0.6, 0.3, 0]) {
      const maxBytes = Math.ceil(least + share * (full - least));
      const { model: small, bound, within } = shrinkModel(model, { maxBytes, rows });
      assert(sizeOf(small) <= maxBytes);
      // More rows, of which those count that lie in the ranges.
      const probes = randomRows(model.schema, 1500, 50 + spec.seed).filter((row) =>
        within!.every(({ name, least, most }) => {
          const value = row[name] as number | null;
          return value === null || Number.isNaN(value) || least! <= value && value <= most!;
        })
      );
      assert(probes.length > 300, `${probes.length}`);
      const old = model.predictRaw(probes).data;
      const changes = small.predictRaw(probes).data.map((value, i) => Math.abs(value - old[i]));
      const largest = Math.max(...changes);
      assert(largest > 0 && largest <= bound, `${largest} > ${bound}`);
    }
  }
});

/**
 * x0 ≤ 1 gives 1 + 2·x0 or, missing, `own`; else 7 − x1 or, missing, 6. To an average a second tree adds
 * one leaf, 4 + 10·x1 or, missing, 4. It says that it was shrunk before, which takes as many bytes as after.
 */
function byHand(aggregate: "sum" | "average" = "sum", own = 2.5): Model {
  const { ensemble, info, ...rest } = randomParts({ seed: 1, trees: 1, numeric: 2 });
  const tree = createTreeBuilder(1);
  const first = tree.splitThreshold(0, 0, 1, 0);
  tree.setValue(0, [NaN]);
  tree.setValue(first, [own]);
  tree.setValue(first + 1, [6]);
  tree.setStats(first, 30, 0);
  tree.setStats(first + 1, 10, 0);
  const leaf = createTreeBuilder(1);
  leaf.setValue(0, [4]);
  const [count, nodes] = aggregate === "sum" ? [1, 3] : [2, 4];
  const linear = {
    constant: Float64Array.of(0, 1, 7, 4).slice(0, nodes),
    termStart: Int32Array.of(0, 0, 1, 2, 3).slice(0, nodes + 1),
    termFeature: Int32Array.of(0, 1, 1).slice(0, nodes - 1),
    termCoefficient: Float64Array.of(2, -1, 10).slice(0, nodes - 1),
  };
  return createModel({
    ...rest,
    info: { ...info, shrunk: { bound: null } },
    ensemble: {
      ...ensemble,
      aggregate,
      baseScore: Float64Array.of(10),
      trees: packTrees([tree, leaf].slice(0, count)),
      treeOutput: new Int32Array(count),
      treeWeight: new Float64Array(count).fill(1),
      linear,
    },
  });
}

Deno.test("shrinkModel() proves a linear leaf's change from the ranges of the rows and the tests above it", () => {
  const model = byHand();
  const rows = [{ x0: 0, x1: 3 }, { x0: 4, x1: 3.5 }, { x0: null, x1: null }];
  // The right leaf spans 6 and 7 − 3.5 … 7 − 3: 2.5; the left one 2.5 and 1 + 2·0 … 1 + 2·1, as x0 ≤ 1: 2.
  const one = shrinkModel(model, { maxBytes: sizeOf(model) - 1, rows });
  assertEquals([...one.model.ensemble.linear!.termFeature], [1]);
  // The left leaf is its own 2.5 now, off by 1.5 where x0 is 0.
  assertEquals([...one.model.predictRaw(rows).data], [12.5, 13.5, 12.5]);
  assert(one.bound >= 1.5 && one.bound < 1.5 + 1e-11, `${one.bound}`);
  assertEquals(one.measured, { rows: 3, largest: 1.5, mean: 0.5 });
  assertEquals(one.within, [{ name: "x0", least: 0, most: 4 }, {
    name: "x1",
    least: 3,
    most: 3.5,
  }]);
  // Far outside the change is larger than the bound: nothing is claimed there.
  const far = { x0: -100, x1: 0 };
  const change = one.model.predictRaw(far).data[0] - model.predictRaw(far).data[0];
  assertEquals(change, 2.5 - (1 - 200));
});

Deno.test("shrinkModel() keeps averages of linear leaves averages, and a tree of one such leaf", () => {
  const model = byHand("average", 1.5);
  const rows = [{ x0: 0, x1: 3 }, { x0: 4, x1: 3.5 }];
  const one = shrinkModel(model, { maxBytes: sizeOf(model) - 1, rows });
  // 10 + (1.5 + 4 + 30) / 2 where the left leaf gave 1, and as before 10 + (3.5 + 4 + 35) / 2.
  assertEquals([...one.model.predictRaw(rows).data], [27.75, 31.25]);
  assertEquals(one.trees, 2);
  // The left leaf goes up to 3: half of 1.5.
  assert(one.bound >= 0.75 && one.bound < 0.75 + 1e-11, `${one.bound}`);
  assertEquals(one.measured!.largest, 0.25);
});

Deno.test("shrinkModel() tells of linear leaves that became constants, though nothing else changed", () => {
  const { ensemble, ...rest } = randomParts({ seed: 1, trees: 1, numeric: 2 });
  const tree = createTreeBuilder(1);
  tree.setValue(0, [NaN]);
  let node = 0;
  for (let i = 0; i < 40; i++) {
    const first = tree.splitThreshold(node, 0, i, 0);
    tree.setValue(first, [0]);
    tree.setValue(node = first + 1, [0]);
  }
  const trees = packTrees([tree]);
  const isLeaf = Array.from(trees.firstChild, (child) => child < 0);
  const ends = isLeaf.map((_, i) => isLeaf.slice(0, i + 1).filter(Boolean).length);
  const model = createModel({
    ...rest,
    ensemble: {
      ...ensemble,
      baseScore: Float64Array.of(0),
      trees,
      treeOutput: new Int32Array(1),
      treeWeight: Float64Array.of(1),
      linear: {
        constant: new Float64Array(isLeaf.length),
        termStart: Int32Array.from([0, ...ends]),
        termFeature: new Int32Array(41).fill(1),
        termCoefficient: new Float64Array(41).fill(1),
      },
    },
  });
  // Without their terms, which are x1, all leaves are 0, and no pruning changes any more.
  const rows = [{ x0: 0, x1: -1 }, { x0: 4, x1: 1 }];
  const least = shrinkModel(model, { maxBytes: smallest(model, rows), rows });
  assert(least.bound >= 1 && least.bound < 1 + 1e-11 && least.measured!.largest === 1);
  assertEquals(least.model.info.shrunk, { bound: null });
});

Deno.test("shrinkModel() asks for rows where leaves are linear, or takes the self-test", async () => {
  const maxBytes = sizeOf(byHand()) - 1;
  const error = assertThrows(() => shrinkModel(byHand(), { maxBytes }), ModelError, "without rows");
  assertEquals(error.code, "E_MODEL_SCHEMA");
  assertThrows(() => shrinkModel(byHand(), { maxBytes, rows: [] }), ModelError, "without rows");
  const { model } = await trained();
  const shrunk = shrinkModel(model, { maxBytes: Math.ceil(sizeOf(model) / 2) });
  // Trainers leave four rows, and limits between tenths of the training rows: 0.8 to 7.2 of 0 to 8.
  assertEquals(shrunk.measured!.rows, 4);
  for (const { least, most } of shrunk.within!) assert(least! < 1.2 && most! > 6.8);
});

Deno.test("shrinkModel() claims no bound where scores overflow", () => {
  const rows = [{ x0: -1.7e308, x1: 1 }, { x0: 2, x1: 1 }];
  const model = byHand();
  const shrunk = shrinkModel(model, { maxBytes: smallest(model, rows), rows });
  assertEquals(shrunk.bound, Infinity);
  assert(shrunk.model.ensemble.baseScore.every(Number.isFinite));
});

Deno.test("shrinkModel() takes ranges as trees see numbers, and none where a column is empty", () => {
  const model = byHand();
  const rows = [{ x0: 0.1, x1: null }, { x0: 4, x1: null }];
  // Without x1 the right leaf is 6: nothing changes when that is all it is.
  const one = shrinkModel(model, { maxBytes: sizeOf(model) - 1, rows });
  assertEquals([...one.model.ensemble.linear!.termFeature], [0]);
  assertEquals(one.model.predictRaw(rows).data, model.predictRaw(rows).data);
  assert(one.bound < 1e-11);
  assertEquals(one.within, [{ name: "x0", least: 0.1, most: 4 }, { name: "x1" }]);
  const { ensemble } = model;
  const single = createModel({
    ...contentsOf(model),
    ensemble: { ...ensemble, profile: { ...ensemble.profile, input: "f32" } },
  });
  const { within } = shrinkModel(single, { maxBytes: sizeOf(single) - 1, rows });
  assertEquals(within![0], { name: "x0", least: Math.fround(0.1), most: 4 });
});
