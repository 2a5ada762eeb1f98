/**
 * Giving way for a moment, so that timers, messages and signals are heard during long work.
 *
 * @module
 */

/**
 * Resolves after one turn of the event loop. A message gets there at once, where a timer of no time
 * takes some milliseconds.
 */
export function nextTurn(): Promise<void> {
  if (typeof MessageChannel === "undefined") {
    return new Promise((resolve) => setTimeout(resolve, 0));
  }
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      port2.close(); // else its memory is never freed, 5 kB a turn
      resolve();
    };
    port2.postMessage(0);
  });
}
