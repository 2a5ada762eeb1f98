import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createMemory, type Memory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import type { Kernels } from "../../../src/kernels/types.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { createRng } from "../../../src/util/rng.ts";

/** What a call does to the bytes of both kinds of memory; they have to agree in all of them. */
function both(size: number, work: (memory: Memory, kernels: Kernels) => number): void {
  const [twin, wasm] = [createMemory({ plain: true }), createMemory()].map((memory) => {
    memory.ensure(size);
    const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
    return { result: work(memory, kernels), bytes: memory.u8.slice(4096, size) };
  });
  assertEquals(wasm.result, twin.result);
  assertEquals(wasm.bytes.every((byte, i) => byte === twin.bytes[i]), true);
}

const FIRST = 4096 + 3; // codes begin at any byte
const SECOND = 2 ** 13 + 1;
const OUT = 3 * 2 ** 12 + 5;
const PAIRS = 2 ** 14;
const NUMBERS = PAIRS + 512;

Deno.test("wasm equals its twin: codes of levels, missing and unknown ones", () => {
  fc.assert(
    fc.property(fc.nat(70), fc.constantFrom(1, 2, 200, 254), fc.nat(), (n, unknown, seed) => {
      for (const wide of [false, true]) {
        const most = wide ? 256 * unknown : unknown;
        both(NUMBERS, (memory, kernels) => {
          const rng = createRng(seed);
          const usual = () => rng.nextInt(most + 3) - (seed % 2);
          const levels = Int32Array.from(
            { length: n },
            () => [2 ** 31 - 1, -(2 ** 31), -7][rng.nextInt(40)] ?? usual(),
          );
          memory.i32.set(levels, 4096 >>> 2);
          const out = wide ? OUT + 1 : OUT;
          const missing = kernels[wide ? "levels16" : "levels8"](4096, n, most, out);
          assertEquals(missing, levels.some((level) => level < 0) ? 1 : 0);
          const codes = wide ? memory.u16.subarray(out >>> 1) : memory.u8.subarray(out);
          levels.forEach((level, i) => {
            assertEquals(codes[i], level < 0 ? most + 1 : Math.min(level, most));
          });
          return missing;
        });
      }
    }),
    { numRuns: 40 },
  );
});

