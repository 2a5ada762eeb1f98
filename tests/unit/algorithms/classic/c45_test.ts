import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainC45 } from "../../../../src/algorithms/classic/c45.ts";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import type { Model } from "../../../../src/model/model.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

function leavesOf(model: Model): number {
  return model.ensemble.trees.kind.filter((kind) => kind === 0).length;
}

/** Weight × entropy of a node in bits. */
function bitsOf({ ensemble: { trees, leafWidth } }: Model, node: number): number {
  let bits = 0;
  for (const p of trees.leaf.subarray(node * leafWidth, (node + 1) * leafWidth)) {
    if (p > 0) bits -= trees.cover[node] * p * Math.log2(p);
  }
  return bits;
}

function childrenOf({ ensemble: { trees }, schema }: Model, node: number): number[] {
  if (trees.kind[node] === 0) return [];
  const input = schema.features[trees.feature[node]];
  const branches = input.kind === "categorical" ? input.categories.length : 2;
  return Array.from({ length: branches }, (_, b) => trees.firstChild[node] + b);
}

// C(T) of 20 no | 8 yes, 2 no in bits: the lower split saves 10 · H(0.2) = 7.219, the upper one
// 30 · H(8/30) − 7.219 = 17.879 after it.
Deno.test('trainC45() with pruning "cost" removes the links that cost no more than alpha', async () => {
  const data = countedRows(["no", "yes"], [[1, 0, 20], [2, 1, 8], [3, 0, 2]]);
  for (const [alpha, leaves] of [[0, 3], [7.2, 3], [7.23, 2], [17.87, 2], [17.89, 1]]) {
    const model = await trainC45(data, { pruning: "cost", alpha, mdl: false });
    assertEquals(leavesOf(model), leaves, `alpha ${alpha}`);
  }
});

// Quinlan's weather: both branches below outlook save 5 · H(0.4) = 4.855 bits for one leaf, the root
// 14 · H(5/14) = 13.164 for four: 3.291 a leaf, so it is the weakest link.
Deno.test('trainC45() with pruning "cost" takes the root first where it is the weakest link', async () => {
  const weather = parseCsv(
    "outlook,humidity,windy,play\n" +
      "sunny,high,no,no\nsunny,high,yes,no\novercast,high,no,yes\nrainy,high,no,yes\n" +
      "rainy,normal,no,yes\nrainy,normal,yes,no\novercast,normal,yes,yes\nsunny,high,no,no\n" +
      "sunny,normal,no,yes\nrainy,normal,no,yes\nsunny,normal,yes,yes\novercast,high,yes,yes\n" +
      "overcast,normal,no,yes\nrainy,high,yes,no\n",
    { target: "play" },
  );
  const at = async (alpha: number) => leavesOf(await trainC45(weather, { pruning: "cost", alpha }));
  assertEquals([await at(3.29), await at(3.292)], [5, 1]);
});

/** Three classes over a number and a category, overlapping. */
function noisy(): Dataset {
  const rng = createRng(4);
  const n = 240;
  const values = Float64Array.from({ length: n }, () => Math.round(40 * rng.nextFloat()));
  const categories = ["p", "q", "r", "s"];
  const codes = Int32Array.from({ length: n }, () => rng.nextInt(4));
  const classes = Int32Array.from({ length: n }, (_, row) => {
    const score = values[row] / 40 + codes[row] / 4 + 0.5 * rng.nextFloat();
    return score < 0.7 ? 0 : score < 1.3 ? 1 : 2;
  });
  return {
    numRows: n,
    features: [
      { kind: "numeric", name: "x", values },
      { kind: "categorical", name: "c", codes, categories },
    ],
    target: { kind: "classification", name: "y", codes: classes, classes: ["a", "b", "c"] },
  };
}

Deno.test('trainC45() with pruning "cost" leaves no pruned subtree of less C(T) + alpha |T|', async () => {
  const data = noisy();
  const whole = await trainC45(data, { pruning: "none", collapse: false, minObjects: 1 });
  const sizes = new Set<number>();
  for (const alpha of [0, 0.5, 1, 2, 4, 8, 16, 64]) {
    // Every pruned subtree at once, from the leaves up: keep the branches, or become a leaf.
    const least = (node: number): number => {
      const children = childrenOf(whole, node);
      const asLeaf = bitsOf(whole, node) + alpha;
      return children.length === 0
        ? asLeaf
        : Math.min(asLeaf, children.reduce((sum, child) => sum + least(child), 0));
    };
    const model = await trainC45(data, { pruning: "cost", alpha, collapse: false, minObjects: 1 });
    const { kind } = model.ensemble.trees;
    let cost = 0;
    kind.forEach((is, node) => cost += is === 0 ? bitsOf(model, node) + alpha : 0);
    // Entropies are summed in another order.
    assertAlmostEquals(cost, least(0), 1e-9, `alpha ${alpha}`);
    sizes.add(leavesOf(model));
  }
  assert(sizes.size >= 4, `${[...sizes]}`);
});

/** Text columns over the rows of `classes`, one letter a row. */
function letters(classes: string, columns: { readonly [name: string]: string }): Dataset {
  const names = Object.keys(columns);
  const rows = Array.from(classes, (c, row) => [...names.map((n) => columns[n][row]), c].join());
  return parseCsv(`${names.join()},y\n${rows.join("\n")}\n`, { target: "y" });
}

// Gains in bits: a 0.4502, b 0.3113, c 0; gain ratios of a and b 0.2434 and 0.3837. Without c the
// average is 0.3807 and b below it, with c 0.2538. Weka 3.8.6: b.
Deno.test("trainC45() counts an attribute that gains nothing for the average gain", async () => {
  const data = letters("nnnnnnnnyyyyyyyy", {
    a: "ppppqqrrssqrrrrr",
    b: "uuuuuuuuuuuuvvvv",
    c: "hhhhkkkkhhhhkkkk",
  });
  const rootOf = async (given: Dataset) => {
    const { ensemble: { trees }, schema } = await trainC45(given, { pruning: "none" });
    return schema.features[trees.feature[0]].name;
  };
  assertEquals(await rootOf(data), "b");
  assertEquals(await rootOf({ ...data, features: data.features.slice(0, 2) }), "a");
});

// Levels of a are 0.3 of the rows and more, so c alone makes the average, which is 0. Weka 3.8.6: a.
Deno.test("trainC45() splits an attribute of many levels beside one that gains nothing", async () => {
  const data = letters("nnnyyynnyy", { a: "pppqqqrrrq", c: "hhkhhkkkkk" });
  const { ensemble: { trees } } = await trainC45(data, { pruning: "none" });
  assertEquals(trees.kind.length, 4);
});

// Cut between 2 and 6, midpoint 4; 3 is the largest training value up to it only where it counts.
Deno.test("trainC45() takes no threshold from a row without weight", async () => {
  const table = parseCsv("x,y\n1,n\n2,n\n6,y\n7,y\n3,n\n", { target: "y" });
  for (const [weight, threshold] of [[0, 2], [1, 3]]) {
    const sampleWeight = new Float64Array([1, 1, 1, 1, weight]);
    const model = await trainC45({ ...table, sampleWeight }, { pruning: "none", mdl: false });
    assertEquals(model.ensemble.trees.threshold[0], threshold);
  }
});
