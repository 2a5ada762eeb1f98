import { assert, assertEquals } from "@std/assert";
import { layoutBins } from "../../../src/binning/binned.ts";
import { numericBins } from "../../../src/binning/bins.ts";

const ofSize = (numBins: number) =>
  numericBins(Float64Array.from({ length: numBins - 1 }, (_, i) => i), false);

Deno.test("codes of every feature stay among its own 256 cells", () => {
  const sizes = [1, 2, 17, 100, 255, 254, 3, 128, 250, 9];
  const { places } = layoutBins(sizes.map(ofSize));
  sizes.forEach((numBins, f) => {
    const { cell, shift, position } = places[f];
    assertEquals(cell, 264 * position + shift);
    assert(shift >= 0 && shift + numBins + 1 <= 256, `feature ${f} ends at ${shift + numBins}`);
  });
});

Deno.test("features of few bins begin at different lines of the cache", () => {
  const { places } = layoutBins(Array.from({ length: 12 }, () => ofSize(16)));
  // 17 codes take three lines of 8 cells; ten of them reach 240, after which 16 bins do not fit.
  assertEquals(places.map(({ shift }) => shift), [
    0,
    24,
    48,
    72,
    96,
    120,
    144,
    168,
    192,
    216,
    0,
    24,
  ]);
});

Deno.test("features of 256 codes begin at different lines of a page", () => {
  const { places } = layoutBins(Array.from({ length: 64 }, () => ofSize(255)));
  // Cells of 8 bytes, lines of 64, pages of 4096.
  const lines = places.map(({ cell }) => Math.floor(8 * cell / 64) % 64);
  assertEquals(new Set(lines).size, 64);
});
