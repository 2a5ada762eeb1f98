import { assert, assertEquals } from "@std/assert";
import { floor32, nextDown32, nextDown64, nextUp32, nextUp64 } from "../../../src/util/float.ts";
import { createRng } from "../../../src/util/rng.ts";

Deno.test("nextDown32() steps through zero, the subnormals and the largest number", () => {
  assertEquals(nextDown32(0), -1.401298464324817e-45);
  assertEquals(nextDown32(-0), -1.401298464324817e-45);
  assertEquals(nextDown32(1.401298464324817e-45), 0);
  assertEquals(nextDown32(Infinity), 3.4028234663852886e38);
  assertEquals(nextDown32(-3.4028234663852886e38), -Infinity);
  assertEquals(nextDown32(-Infinity), -Infinity);
  assertEquals(nextDown32(NaN), NaN);
  assertEquals(nextDown32(1), 1 - 2 ** -24);
});

Deno.test("x < t equals x <= nextDown32(t) on float32 pairs of every kind", () => {
  const rng = createRng(7);
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  const some = (): number => {
    bits[0] = rng.nextUint32();
    return float[0];
  };
  const special = [
    0,
    -0,
    Infinity,
    -Infinity,
    1,
    -1,
    1.401298464324817e-45,
    -1.401298464324817e-45,
  ];
  for (let i = 0; i < 20_000; i++) {
    const t = i % 3 === 0 ? special[rng.nextInt(special.length)] : some();
    if (Number.isNaN(t) || t === -Infinity) continue;
    const x = i % 5 === 0 ? t : i % 7 === 0 ? nextUp32(t) : some();
    assert((x < t) === (x <= nextDown32(t)), `${x} ${t}`);
  }
});

Deno.test("nextUp64() undoes nextDown64()", () => {
  assertEquals(nextDown64(0), -Number.MIN_VALUE);
  assertEquals(nextDown64(1), 1 - 2 ** -53);
  assertEquals(nextDown64(Infinity), Number.MAX_VALUE);
  for (const x of [1, -1, 1e300, 5e-324, -2.5, 1e-310]) assertEquals(nextUp64(nextDown64(x)), x);
});

Deno.test("floor32() keeps the side of every float32", () => {
  assertEquals(floor32(0.5), 0.5);
  assertEquals(floor32(1e39), 3.4028234663852886e38);
  assertEquals(floor32(-1e39), -Infinity);
  assertEquals(floor32(-5e-324), -1.401298464324817e-45);
  const rng = createRng(4);
  for (let i = 0; i < 1000; i++) {
    const x = rng.nextFloat() - 0.5;
    const down = floor32(x);
    assert(down <= x && nextUp32(down) > x);
  }
});
