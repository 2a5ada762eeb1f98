import { TABLE_BYTES } from "../../../src/kernels/types.ts";
import { A, B, bothAgree, C, D, E, law } from "../../support/laws/kernels.ts";

law("quantiles, bins", (n, seed, k) => {
  for (const single of [true, false]) {
    bothAgree(seed, (memory, rng) => {
      for (let i = 0; i < n; i++) {
        const kind = rng.nextInt(12);
        const value = kind === 0
          ? NaN
          : kind === 1
          ? [0, -0, Infinity, -Infinity, 1e-310][rng.nextInt(5)]
          : (rng.nextFloat() - 0.5) * 10 ** rng.nextInt(k);
        memory.f64[(A >>> 3) + i] = single ? Math.fround(value) : value;
      }
      for (let i = 0; i < 15; i++) memory.f64[(B >>> 3) + i] = i < 9 ? i - 4.5 : Infinity;
    }, (kernels, memory) => {
      const pairs = kernels.quantilePairs(A, n, 8 * k, C, E, D);
      const missing = memory.u32[E >>> 2];
      memory.u8.fill(0, C, C + 65536);
      memory.u8.fill(0, E, E + TABLE_BYTES);
      kernels.mapValues8(A, n, B, 16, 200, C, E);
      kernels.mapValues16(A, n, B, 16, 2000, E + 4096);
      return [missing, pairs];
    });
  }
});

law("columns to rows", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < 2 * n * k; i++) memory.u8[B + i] = rng.nextInt(256);
    for (let f = 0; f < k; f++) memory.u32[(A >>> 2) + f] = B + 2 * f * n;
  }, (kernels) => {
    kernels.rowsOf8(A, k, n >> 2, n >> 1, (k + 3) & ~3, C);
    kernels.rowsOf16(A, k, n >> 2, n >> 1, 2 * k, D);
  });
});
