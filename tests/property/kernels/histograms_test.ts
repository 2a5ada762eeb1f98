import { assertEquals } from "@std/assert";
import { createMemory, type Memory } from "../../../src/kernels/memory.ts";
import { type Kernels, ROOT_VALUE_BYTES, SCAN_WORK_BYTES } from "../../../src/kernels/types.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { createRng } from "../../../src/util/rng.ts";
import { A, B, bothAgree, C, D, E, law, listRows, PACKED } from "../../support/laws/kernels.ts";

law("histograms", (n, seed, k) => {
  const features = 4 * k;
  bothAgree(seed, (memory, rng) => {
    const rows = listRows(memory, A, n, rng, k);
    for (let i = 0; i < rows * features; i++) memory.u8[B + i] = rng.nextInt(256);
    for (let i = 0; i < rows; i++) {
      memory.f64[(C >>> 3) + i] = rng.nextInt(1 << 30) - (1 << 29);
      memory.f64[((C + 32768) >>> 3) + i] = rng.nextInt(1 << 30);
      memory.u32[(PACKED >>> 2) + i] = rng.nextUint32();
    }
  }, (kernels) => {
    kernels.packed8(A, n, B, features, features, PACKED, D);
    kernels.packed8(A, n, B, features, 4 * k - 2, PACKED, D + 65536);
    kernels.wide8(A, n, B, features, features, C, C + 32768, E);
    kernels.count8(A, n, B, features, features, E + 131072);
  });
});

law("cells of ranges", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < 2 * k; i++) memory.u32[(A >>> 2) + i] = 64 * i + rng.nextInt(64);
    for (const at of [B, C]) {
      for (let i = 0; i < 4096; i++) memory.f64[(at >>> 3) + i] = rng.nextInt(1 << 30);
    }
  }, (kernels) => {
    for (const size of [4, 8, 16]) {
      kernels.addCells(A, k, B, C, size);
      kernels.subtractCells(A, k - 1, C, B, size);
      kernels.clearCells(A + 8, k - 1, n % 2 === 0 ? B : C, size);
    }
  });
});

law("scanFeatures", (n, seed, k) => {
  for (const wide of [0, 1]) {
    for (const [allowed, counted] of [[0, 0], [C, B]]) {
      bothAgree(seed, (memory, rng) => {
        const { f64, i32, u32, u8 } = memory;
        const rows = 1 + n % 40;
        for (let i = 0; i < k; i++) {
          // Few sums, so that features tie; one feature is no candidate.
          u32.set(
            [64 * i, 1 + rng.nextInt(20), i === 3 ? 0xffffffff : (7 * i) % 5, 0],
            (A >>> 2) + 4 * i,
          );
          u8[C + i] = rng.nextInt(3) === 0 ? 0 : 1;
        }
        for (let cell = 0; cell < 64 * k; cell++) {
          const [g, h] = rng.nextInt(3) === 0 ? [0, 0] : [rng.nextInt(5) - 2, 1 + rng.nextInt(2)];
          if (wide === 1) f64.set([g, h], (D >>> 3) + 2 * cell);
          else [u32[(D >>> 2) + 2 * cell], i32[(D >>> 2) + 2 * cell + 1]] = [h, g];
          u32[(B >>> 2) + cell] = h === 0 ? 0 : 1;
        }
        f64.set([3, 60, 0.5, 1, 1, 0, 1, 0.1, 2, rows], E >>> 3);
      }, (kernels, { u8, f64 }) => {
        return scanOf(kernels, { u8, f64 }, k, allowed, counted, wide);
      });
    }
  }
});

// Scores that float32 cannot tell apart, up to the largest sums that a histogram may have.
law("scanFeatures, many bins", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    const { f64, i32, u32 } = memory;
    const bins = Math.min(255, n + 1);
    const large = 2 ** (4 + (seed % 28)) / bins;
    let totals = [0, 0];
    for (let i = 0; i < 8; i++) {
      u32.set([256 * i, bins, (3 * i) % 8, 0], (A >>> 2) + 4 * i);
      for (let bin = 0; bin < bins; bin++) {
        const at = (D >>> 2) + 2 * (256 * i + bin);
        // Features are the first one in another order here and there, so that their scores are near.
        const from = (D >>> 2) +
          2 * (i > 0 && rng.nextInt(k) > 0 ? bin ^ (bin > bins - 2 ? 0 : 1) : bin);
        const isEmpty = rng.nextInt(4) === 0;
        const h = i > 0 ? u32[from] : isEmpty ? 0 : Math.floor(2 * large * rng.nextFloat());
        const g = i > 0
          ? i32[from + 1]
          : isEmpty
          ? 0
          : Math.floor((rng.nextFloat() - k / 6) * large);
        u32[at] = h;
        i32[at + 1] = g;
        if (i === 0) totals = [totals[0] + g, totals[1] + h];
      }
    }
    const parent = (totals[0] * 0.3) ** 2 / (totals[1] * 0.2 + 1);
    f64.set([...totals, 0.3, 0.2, 1, 0, large / k, parent, 0, 0], E >>> 3);
  }, (kernels, { u8, f64 }) => scanOf(kernels, { u8, f64 }, 8, 0, 0, 0));
});

