import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createMemory, type Memory } from "../../src/kernels/memory.ts";
import { twinKernels } from "../../src/kernels/twin.ts";
import {
  type Kernels,
  ROOT_VALUE_BYTES,
  SCAN_WORK_BYTES,
  SIGNED_WORK_BYTES,
  TABLE_BYTES,
} from "../../src/kernels/types.ts";
import { wasmKernels } from "../../src/kernels/wasm.ts";
import { createRng, type Rng } from "../../src/util/rng.ts";

const SPACE = 1 << 20;

/** Runs the same work on equal memories with both kernels; every byte must agree. */
function bothAgree(
  seed: number,
  prepare: (memory: Memory, rng: Rng) => void,
  work: (kernels: Kernels, memory: Memory) => unknown,
  space = SPACE,
): void {
  const [twin, wasm] = [createMemory({ plain: true }), createMemory()].map((memory) => {
    memory.ensure(space);
    prepare(memory, createRng(seed));
    const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
    return { result: work(kernels, memory), bytes: memory.u8.slice(4096, space) };
  });
  assertEquals(twin.result, wasm.result);
  for (let i = 0; i < twin.bytes.length; i++) {
    if (twin.bytes[i] !== wasm.bytes[i]) {
      throw new Error(`byte ${i + 4096} is ${twin.bytes[i]} by the twin, ${wasm.bytes[i]} by wasm`);
    }
  }
}

function law(
  name: string,
  check: (n: number, seed: number, k: number) => void,
): void {
  Deno.test(`wasm equals its twin: ${name}`, () => {
    fc.assert(fc.property(fc.nat(300), fc.nat(), fc.integer({ min: 1, max: 5 }), check), {
      numRuns: 40,
    });
  });
}

const [A, B, C, D, E] = [8192, 65536, 131072, 262144, 524288];
const PACKED = C + 65536;

function floats(memory: Memory, at: number, n: number, rng: Rng, scale: number): void {
  for (let i = 0; i < n; i++) {
    // Mostly ordinary numbers, and some at the ends of the range of e^x.
    const kind = rng.nextInt(20);
    memory.f64[(at >>> 3) + i] = kind === 0
      ? 0
      : kind === 1
      ? (rng.nextFloat() - 0.5) * 3000
      : (rng.nextFloat() - 0.5) * scale;
  }
}

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
    kernels.leafSumsSigned(E, 1, C, n, factor, 2 ** (4 * k), 2 ** 20, D + 32768);
    kernels.leafSumsSigned(E + 4096, 4, C, n, factor, 2 ** (4 * k), 2 ** 20, D + 36864);
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

/** Lists rows after `first` in ascending order with gaps of up to `gap`; the next row's number. */
function listRows(
  memory: Memory,
  at: number,
  n: number,
  rng: Rng,
  gap: number,
  first = 0,
): number {
  let row = first;
  for (let i = 0; i < n; i++) {
    row += 1 + rng.nextInt(gap);
    memory.u16[(at >>> 1) + i] = row;
  }
  return row + 1;
}

law("chooseRows", (n, seed, k) => {
  for (const count of [1, n >> 1, n]) {
    for (const part of [0, A]) {
      bothAgree(seed, (memory, rng) => {
        for (let i = 0; i < n; i++) memory.u8[A + i] = rng.nextInt(k);
      }, (kernels, { u8 }) => {
        kernels.chooseRows(n, count, seed * 2 + k, part, 2, B, C);
        if (part !== 0) return;
        assertEquals(u8.subarray(C, C + n).reduce((a, b) => a + b, 0), Math.min(n, count));
      });
    }
  }
});

law("partition, leaf numbers", (n, seed, k) => {
  for (const width of [8, 16] as const) {
    const first = k === 5 ? 64000 : 0; // up to the last rows that two bytes can name
    bothAgree(seed, (memory, rng) => {
      const rows = listRows(memory, A, n, rng, k, first);
      const codes = width === 8 ? memory.u8.subarray(B) : memory.u16.subarray(B >>> 1);
      for (let i = first; i < rows; i++) codes[i] = rng.nextInt(width === 8 ? 256 : 1000);
      for (let i = 0; i < 1000; i++) memory.u8[C + i] = rng.nextInt(2);
    }, (kernels) => {
      const size = k % 2 === 0 ? 1 : 4;
      kernels[`splitLeaf${width}`](A, n, B, C, D, size, 3, 204);
      kernels.fillLeaf(A, n >> 1, D, size, 7);
      return n === 0 ? 0 : kernels[`partition${width}`](A, n, E, B, C);
    });
  }
});

