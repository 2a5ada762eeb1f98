import { assertEquals } from "@std/assert";
import { createMemory } from "../../../src/kernels/memory.ts";
import { SIGNED_WORK_BYTES } from "../../../src/kernels/types.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { createRng } from "../../../src/util/rng.ts";
import { A, B, bothAgree, C, D, E, floats, law, SPACE } from "../../support/laws/kernels.ts";

law("squared, logistic", (n, seed) => {
  for (const name of ["squared", "logistic"] as const) {
    bothAgree(seed, (memory, rng) => {
      floats(memory, A, n, rng, 20);
      for (let i = 0; i < n; i++) memory.f64[(B >>> 3) + i] = rng.nextInt(2);
    }, (kernels) => kernels[name](A, B, C, D, n));
  }
});

law("softmax", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    floats(memory, A, n * k, rng, 20);
    for (let i = 0; i < n; i++) memory.f64[(B >>> 3) + i] = rng.nextInt(k);
  }, (kernels) => kernels.softmax(A, B, C, D, n, k, 8 * n, seed % 2 === 0 ? 2 : (k + 1) / k));
});

law("signed derivatives", (n, seed, k) => {
  const factor = seed % 2 === 0 ? 2 : (k + 1) / k;
  const size = seed % 3 === 0 ? 4 : 1;
  bothAgree(seed, (memory, rng) => {
    floats(memory, A, n * k, rng, 20);
    for (let i = 0; i < n; i++) {
      memory.f64[(B >>> 3) + i] = rng.nextInt(k);
      memory.u8[E + i] = rng.nextInt(9);
      memory.u32[(E >>> 2) + 1024 + i] = rng.nextInt(400);
    }
    for (let i = 0; i < n * k; i++) {
      if (size === 1) memory.u8[E + 32768 + i] = rng.nextInt(64);
      else memory.u32[(E + 32768 >>> 2) + i] = rng.nextInt(64);
    }
    floats(memory, E + 65536, 64 * k, rng, 2);
  }, (kernels, { u8 }) => {
    const leafOf = seed % 5 === 0 ? 0 : E + 32768;
    kernels.softmaxSigned(
      A,
      B,
      C,
      n,
      k,
      8 * n,
      factor,
      D,
      E + 16384,
      40,
      leafOf,
      size,
      size * n,
      E + 65536,
      512,
    );
    u8.fill(0, D, D + SIGNED_WORK_BYTES + 64 * k);
    kernels.quantiseSigned(C, n, 1000 * k, factor, D, 32766 / k, 65534 / k, seed >>> 0, D + 16384);
    kernels.leafSumsSigned(E, 1, C, n, factor, 2 ** (4 * k), 2 ** 20, D + 32768, D + 34816);
    kernels.leafSumsSigned(E + 4096, 4, C, n, factor, 2 ** (4 * k), 2 ** 20, D + 36864, D + 38912);
    kernels.spreadSigned(C, D + 65536, D + 131072, n, factor);
  });
});

Deno.test("signed derivatives are those of softmax to float32, small ones too", () => {
  const memory = createMemory();
  memory.ensure(SPACE);
  const kernels = wasmKernels(memory);
  const [n, k, factor] = [257, 5, 7 / 6];
  const rng = createRng(2);
  const { f64 } = memory;
  for (let i = 0; i < n * k; i++) f64[(A >>> 3) + i] = (rng.nextFloat() - 0.5) * 60;
  for (let i = 0; i < n; i++) f64[(B >>> 3) + i] = rng.nextInt(k);
  kernels.softmaxSigned(A, B, D, n, k, 8 * n, factor, E, E + 8192, 32, 0, 1, 0, 0, 0);
  kernels.spreadSigned(D, C, C + 65536, n * k, factor);
  // Errors of e^x (1.2 units of 2⁻²⁴), of sums of five and of a product and a quotient.
  const near = (x: number, want: number, what: string) => {
    if (!(Math.abs(x - want) <= 1e-6 * Math.abs(want))) throw new Error(`${what}: ${x}, ${want}`);
  };
  const sums = Array.from({ length: k }, () => [0, 0, 0, 0]);
  for (let row = 0; row < n; row++) {
    const own = f64[(B >>> 3) + row];
    const raw = Array.from({ length: k }, (_, c) => f64[(A >>> 3) + c * n + row]);
    const odds = raw.map((x) => Math.exp(x - Math.max(...raw)));
    const total = odds.reduce((sum, x) => sum + x);
    const rest = odds.reduce((sum, x, c) => c === own ? sum : sum + x, 0);
    odds.forEach((e, c) => {
      const g = (c === own ? -rest : e) / total;
      const p = Math.abs(g);
      const h = Math.max(factor * p * (1 - p), 1e-16);
      near(f64[(C >>> 3) + c * n + row], g, `g of ${row}, ${c}`);
      // Where p is nearly 1, what float32 leaves of 1 - p.
      if (p < 0.9) near(f64[(C >>> 3) + 8192 + c * n + row], h, `h of ${row}, ${c}`);
      sums[c] = [Math.max(sums[c][0], p), sums[c][1] + p, Math.max(sums[c][2], h), sums[c][3] + h];
    });
  }
  sums.forEach((want, c) => {
    want.forEach((sum, i) => {
      // 2⁻¹⁹ of rounding by fours and the errors above; most of h is where p is near 1, too.
      const found = f64[(E + 8192 >>> 3) + 4 * c + i];
      if (!(Math.abs(found - sum) <= 4e-6 * sum)) throw new Error(`${c}, ${i}: ${found}, ${sum}`);
    });
  });
});

