import { assert, assertEquals } from "@std/assert";
import { createModel } from "../../../../../src/model/model.ts";
import { createGeneralScorer } from "../../../../../src/model/score/general.ts";
import { createRows } from "../../../../../src/model/score/rows/rows.ts";
import { createTiers, useRows } from "../../../../../src/model/score/tiers.ts";
import { createTreeBuilder, packTrees } from "../../../../../src/model/trees.ts";
import { type RandomModel, randomParts, spines } from "../../../../support/models/random.ts";
import { compareRows, encodedRows, packedOf } from "../../../../support/laws/row_scorer.ts";

const CASES: { readonly [name: string]: RandomModel } = {
  "one tree": { seed: 1, trees: 1, depth: 6 },
  "stumps": { seed: 2, trees: 40, depth: 1 },
  "leaves alone": { seed: 3, trees: 5, depth: 0 },
  "6 levels": { seed: 4, trees: 33, depth: 6, numeric: 28 },
  "7 levels": { seed: 5, trees: 33, depth: 7, numeric: 31 },
  "8 levels": { seed: 6, trees: 35, depth: 8, numeric: 17 },
  "6 levels in float32": {
    seed: 7,
    trees: 50,
    depth: 6,
    profile: { sum: "f32", input: "f32" },
  },
  "7 levels in float32": { seed: 8, trees: 20, depth: 7, profile: { sum: "f32" } },
  "8 levels in float32": { seed: 9, trees: 32, depth: 8, profile: { sum: "f32" } },
  "three outputs with weights": { seed: 10, trees: 19, depth: 5, outputs: 3, weights: true },
  "averages": {
    seed: 11,
    trees: 21,
    depth: 7,
    aggregate: "average",
    profile: { base: "last" },
  },
  // Four trees of which each pair of a category set and a missing side is a slot.
  "categories": { seed: 12, trees: 4, depth: 3, numeric: 2, categorical: 2 },
  "10 levels": { seed: 15, trees: 21, depth: 10, numeric: 20 },
  "9 levels in float32": { seed: 16, trees: 40, depth: 9, numeric: 9, profile: { sum: "f32" } },
  "11 levels in float32 with weights": {
    seed: 17,
    trees: 5,
    depth: 11,
    numeric: 24,
    outputs: 3,
    weights: true,
    profile: { sum: "f32", input: "f32" },
  },
  // 1.2 MB of heaps: rows take a part of the trees before the next ones.
  "400 trees": { seed: 13, trees: 400, depth: 8, profile: { sum: "f32" } },
};

/** More rows than a block takes, whose sums are finished, too; and rows of which a block takes few. */
const BLOCKS: readonly (readonly [RandomModel, rows: number])[] = [
  [
    { seed: 25, trees: 5, depth: 4, outputs: 3, aggregate: "average", profile: { base: "last" } },
    1025,
  ],
  [{ seed: 26, trees: 5, depth: 9, outputs: 2, profile: { sum: "f32" } }, 2049],
  [{ seed: 27, trees: 2, depth: 3, numeric: 3000 }, 70],
];

for (const [spec, rows] of BLOCKS) {
  Deno.test(`createRows() scores ${rows} rows of ${spec.numeric ?? 4} features by blocks`, () => {
    const parts = randomParts(spec);
    compareRows(parts, encodedRows(parts, rows));
  });
}

for (const [name, spec] of Object.entries(CASES)) {
  Deno.test(`createRows() gives the bits of the general scorer: ${name}`, () => {
    const parts = randomParts(spec);
    compareRows(parts, encodedRows(parts, spec.trees === 400 ? 30 : 261));
  });
}

for (const sum of ["f32", "f64"] as const) {
  Deno.test(`createRows() tells leaves of any size from ways that go on: ${sum}`, () => {
    // Ways of different length, and leaves whose bits are near those of numbers that are none.
    const large = sum === "f32"
      ? [3.4e38, -3.4e38, 2 ** 127]
      : [1.7e308, -1.7e308, 2 ** 1023, 2 ** 1020];
    for (const seed of [18, 19]) {
      // With weights some are infinite.
      const weights = seed === 19;
      const parts = spines({ seed, trees: 37, numeric: 5, weights, profile: { sum } }, 17);
      const { leaf, kind } = parts.ensemble.trees;
      kind.forEach((of, i) => {
        if (of === 0 && i % 9 === 0) leaf[i] = large[i % large.length];
      });
      compareRows(parts, encodedRows(parts, 90));
    }
  });
}

