import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { drawGoss, goss, layOutGoss } from "../../../../../src/grow/histogram/gradients/goss.ts";
import type { HistContext } from "../../../../../src/grow/histogram/workspace/context.ts";
import type { HistLayout } from "../../../../../src/grow/histogram/workspace/layout.ts";
import type { Team } from "../../../../../src/grow/histogram/workspace/team.ts";
import { createArena, createMemory } from "../../../../../src/kernels/memory.ts";
import { twinKernels } from "../../../../../src/kernels/twin/twin.ts";
import { createRng } from "../../../../../src/util/rng.ts";

/** How a set is drawn from, and by whom. */
interface Setting {
  readonly numThreads: number;
  readonly blockRows: number;
  readonly partOf?: Uint8Array;
}

/** Threads that take turns in an odd order, on gradients of one or more outputs. */
function drawer(gradients: readonly Float64Array[], setting: Setting, hessian?: Float64Array) {
  const { numThreads, blockRows, partOf } = setting;
  const numRows = gradients[0]!.length;
  const numBlocks = Math.ceil(numRows / blockRows);
  const memory = createMemory();
  const arena = createArena(memory);
  const numOutputs = gradients.length;
  const part = partOf && arena.alloc(numRows);
  if (partOf) memory.u8.set(partOf, part);
  const layout = {
    numThreads,
    numOutputs,
    args: arena.alloc(128),
    counter: arena.alloc(64),
    sets: [{ rows: { numRows }, blockRows, numBlocks }],
    factor: arena.alloc(8 * numRows),
    mask: arena.alloc(numRows),
    gradient: arena.alloc(8 * numRows * numOutputs),
    hessian: arena.alloc(8 * numRows * numOutputs),
    goss: layOutGoss(arena, numThreads, numBlocks),
    ...(part && { members: { raw: [], partOf: part } }),
  } as unknown as HistLayout;
  const contexts = Array.from(
    { length: numThreads },
    (_, thread) =>
      ({ memory, layout, thread, kernels: twinKernels(memory) }) as unknown as HistContext,
  );
  const team: Team = {
    context: contexts[0]!,
    run() {
      memory.i32[layout.counter >>> 2] = 0;
      for (const context of contexts.toReversed()) goss(context);
    },
  };
  const at = (address: number, count = numRows) =>
    memory.f64.subarray(address >>> 3, (address >>> 3) + count);
  return (shares: { readonly top: number; readonly other: number }, seed: number, member = 0) => {
    gradients.forEach((g, k) => at(layout.gradient + 8 * k * numRows).set(g));
    at(layout.hessian, numRows * numOutputs).fill(1);
    if (hessian) at(layout.hessian).set(hessian);
    drawGoss(team, shares, member, createRng(seed));
    return {
      factor: at(layout.factor).slice(),
      mask: memory.u8.slice(layout.mask, layout.mask + numRows),
      gradient: at(layout.gradient, numRows * numOutputs).slice(),
      hessian: at(layout.hessian, numRows * numOutputs).slice(),
    };
  };
}

/** Rows of the largest sums; of equal ones the first. */
function largest(gradients: readonly Float64Array[], count: number): Set<number> {
  const rank = Array.from(
    gradients[0]!,
    (_, row) => gradients.reduce((sum, g) => sum + Math.abs(g[row]!), 0),
  );
  const rows = rank.map((_, row) => row);
  return new Set(rows.sort((a, b) => rank[b]! - rank[a]! || a - b).slice(0, count));
}

const rng = createRng(3);
const make = (value: (row: number) => number, rows = 1000) =>
  Float64Array.from({ length: rows }, (_, row) => value(row));

const GRADIENTS: { readonly [name: string]: readonly Float64Array[] } = {
  "spread out": [make(() => rng.nextFloat() - 0.5)],
  "two outputs": [make(() => rng.nextFloat() - 0.5), make(() => 1e-3 * rng.nextFloat())],
  "all alike": [make(() => 0.25)],
  "few values": [make(() => rng.nextInt(3))],
  "told apart by the last digit": [make(() => 1 + rng.nextInt(700) * 2 ** -52)],
  "told apart by the third": [make(() => 1 + rng.nextInt(700) * 2 ** -36)],
  "told apart by the third, then by the last": [
    make(() => 1 + rng.nextInt(4) * 2 ** -36 + rng.nextInt(300) * 2 ** -52),
  ],
  "tiny and huge": [make((row) => row % 2 === 0 ? 5e-324 * rng.nextInt(9) : 1e300 * row)],
  "zeros and infinities": [make((row) => row % 5 === 0 ? Infinity : 0)],
};

for (const [name, gradients] of Object.entries(GRADIENTS)) {
  Deno.test(`drawGoss() keeps the largest and draws as many as are asked for: ${name}`, () => {
    const seed = 11;
    let first: ReturnType<ReturnType<typeof drawer>> | undefined;
    for (const setting of [[1, 1000], [1, 300], [2, 64], [3, 170]] as const) {
      const draw = drawer(gradients, { numThreads: setting[0], blockRows: setting[1] });
      for (
        const [top, other] of [[0.2, 0.1], [0.003, 0.5], [0.999, 0.001], [0.2, 0.1055]] as const
      ) {
        const { factor } = draw({ top, other }, seed);
        const numTop = Math.floor(top * 1000);
        const numOther = Math.floor(other * 1000);
        const kept = largest(gradients, numTop);
        factor.forEach((f, row) => {
          if (kept.has(row)) assertEquals(f, 1, `row ${row}`);
        });
        const drawn = factor.filter((f, row) => !kept.has(row) && f !== 0);
        assertEquals(drawn.length, numOther);
        drawn.forEach((f) => assertEquals(f, (1000 - numTop) / numOther));
      }
      const found = draw({ top: 0.2, other: 0.1 }, seed);
      first ??= found;
      assertEquals(found, first, "on any threads, with any blocks");
    }
  });
}

