/**
 * Rows that several threads score together: rows and scores lie in memory that all of them see, and each
 * thread takes the next stripe by a counter. A stripe's scores are written where they belong.
 *
 * @module
 */
import type { FloatArray } from "../../data/types.ts";
import type { PositionalScorer } from "../../model/positional.ts";

/** What every thread gets. All arrays are views of shared memory. */
export interface Share {
  /** Row-major rows. */
  readonly rows: FloatArray;
  /** Row-major scores. */
  readonly scores: Float64Array;
  /** Words NEXT, READY and DONE. */
  readonly control: Int32Array;
  /** Rows of a stripe, and stripes. */
  readonly stripe: number;
  readonly numStripes: number;
  readonly numFeatures: number;
  readonly numOutputs: number;
}

/** Words of control: the next stripe to take, stripes whose rows are there, and stripes that are scored. */
const NEXT = 0;
const READY = 1;
const DONE = 2;

/** Bytes of rows that are copied for the threads at a time: what a pool keeps. */
const ROOM = 1 << 26;
/** Rows of a stripe: the kernels take 1024 and 128 at a time. */
const MOST = 4096;
const BLOCK = 1024;
const LEAST = 128;

/**
 * Scores the next stripe that nobody has taken.
 *
 * @returns false when there is none.
 * @throws what the scorer throws; the stripe is then not counted as done, and no other is begun.
 */
export function scoreNext(share: Share, scorer: PositionalScorer): boolean {
  const { rows, scores, control, stripe, numStripes, numFeatures, numOutputs } = share;
  const mine = Atomics.add(control, NEXT, 1);
  if (mine >= numStripes) return false;
  for (;;) {
    const ready = Atomics.load(control, READY);
    if (ready > mine) break;
    Atomics.wait(control, READY, ready);
  }
  const from = mine * stripe;
  try {
    scorer.rawRowsInto(
      rows.subarray(from * numFeatures, (from + stripe) * numFeatures),
      scores.subarray(from * numOutputs, (from + stripe) * numOutputs),
    );
  } catch (error) {
    Atomics.store(control, NEXT, numStripes);
    throw error;
  }
  Atomics.add(control, DONE, 1);
  return true;
}

/** A part of the rows, laid out for the threads. */
export interface Place {
  readonly share: Share;
  /** Copies the rows where they are not shared yet, and lets threads begin with what is there. */
  fill(): void;
  /** Whether every stripe is scored. */
  isDone(): boolean;
  /** Copies the scores to where they belong in `out`, and lets the memory be used again. */
  give(out: Float64Array): void;
}

/** Lays out rows for threads. */
export interface Desk {
  /** Parts of the rows that fit the room. */
  parts(rows: FloatArray): readonly { readonly from: number; readonly to: number }[];
  /** Lays out rows `from … to − 1`. */
  take(rows: FloatArray, from: number, to: number): Place;
}

/**
 * Makes a desk; it keeps the memory of the last part that was given back.
 *
 * @param room Most bytes of rows that are copied at a time.
 */
export function createDesk(
  numFeatures: number,
  numOutputs: number,
  threads: number,
  room = ROOM,
): Desk {
  let spare: { readonly rows: SharedArrayBuffer; readonly scores: SharedArrayBuffer } | undefined;

  return {
    parts(rows) {
      const count = rows.length / numFeatures;
      const blocks = Math.floor(room / (rows.BYTES_PER_ELEMENT * numFeatures * BLOCK));
      const most = isShared(rows) ? count : Math.max(1, blocks) * BLOCK;
      const parts = [];
      for (let from = 0; from < count; from += most) {
        parts.push({ from, to: Math.min(count, from + most) });
      }
      return parts;
    },
    take(rows, from, to) {
      const count = to - from;
      const given = rows.subarray(from * numFeatures, to * numFeatures);
      const there = isShared(rows);
      const memory = {
        rows: there ? undefined : grown(spare?.rows, given.byteLength),
        scores: grown(spare?.scores, 8 * count * numOutputs),
      };
      spare = undefined;
      const stripe = stripeOf(count, threads);
      const share: Share = {
        rows: memory.rows === undefined ? given : viewLike(given, memory.rows),
        scores: new Float64Array(memory.scores, 0, count * numOutputs),
        control: new Int32Array(new SharedArrayBuffer(12)),
        stripe,
        numStripes: Math.ceil(count / stripe),
        numFeatures,
        numOutputs,
      };
      const { control, numStripes } = share;
      return {
        share,
        fill() {
          for (let i = 0; i < numStripes; i++) {
            const at = i * stripe * numFeatures;
            if (!there) share.rows.set(given.subarray(at, at + stripe * numFeatures), at);
            Atomics.store(control, READY, i + 1);
            Atomics.notify(control, READY);
          }
        },
        isDone: () => Atomics.load(control, DONE) === numStripes,
        give(out) {
          out.set(share.scores, from * numOutputs);
          const kept = memory.rows ?? new SharedArrayBuffer(0);
          spare = { rows: kept, scores: memory.scores };
        },
      };
    },
  };
}

/** Few enough rows for every thread to get some, and many enough to fill the blocks of the kernels. */
function stripeOf(count: number, threads: number): number {
  const fair = count / threads;
  const stripe = Math.min(MOST, Math.max(fair / 4, Math.min(BLOCK, fair)));
  return Math.ceil(stripe / LEAST) * LEAST;
}

function grown(buffer: SharedArrayBuffer | undefined, byteLength: number): SharedArrayBuffer {
  return buffer !== undefined && buffer.byteLength >= byteLength
    ? buffer
    : new SharedArrayBuffer(byteLength);
}

function viewLike(like: FloatArray, buffer: SharedArrayBuffer): FloatArray {
  return like instanceof Float32Array
    ? new Float32Array(buffer, 0, like.length)
    : new Float64Array(buffer, 0, like.length);
}

function isShared({ buffer }: FloatArray): boolean {
  return buffer instanceof SharedArrayBuffer;
}
