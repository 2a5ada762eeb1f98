import { assertAlmostEquals, assertEquals } from "@std/assert";
import { lossRecipe } from "../../../../src/loss/recipe.ts";
import { HERE } from "../../../../src/metric/job.ts";
import {
  gradientRoom,
  type GradientRows,
  GradientStep,
  gradientTask,
  joinedMean,
} from "../../../../src/parallel/rows/gradients.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Three blocks. */
const ROWS = 9000;

function room(name: string, numClasses: number, params = {}): GradientRows {
  const rng = createRng(4);
  const numOutputs = Math.max(1, numClasses);
  const draw = () => 4 * rng.nextFloat() - 2;
  return {
    recipe: lossRecipe(name, numClasses, params)!,
    labels: {
      values: Float64Array.from(
        { length: ROWS },
        () => numClasses > 0 ? rng.nextInt(numClasses) : draw(),
      ),
      // Nothing weighs in the third block.
      weight: Float64Array.from(
        { length: ROWS },
        (_, row) => row >> 12 === 2 ? 0 : rng.nextInt(4) / 3,
      ),
    },
    raw: Float64Array.from({ length: ROWS * numOutputs }, draw),
    gradient: HERE.floats(ROWS * numOutputs),
    hessian: HERE.floats(ROWS * numOutputs),
    // All rows of the second block are taken.
    taken: Float64Array.from(
      { length: ROWS },
      (_, row) => row >> 12 === 1 ? 1 : rng.nextInt(2),
    ),
    ...gradientRoom(HERE, ROWS),
  };
}

/** Runs a step block by block, in an odd order. */
function run(rows: GradientRows, step: number, arg = 0): void {
  const items = [1, 2, 0, 3];
  gradientTask(rows).run(step, () => items.shift()!, arg);
}

/** Weighted mean by a plain loop. */
function mean(
  { labels, taken }: GradientRows,
  outside: boolean,
  loss: (row: number) => number,
): number {
  let sum = 0;
  let total = 0;
  for (let row = 0; row < ROWS; row++) {
    if (outside && taken[row]! > 0) continue;
    sum += labels.weight![row]! * loss(row);
    total += labels.weight![row]!;
  }
  return sum / total;
}

Deno.test("gradientTask() tells the mean loss of all rows, and of those that were not drawn", () => {
  const softmax = room("softmax", 3);
  const huber = room("huber", 0);
  huber.delta[0] = 0.7;
  const crossEntropy = (row: number) => {
    const scores = [0, 1, 2].map((k) => softmax.raw[k * ROWS + row]!);
    const norm = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    return Math.log(norm) - scores[softmax.labels.values[row]!]!;
  };
  const byDelta = (row: number) => {
    const x = Math.abs(huber.labels.values[row]! - huber.raw[row]!);
    return x <= 0.7 ? x * x / 2 : 0.7 * (x - 0.35);
  };
  for (const outside of [false, true]) {
    run(softmax, GradientStep.loss, outside ? 1 : 0);
    run(huber, GradientStep.loss, outside ? 1 : 0);
    // Sums of 9000 terms in another order.
    assertAlmostEquals(joinedMean(softmax), mean(softmax, outside, crossEntropy), 1e-12);
    assertAlmostEquals(joinedMean(huber), mean(huber, outside, byDelta), 1e-12);
  }
});

Deno.test("gradientTask() writes gradients of the δ at hand, distances and responses", () => {
  const rows = room("huber", 0);
  const away = rows.raw.map((f, row) => f - rows.labels.values[row]!);
  for (const delta of [0.5, 1.25]) {
    rows.delta[0] = delta;
    run(rows, GradientStep.gradients);
    assertEquals(rows.gradient, away.map((x) => Math.min(delta, Math.max(-delta, x))));
    run(rows, GradientStep.distances);
    assertEquals(rows.response, away.map(Math.abs));
  }
  const several = room("softmax", 3);
  run(several, GradientStep.gradients);
  run(several, GradientStep.response, 2);
  assertEquals(several.response, several.gradient.slice(2 * ROWS).map((g) => -g));
});