/** Scans features, and empties what the scan has worked with. */
function scanOf(
  kernels: Kernels,
  { u8, f64 }: Pick<Memory, "u8" | "f64">,
  n: number,
  allowed: number,
  counted: number,
  wide: number,
): number[] {
  kernels.scanFeatures(A, n, allowed, D, counted, wide, E, E + 80, E + 8192);
  u8.fill(0, E + 80, E + 80 + SCAN_WORK_BYTES);
  return [...f64.subarray((E + 8192) >>> 3, (E + 8256) >>> 3)];
}

// More features than are added at once, more rows than a block of them.
law("histograms of many features", (n, seed, k) => {
  const features = 28 + 4 * (seed % 20);
  const [rows8, packed, out8, outWide] = [65536, 1 << 21, 1 << 19, 1 << 20];
  bothAgree(seed, (memory, rng) => {
    const rows = listRows(memory, A, 4 * n, rng, k);
    for (let i = 0; i < rows * features; i += 4) memory.u32[(rows8 + i) >>> 2] = rng.nextUint32();
    for (let i = 0; i < rows; i++) {
      memory.f64[((3 << 19) >>> 3) + i] = rng.nextInt(1 << 30) - (1 << 29);
      memory.f64[((7 << 18) >>> 3) + i] = rng.nextInt(1 << 30);
      memory.u32[(packed >>> 2) + i] = rng.nextUint32();
    }
  }, (kernels) => {
    kernels.packed8(A, 4 * n, rows8, features, features - 2 * (k & 1), packed, out8);
    kernels.wide8(A, 4 * n, rows8, features, features, 3 << 19, 7 << 18, outWide);
  }, (1 << 21) + 65536);
});

// Rows that follow each other are added without looking them up; others may begin and end as they do.
const LISTS: { readonly [name: string]: (rows: Uint16Array) => void } = {
  "that follow each other": () => {},
  "of which one is missing": (rows) => rows.forEach((_, i) => rows[i] += i < 7 ? 0 : 1),
  "of which two are in turn": (rows) => rows.subarray(3, 5).reverse(),
  "of which the last two are in turn": (rows) => rows.subarray(-2).reverse(),
};

// Blocks of 2048 rows and groups of 16 features, of which a few are left over; few rows, and long ones.
for (
  const [features, n] of [[28, 77], [46, 2100], [56, 2100], [100, 4099], [100, 20], [140, 1100]]
) {
  for (const [name, change] of Object.entries(LISTS)) {
    Deno.test(`wasm equals its twin: histograms of ${features} features and ${n} rows ${name}`, () => {
      const [rows8, packed, out8] = [65536, 1 << 19, 1 << 20];
      bothAgree(
        features + n,
        (memory, rng) => {
          listRows(memory, A, n, rng, 1);
          change(memory.u16.subarray(A >>> 1, (A >>> 1) + n));
          for (let i = 0; i <= (n + 1) * features; i += 4) {
            memory.u32[(rows8 + i) >>> 2] = rng.nextUint32();
          }
          for (let i = 0; i <= n + 1; i++) memory.u32[(packed >>> 2) + i] = rng.nextUint32();
        },
        (kernels) => kernels.packed8(A, n, rows8, features, features, packed, out8),
        3 << 19,
      );
    });
  }
}

// What rows lie apart by decides whether their codes, or their gradients too, are touched before.
for (const features of [8, 16, 28]) {
  for (const gap of [2, 4, 7, 13, 20, 30]) {
    Deno.test(`wasm equals its twin: histograms of ${features} features, rows ${gap} apart`, () => {
      const [rows8, packed, out8] = [65536, 1 << 19, 1 << 20];
      for (const n of [31, 32, 77, 131]) {
        bothAgree(
          features + n,
          (memory, rng) => {
            for (let i = 0; i < n; i++) memory.u16[(A >>> 1) + i] = gap * i + rng.nextInt(2);
            for (let i = 0; i <= gap * n * features; i += 4) {
              memory.u32[(rows8 + i) >>> 2] = rng.nextUint32();
            }
            for (let i = 0; i <= gap * n; i++) memory.u32[(packed >>> 2) + i] = rng.nextUint32();
          },
          (kernels) => kernels.packed8(A, n, rows8, features, features, packed, out8),
          3 << 19,
        );
      }
    });
  }
}

