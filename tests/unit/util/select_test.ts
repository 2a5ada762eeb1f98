import { assertEquals } from "@std/assert";
import { createRng, type Rng } from "../../../src/util/rng.ts";
import { selectByWeight, selectInPlace } from "../../../src/util/select.ts";

/** Numbers in orders that parting around others finds hard: sorted, equal, in two heaps, in peaks. */
function lists(rng: Rng, length: number): Float64Array[] {
  const any = Float64Array.from({ length }, () => (rng.nextFloat() - 0.5) ** 5);
  const ascending = any.slice().sort();
  return [
    any,
    ascending,
    ascending.slice().reverse(),
    Float64Array.from({ length }, () => rng.nextInt(4) - 2),
    new Float64Array(length).fill(-0.5),
    Float64Array.from(ascending, (_, i) => ascending[i % 2 === 0 ? i >> 1 : length - 1 - (i >> 1)]),
    Float64Array.from(any, (value, i) => i % 7 === 0 ? Infinity : i % 5 === 0 ? -Infinity : value),
    Float64Array.from({ length }, (_, i) => Math.min(i, length - i)),
  ];
}

const LENGTHS = [1, 2, 3, 10, 24, 25, 26, 40, 100, 599, 700, 5000];

Deno.test("selectInPlace() is the element of the sorted values and parts the others around it", () => {
  const rng = createRng(1);
  for (const length of LENGTHS) {
    for (const values of lists(rng, length)) {
      const sorted = values.slice().sort();
      for (const index of [0, length >> 1, length - 1, rng.nextInt(length), rng.nextInt(length)]) {
        const own = values.slice();
        const found = selectInPlace(own, index);
        assertEquals(found, sorted[index]);
        assertEquals(own[index], found);
        assertEquals(own.subarray(0, index).every((value) => value <= found), true);
        assertEquals(own.subarray(index).every((value) => value >= found), true);
        assertEquals(own.sort(), sorted);
      }
    }
  }
});

Deno.test("selectInPlace() has NaN last and 0 for -0", () => {
  const values = Float64Array.of(NaN, 1, -0, NaN, -3);
  assertEquals([0, 1, 2, 3, 4].map((i) => selectInPlace(values.slice(), i)), [-3, 0, 1, NaN, NaN]);
  const many = Float64Array.from({ length: 200 }, (_, i) => i % 3 === 0 ? NaN : -i);
  const sorted = many.slice().sort();
  for (let i = 0; i < 200; i++) assertEquals(selectInPlace(many.slice(), i), sorted[i]);
});

/** The definition: weights added up in ascending order of values. */
function bySorting(values: Float64Array, weights: Float64Array, target: number): number {
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  let reached = 0;
  for (const at of order) {
    reached += weights[at];
    if (weights[at] > 0 && reached >= target) return values[at];
  }
  return values[order[order.length - 1]];
}

Deno.test("selectByWeight() is where weights added up by value reach the target", () => {
  const rng = createRng(2);
  for (const length of LENGTHS) {
    for (const values of lists(rng, length)) {
      // Multiples of a quarter: sums are exact in any order.
      const weights = Float64Array.from({ length }, () => Math.max(0, rng.nextInt(9) - 2) / 4);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const target of [0, 0.25, total / 4, total / 2, total - 0.25, total, total + 1]) {
        const found = selectByWeight(values.slice(), weights.slice(), target);
        assertEquals(found, bySorting(values, weights, target), `${length} values, ${target}`);
      }
    }
  }
});

Deno.test("selectByWeight() of weights that are all 0 is the largest value", () => {
  const values = Float64Array.from({ length: 100 }, (_, i) => (i * 37) % 100);
  assertEquals(selectByWeight(values, new Float64Array(100), 0), 99);
});
