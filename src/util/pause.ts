/**
 * Pauses in long loops: timers, messages and signals are heard, at most every 50 ms.
 *
 * @module
 */
import { nextTurn } from "./turn.ts";

const BREATH_MS = 50;

/** Makes a function to await once a round; it gives way only when it has not for a while. */
export function createPause(): () => Promise<void> | void {
  let last = performance.now();
  return () => {
    if (performance.now() - last < BREATH_MS) return;
    last = performance.now();
    return nextTurn();
  };
}
