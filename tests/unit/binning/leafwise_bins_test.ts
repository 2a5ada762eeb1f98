import { assert, assertEquals } from "@std/assert";
import { leafwiseColumn, usefulBins } from "../../../src/binning/leafwise_bins.ts";
import { createRanker, rankLevelsPlainly, rankPlainly } from "../../../src/binning/rank.ts";
import type { Column } from "../../../src/data/types.ts";
import { nextUp64 } from "../../../src/util/float.ts";
import { createRng } from "../../../src/util/rng.ts";

const ZERO = Math.fround(1e-35);
const numbers = (values: readonly number[]): Column => ({
  kind: "numeric",
  name: "x",
  values: Float64Array.from(values),
});

const binned = (column: Column, minRowsPerLeaf = 1) =>
  usefulBins(leafwiseColumn(column, 0, { maxBins: 255 }), minRowsPerLeaf);

Deno.test("leafwiseColumn() closes a bin at three rows, one double above the middle", () => {
  // 1 1 | 2 needs a third row, so 1 and 2 share a bin; 3 has three of its own.
  const bins = binned(numbers([1, 1, 2, 3, 3, 3, 5]))!;
  assertEquals([...bins.upper], [ZERO, nextUp64(2.5), nextUp64(4), Infinity]);
  assertEquals([...bins.codes], [1, 1, 1, 2, 2, 2, 3]);
});

Deno.test("leafwiseColumn() counts neighbours one double apart as one value, the larger", () => {
  const up = nextUp64(1);
  const upperOf = (values: number[]) => [...binned(numbers(values))!.upper];
  // One value of four rows, which no bound parts; three of one row each, enough for a bin.
  assertEquals(upperOf([1, 1, 1, up, 2, 2, 2]), [ZERO, nextUp64((up + 2) / 2), Infinity]);
  const last = nextUp64(up);
  assertEquals(upperOf([1, up, last, 2, 2, 2]), [ZERO, nextUp64((last + 2) / 2), Infinity]);
});

Deno.test("leafwiseColumn() fills bins to the mean of what is left, and gives big values their own", () => {
  const upperOf = (counts: number[], maxBins: number, more: number[] = []) => {
    const values = counts.flatMap((count, i) => new Array<number>(count).fill(i + 1));
    const column = leafwiseColumn(numbers([...values, ...more]), 0, { maxBins });
    return { upper: [...column.upper], missingBin: column.missingBin, numBins: column.numBins };
  };
  // One of four bins is that of zero. Of 12 rows, each of the others takes 4.
  const alike = [ZERO, nextUp64(2.5), nextUp64(4.5), Infinity];
  assertEquals(upperOf([2, 2, 2, 2, 2, 2], 4), { upper: alike, missingBin: -1, numBins: 4 });
  // Missing values take a fifth.
  assertEquals(upperOf([2, 2, 2, 2, 2, 2], 5, [NaN]), { upper: alike, missingBin: 4, numBins: 5 });
  // Of 18 rows a third are 6: 3 is big, and the others leave 4 a bin, half of which end before it.
  assertEquals(upperOf([1, 1, 10, 1, 1, 4], 4).upper, [
    ZERO,
    nextUp64(2.5),
    nextUp64(3.5),
    Infinity,
  ]);
  // LightGBM 4.7.0 on 24 rows: from 6 a bin, 10 in the first leave 14/3 and 6 in the next leave 4.
  assertEquals(upperOf([5, 5, 2, 2, 2, 2, 2, 2, 2], 5).upper, [
    ZERO,
    nextUp64(2.5),
    nextUp64(5.5),
    nextUp64(7.5),
    Infinity,
  ]);
  // Zero is no number above it.
  const around = binned(numbers([-1, -1, -1, 0, 0, 0, 2, 2, 2]))!;
  assertEquals([...around.upper], [-ZERO, ZERO, Infinity]);
});

Deno.test("usefulBins() rests on the bin of 70% of the rows, else on that of zero", () => {
  const restOf = (fives: number) => {
    const { restBin, restShare } = binned(numbers([
      ...new Array<number>(fives).fill(5),
      ...new Array<number>(10 - fives).fill(-2),
    ]))!;
    return [restBin, restShare];
  };
  assertEquals(restOf(7), [2, 0.7]); // −2, zero, 5
  assertEquals(restOf(6), [1, 0]);
  assertEquals(restOf(3), [0, 0.7]);
});

