import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createMemory, type Memory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { type Kernels, MAP_TABLE_BYTES, TABLE_BYTES } from "../../../src/kernels/types.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { createRng, type Rng } from "../../../src/util/rng.ts";

/** Columns of every kind that the wasm kernel treats in a way of its own. */
const COLUMNS: Record<string, (rng: Rng) => number> = {
  normal: (rng) => normal(rng),
  float32: (rng) => Math.fround(normal(rng)),
  "heavy tails": (rng) => Math.sign(normal(rng)) * Math.exp(20 * normal(rng)),
  "a few values": (rng) => rng.nextInt(20),
  "more values than bins": (rng) => rng.nextInt(3000) / 7,
  "many values, often equal": (rng) => rng.nextInt(6000),
  "half zeros of both signs": (rng) => [0, -0, normal(rng), normal(rng)][rng.nextInt(4)],
  "missing and infinite": (rng) => [NaN, Infinity, -Infinity, normal(rng)][rng.nextInt(4)],
  "close together": (rng) => 1e15 + rng.nextInt(50000),
  "one value and the rest": (rng) => rng.nextInt(50) === 0 ? normal(rng) : 3,
  missing: () => NaN,
};

function normal(rng: Rng): number {
  return rng.nextFloat() + rng.nextFloat() + rng.nextFloat() + rng.nextFloat() - 2;
}

const VALUES = 4096;

/** Bins of a column by the kernels of a memory. */
function binsOf(
  memory: Memory,
  draw: (rng: Rng) => number,
  n: number,
  maxBins: number,
  seed: number,
) {
  const scratch = VALUES + 8 * n;
  const tables = scratch + 16 * n;
  const pairsAt = tables + TABLE_BYTES;
  const cuts = pairsAt + 16 * 4096;
  const codes = cuts + 8 * 256 + MAP_TABLE_BYTES;
  memory.ensure(codes + n + 64);
  const rng = createRng(seed);
  for (let i = 0; i < n; i++) memory.f64[(VALUES >>> 3) + i] = draw(rng);
  const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
  const pairs = kernels.quantilePairs(VALUES, n, maxBins, scratch, tables, pairsAt);
  const found = memory.f64.slice(pairsAt >>> 3, (pairsAt >>> 3) + 2 * pairs);
  const missing = memory.u32[tables >>> 2];
  const few = Math.min(255, pairs);
  memory.f64.fill(Infinity, cuts >>> 3, (cuts >>> 3) + 256);
  memory.f64.set(found.filter((_, i) => i % 2 === 0).subarray(0, few), cuts >>> 3);
  kernels.mapValues8(VALUES, n, cuts, 256, 255, cuts + 8 * 256, codes);
  const mapped = memory.u8.slice(codes, codes + n);
  if (maxBins > 255) return { missing, found, mapped };
  // Both at once.
  memory.f64.fill(0, pairsAt >>> 3, cuts >>> 3);
  const count = kernels.quantileCodes(VALUES, n, maxBins, scratch, tables, pairsAt, codes);
  assertEquals(memory.f64.slice(pairsAt >>> 3, (pairsAt >>> 3) + 2 * count), found);
  assertEquals(memory.u32[tables >>> 2], missing);
  const coded = memory.u8.slice(codes, codes + n);
  coded.forEach((code, i) => {
    const isMissing = Number.isNaN(memory.f64[(VALUES >>> 3) + i]);
    if (code !== (isMissing ? pairs + 1 : mapped[i])) throw new Error(`row ${i}: ${code}`);
  });
  return { missing, found, mapped };
}

for (const [name, draw] of Object.entries(COLUMNS)) {
  Deno.test(`wasm equals its twin: quantiles and bins of long columns, ${name}`, () => {
    const rows = fc.integer({ min: 16384, max: 24000 });
    const bins = fc.constantFrom(1, 2, 16, 63, 255, 1000, 4000);
    fc.assert(
      fc.property(rows, bins, fc.nat(), (n, maxBins, seed) => {
        const twin = binsOf(createMemory({ plain: true }), draw, n, maxBins, seed);
        const wasm = binsOf(createMemory(), draw, n, maxBins, seed);
        assertEquals(wasm, twin);
      }),
      { numRuns: 6 },
    );
  });
}

