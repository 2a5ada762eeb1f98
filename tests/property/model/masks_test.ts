import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createModel } from "../../../src/model/model.ts";
import { createMasks } from "../../../src/model/score/masks.ts";
import { NodeKind } from "../../../src/model/types.ts";
import { createGeneralScorer } from "../../../src/model/score/general.ts";
import { createContract } from "../../../src/model/contract.ts";
import { encodeInput } from "../../../src/model/encode.ts";
import { createRowScorer } from "../../../src/server/answer/row_scorer.ts";
import { createRng } from "../../../src/util/rng.ts";
import { type RandomModel, randomParts, randomRows } from "../../support/models/random.ts";
import { forMany } from "../../../src/server/body/for_many.ts";

await forMany.load(); // what answers many rows is tested, too

/** Sums of trees of up to 64 leaves: what masks are for. */
const spec: fc.Arbitrary<RandomModel> = fc.record({
  seed: fc.nat(),
  // Up to two chunks of 128 trees an output, and numbers of trees that do not fill the last sixteen.
  trees: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(128, 129, 150)),
  depth: fc.integer({ min: 1, max: 6 }),
  numeric: fc.integer({ min: 1, max: 6 }),
  categorical: fc.nat(3),
  outputs: fc.constantFrom(1, 3),
  f32: fc.boolean(),
  weights: fc.boolean(),
  aggregate: fc.constantFrom("sum" as const, "average" as const),
  profile: fc.record({
    input: fc.constantFrom("f32" as const, "f64" as const),
    sum: fc.constantFrom("f32" as const, "f64" as const),
    base: fc.constantFrom("first" as const, "last" as const),
  }),
  unknown: fc.constantFrom("heavier" as const, "missing" as const),
});

function encodedRows(parts: ReturnType<typeof randomParts>, rows: number, seed: number) {
  const encoded = encodeInput(createContract(parts.schema), randomRows(parts.schema, rows, seed));
  const x = new Float64Array(rows * parts.schema.features.length);
  encoded.fill(0, rows, x);
  return x;
}

/** Scores of the general scorer, which shares no code with the masks. */
function expectedScores(parts: ReturnType<typeof randomParts>, x: Float64Array, rows: number) {
  const out = new Float64Array(rows * parts.ensemble.numOutputs);
  const f32 = parts.ensemble.profile.input === "f32";
  const { treesPerRound, treeWeight } = parts.ensemble;
  assert(treeWeight.length % treesPerRound === 0);
  createGeneralScorer(parts.ensemble, parts.schema)
    .score(f32 ? x.map(Math.fround) : x, rows, treeWeight.length, out);
  return out;
}

Deno.test("leaf masks score as the general scorer does, bit for bit, one by one and in blocks", () => {
  let scored = 0;
  fc.assert(
    fc.property(spec, fc.integer({ min: 1, max: 300 }), fc.nat(), (spec, rows, seed) => {
      const parts = randomParts(spec);
      const { storage, rules, numOutputs } = createModel(parts);
      assert(storage.layout === "packed");
      const x = encodedRows(parts, rows, seed);
      const expected = expectedScores(parts, x, rows);
      const masks = createMasks(storage.packed, rules);
      if (masks === undefined) {
        // Trees without a node, or sums in float32 that start from a number that is none.
        const sumF32 = rules.profile.sum === "f32";
        assert(
          storage.packed.size.length === 0 ||
            sumF32 && rules.baseScore.some((v) => Math.fround(v) !== v),
        );
        return;
      }
      scored++;
      const out = new Float64Array(rows * numOutputs).fill(NaN);
      masks.score(x, rows, out);
      assertEquals(out, expected);
      const width = parts.schema.features.length;
      const one = new Float64Array(numOutputs);
      for (let r = 0; r < Math.min(rows, 20); r++) {
        masks.score(x.subarray(r * width, (r + 1) * width), 1, one);
        assertEquals(one, expected.subarray(r * numOutputs, (r + 1) * numOutputs));
      }
    }),
    { numRuns: 60 },
  );
  assert(scored > 30, `${scored} ensembles were scored by masks`);
});

/** Thresholds of all kinds, a thousand of each feature: ranks are found through grids of even cells. */
const THRESHOLDS: { readonly [name: string]: (x: number) => number } = {
  "even": (x) => x,
  "growing like exp": (x) => Math.exp(6 * x),
  "a few far on both sides": (x) => Math.abs(x) > 1.6 ? x * 1e30 : x / 7,
  "infinite": (x) => x > 1.6 ? Infinity : x < -1.6 ? -Infinity : x,
  "next to each other": (x) => 1 + Math.round(x * 500) * 2 ** -52,
};

