import { assertEquals } from "@std/assert";
import { float32Order } from "../../../src/util/float32_order.ts";
import { createRng } from "../../../src/util/rng.ts";

Deno.test("float32Order() leaves NaN out and has equal values, 0 and -0 among them, by place", () => {
  const values = Float32Array.of(NaN, 2, 0, -0, -1, 2, Infinity, -Infinity, -1, NaN, 1e-45, -1e-45);
  assertEquals([...float32Order(values)], [7, 4, 8, 11, 2, 3, 10, 1, 5, 6]);
  assertEquals([...float32Order(new Float32Array(0))], []);
});

Deno.test("float32Order() is that of comparing pairs", () => {
  const rng = createRng(6);
  for (let turn = 0; turn < 60; turn++) {
    const few = rng.nextInt(2) === 0;
    // Any bits: all exponents, numbers below the least normal one, infinities, both zeros.
    const bits = Uint32Array.from({ length: rng.nextInt(1500) }, () => rng.nextUint32());
    const values = few
      ? Float32Array.from(bits, (word) => (word % 7) - 3)
      : new Float32Array(bits.buffer);
    const expected = Array.from(values.keys())
      .filter((i) => !Number.isNaN(values[i]))
      .sort((a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : a - b));
    assertEquals([...float32Order(values)], expected);
  }
});