/** Columns whose values repeat: counted as a whole, or only their frequent values. */
const REPEATING: Record<string, (rng: Rng) => number> = {
  "mostly zero": (rng) => rng.nextInt(20) > 0 ? 0 : normal(rng),
  "zeros of both signs, missing, and amounts": (rng) =>
    [0, -0, NaN, Math.exp(4 * normal(rng)), Math.exp(4 * normal(rng))][rng.nextInt(5)],
  "thousands of values": (rng) => rng.nextInt(9000) / 3,
  "few frequent and thousands rare": (rng) => Math.floor(30000 * rng.nextFloat() ** 4) / 100,
  "frequent neighbours in one bucket": (rng) =>
    [1, 1 + 2 ** -52, 1 + 2 ** -51, 1 + 2 ** -40 * rng.nextFloat(), normal(rng)][rng.nextInt(5)],
  "frequent at the ends": (rng) =>
    [-Infinity, Infinity, -5, 5, normal(rng), normal(rng)][rng.nextInt(6)],
  "every other value of a hundred, the rest apart": (rng) =>
    rng.nextInt(2) === 0 ? rng.nextInt(100) / 10 - 5 : 5 * normal(rng),
  "two values and hardly others": (rng) =>
    rng.nextInt(500) === 0 ? normal(rng) * 1e6 : rng.nextInt(2) / 3,
};

for (const [name, draw] of Object.entries(REPEATING)) {
  Deno.test(`wasm equals its twin: quantiles and bins of repeated values, ${name}`, () => {
    const rows = fc.integer({ min: 65536, max: 80000 });
    fc.assert(
      fc.property(rows, fc.constantFrom(2, 63, 255, 1000), fc.nat(), (n, maxBins, seed) => {
        const twin = binsOf(createMemory({ plain: true }), draw, n, maxBins, seed);
        const wasm = binsOf(createMemory(), draw, n, maxBins, seed);
        assertEquals(wasm, twin);
      }),
      { numRuns: 3 },
    );
  });
}

/** Columns, and whether they are of whole numbers that lie near each other. */
const WHOLE: readonly [name: string, isTaken: boolean, draw: (rng: Rng) => number][] = [
  ["ages", true, (rng) => 17 + rng.nextInt(74)],
  ["one number", true, () => -3],
  ["zeros of both signs and missing", true, (rng) => [0, -0, NaN, 2, -7][rng.nextInt(5)]],
  ["mostly zero, more numbers than bins", true, (rng) => rng.nextInt(9) > 0 ? 0 : rng.nextInt(900)],
  ["sparse", true, (rng) => 40 * (rng.nextInt(700) - 350)],
  ["at the ends of what may be", true, (rng) => 2 ** 24 - 4 + 3 * rng.nextInt(2)],
  ["far apart", false, (rng) => 131072 * rng.nextInt(2)],
  ["fractions, seldom", false, (rng) => rng.nextInt(999) === 0 ? 0.5 : rng.nextInt(3)],
  ["infinite, seldom", false, (rng) => rng.nextInt(999) === 0 ? -Infinity : rng.nextInt(3)],
  ["too large", false, (rng) => 2 ** 30 + 128 * rng.nextInt(2)],
  ["too small", false, () => -(2 ** 30)],
  ["missing", false, () => NaN],
];

/** Pairs, missing rows and codes that kernels find in a column of float32 or float64. */
function codesOf(
  memory: Memory,
  find: (kernels: Kernels) => Kernels["quantileCodes"],
  column: readonly number[],
  maxBins: number,
  isWide: boolean,
) {
  const n = column.length;
  const [tables, pairsAt, codes] = [4096, 4096 + TABLE_BYTES, 8192 + TABLE_BYTES];
  const values = codes + Math.ceil(n / 8) * 8;
  const scratch = values + 8 * n;
  memory.ensure(scratch + Math.max(65536, 16 * n));
  if (isWide) memory.f64.set(column, values >>> 3);
  else new Float32Array(memory.u8.buffer as ArrayBuffer).set(column, values >>> 2);
  const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
  const count = find(kernels)(values, n, maxBins, scratch, tables, pairsAt, codes);
  return count < 0 ? undefined : {
    pairs: memory.f64.slice(pairsAt >>> 3, (pairsAt >>> 3) + 2 * count),
    missing: memory.u32[tables >>> 2],
    codes: memory.u8.slice(codes, codes + n),
  };
}

