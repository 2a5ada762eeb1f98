import { assert, assertEquals } from "@std/assert";
import { createContract } from "../../../../src/model/contract.ts";
import { encodeInput } from "../../../../src/model/encode.ts";
import { createModel } from "../../../../src/model/model.ts";
import type { ModelParts } from "../../../../src/model/types.ts";
import { createGeneralScorer } from "../../../../src/model/score/general.ts";
import { createRows } from "../../../../src/model/score/rows.ts";
import { createTiers, useRows } from "../../../../src/model/score/tiers.ts";
import { type RandomModel, randomParts, randomRows, spines } from "../../../support/models.ts";

function rowsOf(parts: ModelParts): ReturnType<typeof createRows> {
  const { storage, rules } = createModel(parts);
  if (storage.layout !== "packed") throw new Error("form Z holds it");
  return createRows(storage.packed, rules);
}

/** Compares all rows, alone and together, with all trees and with the first ones. */
function compare(parts: ModelParts, x: Float64Array): void {
  const width = parts.schema.features.length;
  const { numOutputs, treesPerRound, treeWeight } = parts.ensemble;
  const general = createGeneralScorer(parts.ensemble, parts.schema);
  const scorer = rowsOf(parts)!;
  const rows = x.length / width;
  const all = treeWeight.length;
  const few = [0, 1, 3, 15, 16, 17, 20].map((rounds) => rounds * treesPerRound);
  for (const trees of [all, ...few.filter((count) => count < all), all]) {
    const expected = new Float64Array(rows * numOutputs);
    general.score(x, rows, trees, expected);
    const found = new Float64Array(expected.length).fill(0.5);
    scorer.score(x, rows, trees, found);
    assertEquals(found, expected);
    found.fill(0.5);
    for (let r = 0; r < rows; r++) {
      const out = found.subarray(r * numOutputs, (r + 1) * numOutputs);
      scorer.score(x.subarray(r * width, (r + 1) * width), 1, trees, out);
    }
    assertEquals(found, expected);
  }
}

function encoded(parts: ModelParts, rows: number): Float64Array {
  const x = new Float64Array(rows * parts.schema.features.length);
  encodeInput(createContract(parts.schema), randomRows(parts.schema, rows, 1)).fill(0, rows, x);
  if (parts.ensemble.profile.input === "f32") x.forEach((value, i) => x[i] = Math.fround(value));
  return x;
}

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
    compare(parts, encoded(parts, rows));
  });
}

for (const [name, spec] of Object.entries(CASES)) {
  Deno.test(`createRows() gives the bits of the general scorer: ${name}`, () => {
    const parts = randomParts(spec);
    compare(parts, encoded(parts, spec.trees === 400 ? 30 : 261));
  });
}

for (const sum of ["f32", "f64"] as const) {
  Deno.test(`createRows() tells leaves of any size from ways that go on: ${sum}`, () => {
    // Ways of different length, and leaves whose bits are near those of numbers that are none.
    const large = sum === "f32"
      ? [3.4e38, -3.4e38, 2 ** 127]
      : [1.7e308, -1.7e308, 2 ** 1023, 2 ** 1020];
    for (const seed of [18, 19]) {
      const parts = spines({ seed, trees: 37, numeric: 5, profile: { sum } }, 17);
      const { leaf, kind } = parts.ensemble.trees;
      kind.forEach((of, i) => {
        if (of === 0 && i % 9 === 0) leaf[i] = large[i % large.length];
      });
      compare(parts, encoded(parts, 90));
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
    compare(parts, x);
  });
}

for (const [cuts, sum] of [[255, "f32"], [256, "f64"], [256, "f32"]] as const) {
  Deno.test(`createRows() walks forests below their upper levels: ${cuts} cuts, ${sum}`, () => {
    // Sixteen trees ask more cuts of a feature than a byte numbers; the upper levels of all trees do not.
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
    compare(parts, x);
  });
}

Deno.test("createRows() leaves what its kernel has no place for to others", () => {
  const none: RandomModel[] = [
    { seed: 2, trees: 19, depth: 5, numeric: 40 },
    { seed: 3, trees: 60, depth: 6, numeric: 2, categorical: 2 }, // more than 32 slots of sets
    { seed: 4, trees: 9, depth: 5, outputs: 3, leafWidth: 3 },
  ];
  for (const spec of none) assertEquals(rowsOf(randomParts(spec)), undefined);
  // Sixteen trees that ask more than 254 cuts of a feature.
  const parts = randomParts({ seed: 5, trees: 16, depth: 8, numeric: 1 });
  parts.ensemble.trees.threshold.forEach((_, i, all) => all[i] = i);
  assertEquals(rowsOf(parts), undefined);
  // Deep trees that ask 257 cuts of a feature.
  const forest = randomParts({ seed: 21, trees: 37, depth: 10, numeric: 1 });
  let next = 0;
  forest.ensemble.trees.threshold.forEach((_, i, all) => all[i] = next++ % 257);
  assertEquals(rowsOf(forest), undefined);
  // Codes of all groups that are far more than the trees, though each group has few.
  const many = randomParts({ seed: 22, trees: 6400, depth: 4, numeric: 1 });
  many.ensemble.trees.threshold.forEach((_, i, all) => all[i] = i);
  assertEquals(rowsOf(many), undefined);
  // Trees that are laid out by more calls than a stack holds; stumps, of which heaps hold little.
  assertEquals(rowsOf(spines({ seed: 23, trees: 2 }, 10_000)), undefined);
  assertEquals(rowsOf(randomParts({ seed: 24, trees: 40_000, depth: 1 })), undefined);
  // A start that float32 does not hold.
  const wide = randomParts({ seed: 6, trees: 5, depth: 4, profile: { sum: "f32" } });
  wide.ensemble.baseScore[0] = 0.1;
  assertEquals(rowsOf(wide), undefined);
});

Deno.test("createTiers() takes what useRows() was given once building it pays, else walks", () => {
  const parts = randomParts({ seed: 7, trees: 20, depth: 5 });
  const { storage, rules } = createModel(parts);
  if (storage.layout !== "packed") throw new Error("form Z holds it");
  const x = encoded(parts, 200);
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