Deno.test("drawGoss() keeps rows by the product of both derivatives, as LightGBM does", () => {
  // 10, 18, 24, 28, 30, 30, 28, 24, 18, 10.
  const [g, h] = [make((row) => row + 1, 10), make((row) => 10 - row, 10)];
  const draw = drawer([g], { numThreads: 1, blockRows: 10 }, h);
  for (let seed = 0; seed < 20; seed++) {
    const { factor } = draw({ top: 0.2, other: 0.1 }, seed);
    assertEquals([...factor.subarray(4, 6)], [1, 1]);
    assertEquals(factor.filter((f) => f === 8).length, 1);
  }
});

Deno.test("drawGoss() multiplies gradients, marks rows and leaves out those of the member's part", () => {
  const gradients = GRADIENTS["two outputs"]!;
  const partOf = Uint8Array.from({ length: 1000 }, (_, row) => row % 4);
  const draw = drawer(gradients, { numThreads: 2, blockRows: 128, partOf });
  const { factor, mask, gradient, hessian } = draw({ top: 0.3, other: 0.2 }, 5, 2);
  const whole = drawer(gradients, { numThreads: 1, blockRows: 1000 })({ top: 0.3, other: 0.2 }, 5);
  for (let row = 0; row < 1000; row++) {
    assertEquals(factor[row], row % 4 === 2 ? 0 : whole.factor[row]);
    assertEquals(mask[row], factor[row]! > 0 ? 1 : 0);
    for (const k of [0, 1]) {
      assertEquals(gradient[1000 * k + row], gradients[k]![row]! * factor[row]!);
      assertEquals(hessian[1000 * k + row], factor[row]);
    }
  }
});

Deno.test("drawGoss() estimates sums without bias, and draws all rows alike", () => {
  const values = make(
    (row) => (row % 10 === 0 ? 5 + row : 1 / (row + 1)) * (row % 2 ? -1 : 1),
    100,
  );
  const exact = values.reduce((a, b) => a + b);
  const draw = drawer([values], { numThreads: 1, blockRows: 100 });
  const times = new Float64Array(100);
  const runs = 2000;
  let mean = 0;
  for (let seed = 0; seed < runs; seed++) {
    const { factor } = draw({ top: 0.1, other: 0.2 }, seed);
    values.forEach((v, row) => mean += v * factor[row]! / runs);
    factor.forEach((f, row) => times[row]! += f === 0 ? 0 : 1);
  }
  assertAlmostEquals(mean, exact, 0.12); // a run's standard deviation is about 1.4: four of the mean
  // 20 of 90 rows: 444 ± 18.6 of 2000, and four and a half deviations, as there are 90 rows.
  times.forEach((count, row) =>
    assert(row % 10 === 0 ? count === runs : Math.abs(count - 444) < 84, `${row}: ${count}`)
  );
});

Deno.test("drawGoss() of many rows draws exactly as many as are asked for", () => {
  // Rows share the upper half of their draws with rows that are kept.
  const draw = drawer([make(() => rng.nextFloat(), 40_000)], { numThreads: 1, blockRows: 9000 });
  for (let seed = 0; seed < 12; seed++) {
    assertEquals(draw({ top: 0.5, other: 0.2 }, seed).factor.filter((f) => f > 0).length, 28_000);
  }
});

Deno.test("drawGoss() with shares of sum 1 is no sampling, whatever the number of rows", () => {
  for (const numRows of [1, 2, 3, 10, 11, 13, 37]) {
    const gradients = [make((row) => row, numRows)];
    const draw = drawer(gradients, { numThreads: 2, blockRows: 3 });
    for (const [top, other] of [[0.3, 0.7], [0.5, 0.5], [0.9, 0.1], [1, 0]] as const) {
      assertEquals(draw({ top, other }, 1).factor, new Float64Array(numRows).fill(1));
    }
  }
});

Deno.test("drawGoss() of few rows draws one of the others, which stands for all of them", () => {
  // 0.1 of less than ten rows is no row.
  for (const numRows of [2, 5, 9]) {
    const values = make((row) => row + 1, numRows);
    const draw = drawer([values], { numThreads: 2, blockRows: 3 });
    const runs = 1000;
    let mean = 0;
    for (let seed = 0; seed < runs; seed++) {
      const { factor } = draw({ top: 0.2, other: 0.1 }, seed);
      assertEquals(factor[numRows - 1], 1);
      const others = factor.subarray(0, -1).filter((f) => f !== 0);
      assertEquals(others, Float64Array.of(numRows - 1));
      values.forEach((v, row) => mean += v * factor[row]! / runs);
    }
    // A drawn row weighs numRows − 1 times: a deviation of at most 2.3 · 8 = 18, of the mean 0.6.
    assertAlmostEquals(mean, numRows * (numRows + 1) / 2, 2.4);
  }
});
