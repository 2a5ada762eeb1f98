/**
 * A clock of the test.
 *
 * @module
 */

/** Runs with a `performance.now()` that stands still but for the milliseconds that the test lets pass. */
export async function withClock(
  run: (pass: (millis: number) => void) => Promise<void>,
): Promise<void> {
  const { now } = performance;
  let clock = Math.ceil(now.call(performance)); // whole, or differences would be rounded
  performance.now = () => clock;
  try {
    await run((millis) => clock += millis);
  } finally {
    performance.now = now;
  }
}
