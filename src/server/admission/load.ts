/**
 * Who waits for whom, while there is more to do than can be done: requests for the thread, and the server
 * for callers who send or read slowly.
 *
 * Requests that would wait too long are refused at once instead of queueing: a caller who has given up
 * still costs a whole answer. One thread works on one request at a time, so a request whose body is
 * there waits for as long as the thread has been busy without a pause. A slow upload does not count as
 * waiting.
 *
 * Bodies that are still arriving, and answers that nobody reads, cost no work, and a caller may be slow for
 * good reasons, so they are waited for as long as there is room. Once the server is full, the one that has
 * been waited for longest gives up its place: else those who send a byte now and then, or read none, could
 * keep everybody out.
 *
 * @module
 */
import { RequestError } from "../../errors.ts";

/** What is known of the thread; milliseconds of `performance.now()`. */
export interface Load {
  /** When the last piece of work ended. */
  lastEnd: number;
  /** Since when there was no pause between pieces of work. */
  busySince: number;
  /** How long the last request waited for its turn. */
  wait: number;
  /** When the request that `wait` is of was answered; NaN while it is not. */
  measured: number;
  /** Requests refused because of load. */
  shed: number;
}

/** A thread that has done nothing yet. */
export function createLoad(): Load {
  return { lastEnd: -Infinity, busySince: 0, wait: 0, measured: -Infinity, shed: 0 };
}

/** A pause: the event loop had nothing to do but to look for more. */
const PAUSE = 1;
/** What was measured longer ago says nothing about now. */
const STALE = 100;

/**
 * Before a request is read: refuses it where the last one waited too long and others still wait.
 *
 * @throws {RequestError} `E_HTTP_BUSY`.
 */
export function checkWait(load: Load, now: number, others: number, maxWaitMillis: number): void {
  if (load.wait > maxWaitMillis && others > 0 && !(now - load.measured >= STALE)) throw busy(load);
}

/**
 * When a request was answered. Refusals and who waited for nobody leave `measured` as it is:
 * otherwise each of them would make the next be refused, for as long as a slow upload goes on
 * beside them.
 */
export function noteEnd(load: Load, now: number): void {
  load.lastEnd = now;
  if (load.measured !== load.measured) load.measured = now;
}

/** When a request comes: if there was a pause before, the thread is busy from now on. */
export function noteArrival(load: Load, now: number): void {
  if (now - load.lastEnd > PAUSE) load.busySince = now;
}

/**
 * When it is a request's turn: refuses it where it has waited too long. What it waited for ended at
 * `lastEnd`, so the clock need not be read. Who is answered as it comes has waited for nobody, which
 * says nothing of others whose bodies are still read.
 *
 * @param started When the request came.
 * @param others Requests in flight beside it.
 * @throws {RequestError} `E_HTTP_BUSY`.
 */
export function takeTurn(load: Load, started: number, others: number, maxWaitMillis: number): void {
  const wait = Math.max(0, load.lastEnd - Math.max(started, load.busySince));
  if (wait > 0 || others === 0) {
    load.wait = wait;
    load.measured = NaN;
  }
  if (wait > maxWaitMillis) throw busy(load);
}

function busy(load: Load): RequestError {
  load.shed++;
  return new RequestError("E_HTTP_BUSY", "Cannot answer now: too many are waiting, try again", {
    details: { retryAfterSeconds: 1 },
  });
}

/** What the server waits for. */
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
