import { assert, assertEquals } from "@std/assert";
import { createContract } from "../../../../src/model/contract.ts";
import { encodeInput } from "../../../../src/model/encode.ts";
import { createModel } from "../../../../src/model/model.ts";
import { createGeneralScorer } from "../../../../src/model/score/general.ts";
import { depthOf } from "../../../../src/model/score/depth.ts";
import { createRows } from "../../../../src/model/score/rows/rows.ts";
import { createSliced } from "../../../../src/model/score/sliced.ts";
import { createWalks } from "../../../../src/model/score/walks.ts";
import {
  type RandomModel,
  randomParts,
  randomRows,
  spines,
} from "../../../support/models/random.ts";

/** Thresholds far from the others, on which even grids over all of them would be coarse. */
function stretch(parts: ReturnType<typeof randomParts>, far: (x: number) => number): void {
  const { threshold } = parts.ensemble.trees;
  threshold.forEach((x, i) => threshold[i] = far(x));
}

/** Ensembles whose slots or keys do not fit a byte, and vectors of leaves with weights in both precisions. */
const CASES: { readonly [name: string]: RandomModel } = {
  "200 features": { seed: 1, trees: 19, depth: 9, numeric: 200 },
  "200 features in float32": {
    seed: 2,
    trees: 19,
    depth: 9,
    numeric: 200,
    profile: { sum: "f32" },
  },
  "a feature of thousands of cuts": { seed: 3, trees: 40, depth: 9, numeric: 1 },
  // 44,000 inner nodes: rows take a part of the trees before the next ones.
  "trees of 1.4 MB and two outputs": { seed: 6, trees: 60, depth: 12, numeric: 200, outputs: 2 },
  "trees of 700 kB in float32": {
    seed: 6,
    trees: 60,
    depth: 12,
    numeric: 5,
    outputs: 2,
    profile: { sum: "f32" },
  },
  "40 outputs": { seed: 7, trees: 3, depth: 4, outputs: 40 },
  "weighted vectors": { seed: 4, trees: 9, depth: 6, outputs: 3, leafWidth: 3, weights: true },
  "vectors in float32": {
    seed: 5,
    trees: 9,
    depth: 6,
    outputs: 3,
    leafWidth: 3,
    profile: { sum: "f32" },
  },
};

Deno.test("createWalks() leaves float32 sums that begin from no float32 to the general scorer", () => {
  for (const baseScore of [[0.1, 0.5], [0.5, 0.1], [0.1, 0.1], [0.5, 0.25]]) {
    const parts = randomParts({ seed: 1, outputs: 2, profile: { sum: "f32" } });
    const ensemble = { ...parts.ensemble, baseScore: Float64Array.from(baseScore) };
    const { storage, rules } = createModel({ ...parts, ensemble });
    if (storage.layout !== "packed") throw new Error("form Z holds it");
    const isFloat32 = baseScore.every((base) => base !== 0.1);
    assertEquals(createWalks(storage.packed, rules) !== undefined, isFloat32, `${baseScore}`);
  }
});

for (const [name, spec] of Object.entries(CASES)) {
  Deno.test(`createWalks() gives the bits of the general scorer: ${name}`, () => {
    const parts = randomParts(spec);
    const model = createModel(parts);
    const { storage, rules } = model;
    if (storage.layout !== "packed") throw new Error("form Z holds it");
    const walks = createWalks(storage.packed, rules)!;
    const rows = 301;
    const x = new Float64Array(rows * parts.schema.features.length);
    encodeInput(createContract(parts.schema), randomRows(parts.schema, rows, 1)).fill(0, rows, x);
    const expected = new Float64Array(rows * model.numOutputs);
    createGeneralScorer(parts.ensemble, parts.schema).score(x, rows, model.numTrees, expected);
    const batch = new Float64Array(expected.length);
    walks.score(x, rows, model.numTrees, batch);
    assertEquals(batch, expected);
    const single = new Float64Array(expected.length);
    const width = parts.schema.features.length;
    for (let r = 0; r < rows; r++) {
      const out = single.subarray(r * model.numOutputs, (r + 1) * model.numOutputs);
      walks.score(x.subarray(r * width, (r + 1) * width), 1, model.numTrees, out);
    }
    assertEquals(single, expected);
  });
}

const LONG: { readonly [name: string]: readonly [RandomModel, length: number] } = {
  "one tree": [{ seed: 1, trees: 1 }, 30],
  "8 trees": [{ seed: 2, trees: 8 }, 17],
  "19 trees in float32 with categories": [
    { seed: 3, trees: 19, categorical: 1, profile: { sum: "f32", input: "f32" } },
    25,
  ],
  "three outputs with weights": [{ seed: 4, trees: 9, outputs: 3, weights: true }, 20],
  "vectors in float32": [
    { seed: 5, trees: 11, outputs: 3, leafWidth: 3, profile: { sum: "f32" } },
    20,
  ],
  // 2.5 MB of nodes: rows take a part of the trees before the next ones.
  "120 trees of 1300 nodes": [{ seed: 6, trees: 60, outputs: 2 }, 650],
};