Deno.test("leafwiseColumn() puts missing values and zeros in one bin where zeros are missing", () => {
  const column = numbers([3, 3, 3, NaN, 0, -2, -2, -2]);
  const { codes, missingBin, numBins } = leafwiseColumn(column, 0, {
    maxBins: 3, // no bin is for missing values alone
    zeroAsMissing: true,
  });
  assertEquals([missingBin, numBins], [1, 3]);
  assertEquals([...codes], [2, 2, 2, 1, 1, 0, 0, 0]);
});

Deno.test("usefulBins() keeps zero, also where no row has it, in a bin of its own", () => {
  const bins = binned(numbers([-2, -2, -2, -1, -1, -1, 4, 4, 4]))!;
  assertEquals([...bins.upper], [nextUp64(-1.5), -ZERO, ZERO, Infinity]);
  assertEquals(bins.restBin, 2); // that of zero, as no bin has 70% of the rows
});

Deno.test("leafwiseColumn() gives missing values the last bin", () => {
  const bins = binned(numbers([1, 1, 1, NaN, 2]))!;
  assertEquals([bins.missingBin, bins.numBins, bins.codes[3]], [3, 4, 3]);
});

Deno.test("usefulBins() drops a feature whose every cut leaves too few rows", () => {
  const values = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2];
  assertEquals(binned(numbers(values), 4), undefined);
  assert(binned(numbers(values), 3) !== undefined);
  assertEquals(binned(numbers([7, 7, 7, 7]))?.numBins, undefined);
});

Deno.test("leafwiseColumn() orders categories by count and leaves the rarest to the first bin", () => {
  const codes = Int32Array.from([2, 2, 2, 2, 2, 0, 0, 0, 0, 1, 1, 3, -1]);
  const column: Column = {
    kind: "categorical",
    name: "c",
    codes,
    categories: ["a", "b", "c", "d"],
  };
  const bins = binned(column)!;
  // "b" (two rows) and "d" (one) have less than three rows and come after the first two.
  assertEquals([...bins.categories], [-1, 2, 0]);
  assertEquals([...bins.codes], [1, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0]);
  // No bin has 70% of the rows, so that the rest is the bin of "a", the first category.
  assertEquals(bins.restBin, 2);
});

/** Numbers with ties, neighbours one double apart, both zeros, infinities, missing values. */
function awkward(length: number, seed: number): Float64Array {
  const rng = createRng(seed);
  return Float64Array.from({ length }, () => {
    const kind = rng.nextInt(8);
    const whole = rng.nextInt(21) - 10;
    if (kind === 0) return NaN;
    if (kind === 1) return whole < 0 ? -Infinity : whole === 0 ? -0 : whole * 1e-36;
    if (kind === 2) return rng.nextFloat() - 0.7;
    return kind === 3 ? nextUp64(nextUp64(whole)) : kind === 4 ? nextUp64(whole) : whole;
  });
}

Deno.test("leafwiseColumn() has the bins of plain ranks by the kernel, each with the values of its bounds", () => {
  const length = 5000; // enough for the kernel
  const values = awkward(length, 3);
  for (const zeroAsMissing of [false, true]) {
    for (const maxBins of [2, 9, 255]) {
      const column = { kind: "numeric", name: "x", values } as const;
      const limits = { maxBins, zeroAsMissing };
      const bins = leafwiseColumn(column, 0, limits, createRanker(length));
      const plain = { values: rankPlainly, levels: rankLevelsPlainly };
      assertEquals(leafwiseColumn(column, 0, limits, plain), bins);
      values.forEach((value, row) => {
        const known = zeroAsMissing && Number.isNaN(value) ? 0 : value;
        const bin = Array.from(bins.upper.slice(0, -1)).findIndex((bound) => known <= bound);
        const expected = bin < 0 ? bins.upper.length - 1 : bin;
        assertEquals(bins.codes[row], Number.isNaN(known) ? bins.missingBin : expected);
      });
    }
  }
});
