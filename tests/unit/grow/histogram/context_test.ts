import { assertEquals } from "@std/assert";
import { forPieces, type HistContext } from "../../../../src/grow/histogram/context.ts";
import { PIECE_ROWS } from "../../../../src/grow/histogram/layout.ts";
import { createMemory } from "../../../../src/kernels/memory.ts";

/** A thread that takes pieces of blocks of so many. */
function contextOf(numRows: number, piecesPerBlock: number): HistContext {
  const memory = createMemory();
  const blockRows = PIECE_ROWS * piecesPerBlock;
  const numBlocks = Math.ceil(numRows / blockRows);
  const sets = [{ numBlocks, blockRows, rows: { numRows } }];
  return { memory, layout: { piecesPerBlock, counter: 64, sets } } as unknown as HistContext;
}

for (
  const [numRows, perBlock] of [[1, 1], [2048, 1], [5000, 1], [40_000, 5], [51_201, 25], [
    70_000,
    8,
  ]]
) {
  Deno.test(`forPieces() takes each of ${numRows} rows once, in pieces of blocks of ${perBlock}`, () => {
    const taken: [number, number, number][] = [];
    forPieces(contextOf(numRows, perBlock), (from, n, piece) => taken.push([piece, from, n]));
    const pieces = Array.from({ length: Math.ceil(numRows / 2048) }, (_, i) => i);
    assertEquals(taken, pieces.map((i) => [i, 2048 * i, Math.min(2048, numRows - 2048 * i)]));
  });
}

Deno.test("forPieces() leaves to other threads what they have taken", () => {
  const context = contextOf(51_201, 25);
  const taken: number[] = [];
  forPieces(context, (_from, _n, piece) => {
    taken.push(piece);
    // Another thread takes the next ones as soon as this one has taken some.
    if (piece % 8 === 0) Atomics.add(context.memory.i32, 16, 1);
  });
  assertEquals(taken, [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24]);
});
