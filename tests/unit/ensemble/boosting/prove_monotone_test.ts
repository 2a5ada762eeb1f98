import { assertEquals, assertThrows } from "@std/assert";
import {
  monotoneBreaches,
  proveMonotone,
} from "../../../../src/ensemble/boosting/prove_monotone.ts";
import { TrainingError } from "../../../../src/errors.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";

const X = { name: "x" };
const C = { name: "c", categories: ["a", "b"] };

/** x ≤ 5, then both sides by whether c is "a"; leaves in order. */
function byCategory(leftA: number, leftB: number, rightA: number, rightB: number) {
  const tree = createTreeBuilder();
  const first = tree.splitThreshold(0, 0, 5, 0);
  const values = [[leftA, leftB], [rightA, rightB]];
  values.forEach((pair, side) => {
    const leaf = tree.splitSubset(first + side, 1, Uint32Array.of(1), 1);
    pair.forEach((value, i) => tree.setValue(leaf + i, [value]));
  });
  return { trees: packTrees([tree]), treeWeight: new Float64Array([1]) };
}

/** x ≤ 5, and its left side by x ≤ `cut`, where missing values go right. */
function cutAgain(cut: number, low: number, between: number, high: number) {
  const tree = createTreeBuilder();
  const first = tree.splitThreshold(0, 0, 5, 0);
  const second = tree.splitThreshold(first, 0, cut, 1);
  [[second, low], [second + 1, between], [first + 1, high]].forEach(([node, value]) =>
    tree.setValue(node, [value])
  );
  return { trees: packTrees([tree]), treeWeight: new Float64Array([1]) };
}

Deno.test("monotoneBreaches() compares leaves of one category only", () => {
  // a: 3 then 4, b: 0 then 1. That 3 is above 1 does not count.
  assertEquals(monotoneBreaches(byCategory(3, 0, 4, 1), [1, 0], [X, C]), []);
  const [found, ...more] = monotoneBreaches(byCategory(3, 0, 2, 1), [1, 0], [X, C]);
  assertEquals(more, []);
  assertEquals([found.tree, found.node, found.feature], [0, 0, 0]);
  assertEquals([found.lowValue, found.highValue], [3, 2]);
  // Of categories nothing is known: every side counts as open.
  assertEquals(monotoneBreaches(byCategory(3, 0, 4, 1), [1, 0]).length, 1);
});

Deno.test("monotoneBreaches() leaves out leaves that no number reaches", () => {
  // Left of 5, only a missing value is right of 7.
  assertEquals(monotoneBreaches(cutAgain(7, 1, 100, 10), [1], [X]), []);
  assertEquals(monotoneBreaches(cutAgain(3, 1, 100, 10), [1], [X]).length, 1);
  assertEquals(monotoneBreaches(cutAgain(3, 1, 100, 10), [0], [X]), []);
  // A weight below zero turns the order round.
  const turned = { ...cutAgain(3, 3, 2, 1), treeWeight: new Float64Array([-1]) };
  assertEquals(monotoneBreaches(turned, [1], [X]), []);
  assertEquals(monotoneBreaches(turned, [-1], [X]).length, 1);
});

Deno.test("monotoneBreaches() knows that zeros may be missing", () => {
  const tree = createTreeBuilder();
  const zero = Math.fround(1e-35);
  const first = tree.splitThreshold(0, 0, zero, 0);
  const second = tree.splitThreshold(first, 0, -zero, 1);
  [[second, 1], [second + 1, 100], [first + 1, 10]].forEach(([node, value]) =>
    tree.setValue(node, [value])
  );
  const ensemble = { trees: packTrees([tree]), treeWeight: new Float64Array([1]) };
  assertEquals(monotoneBreaches(ensemble, [1], [{ ...X, zeroIsMissing: true }]), []);
  assertEquals(monotoneBreaches(ensemble, [1], [X]).length, 1);
});

Deno.test("proveMonotone() names tree, leaves, feature and what is expected", () => {
  const error = assertThrows(
    () => proveMonotone(cutAgain(3, 1, 100, 10), [1], [X], "; expected peace"),
    TrainingError,
    'tree 1 has leaves out of order below node 0, which is split on "x": leaf 4 has 100, leaf 2, ' +
      "for a larger value, 10; expected peace",
  );
  assertEquals(error.code, "E_TRAIN_NUMERIC");
});