for (const cuts of [253, 254, 255, 700]) {
  Deno.test(`createRows() numbers the cuts of groups of trees: ${cuts} cuts of a feature`, () => {
    // Sixteen trees ask 254 cuts of a feature at most, or a byte cannot number them.
    const parts = randomParts({ seed: 14, trees: 96, depth: 5, numeric: 1 });
    const { threshold, kind } = parts.ensemble.trees;
    let next = 0;
    threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : next++ % cuts);
    assert(next > cuts, `${next} tests`);
    const x = Float64Array.from(
      { length: 700 },
      (_, r) => r % 7 === 6 ? NaN : Math.floor(r * (cuts + 1) / 700) + [-0.5, 0, 0.5][r % 3],
    );
    compareRows(parts, x);
  });
}

// Of 256 cuts a group has 254: one tree in fifteen asks others. Of 700 most do.
for (const cuts of [254, 256, 700]) {
  for (const sum of ["f32", "f64"] as const) {
    Deno.test(`createRows() numbers cuts of trees of any depth: ${cuts} in ${sum}`, () => {
      for (const [trees, outputs] of [[40, 1], [270, 1], [60, 3]]) {
        const parts = spines({ seed: 30, trees, outputs, numeric: 1, profile: { sum } }, 17);
        const { threshold, kind } = parts.ensemble.trees;
        let next = 0;
        threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : next++ % cuts);
        const x = Float64Array.from(
          { length: 100 },
          (_, r) => r % 9 === 6 ? NaN : (r * 7919) % (cuts + 1) - r % 3 / 2,
        );
        compareRows(parts, x);
      }
    });
  }
}

for (const depth of [8, 10]) {
  Deno.test(`createRows() knows what is no test from a key of 250 cuts: ${depth} levels`, () => {
    // The byte of a sixteenth test asks slot 0 or 16: more than 128 cuts of it are a code above 0.
    const parts = randomParts({ seed: 27, trees: 48, depth, numeric: depth === 8 ? 17 : 2 });
    const { threshold, kind } = parts.ensemble.trees;
    let next = 0;
    threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : next++ % 250);
    const x = Float64Array.from(
      { length: 60 * parts.schema.features.length },
      (_, i) => i % 13 === 5 ? NaN : (i * 7919) % 251 - 0.5,
    );
    compareRows(parts, x);
  });
}

for (const sum of ["f32", "f64"] as const) {
  Deno.test(`createRows() keeps the sign of sums of -0: ${sum}`, () => {
    // 37 trees, so that sixteen have places without one: of up to 8 levels, of any depth, a forest.
    for (const [depth, cuts] of [[6, 9], [7, 9], [8, 9], [10, 9], [10, 256]]) {
      const parts = randomParts({ seed: 28, trees: 37, depth, numeric: 1, profile: { sum } });
      const { leaf, threshold, kind } = parts.ensemble.trees;
      leaf.fill(-0);
      parts.ensemble.baseScore.fill(-0);
      threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : i % cuts);
      const x = Float64Array.from({ length: 20 }, (_, i) => i);
      compareRows(parts, x);
      const out = new Float64Array(1).fill(1);
      createRows(packedOf(parts), createModel(parts).rules)!.score(x, 1, 37, out);
      assert(Object.is(out[0], -0), `${depth} levels: ${out[0]}`);
    }
  });
}

Deno.test("createRows() takes leaves that trees share, with weights of their own", () => {
  for (const depth of [6, 10]) {
    const parts = randomParts({ seed: 29, trees: 21, depth, weights: true });
    const { leaf } = parts.ensemble.trees;
    leaf.forEach((_, i) => leaf[i] = [0.5, -0.25, 3][i % 3]);
    assert(packedOf(parts).leafIndex !== undefined);
    compareRows(parts, encodedRows(parts, 40));
  }
});

