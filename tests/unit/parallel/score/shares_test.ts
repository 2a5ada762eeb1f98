import { assert, assertEquals, assertThrows } from "@std/assert";
import type { PositionalScorer } from "../../../../src/model/positional.ts";
import { createDesk, scoreNext } from "../../../../src/parallel/score/shares.ts";

/** Gives a row's sum and its first number, and notes how many rows it got at a time. */
function sums(calls: number[]): PositionalScorer {
  return {
    rawRowsInto(rows: Float64Array, out: Float64Array) {
      calls.push(rows.length / 3);
      for (let r = 0; r < rows.length / 3; r++) {
        out[2 * r] = rows[3 * r] + rows[3 * r + 1] + rows[3 * r + 2];
        out[2 * r + 1] = rows[3 * r];
      }
    },
  } as unknown as PositionalScorer;
}

const numbers = (rows: number) => Float64Array.from({ length: 3 * rows }, (_, i) => (i * 7) % 101);

Deno.test("createDesk() cuts rows into parts of its room and puts scores where they belong", () => {
  const desk = createDesk(3, 2, 2, 2048 * 3 * 8);
  const rows = numbers(5001);
  const parts = desk.parts(rows);
  assertEquals(parts.map(({ from, to }) => to - from), [2048, 2048, 905]);
  const out = new Float64Array(2 * 5001);
  const calls: number[] = [];
  for (const { from, to } of parts) {
    const place = desk.take(rows, from, to);
    place.fill();
    assert(!place.isDone());
    while (scoreNext(place.share, sums(calls)));
    assert(place.isDone());
    place.give(out);
  }
  for (let r = 0; r < 5001; r++) {
    const [a, b, c] = rows.subarray(3 * r);
    assertEquals([out[2 * r], out[2 * r + 1]], [a + b + c, a]);
  }
  // Each thread gets something: blocks of 1024, and 905 rows in two stripes of whole 128.
  assertEquals(calls, [1024, 1024, 1024, 1024, 512, 393]);
});

Deno.test("createDesk() leaves shared rows where they are, in one part", () => {
  const desk = createDesk(3, 2, 2, 1024);
  const rows = new Float64Array(new SharedArrayBuffer(3 * 8 * 9000));
  rows.set(numbers(9000));
  assertEquals(desk.parts(rows), [{ from: 0, to: 9000 }]);
  assert(desk.take(rows, 0, 9000).share.rows.buffer === rows.buffer);
});

Deno.test("scoreNext() begins no stripe after an error, and what is left is not done", () => {
  const place = createDesk(3, 2, 2).take(numbers(9000), 0, 9000);
  place.fill();
  const calls: number[] = [];
  assert(scoreNext(place.share, sums(calls)));
  const broken = {
    rawRowsInto() {
      throw new RangeError("row 5");
    },
  } as unknown as PositionalScorer;
  assertThrows(() => scoreNext(place.share, broken), RangeError, "row 5");
  assert(!scoreNext(place.share, sums(calls)));
  assertEquals(calls.length, 1);
  assert(!place.isDone());
});
