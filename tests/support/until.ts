/**
 * Waiting for a state: how long something takes depends on the machine, so no test waits for a time.
 *
 * @module
 */

/**
 * Looks again and again until something is so. Gives up after 12,000 looks, 10 ms apart: looks are counted
 * because a clock goes on while a machine stands still.
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  told: () => string = () => `${isSo}`,
): Promise<void> {
  for (let look = 0; look < 12_000; look++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`It never came to be: ${told()}`);
}
