import { assertEquals } from "@std/assert";
import { createClock } from "../../../src/ensemble/clock.ts";

Deno.test("createClock() tells speed and time left of the rounds since it was made", () => {
  let milliseconds = 1000;
  const clock = createClock(10, () => milliseconds);
  milliseconds = 3000;
  // Four rounds in two seconds, 86 to go.
  assertEquals(clock(14, 100), { seconds: 2, roundsPerSecond: 2, secondsLeft: 43 });
  milliseconds = 4000;
  assertEquals(clock(100, 100), { seconds: 3, roundsPerSecond: 30, secondsLeft: 0 });
});

Deno.test("createClock() stays finite where the clock has not moved", () => {
  const clock = createClock(0, () => 5);
  const { roundsPerSecond, secondsLeft } = clock(1, 2);
  assertEquals([roundsPerSecond, secondsLeft].map(Number.isFinite), [true, true]);
});
