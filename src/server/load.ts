/**
 * How long requests wait for the thread, so that those that would wait too long are refused at once
 * instead of queueing: a caller who has given up still costs a whole answer.
 *
 * One thread works on one request at a time, so a request whose body is there waits for as long as
 * the thread has been busy without a pause. A slow upload does not count as waiting.
 *
 * @module
 */
import { RequestError } from "../errors.ts";

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