for (const [name, isTaken, draw] of WHOLE) {
  Deno.test(`whole numbers are coded as other numbers are: ${name}`, () => {
    const rows = fc.integer({ min: 70_000, max: 80_000 });
    fc.assert(
      fc.property(rows, fc.constantFrom(2, 63, 255), fc.nat(), (n, maxBins, seed) => {
        const rng = createRng(seed);
        const column = Array.from({ length: n }, () => draw(rng));
        const twin = createMemory({ plain: true });
        const expected = isTaken
          ? codesOf(twin, (kernels) => kernels.quantileCodes, column, maxBins, true)
          : undefined;
        for (const memory of [twin, createMemory()]) {
          const narrow = codesOf(memory, (one) => one.wholeCodes32, column, maxBins, false);
          assertEquals(narrow, expected);
          const wide = codesOf(memory, (one) => one.wholeCodes64, column, maxBins, true);
          assertEquals(wide, expected);
        }
      }),
      { numRuns: 4 },
    );
  });
}

Deno.test("whole numbers of few rows lie less than twice as far apart as there are rows", () => {
  fc.assert(fc.property(fc.integer({ min: 2, max: 40 }), fc.nat(40), (n, more) => {
    const column = Array.from({ length: n }, (_, i) => i === n - 2 ? 2 * n - 15 + more : i & 1);
    const span = Math.max(...column) - Math.min(...column);
    const distinct = [...new Set(column)].sort((a, b) => a - b);
    const expected = span < 2 * n ? column.map((value) => distinct.indexOf(value)) : undefined;
    for (const memory of [createMemory({ plain: true }), createMemory()]) {
      for (const isWide of [false, true]) {
        const find = (one: Kernels) => isWide ? one.wholeCodes64 : one.wholeCodes32;
        const found = codesOf(memory, find, column, 255, isWide);
        assertEquals(found && [...found.codes], expected);
      }
    }
  }));
});

Deno.test("wasm equals its twin: float32 values widened", () => {
  const values = Float32Array.from({ length: 103 }, (_, i) => [NaN, -0, 1e-40][i] ?? Math.sin(i));
  const [twin, wasm] = [createMemory({ plain: true }), createMemory()].map((memory) => {
    memory.ensure(16384);
    new Float32Array(memory.u8.buffer, 4096, values.length).set(values);
    const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
    kernels.widen(4096, values.length, 8192);
    return memory.f64.slice(1024, 1024 + values.length);
  });
  assertEquals(wasm, twin);
  assertEquals(wasm, Float64Array.from(values));
});

Deno.test("columns to rows: every code at its place, however many columns", () => {
  const one = fc.record({
    features: fc.integer({ min: 1, max: 70 }),
    more: fc.constantFrom(0, 1, 3, 4, 8, 17),
    n: fc.integer({ min: 0, max: 70 }),
    from: fc.integer({ min: 0, max: 9 }),
    seed: fc.nat(),
  });
  fc.assert(fc.property(one, ({ features, more, n, from, seed }) => {
    const rng = createRng(seed);
    const codes = Array.from(
      { length: features },
      () => Uint8Array.from({ length: from + n }, () => rng.nextInt(256)),
    );
    const stride = more === 1 ? (features + 3) & ~3 : features + more;
    const [columns, table, out] = [4096, 17408, 20480];
    const end = out + stride * n;
    for (const memory of [createMemory({ plain: true }), createMemory()]) {
      memory.ensure(end + 64);
      memory.u8.fill(7, out, end + 64);
      codes.forEach((column, f) => {
        memory.u8.set(column, columns + 80 * f);
        memory.u32[(table >>> 2) + f] = columns + 80 * f;
      });
      const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
      kernels.rowsOf8(table, features, from, n, stride, out);
      const wrong = memory.u8.subarray(out, end).findIndex((code, at) =>
        code !== (codes[at % stride]?.[from + Math.floor(at / stride)] ?? 0)
      );
      assertEquals(wrong, -1, `row ${Math.floor(wrong / stride)}, column ${wrong % stride}`);
      // Nothing is written behind the last row.
      assertEquals(memory.u8.subarray(end, end + 64).every((byte) => byte === 7), true);
    }
  }));
});
