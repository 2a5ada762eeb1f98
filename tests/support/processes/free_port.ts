/**
 * A port for a program that cannot say which one it took.
 *
 * @module
 */

/**
 * A port that was free a moment ago. It is below those that systems give to whoever asks for any, which
 * others on the machine would get meanwhile.
 */
export function freePort(): number {
  for (let tries = 0;; tries++) {
    const port = 10_000 + Math.floor(20_000 * Math.random());
    try {
      Deno.listen({ port, hostname: "127.0.0.1" }).close();
      return port;
    } catch (error) {
      if (tries === 100) throw error;
    }
  }
}
