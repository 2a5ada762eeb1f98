import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createModel } from "../../../src/model/model.ts";
import { createGeneralScorer } from "../../../src/model/score/general.ts";
import { createSliced } from "../../../src/model/score/sliced.ts";
import { depthOf } from "../../../src/model/score/depth.ts";
import { createWalks } from "../../../src/model/score/walks.ts";
import { createContract } from "../../../src/model/contract.ts";
import { encodeInput } from "../../../src/model/encode.ts";
import { type RandomModel, randomParts, randomRows } from "../../support/models/random.ts";

const notF32 = (value: number) => Math.fround(value) !== value;

/** Every kind of ensemble that form Z holds. */
const plainSpec: fc.Arbitrary<RandomModel> = fc.record({
  seed: fc.nat(),
  trees: fc.nat(9),
  depth: fc.integer({ min: 0, max: 10 }),
  numeric: fc.integer({ min: 1, max: 5 }),
  categorical: fc.constantFrom(0, 1, 2, 8), // the eighth has 143 categories: several turns of the kernel
  outputs: fc.constantFrom(1, 3),
  wide: fc.boolean(),
  f32: fc.boolean(),
  weights: fc.boolean(),
  aggregate: fc.constantFrom("sum" as const, "average" as const),
  profile: fc.record({
    input: fc.constantFrom("f32" as const, "f64" as const),
    sum: fc.constantFrom("f32" as const, "f64" as const),
    base: fc.constantFrom("first" as const, "last" as const),
  }),
  unknown: fc.constantFrom("heavier" as const, "missing" as const),
}).map(({ wide, ...spec }) => ({ ...spec, leafWidth: wide ? spec.outputs : 1 }));

Deno.test("form Z unpacks to the trees it was packed from", () => {
  fc.assert(fc.property(plainSpec, (spec) => {
    const parts = randomParts(spec);
    const model = createModel(parts);
    assertEquals(model.storage.layout, "packed");
    const { trees, ...rules } = model.ensemble;
    const { trees: given, ...givenRules } = parts.ensemble;
    assertEquals(rules, givenRules);
    for (const name of ["treeStart", "kind", "feature", "firstChild", "missing"] as const) {
      assertEquals(trees[name], given[name]);
    }
    for (const name of ["threshold", "leaf", "cover", "gain"] as const) {
      assertEquals(trees[name].map((v) => v + 0), given[name].map((v) => v + 0));
    }
    for (let node = 0; node < trees.kind.length; node++) {
      if (given.categoryAt[node] < 0) continue;
      const { categories } = parts.schema.features[given.feature[node]] as {
        readonly categories: readonly string[];
      };
      const words = (categories.length >>> 5) + 1;
      const set = (t: typeof trees) =>
        t.categoryPool.slice(t.categoryAt[node], t.categoryAt[node] + words);
      assertEquals(set(trees), set(given));
    }
  }));
});

Deno.test("scoring form Z equals the general scorer bit for bit, in blocks and prefixes of any size", () => {
  fc.assert(fc.property(plainSpec, fc.nat(300), fc.nat(), (spec, rows, seed) => {
    const parts = randomParts(spec);
    const model = createModel(parts);
    const input = randomRows(parts.schema, rows, seed);
    const rounds = seed % (model.numRounds + 1);
    const encoded = encodeInput(createContract(parts.schema), input);
    const x = new Float64Array(rows * parts.schema.features.length);
    encoded.fill(0, rows, x);
    if (parts.ensemble.profile.input === "f32") x.forEach((v, i) => x[i] = Math.fround(v));
    const expected = new Float64Array(rows * model.numOutputs);
    const leaves = new Int32Array(rows * rounds * parts.ensemble.treesPerRound);
    const general = createGeneralScorer(parts.ensemble, parts.schema);
    general.score(x, rows, rounds * parts.ensemble.treesPerRound, expected);
    general.leaves(x, rows, rounds * parts.ensemble.treesPerRound, leaves);
    // The same rows again and again: every tier has its turn.
    for (let i = 0; i < 4; i++) {
      assertEquals(model.predictRaw(input, { rounds }).data, expected);
    }
    const { storage, rules } = model;
    assertEquals(model.predictLeaf(input, { rounds }).data, leaves);
    const walks = storage.layout === "packed" ? createWalks(storage.packed, rules) : undefined;
    const sliced = storage.layout === "packed" && rows > 0
      ? createSliced(storage.packed, rules, depthOf(storage.packed))
      : undefined;
    const batch = new Float64Array(expected.length);
    sliced?.score(x, rows, rounds * rules.treesPerRound, batch);
    if (sliced !== undefined) assertEquals(batch, expected);
    else if (parts.ensemble.profile.sum === "f64" && rows > 0 && model.numTrees > 0) {
      assert(parts.ensemble.trees.kind.length > 256, "the kernel takes this ensemble");
    }
    const row = new Float64Array(model.numOutputs);
    const trees = rounds * rules.treesPerRound;
    if (walks === undefined) {
      // Sums in float32 that start from a number that is none are left to tier 0.
      assert(parts.ensemble.profile.sum === "f32" && parts.ensemble.baseScore.some(notF32));
      return;
    }
    batch.fill(NaN);
    walks.score(x, rows, trees, batch);
    assertEquals(batch, expected);
    const width = parts.schema.features.length;
    for (let r = 0; r < rows; r++) {
      walks.score(x.subarray(r * width, (r + 1) * width), 1, trees, row);
      assertEquals(row, expected.subarray(r * row.length, (r + 1) * row.length));
    }
  }));
});