Deno.test("wasm equals its twin: pairs of codes numbered, few and too many", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3000 }),
      fc.oneof(fc.nat(40), fc.constant(255)),
      fc.nat(),
      (n, most, seed) => {
        both(NUMBERS + 2 ** 17, (memory, kernels) => {
          const rng = createRng(seed);
          const pairs = new Set<number>();
          for (let i = 0; i < n; i++) {
            const [a, b] = [rng.nextInt(most + 1), rng.nextInt(most + 1)];
            memory.u8[FIRST + i] = a;
            memory.u8[SECOND + i] = b;
            pairs.add(256 * a + b);
          }
          const count = kernels.numberPairs(FIRST, SECOND, n, NUMBERS, PAIRS, OUT);
          assertEquals(count, pairs.size <= 256 ? pairs.size : -1);
          // The table is ready for the next call.
          const numbers = memory.u8.subarray(NUMBERS, NUMBERS + 2 ** 17);
          assertEquals(numbers.every((byte) => byte === 0), true);
          if (count < 0) return count;
          const found = [...memory.u16.subarray(PAIRS >>> 1, (PAIRS >>> 1) + count)];
          assertEquals(found, [...pairs]); // in the order in which they are first met
          for (let i = 0; i < n; i++) {
            const pair = 256 * memory.u8[FIRST + i] + memory.u8[SECOND + i];
            assertEquals(found[memory.u8[OUT + i]], pair);
          }
          return count;
        });
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("wasm equals its twin: codes that meet others, and codes merged", () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.oneof(fc.nat(15), fc.nat(255)),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(),
      (
        n,
        usual,
        rare,
        seed,
      ) => {
        both(NUMBERS, (memory, kernels) => {
          const rng = createRng(seed);
          for (let i = 0; i < n; i++) {
            memory.u8[FIRST + i] = rng.nextInt(rare) === 0
              ? rng.nextInt(seed & 1 ? 16 : 256)
              : usual;
            memory.u8[SECOND + i] = rng.nextInt(rare) === 0 ? rng.nextInt(256) : 0;
          }
          for (let i = 0; i < 256; i++) memory.u8[PAIRS + i] = rng.nextInt(256);
          const meets = kernels.meetsOther(FIRST, n, usual, SECOND);
          let expected = 0;
          for (let i = 0; i < n; i++) {
            if (memory.u8[FIRST + i] !== usual && memory.u8[SECOND + i] !== 0) expected = 1;
          }
          assertEquals(meets, expected);
          kernels.mergeCodes(SECOND, FIRST, n, PAIRS);
          return meets;
        });
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("wasm equals its twin: rows spread over all, their codes, and how many there are", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4000 }), fc.nat(300), fc.nat(255), fc.nat(), (
      numRows,
      count,
      most,
      seed,
    ) => {
      both(NUMBERS, (memory, kernels) => {
        const rng = createRng(seed);
        for (let i = 0; i < numRows; i++) memory.u8[FIRST + i] = rng.nextInt(most + 1);
        for (const stride of [1, 1 + Math.floor(numRows / 50)]) {
          // At least half of the rows that are looked at.
          const looked = Array.from(
            { length: Math.ceil(numRows / stride) },
            (_, i) => memory.u8[FIRST + i * stride],
          );
          const usual = kernels.usualCode(FIRST, numRows, stride, NUMBERS - 1024);
          const counts = new Map<number, number>();
          for (const code of looked) counts.set(code, (counts.get(code) ?? 0) + 1);
          const halves = [...counts].filter(([, count]) => count / looked.length >= 0.5);
          const most = Math.min(...halves.map(([code]) => code));
          assertEquals(usual, halves.length === 0 ? -1 : most);
        }
        kernels.spreadRows(numRows, count, PAIRS);
        const rows = [...memory.u32.subarray(PAIRS >>> 2, (PAIRS >>> 2) + count)];
        // Knuth's multiplicative hash: 2^32 over the golden ratio.
        const spread = rows.map((_, i) => Number((BigInt(i) * 0x9e3779b1n) & 0xffffffffn));
        assertEquals(rows, spread.map((hash) => hash % numRows));
        kernels.gather8(FIRST, PAIRS, count, OUT);
        const codes = rows.map((row) => memory.u8[FIRST + row]);
        assertEquals([...memory.u8.subarray(OUT, OUT + count)], codes);
        const seen = kernels.codesSeen(OUT, count);
        assertEquals(seen, new Set(codes).size);
        return seen;
      });
    }),
    { numRuns: 60 },
  );
});

Deno.test("wasm equals its twin: columns of one, two and more values", () => {
  const kinds = [[3], [0, 1], [-0, 0], [-2.5, 7], [-1, Infinity], [1, 5, 0], [NaN, 2], [4, 6, NaN]];
  fc.assert(
    fc.property(
      fc.nat(90),
      fc.constantFrom(...kinds),
      fc.boolean(),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(),
      (n, kind, wide, rare, seed) => {
        const rng = createRng(seed);
        const [low, high = low] = kind;
        const column = Array.from({ length: n }, () => {
          return rng.nextInt(rare) === 0 ? kind[rng.nextInt(kind.length)] : high;
        });
        const isFlag = column.every((value) => value === low || value === high);
        both(PAIRS, (memory, kernels) => {
          if (wide) memory.f64.set(column, 4096 >>> 3);
          else new Float32Array(memory.u8.buffer).set(column, 4096 >>> 2);
          const done = kernels[wide ? "twoCodes64" : "twoCodes32"](4096, n, low, high, OUT);
          assertEquals(done, isFlag ? 1 : 0);
          const codes = memory.u8.subarray(OUT, OUT + n);
          if (isFlag) assertEquals([...codes], column.map((value) => value === high ? 1 : 0));
          else codes.fill(0); // not defined
          return done;
        });
      },
    ),
    { numRuns: 200 },
  );
});
