import { assertAlmostEquals, assertEquals } from "@std/assert";
import { principalScores } from "../../../../src/grow/splitter/principal.ts";

/** Scores of levels of three classes, by the weight of each class. */
function scoresOf(levels: [number, number, number][]): number[] {
  // The last channel is the count of rows, which has no say.
  const channels = levels.flatMap((weights, i) => [...weights, 7 + i]);
  return [...principalScores(Float64Array.from(channels), levels.length, 3)];
}

function assertScores(levels: [number, number, number][], expected: number[]) {
  const scores = scoresOf(levels);
  assertEquals(scores.length, expected.length);
  scores.forEach((score, i) => assertAlmostEquals(score, expected[i], 1e-12));
}

Deno.test("principalScores() are the shares along the axis of largest variance", () => {
  // From the mean (4, 4, 4)/12: ±(2, −2, 0) and ±(1, 1, −2), variances 8 and 6: the axis is
  // (1, −1, 0)/√2, from the first of the two classes that vary alike.
  const score = 4 / 12 / Math.SQRT2;
  assertScores([[6, 2, 4], [2, 6, 4], [5, 5, 2], [3, 3, 6]], [score, -score, 0, 0]);
});

Deno.test("principalScores() leave a class aside whose share is the same everywhere", () => {
  // The axis is (0, 1, −1)/√2.
  const score = 4 / 12 / Math.SQRT2;
  assertScores([[4, 6, 2], [4, 2, 6]], [score, -score]);
});

Deno.test("principalScores() weigh each level", () => {
  // Shares (6, 2, 4)/12 and (2, 6, 4)/12 with weight 12, (5, 5, 2)/12 and (3, 3, 6)/12 with 24:
  // variances 12 · 8 and 24 · 6. The axis is (−1, −1, 2)/√6, from the class of the largest variance.
  const score = 6 / 12 / Math.sqrt(6);
  assertScores(
    [[6, 2, 4], [2, 6, 4], [10, 10, 4], [6, 6, 12]],
    [0, 0, -score, score],
  );
});

Deno.test("principalScores() are 0 where all levels are alike or hold nothing", () => {
  assertScores([[1, 2, 1], [2, 4, 2]], [0, 0]);
  assertEquals(scoresOf([[1, 0, 1], [0, 0, 0]])[1], 0);
});
