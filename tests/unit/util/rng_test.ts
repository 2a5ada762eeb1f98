import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createPcg32, createRng, forkRng, shuffle } from "../../../src/util/rng.ts";

Deno.test("createPcg32() gives the published first outputs of the reference program", () => {
  // pcg32-demo of the PCG C library, state 42, stream 54, round 1.
  const rng = createPcg32([0, 42], [0, 54]);
  assertEquals(
    Array.from({ length: 6 }, () => rng.nextUint32()),
    [0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e],
  );
});

Deno.test("CASES G4: createRng() gives the pinned outputs for seeds 0, 1 and 2^32 - 1", () => {
  // Computed by an independent program with 64-bit integers from the definition in util/rng.ts.
  const pinned: [number, number[]][] = [
    [0, [2835967361, 1263333929, 244916224, 206015282]],
    [1, [66727286, 2809948642, 922395945, 1817696395]],
    [4294967295, [79758603, 61545859, 3132371962, 2538010017]],
  ];
  for (const [seed, expected] of pinned) {
    const rng = createRng(seed);
    assertEquals(expected.map(() => rng.nextUint32()), expected);
  }
});

Deno.test("forkRng() depends on the path only", () => {
  const parent = createRng(7);
  const before = forkRng(parent, 3).nextUint32();
  parent.nextUint32();
  assertEquals(forkRng(parent, 3).nextUint32(), before);
  assertEquals(forkRng(forkRng(7, 3), 1).nextUint32(), forkRng(7, 3, 1).nextUint32());
  assertNotEquals(forkRng(7, 3).nextUint32(), forkRng(7, 4).nextUint32());
});

Deno.test("nextFloat() and nextInt() are uniform", () => {
  const rng = createRng(1);
  const counts = new Int32Array(7);
  let total = 0;
  for (let i = 0; i < 70_000; i++) {
    counts[rng.nextInt(7)]++;
    const x = rng.nextFloat();
    assert(x >= 0 && x < 1);
    total += x;
  }
  // Five standard deviations of a binomial count (n = 70,000, p = 1/7) and of a mean of uniforms.
  for (const count of counts) assert(Math.abs(count - 10_000) < 5 * 92.6);
  assert(Math.abs(total / 70_000 - 0.5) < 5 * 0.2887 / Math.sqrt(70_000));
});

Deno.test("shuffle() keeps the items", () => {
  const items = shuffle(Int32Array.from({ length: 50 }, (_, i) => i), createRng(3));
  assertNotEquals([...items], [...items].sort((a, b) => a - b));
  assertEquals([...items].sort((a, b) => a - b), Array.from({ length: 50 }, (_, i) => i));
});

Deno.test("nextInt() draws again where the last, incomplete span would favour small numbers", () => {
  const n = 2 ** 31 + 1; // nearly half of all draws are beyond its one whole span
  const [drawn, plain] = [createRng(3), createRng(3)];
  let again = 0;
  for (let i = 0; i < 50; i++) {
    let value = plain.nextUint32();
    for (; value >= n; again++) value = plain.nextUint32();
    assertEquals(drawn.nextInt(n), value);
  }
  assert(again > 20, String(again));
});
