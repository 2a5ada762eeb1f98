import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { fitLeaves, type LinearTask } from "../../../src/grow/linear_leaves.ts";

/** Node 4 is a leaf below features 0 and 2. */
const PATHS = [undefined, undefined, undefined, undefined, [0, 2]];

/** Six rows of one leaf, number 4, whose gradients are −(3 + 2a − b): one step finds the line. */
function task(change: Partial<LinearTask> = {}): LinearTask {
  const a = Float64Array.of(0, 1, 2, 3, 4, 5);
  const b = Float64Array.of(1, 0, 2, 7, 1, 3);
  return {
    columns: [a, undefined, b],
    paths: PATHS,
    leafOf: new Int32Array(6).fill(4),
    gradient: a.map((value, i) => -(3 + 2 * value - b[i])),
    hessian: new Float64Array(6).fill(1),
    lambda: 0,
    rate: 1,
    counts: "rows",
    ...change,
  };
}

Deno.test("fitLeaves() finds the line of numeric features on the path", () => {
  const leaf = fitLeaves(task())[4]!;
  assertEquals([...leaf.features], [0, 2]);
  assertAlmostEquals(leaf.constant, 3, 1e-12);
  assertAlmostEquals(leaf.coefficients[0], 2, 1e-12);
  assertAlmostEquals(leaf.coefficients[1], -1, 1e-12);
});

Deno.test("fitLeaves() penalises coefficients and not the constant", () => {
  // One feature 0 … 3, y = x: slope Σ(x − 1.5)² / (Σ(x − 1.5)² + λ) = 5 / 10, constant 1.5 − 1.5 · slope.
  const x = Float64Array.of(0, 1, 2, 3);
  const leaf = fitLeaves({
    columns: [x],
    paths: [[0]],
    leafOf: new Int32Array(4),
    gradient: x.map((value) => -value),
    hessian: new Float64Array(4).fill(1),
    lambda: 5,
    rate: 0.5,
    counts: "rows",
  })[0]!;
  assertAlmostEquals(leaf.coefficients[0], 0.25, 1e-12);
  assertAlmostEquals(leaf.constant, 0.375, 1e-12);
});

Deno.test("fitLeaves() weighs rows by second derivatives", () => {
  // A row of weight 2 is the row twice.
  const plain = task();
  const twice = (list: ArrayLike<number>) => Float64Array.of(list[0], ...Array.from(list));
  const doubled = fitLeaves(task({
    columns: [twice(plain.columns[0]!), undefined, twice(plain.columns[2]!)],
    leafOf: new Int32Array(7).fill(4),
    gradient: twice([-9, -5, -5, -2, -10, -10]),
    hessian: new Float64Array(7).fill(1),
  }))[4]!;
  const weighed = fitLeaves(task({
    gradient: Float64Array.of(-18, -5, -5, -2, -10, -10),
    hessian: Float64Array.of(2, 1, 1, 1, 1, 1),
  }))[4]!;
  assertAlmostEquals(weighed.constant, doubled.constant, 1e-12);
  weighed.coefficients.forEach((c, i) => assertAlmostEquals(c, doubled.coefficients[i], 1e-12));
});

Deno.test("fitLeaves() leaves rows with a missing value out, and leaves with too few rows constant", () => {
  const gap = (count: number) => {
    const { columns, gradient } = task();
    const b = columns[2]!.map((value, i) => i < count ? NaN : value);
    return { columns: [columns[0], undefined, b], gradient };
  };
  const leaf = fitLeaves(task(gap(3)))[4]!; // three rows for two terms and a constant
  assertAlmostEquals(leaf.coefficients[1], -1, 1e-12);
  assertEquals(fitLeaves(task(gap(4)))[4], undefined);
  // LightGBM counts the columns: 6 of the first feature and 2 of the second are enough for it.
  assert(fitLeaves(task({ ...gap(4), counts: "values" }))[4] !== undefined);
});

Deno.test("fitLeaves() leaves what overflows constant", () => {
  const huge = Float64Array.of(0, 1, Infinity, 3, 4, 5);
  assertEquals(fitLeaves(task({ columns: [huge, undefined, huge] }))[4], undefined);
  const large = Float64Array.of(0, 1e200, 2e200, 3, 4, 5); // its square overflows
  assertEquals(fitLeaves(task({ columns: [large, undefined, large] }))[4], undefined);
});

Deno.test("fitLeaves() gives no terms to a feature that is constant in the leaf", () => {
  const leaf = fitLeaves(
    task({
      paths: [undefined, undefined, undefined, undefined, [2]],
      columns: [undefined, undefined, new Float64Array(6)],
    }),
  )[4]!;
  assertEquals(leaf.features.length, 0);
  // The mean of 3 + 2a − b: 2, 5, 5, 2, 10, 10.
  assertAlmostEquals(leaf.constant, 34 / 6, 1e-12);
});
