/**
 * Bodies that are still arriving, and answers that nobody reads. They cost no work and a caller may be
 * slow for good reasons, so they are waited for as long as there is room. Once the server is full, the one
 * that has been waited for longest gives up its place: else those who send a byte now and then, or read
 * none, could keep everybody out.
 *
 * @module
 */
import { RequestError } from "../errors.ts";

/** What is waited for. */
export interface Arriving {
  /**
   * Waits for a body, or for the next piece of it.
   *
   * @param since When it began to arrive, in milliseconds of `performance.now()`. @default now
   * @throws {RequestError} `E_HTTP_SLOW` where it had to give up its place; reading goes on unheard.
   */
  wait<T>(reading: Promise<T>, since?: number): Promise<T>;
  /**
   * Waits for a caller to read on.
   *
   * @param giveUp Called where it has to give up its place.
   * @returns To be called once the caller reads on, or is away.
   */
  hold(giveUp: (error: RequestError) => void): () => void;
  /**
   * Counts bytes that are kept until more of their body comes.
   *
   * @throws {RequestError} `E_HTTP_BUSY` where there is no room for them; the body that has been arriving
   * longest, if too long, gives up its place for who comes next.
   */
  keep(bytes: number): void;
  /** Such bytes are kept no longer. */
  drop(bytes: number): void;
  /** Takes the place of the body that has been arriving longest, if too long; says whether. */
  giveUpOne(now: number): boolean;
}

interface Waiting {
  readonly since: number;
  readonly giveUp: (error: RequestError) => void;
}

/**
 * @param maxMillis Milliseconds after which a body may have to give up its place.
 * @param mostBytes Bytes that may be kept in all.
 */
export function createArriving(maxMillis: number, mostBytes: number): Arriving {
  const all = new Set<Waiting>();
  let kept = 0;
  const arriving: Arriving = {
    wait: (reading, since = performance.now()) =>
      new Promise((resolve, reject) => {
        const one = { since, giveUp: reject };
        all.add(one);
        reading.then(
          (value) => {
            all.delete(one);
            resolve(value);
          },
          (error) => {
            all.delete(one);
            reject(error);
          },
        );
      }),
    hold(giveUp) {
      const one = { since: performance.now(), giveUp };
      all.add(one);
      return () => void all.delete(one);
    },
    keep(bytes) {
      if (kept + bytes > mostBytes) {
        arriving.giveUpOne(performance.now());
        throw new RequestError(
          "E_HTTP_BUSY",
          "Cannot read a long body now: others are arriving, try again",
          { details: { retryAfterSeconds: 1 } },
        );
      }
      kept += bytes;
    },
    drop(bytes) {
      kept -= bytes;
    },
    giveUpOne(now) {
      let longest: Waiting | undefined;
      for (const one of all) if (longest === undefined || one.since < longest.since) longest = one;
      if (longest === undefined || now - longest.since <= maxMillis) return false;
      all.delete(longest);
      longest.giveUp(
        new RequestError(
          "E_HTTP_SLOW",
          `Cannot wait for the caller any more: the server is full, and it takes over ${maxMillis} ms`,
          { details: { limit: "maxBodyMillis", value: maxMillis } },
        ),
      );
      return true;
    },
  };
  return arriving;
}
