import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  splitSpreads,
  weakestFirst,
  weighSubtrees,
} from "../../../../src/format/shrink/cut_order.ts";
import { concatTrees, createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { createRng } from "../../../../src/util/rng.ts";

/**
 * Three splits: the root (10 rows) has a leaf of 0 (4 rows) on the left; on the right is a split of a
 * leaf of 10 (2 rows) and a split into 1 (3 rows) and 2 (1 row).
 */
function byHand(covers = [10, 4, 6, 2, 4, 3, 1]) {
  const tree = createTreeBuilder(1);
  tree.splitThreshold(0, 0, 0, 0);
  tree.splitThreshold(2, 0, 1, 0);
  tree.splitThreshold(4, 0, 2, 0);
  [NaN, 0, NaN, 10, NaN, 1, 2].forEach((value, node) => {
    tree.setValue(node, [value]);
    tree.setStats(node, covers[node], 0);
  });
  return { trees: packTrees([tree]), children: Uint32Array.of(2, 0, 2, 0, 2, 0, 0) };
}

Deno.test("weighSubtrees() gives the mean of the rows below, and of branches where covers tell nothing", () => {
  const { trees, children } = byHand();
  const { share, mean } = weighSubtrees(trees, 1, children);
  [1, 0.4, 0.6, 0.2, 0.4, 0.3, 0.1].forEach((x, i) => assertAlmostEquals(share[i], x, 1e-15));
  // (3 · 1 + 2) / 4 = 1.25, (2 · 10 + 4 · 1.25) / 6 = 25 / 6, 25 / 10.
  [2.5, 0, 25 / 6, 10, 1.25, 1, 2].forEach((x, i) => assertAlmostEquals(mean[i], x, 1e-14));
  for (const covers of [[0, 0, 0, 0, 0, 0, 0], [9, -1, 4, NaN, 2, Infinity, 1]]) {
    const other = byHand(covers);
    const equal = weighSubtrees(other.trees, 1, children);
    assertEquals([...equal.share], [1, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125]);
    assertEquals([...equal.mean], [2.875, 0, 5.75, 10, 1.5, 1, 2]);
  }
});

Deno.test("splitSpreads() adds up to the mean square around the mean", () => {
  const { trees, children } = byHand();
  const subtrees = weighSubtrees(trees, 1, children);
  const spread = splitSpreads(trees, 1, children, subtrees, Float64Array.of(2));
  // 4 · 0², 2 · 10², 3 · 1², 1 · 2² are 207 of 10 rows; the mean is 2.5; weights of 2 count squared.
  assertAlmostEquals(spread.reduce((a, b) => a + b), 4 * (20.7 - 2.5 ** 2), 1e-12);
  // The lowest split: (3 · 0.25² + 0.75²) / 10.
  assertAlmostEquals(spread[4], 4 * 0.075, 1e-14);
});

Deno.test("weakestFirst() takes a weak split above a strong one with it, not before it", () => {
  const { trees, children } = byHand();
  // 1 and 5 are 3 each: dearer than 2, and gone together; the lower one first.
  assertEquals([...weakestFirst(trees, children, Float64Array.of(4, 0, 1, 0, 5, 0, 0))], [4, 2, 0]);
  assertEquals([...weakestFirst(trees, children, Float64Array.of(4, 0, 3, 0, 1, 0, 0))], [4, 2, 0]);
});

Deno.test("weakestFirst() prices splits that go together by their mean, however far below they are", () => {
  const chain = byHand().trees;
  const stump = createTreeBuilder(1);
  stump.splitThreshold(0, 0, 0, 0);
  const trees = concatTrees([chain, packTrees([stump])]);
  const children = Uint32Array.of(2, 0, 2, 0, 2, 0, 0, 2, 0, 0);
  const tells = (root: number, other: number) =>
    Float64Array.of(root, 0, 10, 0, 8, 0, 0, other, 0, 0);
  // (0 + 10) / 2 = 5 is less than the 8 below, so all three go together, at (0 + 10 + 8) / 3 = 6.
  assertEquals([...weakestFirst(trees, children, tells(0, 5.5))], [7, 4, 2, 0]);
  assertEquals([...weakestFirst(trees, children, tells(0, 6.5))], [4, 2, 0, 7]);
  // (9 + 10) / 2 = 9.5 is more than the 8 below.
  assertEquals([...weakestFirst(trees, children, tells(9, 8.5))], [4, 7, 2, 0]);
});

Deno.test("weakestFirst() loses least for every price of a leaf, as trying all prunings tells", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const rng = createRng(seed);
    const builders = Array.from({ length: 2 }, () => {
      const tree = createTreeBuilder(1);
      const leaves = [0];
      for (let splits = 1 + rng.nextInt(5); splits > 0; splits--) {
        const [node] = leaves.splice(rng.nextInt(leaves.length), 1);
        const count = 2 + rng.nextInt(2);
        const first = count === 2
          ? tree.splitThreshold(node, 0, 0, 0)
          : tree.splitMultiway(node, 0, Uint32Array.of(0, 1, 2), 3, 0);
        for (let i = 0; i < count; i++) leaves.push(first + i);
      }
      return tree;
    });
    const trees = packTrees(builders);
    const children = Uint32Array.from(trees.kind, (kind) => kind === 0 ? 0 : kind === 1 ? 2 : 3);
    const tells = Float64Array.from(children, (count) => count > 0 ? rng.nextInt(8) : 0);
    const order = weakestFirst(trees, children, tells);
    const below = (node: number) =>
      [...trees.kind.keys()].slice(trees.firstChild[node], trees.firstChild[node] + children[node]);
    const lost = (pruned: (node: number) => boolean, price: number) =>
      order.reduce((sum, v) => sum + (pruned(v) ? tells[v] : price * (children[v] - 1)), 0);
    for (let price = 0.25; price < 9; price += 0.5) {
      let best = Infinity;
      for (let set = 0; set < 2 ** order.length; set++) {
        const pruned = (node: number) => (set >> order.indexOf(node) & 1) > 0;
        const closed = order.every((v) =>
          !pruned(v) || below(v).every((child) => children[child] === 0 || pruned(child))
        );
        if (closed) best = Math.min(best, lost(pruned, price));
      }
      const ours = Array.from({ length: order.length + 1 }, (_, steps) => {
        const gone = new Set(order.subarray(0, steps));
        for (const v of gone) {
          assert(below(v).every((child) => children[child] === 0 || gone.has(child)));
        }
        return lost((node) => gone.has(node), price);
      });
      assertAlmostEquals(Math.min(...ours), best, 1e-12);
    }
  }
});