for (const [name, [spec, length]] of Object.entries(LONG)) {
  Deno.test(`createWalks() gives the bits of the general scorer on ways of different length: ${name}`, () => {
    const parts = spines(spec, length);
    const model = createModel(parts);
    const { storage, rules } = model;
    if (storage.layout !== "packed") throw new Error("form Z holds it");
    const { packed } = storage;
    // As long as ways need to be for trees to be walked on one by one.
    const perTree = packed.size.length / packed.treeNodes.length;
    assert(depthOf(packed) > 1.5 * Math.log2(1 + perTree) + 1);
    const walks = createWalks(packed, rules)!;
    const general = createGeneralScorer(parts.ensemble, parts.schema);
    const rows = 70;
    const width = parts.schema.features.length;
    const x = new Float64Array(rows * width);
    encodeInput(createContract(parts.schema), randomRows(parts.schema, rows, 1)).fill(0, rows, x);
    if (rules.profile.input === "f32") x.forEach((value, i) => x[i] = Math.fround(value));
    const few = [0, 1, 2, 5, 8, 9].map((rounds) => rounds * rules.treesPerRound);
    for (const trees of [model.numTrees, ...few.filter((trees) => trees < model.numTrees)]) {
      const expected = new Float64Array(rows * model.numOutputs);
      general.score(x, rows, trees, expected);
      const found = new Float64Array(expected.length);
      walks.score(x, rows, trees, found);
      assertEquals(found, expected);
      for (let r = 0; r < rows; r++) {
        const out = found.subarray(r * model.numOutputs, (r + 1) * model.numOutputs).fill(NaN);
        walks.score(x.subarray(r * width, (r + 1) * width), 1, trees, out);
      }
      assertEquals(found, expected);
    }
  });
}

const FAR: { readonly [name: string]: (x: number) => number } = {
  "even thresholds": (x) => x,
  "thresholds that grow like exp": (x) => Math.exp(6 * x),
  "a few thresholds far on both sides": (x) => Math.abs(x) > 0.95 ? x * 1e30 : x / 7,
  "infinite thresholds": (x) => x > 0.9 ? Infinity : x < -0.9 ? -Infinity : x,
  "thresholds next to each other": (x) => 1 + Math.round(x * 500) * 2 ** -52,
};

for (const [name, far] of Object.entries(FAR)) {
  for (const depth of [1, 2, 3, 6, 9]) {
    Deno.test(`batches of 70 trees have the bits of the general scorer: depth ${depth}, ${name}`, () => {
      for (const sum of ["f32", "f64"] as const) {
        const parts = randomParts({ seed: 8, trees: 70, depth, numeric: 2, profile: { sum } });
        stretch(parts, far);
        const model = createModel(parts);
        const { storage, rules } = model;
        if (storage.layout !== "packed") throw new Error("form Z holds it");
        const rows = 300;
        const { threshold, kind } = parts.ensemble.trees;
        const values = [NaN, 0, Infinity, -Infinity, ...threshold.filter((_, i) => kind[i] !== 0)];
        // Thresholds themselves, their neighbours, and what lies between.
        const x = Float64Array.from({ length: 2 * rows }, (_, i) => {
          const value = values[(i * 7919) % values.length];
          return i % 3 === 0 ? value : i % 3 === 1 ? value * (1 + 2 ** -52) : far(Math.sin(i));
        });
        const expected = new Float64Array(rows);
        createGeneralScorer(parts.ensemble, parts.schema).score(x, rows, 70, expected);
        const sliced = createSliced(storage.packed, rules, depthOf(storage.packed));
        const few = createRows(storage.packed, rules);
        assert(few !== undefined || depth === 9);
        for (const scorer of [createWalks(storage.packed, rules)!, sliced!, few ?? sliced!]) {
          const batch = new Float64Array(rows);
          scorer.score(x, rows, 70, batch);
          assertEquals(batch, expected);
        }
      }
    });
  }
}

for (const cuts of [255, 256, 257]) {
  Deno.test(`createWalks() gives the bits of the general scorer: ${cuts} cuts of a feature`, () => {
    // Keys up to 255 fit 4 bytes a node, ranks then go to 256.
    const parts = randomParts({ seed: 9, trees: 60, depth: 5, numeric: 1 });
    const { threshold, kind } = parts.ensemble.trees;
    let next = 0;
    threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : next++ % cuts);
    const { storage, rules } = createModel(parts);
    if (storage.layout !== "packed") throw new Error("form Z holds it");
    assertEquals([...storage.packed.dictSize], [cuts]);
    const x = Float64Array.of(NaN, -1, ...Array.from({ length: 2 * cuts + 2 }, (_, i) => i / 2));
    const expected = new Float64Array(x.length);
    createGeneralScorer(parts.ensemble, parts.schema).score(x, x.length, 60, expected);
    const batch = new Float64Array(x.length);
    const walks = createWalks(storage.packed, rules)!;
    walks.score(x, x.length, 60, batch);
    assertEquals(batch, expected);
    batch.fill(NaN);
    for (let r = 0; r < x.length; r++) {
      walks.score(x.subarray(r, r + 1), 1, 60, batch.subarray(r, r + 1));
    }
    assertEquals(batch, expected);
  });
}