Deno.test("createRows() numbers the sixteens of a piece by seven bits, its trees by eleven", () => {
  // All but a few are single leaves: a piece by nodes would have all of them.
  const { ensemble, ...rest } = randomParts({ seed: 30, trees: 4100, depth: 0 });
  const builders = Array.from({ length: 4100 }, (_, t) => {
    const tree = createTreeBuilder(1);
    tree.setValue(0, [t % 7]);
    const levels = [15, 16, 2031, 2032, 2047, 2048, 4063, 4064, 4099].includes(t) ? 12 : 0;
    for (let level = 0, at = 0; level < levels; level++) {
      at = tree.splitThreshold(at, 0, 12 - level, 0);
      tree.setValue(at, [1000 + level + t / 8]);
      tree.setValue(at + 1, [2000 + level + t / 8]);
    }
    return tree;
  });
  const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees(builders, 1) } };
  compareRows(parts, Float64Array.from({ length: 60 }, (_, i) => i % 14));
});

for (const [cuts, sum] of [[255, "f32"], [256, "f64"], [256, "f32"], [265, "f32"]] as const) {
  Deno.test(`createRows() takes forests by lines of the cache: ${cuts} cuts, ${sum}`, () => {
    // Sixteen trees ask more cuts of a feature than a byte numbers: some lines are others'.
    const parts = randomParts({
      seed: 20 + cuts,
      trees: 37,
      depth: 10,
      numeric: 1,
      outputs: sum === "f64" ? 2 : 1,
      profile: { sum },
    });
    const { threshold, kind } = parts.ensemble.trees;
    let next = 0;
    threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : next++ % cuts);
    const { storage } = createModel(parts);
    assert(storage.layout === "packed" && storage.packed.dictSize[0] === cuts);
    const { treeNodes, cut } = storage.packed;
    let asked = 0;
    for (let t = 0; t < 16; t++) asked += treeNodes[t];
    assertEquals(new Set(cut.subarray(0, asked)).size, cuts);
    const x = Float64Array.from(
      { length: 800 },
      (_, i) => i % 11 === 5 ? NaN : (i * 7919) % (cuts + 1) + [-0.5, 0, 0.5][i % 3],
    );
    compareRows(parts, x);
  });
}

for (const weights of [false, true]) {
  Deno.test(`createRows() names leaves that a forest's trees share, ${weights ? "with" : "no"} weights`, () => {
    // 256 cuts of the only feature: more than heaps name. 1500 values: more than a byte names.
    const parts = randomParts({ seed: 33, trees: 37, depth: 11, numeric: 1, weights });
    const { leaf, threshold, kind } = parts.ensemble.trees;
    let next = 0;
    threshold.forEach((_, i) => threshold[i] = kind[i] === 0 ? 0 : next++ % 256);
    leaf.forEach((_, i) => leaf[i] = (i % 1500) / 7 - 100);
    const { leafIndex, leaves, dictSize, treeNodes } = packedOf(parts);
    assertEquals([leafIndex !== undefined, leaves.length, dictSize[0]], [true, 1500, 256]);
    assert(Math.max(...treeNodes) > 512, "leaves of a tree that a byte does not name");
    const x = Float64Array.from({ length: 600 }, (_, i) => i % 11 === 5 ? NaN : i % 257 - 0.5);
    compareRows(parts, x);
  });
}

Deno.test("createTiers() takes what useRows() was given once building it pays, else walks", () => {
  const parts = randomParts({ seed: 7, trees: 20, depth: 5 });
  const { storage, rules } = createModel(parts);
  if (storage.layout !== "packed") throw new Error("form Z holds it");
  const x = encodedRows(parts, 200);
  const expected = new Float64Array(200);
  createGeneralScorer(parts.ensemble, parts.schema).score(x, 200, 20, expected);
  for (const taken of [true, false]) {
    let [made, scored] = [0, 0];
    useRows((packed, rules) => {
      made++;
      const rows = createRows(packed, rules)!;
      if (!taken) return undefined;
      return { score: (...call) => (scored++, rows.score(...call)) };
    });
    try {
      const tiers = createTiers(storage.packed, rules);
      const out = new Float64Array(1);
      for (let r = 0; r < 200; r++) {
        tiers.score(x.subarray(4 * r, 4 * r + 4), 1, 20, out);
        assertEquals(out[0], expected[r]);
      }
    } finally {
      useRows(createRows);
    }
    assertEquals(made, 1);
    assert(taken ? scored > 100 && scored < 200 : scored === 0, `${scored} rows`);
  }
});
