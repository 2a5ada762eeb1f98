import { assertEquals } from "@std/assert";
import {
  forPieces,
  type HistContext,
} from "../../../../../src/grow/histogram/workspace/context.ts";
import { PIECE_ROWS } from "../../../../../src/grow/histogram/workspace/layout.ts";
import { createMemory } from "../../../../../src/kernels/memory.ts";

/** A thread that takes pieces of blocks of so many rows. */
function contextOf(numRows: number, blockRows: number): HistContext {
  const memory = createMemory();
  const piecesPerBlock = Math.ceil(blockRows / PIECE_ROWS);
  const numBlocks = Math.ceil(numRows / blockRows);
  const sets = [{ numBlocks, blockRows, rows: { numRows } }];
  return { memory, layout: { piecesPerBlock, counter: 64, sets } } as unknown as HistContext;
}

// Of 40,000 rows a block has 3072, so that its second piece is half of one.
for (
  const [numRows, blockRows] of [
    [1, 2048],
    [2048, 2048],
    [5000, 2048],
    [40_000, 3072],
    [40_000, 10_240],
    [51_201, 51_200],
    [70_000, 16_384],
  ]
) {
  Deno.test(`forPieces() takes each of ${numRows} rows once, in pieces of blocks of ${blockRows}`, () => {
    const taken: [number, number, number][] = [];
    forPieces(contextOf(numRows, blockRows), (from, n, piece) => taken.push([piece, from, n]));
    const expected: [number, number, number][] = [];
    const perBlock = Math.ceil(blockRows / 2048);
    for (let block = 0; block * blockRows < numRows; block++) {
      const end = Math.min(numRows, (block + 1) * blockRows);
      for (let i = 0; i < perBlock && block * blockRows + 2048 * i < end; i++) {
        const from = block * blockRows + 2048 * i;
        expected.push([block * perBlock + i, from, Math.min(2048, end - from)]);
      }
    }
    assertEquals(taken, expected);
  });
}

Deno.test("forPieces() leaves to other threads what they have taken", () => {
  const context = contextOf(51_201, 51_200);
  const taken: number[] = [];
  forPieces(context, (_from, _n, piece) => {
    taken.push(piece);
    // Another thread takes the next ones as soon as this one has taken some.
    if (piece % 8 === 0) Atomics.add(context.memory.i32, 16, 1);
  });
  assertEquals(taken, [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24]);
});
