import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  exp,
  expm1,
  log,
  log1p,
  logSumExp,
  pow,
  sigmoid,
  softmaxInto,
  softplus,
} from "../../../src/util/math.ts";

const POINTS: number[] = [];
for (let i = -700; i <= 700; i++) POINTS.push(i * 1.0137, i * 0.013, i * 1e-5);

/** Distance in units in the last place of the larger. */
function ulps(a: number, b: number): number {
  if (Object.is(a, b)) return 0;
  const bits = new BigInt64Array(new Float64Array([a, b]).buffer);
  const distance = bits[0] - bits[1];
  return Number(distance < 0n ? -distance : distance);
}

// The engine's own functions are the independent reference: V8's are within one ulp of the truth.
Deno.test("exp() is within 2 ulp of the engine's on the whole range", () => {
  for (const x of POINTS) {
    if (Math.exp(x) > 2.3e-308) assert(ulps(exp(x), Math.exp(x)) <= 2, `exp(${x})`);
  }
  assertEquals([exp(0), exp(-Infinity), exp(Infinity), exp(710), exp(-746)], [
    1,
    0,
    Infinity,
    Infinity,
    0,
  ]);
  assert(Number.isNaN(exp(NaN)));
  assertEquals(exp(-745.1), 5e-324); // smallest subnormal: e^-745.1 is 2^-1074 to rounding
});

Deno.test("log() and log1p() are within 2 ulp of the engine's", () => {
  for (const x of POINTS) {
    const y = Math.exp(x);
    assert(ulps(log(y), Math.log(y)) <= 2, `log(${y})`);
    if (x > -1) assert(ulps(log1p(x), Math.log1p(x)) <= 2, `log1p(${x})`);
    if (x > 0) assert(ulps(log1p(x * 1e-9), Math.log1p(x * 1e-9)) <= 2, `log1p(${x * 1e-9})`);
  }
  assertEquals([log(1), log(0), log1p(-1), log(5e-324)], [
    0,
    -Infinity,
    -Infinity,
    -744.4400719213812,
  ]);
  assert(Number.isNaN(log(-1)) && Number.isNaN(log1p(-2)));
});

Deno.test("expm1() keeps its digits near zero", () => {
  for (const x of POINTS) assert(ulps(expm1(x), Math.expm1(x)) <= 3, `expm1(${x})`);
  assertEquals(expm1(1e-300), 1e-300);
});

Deno.test("pow() equals the engine's to 1e-13 and is exact for whole powers", () => {
  for (const x of [0.1, 0.5, 1, 1.7, 30, 1e6]) {
    for (const y of [-2.5, -0.3, 0.5, 1.5, 7.25]) {
      assertAlmostEquals(pow(x, y) / Math.pow(x, y), 1, 1e-13); // y·ln x loses up to 2⁸ ulp here
    }
  }
  assertEquals([pow(-3, 3), pow(2, -2), pow(0, 0.5), pow(7, 0)], [-27, 0.25, 0, 1]);
});

Deno.test("sigmoid(), softplus(), logSumExp() and softmaxInto() do not overflow", () => {
  assertEquals([sigmoid(0), sigmoid(800), sigmoid(-800)], [0.5, 1, 0]);
  assertEquals([softplus(800), softplus(-800)], [800, 0]);
  const raw = new Float64Array([1000, 1000]);
  assertAlmostEquals(logSumExp(raw, 0, 2), 1000 + Math.LN2, 1e-12);
  softmaxInto(raw, 0, 2);
  assertEquals([...raw], [0.5, 0.5]);
});