for (const [name, spread] of Object.entries(THRESHOLDS)) {
  Deno.test(`leaf masks score as the general scorer does: thresholds ${name}`, () => {
    const parts = randomParts({ seed: 9, trees: 70, depth: 6, numeric: 2, categorical: 1 });
    const { threshold, kind } = parts.ensemble.trees;
    const rng = createRng(4);
    threshold.forEach((x, i) => threshold[i] = spread(x + (rng.nextFloat() - 0.5) / 30));
    const cuts = threshold.filter((_, i) => kind[i] === NodeKind.threshold);
    assert(new Set(cuts).size > 600 || name.startsWith("next"), `${new Set(cuts).size} cuts`);
    const { storage, rules } = createModel(parts);
    assert(storage.layout === "packed");
    const rows = 2000;
    const x = encodedRows(parts, rows, 2);
    for (let r = 0; r < rows; r++) {
      for (let f = 0; f < 2; f++) {
        // At a cut, just above it, between cuts, and the missing values that are there.
        const cut = cuts[rng.nextInt(cuts.length)];
        const value = [cut, cut + Math.abs(cut) * 2 ** -52, spread(rng.nextFloat() * 4 - 2)][r % 3];
        if (x[3 * r + f] === x[3 * r + f]) x[3 * r + f] = value;
      }
    }
    const expected = expectedScores(parts, x, rows);
    const out = new Float64Array(rows);
    createMasks(storage.packed, rules)!.score(x, rows, out);
    assertEquals(out, expected);
  });
}

const SERVED: { readonly [what: string]: Omit<RandomModel, "seed"> } = {
  "few groups of features": { trees: 40, depth: 6, numeric: 5, categorical: 2 },
  "many groups": { trees: 40, depth: 6, numeric: 10, categorical: 4 },
  "features as float32": {
    ...{ trees: 40, depth: 6, numeric: 9, categorical: 3, profile: { input: "f32", sum: "f32" } },
  },
  "trees that have no masks": { trees: 20, depth: 8, numeric: 3, categorical: 1 },
  "several outputs": { trees: 30, depth: 3, numeric: 9, categorical: 2, outputs: 3 },
};

for (const [what, spec] of Object.entries(SERVED)) {
  Deno.test(`a server's row scorer gives the same bits before and after: ${what}`, () => {
    const parts = randomParts({ seed: 5, ...spec });
    const model = createModel(parts);
    const x = encodedRows(parts, 300, 7);
    const expected = expectedScores(parts, x, 300);
    const scorer = createRowScorer(model);
    const width = parts.schema.features.length;
    const { numOutputs } = model;
    const given = x.slice();
    for (let turn = 0; turn < 10; turn++) {
      const out = new Float64Array(300 * numOutputs).fill(NaN);
      const block = [300, 1, 100, 1, 60][turn % 5];
      for (let r = 0; r < 300; r += block) {
        const rows = x.subarray(r * width, (r + block) * width);
        scorer.score(rows, block, out.subarray(r * numOutputs, (r + block) * numOutputs));
      }
      assertEquals(out, expected, `blocks of ${block} rows`);
      assertEquals(x, given); // the rows are the caller's
    }
  });
}

Deno.test("leaf masks are left to other scorers beyond their bounds", () => {
  const masksOf = (spec: Omit<RandomModel, "seed">, limits = {}) => {
    const { storage, rules } = createModel(randomParts({ seed: 3, ...spec }));
    assert(storage.layout === "packed");
    return createMasks(storage.packed, rules, limits);
  };
  const spec = { trees: 50, depth: 6, numeric: 6 };
  assert(masksOf(spec) !== undefined);
  assertEquals(masksOf(spec, { maxBytes: 1000 }), undefined);
  assertEquals(masksOf(spec, { maxGroups: 1 }), undefined);
  assert(masksOf({ ...spec, numeric: 16 }) !== undefined);
  assertEquals(masksOf({ ...spec, numeric: 17 }), undefined); // more than 16 groups
  assertEquals(masksOf({ ...spec, trees: 20, depth: 12 }), undefined); // more than 64 leaves
  assertEquals(masksOf({ ...spec, outputs: 3, leafWidth: 3 }), undefined);
  // Features with few codes share lines unless the tables would be too large for it.
  const categorical = { trees: 20, depth: 4, numeric: 1, categorical: 3 };
  const joined = masksOf(categorical)!.numGroups;
  const apart = masksOf(categorical, { maxBytes: 40_000 })!.numGroups;
  assert(joined < apart, `${joined} groups, ${apart} without room`);
});
