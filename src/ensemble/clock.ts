/**
 * How fast a run goes and how long it may still take; for display only.
 *
 * @module
 */
import type { RoundReport } from "./types.ts";

/** Time figures of a round. */
export type RoundTime = Pick<RoundReport, "seconds" | "roundsPerSecond" | "secondsLeft">;

/**
 * Starts a clock.
 *
 * @param before Rounds done before it: those of the run that this one resumes.
 * @param now Milliseconds.
 */
export function createClock(
  before = 0,
  now: () => number = () => performance.now(),
): (round: number, rounds: number) => RoundTime {
  const began = now();
  return (round, rounds) => {
    // A clock of coarse steps may not have moved yet.
    const seconds = Math.max(now() - began, 1e-3) / 1000;
    const roundsPerSecond = (round - before) / seconds;
    return { seconds, roundsPerSecond, secondsLeft: (rounds - round) / roundsPerSecond };
  };
}
