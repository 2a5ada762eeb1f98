import { assertAlmostEquals, assertEquals } from "@std/assert";
import { fitLeaf, leastSpreads } from "../../../src/grow/leaf_ridge.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Fits −g of every row; all rows there are tell the ranges, or `least`. */
function fit(
  columns: Float64Array[],
  wanted: ArrayLike<number>,
  { hessian = Float64Array.from(wanted, () => 1), lambda = 0, least = leastSpreads(columns) } = {},
) {
  const rows = Int32Array.from(wanted, (_, row) => row);
  const gradient = Float64Array.from(wanted, (value, row) => -value * hessian[row]);
  const given = { least, columns, gradient, hessian, fixG: 1, fixH: 1, lambda, rate: 1 };
  return fitLeaf(columns.map((_, feature) => feature), rows, given)!;
}

const X = Float64Array.of(0, 1, 2, 3, 4, 5);
const Z = Float64Array.of(1, 0, 2, 7, 1, 3);

Deno.test("fitLeaf() finds a plane far from 0 and in small units as near 0", () => {
  for (const [shift, scale] of [[0, 1], [1.7e9, 1], [0, 1e-9], [0, 1e12]]) {
    const columns = [X.map((x) => shift + scale * x), Z];
    const { constant, features, coefficients } = fit(columns, X.map((x, i) => 3 + 2 * x - Z[i]));
    assertEquals([...features], [0, 1]);
    assertAlmostEquals(coefficients[0] * scale, 2, 1e-6);
    assertAlmostEquals(coefficients[1], -1, 1e-6);
    assertAlmostEquals(constant + shift * coefficients[0], 3, 1e-6);
  }
});

Deno.test("fitLeaf() penalises coefficients in the units of their columns", () => {
  // y = x over 0 … 3: slope Σ(x − 1.5)² / (Σ(x − 1.5)² + λ) = 5 / 10.
  const x = Float64Array.of(0, 1, 2, 3);
  const leaf = fit([x], x, { lambda: 5 });
  assertAlmostEquals(leaf.coefficients[0], 0.5, 1e-12);
  assertAlmostEquals(leaf.constant, 0.75, 1e-12);
});

// The sums of such columns have no inverse, or one of rounding errors: coefficients of millions.
Deno.test("fitLeaf() gives no term to what is the same in the whole leaf, whatever rows weigh", () => {
  const rng = createRng(3);
  for (let round = 0; round < 200; round++) {
    const n = 4 + rng.nextInt(60);
    const list = () => Float64Array.from({ length: n }, () => rng.nextFloat());
    const level = 10 ** (rng.nextInt(9) - 3) * rng.nextFloat();
    const columns = [new Float64Array(n).fill(level), list()];
    const least = Float64Array.of((1e-6 * level) ** 2, 0);
    const leaf = fit(columns, list(), { hessian: list(), least });
    assertEquals([...leaf.features], [1]);
  }
});

Deno.test("fitLeaf() gives no term to rounding errors, which are narrow beside the column's range", () => {
  const x = Float64Array.from(X, (_, i) => i % 2 === 0 ? 0.3 : 0.1 + 0.2);
  const least = leastSpreads([Float64Array.of(...x, 7), Z]);
  assertEquals([...fit([x, Z], X, { least }).features], [1]);
});

Deno.test("fitLeaf() gives the first of columns that determine each other the term", () => {
  const rng = createRng(5);
  for (let round = 0; round < 200; round++) {
    const n = 6 + rng.nextInt(60);
    const list = () => Float64Array.from({ length: n }, () => rng.nextInt(9));
    const [a, b, y] = [list(), list(), list()];
    const third = a.map((value, i) => 0.1 * value - 3.7 * b[i] + 11);
    const weight = Float64Array.from({ length: n }, () => 0.01 + rng.nextFloat());
    const leaf = fit([a, b, third], y, { hessian: weight });
    const both = fit([a, b], y, { hessian: weight });
    assertEquals([...leaf.features], [...both.features]);
    leaf.coefficients.forEach((c, i) => assertAlmostEquals(c, both.coefficients[i], 1e-9));
  }
});

Deno.test("fitLeaf() counts only rows that weigh something and have all values", () => {
  const hessian = Float64Array.of(1, 1, 1, 0, 0, 0);
  assertEquals([...fit([X, Z], [1, 5, 2, 0, 0, 0], { hessian }).features], [0, 1]); // three rows, three unknowns
  assertEquals(fit([X, Z], X, { hessian: Float64Array.of(1, 1, 0, 0, 0, 0) }), undefined);
  const gaps = Z.map((value, i) => i < 4 ? NaN : value);
  assertEquals(fit([X, gaps], X), undefined);
});

Deno.test("fitLeaf() gives no term to what overflows", () => {
  for (const large of [Infinity, 1e200]) {
    assertEquals([...fit([Float64Array.of(0, 1, large, 3, 4, 5), Z], X).features], [1]);
  }
  assertEquals([...fit([X.map((x) => x * 1e150)], X).features], [0]);
});