law("histograms of several outputs", (n, seed, k) => {
  const [stride, features] = [4 * k, 4 * k - (seed % 2 === 0 ? 0 : 2)];
  const outputs = 1 + seed % 8;
  const [roots, cells, ranges, values, copyBytes] = [1 << 19, 1 << 18, 4096, 8192, 4 * k * 16896];
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < n * stride; i += 4) memory.u32[(B + i) >>> 2] = rng.nextUint32();
    for (let i = 0; i < n * outputs; i++) memory.u32[(C >>> 2) + i] = rng.nextUint32();
    for (let i = 0; i < k; i++) {
      memory.u32.set([528 * i, 528 * i + rng.nextInt(257)], (ranges >>> 2) + 2 * i);
    }
  }, (kernels, { u8 }) => {
    for (let copy = 0; copy < 2; copy++) {
      kernels.addRoots(n, B, stride, features, C, 4 * n, outputs, values, roots + copy * copyBytes);
    }
    u8.fill(0, values, values + ROOT_VALUE_BYTES);
    kernels.takeRoots(ranges, k, roots, 2, copyBytes, outputs - 1, cells);
  }, (1 << 20) + 4 * copyBytes);
});

// What is built at once is what each output builds by itself.
Deno.test("cells of several outputs are those of each", () => {
  const memory = createMemory();
  memory.ensure(1 << 20);
  const kernels = wasmKernels(memory);
  const rng = createRng(5);
  const [n, features, outputs] = [1000, 6, 7];
  for (let i = 0; i < n * 8; i++) memory.u8[B + i] = rng.nextInt(256);
  for (let i = 0; i < n * outputs; i++) memory.u32[(C >>> 2) + i] = rng.nextUint32();
  for (let i = 0; i < n; i++) memory.u16[(A >>> 1) + i] = i;
  memory.u32.set([0, 264 * features], 4096 >>> 2);
  kernels.addRoots(n, B, 8, features, C, 4 * n, outputs, A + 4096, 1 << 19);
  for (let k = 0; k < outputs; k++) {
    memory.u8.fill(0, D, D + 32768);
    kernels.packed8(A, n, B, 8, features, C + 4 * k * n, D);
    kernels.takeRoots(4096, 1, 1 << 19, 1, 0, k, D + 16384);
    assertEquals(
      memory.u8.slice(D + 16384, D + 16384 + 2112 * features),
      memory.u8.slice(D, D + 2112 * features),
    );
  }
});

law("histograms of two-byte features", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    const rows = listRows(memory, A, n, rng, k);
    for (let i = 0; i < rows * k; i++) memory.u16[(B >>> 1) + i] = rng.nextInt(500);
    for (let i = 0; i < k; i++) memory.u32[(4096 >>> 2) + i] = 500 * i + 8;
    for (let i = 0; i < rows; i++) {
      memory.f64[(C >>> 3) + i] = rng.nextInt(1 << 30) - (1 << 29);
      memory.f64[((C + 32768) >>> 3) + i] = rng.nextInt(1 << 30);
      memory.u32[(PACKED >>> 2) + i] = rng.nextUint32();
    }
  }, (kernels) => {
    kernels.packed16(A, n, B, 2 * k, k, 4096, PACKED, D);
    kernels.wide16(A, n, B, 2 * k, k, 4096, C, C + 32768, E);
    kernels.count16(A, n, B, 2 * k, k, 4096, E + 131072);
  });
});

law("threshold scan", (n, seed, k) => {
  for (const [wide, counted] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
    bothAgree(seed, (memory, rng) => {
      let totalG = 0;
      let totalH = 0;
      let totalC = 0;
      for (let bin = 0; bin <= n; bin++) {
        const empty = rng.nextInt(3) === 0 || (bin === n && k < 3);
        const g = empty ? 0 : rng.nextInt(2000) - 1000;
        const h = empty ? 0 : rng.nextInt(1000);
        totalG += g;
        totalH += h;
        // Rows of weight 0 are counted too.
        const rows = empty && rng.nextInt(2) === 0 ? 0 : rng.nextInt(20);
        memory.u32[(D >>> 2) + bin] = rows;
        totalC += rows;
        if (wide === 1) memory.f64.set([g, h], (A >>> 3) + 2 * bin);
        else {
          memory.u32[(A >>> 2) + 2 * bin] = h;
          memory.i32[(A >>> 2) + 2 * bin + 1] = g;
        }
      }
      const lambda = rng.nextInt(2);
      const parent = totalH > 0 ? (totalG * 0.01) ** 2 / (totalH * 0.02 + lambda) : 0;
      const fewest = 1 + rng.nextInt(1 + (totalC >>> 1));
      memory.f64.set([totalG, totalH, 0.01, 0.02, lambda, 0.1 * (k - 1), k, parent], B >>> 3);
      memory.f64.set([fewest, totalC], (B >>> 3) + 8);
    }, (kernels, memory) => {
      kernels.scanThresholds(A, counted === 1 ? D : 0, wide, n, B, C);
      return memory.f64[C >>> 3] > 0;
    });
  }
});
