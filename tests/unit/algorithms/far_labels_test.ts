import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { train } from "../../../src/algorithms/train.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError } from "../../../src/errors.ts";

const NUM_ROWS = 240;

/** Labels of four steps over `x` with sixteenths on top, moved by `by`; `z` says nothing. */
function steps(by: number): Dataset {
  const column = (factor: number) =>
    Float64Array.from({ length: NUM_ROWS }, (_, row) => (row * factor) % NUM_ROWS);
  const [z, x] = [column(91), column(37)];
  return {
    numRows: NUM_ROWS,
    features: [
      { kind: "numeric", name: "z", values: z },
      { kind: "numeric", name: "x", values: x },
    ],
    target: {
      kind: "regression",
      name: "y",
      values: x.map((v) => by + Math.floor(v / 60) + (v % 7) / 16),
    },
  };
}

const SPECS: readonly { readonly [name: string]: unknown }[] = [
  { algorithm: "cart", maxDepth: 3 },
  { algorithm: "cart", maxDepth: 3, criterion: "absolute" },
  { algorithm: "cart", maxDepth: 3, criterion: "absolute", leaf: "mean" },
  { algorithm: "cart", maxDepth: 3, leaf: "median" },
  { algorithm: "cart", missing: "surrogate", cp: 0.01 },
  { algorithm: "cart", ccpAlpha: 0.01 },
  { algorithm: "cart", pruning: "cv", folds: 4, pruneRule: "min", minRowsPerLeaf: 5 },
  { algorithm: "cart", pruning: "validation" },
  { algorithm: "cart", pruning: "reduced-error" },
  { algorithm: "random-forest", trees: 5, maxDepth: 4, oob: true, importance: "permutation" },
  { algorithm: "extra-trees", trees: 5, maxDepth: 4 },
  { algorithm: "bagging", trees: 3, maxDepth: 3, unknown: "node" },
  { algorithm: "adaboost", rounds: 4, maxDepth: 2 },
];

for (const spec of SPECS) {
  const { algorithm, ...params } = spec;
  Deno.test(`${algorithm} ${JSON.stringify(params)} of labels far from 0 is that of labels near 0`, async () => {
    const near = await train(steps(0), spec);
    assert(near.ensemble.trees.kind.length > 3);
    // 10⁹ squared leaves no digit for differences of 1. Sums of sixteenths are exact beside both.
    for (const by of [1e9, -1e9]) {
      const far = await train(steps(by), spec);
      assertEquals(far.ensemble.trees.feature, near.ensemble.trees.feature);
      assertEquals(far.ensemble.trees.threshold, near.ensemble.trees.threshold);
      const expected = near.predictValue(steps(0));
      // A step of doubles near 10⁹ is 1.2e-7.
      far.predictValue(steps(by)).forEach((value, row) =>
        assertAlmostEquals(value - by, expected[row], 5e-7)
      );
      const story = (info: unknown) =>
        JSON.stringify(info, (_, v) => typeof v === "number" ? Number(v.toPrecision(5)) : v);
      for (const key of ["cpTable", "chosenCp", "chosenAlpha", "importance"]) {
        assertEquals(story(far.info[key]), story(near.info[key]), key);
      }
    }
  });
}

Deno.test("cart prunes labels far from 0 on a validation set", async () => {
  for (const pruning of ["validation", "reduced-error"] as const) {
    const leaves = async (by: number) => {
      const model = await train(steps(by), { algorithm: "cart", pruning }, { valid: steps(by) });
      return model.ensemble.trees.kind.filter((kind) => kind === 0).length;
    };
    assertEquals(await leaves(1e9), await leaves(0));
  }
});

Deno.test("a forest of labels far from 0 is the same on two threads", async () => {
  const spec = { algorithm: "random-forest", trees: 4 };
  const [one, two] = [1, 2].map((threads) => train(steps(1e9), spec, { threads }));
  assertEquals((await two).ensemble.trees, (await one).ensemble.trees);
});

Deno.test("cart keeps a label apart from its neighbour above 2^24", async () => {
  const values = new Float64Array([16777216, 16777217]);
  const model = await train({
    numRows: 2,
    features: [{ kind: "numeric", name: "x", values: new Float64Array([0, 1]) }],
    target: { kind: "regression", name: "y", values },
  }, { algorithm: "cart" });
  assertEquals(model.predictValue([{ x: 0 }, { x: 1 }]), values);
});

Deno.test("forests have finite gains and importance beyond float32", async () => {
  const data = steps(0);
  const values = Float64Array.from({ length: NUM_ROWS }, (_, row) => row * 1e40);
  const target = { kind: "regression", name: "y", values } as const;
  for (const algorithm of ["random-forest", "bagging", "extra-trees"]) {
    const { ensemble, info } = await train({ ...data, target }, { algorithm, trees: 3 });
    assert(ensemble.trees.gain?.every(Number.isFinite));
    const { impurity } = info.importance as { readonly impurity: [string, number][] };
    assert(impurity.every(([_, sum]) => sum > 1e80 && sum < 1e90));
  }
});

Deno.test("labels that their weights put out of reach are refused", async () => {
  const near = steps(1);
  const of = (unit: number, weight: number) => {
    const values = Float64Array.from({ length: NUM_ROWS }, (_, row) => (1 + row % 7) * unit);
    const target = { kind: "regression", name: "y", values } as const;
    return { ...near, target, sampleWeight: new Float64Array(NUM_ROWS).fill(weight) };
  };
  for (const algorithm of ["cart", "random-forest", "gbdt"]) {
    // Each is in its own range.
    for (const [unit, weight] of [[1e100, 1e60], [1e60, 1e100], [1e-60, 1e-100]]) {
      const error = await assertRejects(() => train(of(unit, weight), { algorithm }), DataError);
      assertEquals(error.code, "E_DATA_TARGET");
    }
    const model = await train(of(1e-100, 1e100), { algorithm });
    assert(model.ensemble.trees.kind.length > 3);
  }
});
