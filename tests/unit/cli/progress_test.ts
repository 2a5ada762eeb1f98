import { assertEquals } from "@std/assert";
import { durationText, roundText } from "../../../src/cli/commands/train.ts";

Deno.test("progress tells round, metrics, speed and the most time left", () => {
  const text = roundText({
    round: 12,
    rounds: 100,
    metrics: { valid: { logLoss: 0.28114 } },
    seconds: 0.8,
    roundsPerSecond: 15.234,
    secondsLeft: 5.78,
  });
  assertEquals(text, "round 12/100  valid logLoss 0.2811  15.2 rounds/s  at most 5.8 s left");
});

Deno.test("durationText() carries seconds into minutes and minutes into hours", () => {
  const cases: [number, string][] = [
    [0, "0.0 s"],
    [59.94, "59.9 s"],
    [59.96, "1 min 0 s"],
    [125, "2 min 5 s"],
    [3599.6, "1 h 0 min"],
    [12_029, "3 h 20 min"],
  ];
  for (const [seconds, text] of cases) assertEquals(durationText(seconds), text);
});