law("partition of all rows, which is that of a list of them", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    const isCategory = k === 1;
    const last = isCategory ? -1 : rng.nextInt(255);
    const other = k < 4 ? 0 : 255;
    for (let i = 0; i < n; i++) memory.u8[B + i] = rng.nextInt(9) === 0 ? 255 : rng.nextInt(256);
    for (let code = 0; code < 256; code++) {
      const goesLeft = isCategory ? rng.nextInt(2) === 1 : code <= last || code === other;
      memory.u8[C + code] = goesLeft ? 1 : 0;
    }
    memory.i32.set([last, other], (C >>> 2) + 64);
    for (let i = 0; i < n; i++) memory.u16[(A >>> 1) + i] = i;
  }, (kernels, { i32, u8 }) => {
    const [last, other] = i32.subarray((C >>> 2) + 64, (C >>> 2) + 66);
    const numLeft = kernels.partitionAll8(n, D, B, C, last, other);
    if (n === 0) return numLeft;
    assertEquals(kernels.partition8(A, n, E, B, C), numLeft);
    assertEquals(u8.slice(D, D + 2 * n), u8.slice(E, E + 2 * n));
    return numLeft;
  });
});

law("leafSums, addLeaves", (n, seed, k) => {
  const size = k % 2 === 0 ? 1 : 4;
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < n; i++) {
      if (size === 1) memory.u8[A + i] = rng.nextInt(k);
      else memory.i32[(A >>> 2) + i] = rng.nextInt(k);
      memory.f64[(B >>> 3) + i] = rng.nextInt(1 << 30);
      memory.f64[(C >>> 3) + i] = rng.nextInt(1 << 30);
      memory.f64[(D >>> 3) + i] = rng.nextFloat();
    }
  }, (kernels) => {
    kernels.leafSums(A, size, B, C, n, 2 ** (4 * k), 2 ** 20, E);
    kernels.addLeaves(D, A, size, B, n);
  });
});

law("route", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < n * 4; i++) memory.u8[A + i] = rng.nextInt(256);
    for (let i = 0; i < n * 2; i++) memory.u16[(B >>> 1) + i] = rng.nextInt(1000);
    for (let i = 0; i < 1000; i++) memory.u8[C + i] = rng.nextInt(2);
    // A chain of k nodes: each sends left to a leaf and right to the next.
    for (let i = 0; i < k; i++) {
      const at = (D >>> 2) + 4 * i;
      memory.u32[at] = i % 2 === 0 ? rng.nextInt(4) : 0x80000000 + 2 * rng.nextInt(2);
      memory.u32[at + 1] = C;
      memory.i32[at + 2] = ~i;
      memory.i32[at + 3] = i + 1 < k ? i + 1 : ~k;
    }
  }, (kernels) => {
    kernels.route(A, 4, B, 4, n, D, E, 1);
    kernels.route(A, 4, B, 4, n, D, E + 4096, 4);
  });
});

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

law("histograms of several outputs", (n, seed, k) => {
  const [stride, features] = [4 * k, 4 * k - (seed % 2 === 0 ? 0 : 2)];
  const outputs = 1 + seed % 8;
  const [roots, cells, ranges, values, copyBytes] = [1 << 19, 1 << 18, 4096, 8192, 4 * k * 16384];
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < n * stride; i += 4) memory.u32[(B + i) >>> 2] = rng.nextUint32();
    for (let i = 0; i < n * outputs; i++) memory.u32[(C >>> 2) + i] = rng.nextUint32();
    for (let i = 0; i < k; i++) {
      memory.u32.set([512 * i, 512 * i + rng.nextInt(257)], (ranges >>> 2) + 2 * i);
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
  memory.u32.set([0, 256 * features], 4096 >>> 2);
  kernels.addRoots(n, B, 8, features, C, 4 * n, outputs, A + 4096, 1 << 19);
  for (let k = 0; k < outputs; k++) {
    memory.u8.fill(0, D, D + 32768);
    kernels.packed8(A, n, B, 8, features, C + 4 * k * n, D);
    kernels.takeRoots(4096, 1, 1 << 19, 1, 0, k, D + 16384);
    assertEquals(
      memory.u8.slice(D + 16384, D + 16384 + 2048 * features),
      memory.u8.slice(D, D + 2048 * features),
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
    for (let f = 0; f < k; f++) memory.u8[E + f] = rng.nextInt(256);
  }, (kernels) => {
    kernels.rowsOf8(A, E, k, n >> 2, n >> 1, (k + 3) & ~3, C);
    kernels.rowsOf16(A, k, n >> 2, n >> 1, 2 * k, D);
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
