import fc from "fast-check";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import type { Column, Dataset } from "../../../src/data/types.ts";

/** Small data with ties, missing values and a category. */
const datasets = fc.integer({ min: 1, max: 40 }).chain((n) =>
  fc.record({
    x: fc.array(fc.option(fc.integer({ min: 0, max: 8 }), { nil: NaN }), {
      minLength: n,
      maxLength: n,
    }),
    z: fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: n, maxLength: n }),
    c: fc.array(fc.integer({ min: -1, max: 3 }), { minLength: n, maxLength: n }),
    y: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: n, maxLength: n }),
  })
);

function build(
  given: { readonly x: number[]; readonly z: number[]; readonly c: number[]; readonly y: number[] },
  regression: boolean,
): Dataset {
  const features: Column[] = [
    { kind: "numeric", name: "x", values: Float64Array.from(given.x) },
    { kind: "numeric", name: "z", values: Float64Array.from(given.z) },
    {
      kind: "categorical",
      name: "c",
      codes: Int32Array.from(given.c),
      categories: ["a", "b", "c", "d"],
    },
  ];
  return {
    numRows: given.y.length,
    features,
    target: regression ? { kind: "regression", name: "y", values: Float64Array.from(given.y) } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(given.y),
      classes: ["0", "1", "2", "3"],
    },
  };
}

const ORDERS = ["depth-first", "breadth-first", "best-first"] as const;

Deno.test("growTree() grows the same tree in every order when nothing limits it", async () => {
  await fc.assert(
    fc.asyncProperty(datasets, fc.boolean(), async (given, regression) => {
      const data = build(given, regression);
      const models = await Promise.all(ORDERS.map((growth) => trainCart(data, { growth })));
      for (const model of models) {
        assertEquals(model.ensemble.trees, models[0].ensemble.trees);
      }
      const forests = await Promise.all(
        ORDERS.map((growth) => trainRandomForest(data, { growth, trees: 3, featuresPerSplit: 1 })),
      );
      for (const model of forests) {
        assertEquals(model.ensemble.trees, forests[0].ensemble.trees);
      }
    }),
    { numRuns: 40 },
  );
});

Deno.test("trainCart() never has a negative gain, and covers add up", async () => {
  await fc.assert(
    fc.asyncProperty(datasets, fc.boolean(), async (given, regression) => {
      const { trees } = (await trainCart(build(given, regression))).ensemble;
      for (let node = 0; node < trees.kind.length; node++) {
        assert(trees.gain[node] > -1e-9, `gain ${trees.gain[node]}`);
        const first = trees.firstChild[node];
        if (first >= 0) {
          assertAlmostEquals(trees.cover[node], trees.cover[first] + trees.cover[first + 1], 1e-9);
        }
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("trainCart() fits distinct rows without error, missing values present", async () => {
  await fc.assert(
    fc.asyncProperty(datasets, async (given) => {
      const data = build(given, false);
      const model = await trainCart(data);
      const seen = new Map<string, number>();
      const predicted = model.predictClass(data);
      let clashes = false;
      given.y.forEach((y, row) => {
        // −0 and 0 are one value.
        const key = JSON.stringify([given.x[row], given.z[row] + 0, given.c[row]]);
        if (seen.has(key) && seen.get(key) !== y) clashes = true;
        seen.set(key, y);
      });
      if (clashes) return;
      given.y.forEach((y, row) => assertEquals(predicted[row], String(y)));
    }),
    { numRuns: 80 },
  );
});

// Case D11: scikit-learn/scikit-learn#28254
Deno.test("trainCart() parts missing values from the rest", async () => {
  const data = parseCsv("x,y\n,0\n,1\n3,2\n4,3\n5,4\n6,5\n", { target: "y", task: "regression" });
  const model = await trainCart(data);
  assertEquals([...model.predictValue(data)], [0.5, 0.5, 2, 3, 4, 5]);
});

// Case H5: mljs/decision-tree-cart PR#9, PR#20
Deno.test("trainCart() fits a one-hot identity and cuts between equal neighbours", async () => {
  const identity = parseCsv("a,b,c,d,y\n1,0,0,0,0\n0,1,0,0,1\n0,0,1,0,2\n0,0,0,1,3\n", {
    target: "y",
    task: "regression",
  });
  assertEquals([...(await trainCart(identity)).predictValue(identity)], [0, 1, 2, 3]);
  const cut = await trainCart(parseCsv("x,y\n1,a\n1,b\n2,b\n", { target: "y" }));
  assertEquals(cut.ensemble.trees.threshold[0], 1.5);
});

// Case C5: an unknown level follows the heavier child, not the missing route.
Deno.test("trainCart() sends unknown levels to the heavier child", async () => {
  const rows = ["c,y", ...Array(5).fill("a,0"), ...Array(5).fill("b,0"), ...Array(5).fill(",1")];
  const data = parseCsv(rows.join("\n") + "\n", { target: "y", task: "regression" });
  const model = await trainCart(data);
  assertEquals([...model.predictValue([{ c: "z" }, { c: null }])], [0, 1]);
});

// Case C4: the node's own value
Deno.test("trainCart() answers with the node's value where unknown is node", async () => {
  const data = parseCsv("c,y\na,10\na,10\na,10\nb,20\n", { target: "y" });
  const model = await trainCart(data, { unknown: "node" });
  assertEquals(model.predictValue({ c: "z" })[0], 12.5);
});
