import { assertEquals } from "@std/assert";
import { layoutBins } from "../../../src/binning/binned.ts";
import { numericBins } from "../../../src/binning/bins.ts";

const ofSize = (numBins: number) =>
  numericBins(Float64Array.from({ length: numBins - 1 }, (_, i) => i), false);

Deno.test("every feature has 256 cells of its own, and room for eight more behind them", () => {
  const sizes = [1, 2, 17, 100, 255, 254, 3, 128, 250, 9];
  const { places } = layoutBins(sizes.map(ofSize));
  places.forEach(({ cell, position }) => assertEquals(cell, 264 * position));
  assertEquals(places.map(({ position }) => position), sizes.map((_, f) => f));
});

Deno.test("features of 256 codes begin at different lines of a page", () => {
  const { places } = layoutBins(Array.from({ length: 64 }, () => ofSize(255)));
  // Cells of 8 bytes, lines of 64, pages of 4096.
  const lines = places.map(({ cell }) => Math.floor(8 * cell / 64) % 64);
  assertEquals(new Set(lines).size, 64);
});
