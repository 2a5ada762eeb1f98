import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { quantileCuts } from "../../../src/binning/cuts.ts";
import { createDistinctCounts } from "../../../src/binning/distinct.ts";
import { createSketch, createSketchPool } from "../../../src/binning/sketch.ts";
import { createRng } from "../../../src/util/rng.ts";

Deno.test("createSketch() counts distinct values exactly while they are few", () => {
  const sketch = createSketch({ buffer: 4, exact: 100 });
  const values = [3, 1, NaN, 3, 2, -Infinity, 3, 1, 2, 2, Infinity];
  sketch.add(values, 0, values.length);
  assertEquals([sketch.count(), sketch.missing(), sketch.rankError()], [10, 1, 0]);
  assertEquals(sketch.weighted(), {
    values: new Float64Array([-Infinity, 1, 2, 3, Infinity]),
    counts: new Float64Array([1, 2, 3, 3, 1]),
  });
});

Deno.test("quantileCuts() of counts are those of the rows themselves", () => {
  const value = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 2, max: 40 }),
      (rows, maxBins) => {
        const sketch = createSketch({ buffer: 16, exact: 1000 });
        sketch.add(rows, 0, rows.length);
        const { values, counts } = sketch.weighted();
        const sorted = Float64Array.from(rows).sort();
        assertEquals(quantileCuts(values, maxBins, counts), quantileCuts(sorted, maxBins));
      },
    ),
  );
});

/** Largest difference between a value's true rank and its rank in the sketch. */
function worstRank(sorted: Float64Array, values: Float64Array, counts: Float64Array): number {
  let worst = 0;
  let rank = 0;
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    while (at < sorted.length && sorted[at] < values[i]) at++;
    worst = Math.max(worst, Math.abs(at - rank));
    rank += counts[i];
  }
  return worst;
}

Deno.test("createSketch() beyond its size keeps ranks within its stated error", () => {
  const rng = createRng(3);
  const sketch = createSketch({ buffer: 256, exact: 300 });
  const values = Float64Array.from({ length: 50_000 }, () => rng.nextFloat() ** 3);
  sketch.add(values, 0, values.length);
  assert(sketch.rankError() > 0 && sketch.rankError() < 0.02 * values.length);
  const { values: kept, counts } = sketch.weighted();
  assert(kept.length < 256 * 12);
  assert(worstRank(values.slice().sort(), kept, counts) <= sketch.rankError());
});

Deno.test("createSketch() merges: the parts know what the whole knows", () => {
  const rng = createRng(4);
  const values = Float64Array.from({ length: 20_000 }, () => rng.nextFloat());
  for (const exactSize of [100, 50_000]) {
    const left = createSketch({ buffer: 128, exact: exactSize });
    const right = createSketch({ buffer: 128, exact: exactSize });
    left.add(values, 0, 9000);
    right.add(values, 9000, values.length);
    left.merge(right);
    assertEquals(left.count(), 20_000);
    const { values: kept, counts } = left.weighted();
    const sorted = values.slice().sort();
    assert(worstRank(sorted, kept, counts) <= left.rankError());
    if (exactSize === 50_000) assertEquals([left.rankError(), kept], [0, sorted]);
  }
});

Deno.test("createSketch() merges rows that are there and rows that are missing", () => {
  for (const exact of [100, 2]) {
    const [left, right] = [[1, NaN, 2, 5], [NaN, 2, NaN, 4, 3]].map((values) => {
      const sketch = createSketch({ buffer: 4, exact });
      sketch.add(values, 0, values.length);
      return sketch;
    });
    left.merge(right);
    left.merge(createSketch());
    assertEquals([left.count(), left.missing()], [6, 3]);
    const { values, counts } = left.weighted();
    if (exact === 2) assertEquals(counts.reduce((a, b) => a + b), 6);
    else assertEquals([[...values], [...counts]], [[1, 2, 3, 4, 5], [1, 2, 1, 1, 1]]);
  }
});

Deno.test("createSketch() keeps ranks within its stated error where values repeat, and after merging", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom(1, 40, 1000),
      fc.integer({ min: 300, max: 6000 }),
      fc.integer({ min: 1, max: 4 }),
      (seed, repeats, numRows, numSketches) => {
        const rng = createRng(seed);
        const rows = Float64Array.from({ length: numRows }, () => {
          const x = rng.nextFloat() ** 3;
          return rng.nextInt(3) === 0 ? Math.floor(x * repeats) : x;
        });
        const sketches = Array.from(
          { length: numSketches },
          () => createSketch({ buffer: 16, exact: 50 }),
        );
        rows.forEach((value, i) => sketches[i % numSketches].add([value], 0, 1));
        const [all, ...others] = sketches;
        others.forEach(all.merge);
        const { values, counts } = all.weighted();
        assert(worstRank(rows.slice().sort(), values, counts) <= all.rankError());
        // A bound that says nothing would hold too: half of the rows is no bound.
        if (numRows > 3000) assert(all.rankError() < numRows / 2);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("createSketchPool() gives many sketches smaller sizes, within their stated error", () => {
  // Half of what two sketches take for eight of them: an eighth of the full sizes each.
  const pool = createSketchPool(5e6);
  const rng = createRng(6);
  const numRows = 60_000;
  const columns = Array.from(
    { length: 8 },
    (_, c) =>
      Float64Array.from(
        { length: numRows },
        () => c === 0 ? rng.nextInt(30_000) : rng.nextFloat() ** c,
      ),
  );
  const sketches = columns.map(() => pool.create());
  columns.forEach((values, c) => sketches[c].add(values, 0, numRows));
  sketches.forEach((sketch, c) => {
    const { values, counts } = sketch.weighted();
    assertEquals(counts.reduce((sum, count) => sum + count, 0), numRows);
    // 32,768 distinct values are counted exactly, no more.
    assertEquals(sketch.rankError() === 0, c === 0);
    const sorted = columns[c].slice().sort();
    assert(worstRank(sorted, values, counts) <= sketch.rankError());
    assert(sketch.rankError() < 0.001 * numRows, `${sketch.rankError()}`);
  });
  assert(pool.create().rankError() === 0);
});

Deno.test("createDistinctCounts() counts as a map does, in any order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: -30, max: 30 }), { maxLength: 40 }), { maxLength: 8 }),
      (pieces) => {
        const counts = createDistinctCounts();
        const map = new Map<number, number>();
        for (const piece of pieces) {
          counts.add(Float64Array.from(piece).sort());
          for (const value of piece) map.set(value, (map.get(value) ?? 0) + 1);
        }
        const sorted = [...map].sort(([a], [b]) => a - b);
        assertEquals(counts.size(), map.size);
        assertEquals(counts.weighted(), {
          values: Float64Array.from(sorted, ([value]) => value),
          counts: Float64Array.from(sorted, ([, count]) => count),
        });
      },
    ),
  );
});
