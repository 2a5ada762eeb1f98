import { assertEquals, assertThrows } from "@std/assert";
import { createJudge } from "../../../src/ensemble/early_stopping.ts";
import type { EarlyStoppingPlan } from "../../../src/ensemble/plan.ts";
import { ParameterError, TrainingError } from "../../../src/errors.ts";
import type { Metric } from "../../../src/metric/types.ts";

function metric(higherIsBetter: boolean): Metric {
  return { name: "m", higherIsBetter, value: () => 0 };
}

/** Rounds after which training would have stopped, and the best one. */
function judged(rule: Partial<EarlyStoppingPlan>, values: readonly number[]) {
  const judge = createJudge({ metric: metric(false), set: "v", rounds: 2, ...rule }, ["v"])!;
  const stops = values.flatMap((value, i) => {
    const report = { round: i + 1, rounds: 99, metrics: { v: { m: value } } };
    const times = { seconds: 0, roundsPerSecond: 0, secondsLeft: 0 };
    return judge.stopsAfter({ ...report, ...times }) ? [i + 1] : [];
  });
  return { stops, best: judge.best!, kept: judge.kept(values.length) };
}

Deno.test("createJudge() keeps the earlier of two equal rounds and stops when patience is over", () => {
  const { stops, best, kept } = judged({}, [5, 3, 3, 3]);
  assertEquals([stops, best.round, best.value, kept], [[4], 2, 3, 2]);
  const higher = judged({ metric: metric(true) }, [0.1, 0.4, 0.4, 0.3]);
  assertEquals([higher.stops, higher.best.round], [[4], 2]);
});

Deno.test("createJudge() counts what is above minDelta from the best round, not from the last", () => {
  // 4.6 and 4.2 are each 0.4 below the round before, 4.2 is 0.8 below the best.
  assertEquals(judged({ minDelta: 0.5 }, [5, 4.6, 4.2, 4, 4]).best.round, 3);
  assertEquals(judged({ minDelta: 1 }, [5, 4, 4, 4]).best.round, 1);
});

Deno.test("createJudge() takes a metric that is no number any more for no improvement", () => {
  const { stops, best } = judged({}, [5, 4, NaN, NaN]);
  assertEquals([stops, best.round], [[4], 2]);
  const error = assertThrows(() => judged({}, [NaN, 4]), TrainingError);
  assertEquals(error.code, "E_TRAIN_NUMERIC");
});

Deno.test("createJudge() with 0 rounds never stops but knows the best", () => {
  const { stops, best } = judged({ rounds: 0 }, [5, 1, 2, 3, 4]);
  assertEquals([stops, best.round], [[], 2]);
});

Deno.test("createJudge() keeps and waits a stretch beyond the best round", () => {
  const values = [...[7, 6, 5, 4, 3, 2, 1], ...new Array(6).fill(8)];
  const { stops, kept } = judged({ stretch: 1.5 }, values);
  // Best 7: patience max(2, 3.5), so 4 rounds later, and 10.5 rounds rounded up.
  assertEquals([stops[0], kept], [11, 11]);
  const short = judged({ stretch: 1.5 }, values.slice(0, 8));
  assertEquals(short.kept, 8); // of those that there are
});

Deno.test("createJudge() refuses a set that no report carries", () => {
  const rule = { metric: metric(false), set: "v", rounds: 2 };
  assertThrows(() => createJudge(rule, ["w"]), ParameterError, "expected one of w");
  assertThrows(() => createJudge(rule, []), ParameterError, "no validation set");
  assertEquals(createJudge(undefined, []), undefined);
});
