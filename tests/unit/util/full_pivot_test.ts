import { assert, assertEquals } from "@std/assert";
import { createRng } from "../../../src/util/rng.ts";
import { invert } from "../../../src/util/full_pivot.ts";

Deno.test("invert() gives a matrix that multiplies to the identity", () => {
  const rng = createRng(7);
  for (let size = 1; size <= 12; size++) {
    const matrix = Float64Array.from({ length: size * size }, () => rng.nextFloat() - 0.5);
    const inverse = invert(matrix.slice(), size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        let sum = 0;
        for (let k = 0; k < size; k++) sum += matrix[i * size + k] * inverse[k * size + j];
        // Random matrices of this size have condition numbers below 1e4.
        assert(Math.abs(sum - (i === j ? 1 : 0)) < 1e-10, `${size}: ${i}, ${j}: ${sum}`);
      }
    }
  }
});

Deno.test("invert() leaves unknowns at 0 that a singular matrix does not fix", () => {
  // Twice the same column: x + x = b has the solution x = b, 0 with the first as pivot.
  assertEquals([...invert(Float64Array.of(1, 1, 1, 1), 2)], [1, 0, 0, 0]);
  assertEquals([...invert(new Float64Array(4), 2)], [0, 0, 0, 0]);
  assertEquals([...invert(Float64Array.of(0, 2, 4, 0), 2)], [0, 0.25, 0.5, 0]);
});

Deno.test("invert() says that numbers overflow", () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    assertEquals([...invert(Float64Array.of(1, bad, bad, 1), 2)], [NaN, NaN, NaN, NaN]);
  }
});