Deno.test("softmax that is not a number shows in the statistics", () => {
  for (const score of [NaN, Infinity]) {
    for (const row of [0, 2, 6]) {
      const memory = createMemory();
      memory.ensure(SPACE);
      memory.f64[(A >>> 3) + 7 + row] = score;
      wasmKernels(memory)
        .softmaxSigned(A, B, C, 7, 3, 56, 2, D, E, 32, 0, 1, 0, 0, 0);
      for (let k = 0; k < 3; k++) assertEquals(memory.f64[(E >>> 3) + 4 * k + 1], NaN);
    }
  }
});

Deno.test("quanta of signed derivatives are off by less than one, and by none in the mean", () => {
  const memory = createMemory();
  memory.ensure(SPACE);
  const kernels = wasmKernels(memory);
  const [n, factor, packG, packH] = [4001, 2, 32000, 65000 / 0.5];
  const f32 = new Float32Array(memory.u8.buffer);
  const rng = createRng(4);
  for (let i = 0; i < n; i++) f32[(C >>> 2) + i] = 2 * (rng.nextFloat() - 0.5) ** 3;
  kernels.quantiseSigned(C, n, 0, factor, D, packG, packH, 77, E);
  let [sumG, sumH, errorG, errorH] = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const g = f32[(C >>> 2) + i];
    const word = memory.i32[(D >>> 2) + i];
    const [wholeG, wholeH] = [word >> 16, word & 0xffff];
    const p = Math.abs(g);
    const [offG, offH] = [wholeG - g * packG, wholeH - factor * p * (1 - p) * packH];
    // float32 leaves 2^-9 of the largest quanta.
    if (Math.abs(offG) > 1.01 || Math.abs(offH) > 1.01) throw new Error(`${i}: ${offG}, ${offH}`);
    errorG += offG / n;
    errorH += offH / n;
    sumG += wholeG;
    sumH += wholeH;
  }
  assertEquals([memory.f64[E >>> 3], memory.f64[(E >>> 3) + 1]], [sumG, sumH]);
  // The mean of 4001 errors of at most 0.5 standard deviation has 0.008; five of them.
  if (Math.abs(errorG) > 0.04 || Math.abs(errorH) > 0.04) throw new Error(`${errorG}, ${errorH}`);
});

Deno.test("quanta of derivatives are off by less than one, and by none in the mean", () => {
  const memory = createMemory();
  memory.ensure(SPACE);
  const kernels = wasmKernels(memory);
  const [n, packG, packH] = [4001, 300, 600];
  const { f64 } = memory;
  const rng = createRng(5);
  for (let i = 0; i < n; i++) {
    f64[(A >>> 3) + i] = 2 * (rng.nextFloat() - 0.5) ** 3;
    f64[(B >>> 3) + i] = rng.nextFloat() ** 2;
  }
  kernels.quantise(A, B, n, 0, 0, C, D, 1, 1, packG, packH, 78, E);
  let [errorG, errorH] = [0, 0];
  for (let i = 0; i < n; i++) {
    const word = memory.i32[(D >>> 2) + i];
    const offG = (word >> 16) - f64[(A >>> 3) + i] * packG;
    const offH = (word & 0xffff) - f64[(B >>> 3) + i] * packH;
    if (Math.abs(offG) >= 1 || Math.abs(offH) >= 1) throw new Error(`${i}: ${offG}, ${offH}`);
    errorG += offG / n;
    errorH += offH / n;
  }
  // As above.
  if (Math.abs(errorG) > 0.04 || Math.abs(errorH) > 0.04) throw new Error(`${errorG}, ${errorH}`);
});

law("weigh, gradientStats", (n, seed) => {
  bothAgree(seed, (memory, rng) => {
    for (const at of [A, B, C]) floats(memory, at, n, rng, 2);
  }, (kernels) => {
    kernels.weigh(A, B, C, n);
    kernels.gradientStats(A, B, n, D);
  });
});

law("quantise", (n, seed, k) => {
  for (const masked of [false, true]) {
    bothAgree(seed, (memory, rng) => {
      for (let i = 0; i < n; i++) {
        memory.f64[(A >>> 3) + i] = rng.nextFloat() * 2 - 1;
        memory.f64[(B >>> 3) + i] = rng.nextFloat();
        memory.u8[C + i] = rng.nextInt(2);
      }
    }, (kernels) => [
      kernels.listRows(n, masked ? C : 0, D + 8192),
      kernels.quantise(
        A,
        B,
        n,
        1000 * k,
        masked ? C : 0,
        D,
        D + 16384,
        2 ** 31,
        2 ** 30,
        k >= 4 ? 0 : 32766 / k,
        65534 / k,
        seed >>> 0,
        E,
      ),
    ]);
  }
});
