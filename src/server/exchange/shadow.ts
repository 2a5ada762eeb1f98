/**
 * Shadows: a second version scores what the first has answered, and is compared with it.
 *
 * @module
 */
import type { Scores } from "../answer/scores.ts";
import { scoreBatch } from "../answer/predict.ts";
import type { Batch } from "../body/batch.ts";
import type { Encoder } from "../body/encoder.ts";
import type { Served } from "../models/types.ts";

/** Requests that may wait for a shadow, which may take long to load: their bodies are kept. */
const MAX_WAITING = 256;
/** Bytes of their bodies. */
const MAX_BYTES = 16 << 20;

/** Milliseconds that one waits for the reader of a long answer, which is sent a piece at a time. */
const PATIENCE = 1000;

/** Milliseconds between two looks whether it has read. */
const POLL = 5;

/** A request that has been answered. */
export interface Answered {
  readonly served: Served;
  readonly scores: Scores;
  /** Fills a batch for the shadow's schema. */
  readonly refill: (encoder: Encoder) => Batch;
  /** Bytes of the body, at most. */
  readonly byteLength: number;
  /** Whether the answer has gone, to its last piece. */
  readonly isSent: () => boolean;
}

/**
 * Scores a request with the shadow version after the answer has gone, and compares. Where too many
 * wait already, it is left out and counted.
 *
 * @param maxMillis Milliseconds of scoring.
 */
export function shadowRequest(
  shadow: Promise<Served>,
  { served, scores, refill, byteLength, isSent }: Answered,
  maxMillis: number,
): void {
  const meter = served.meter.shadow;
  const { waiting, waitingBytes } = meter;
  if (waiting > 0 && (waiting >= MAX_WAITING || waitingBytes + byteLength > MAX_BYTES)) {
    meter.skipped++;
    return;
  }
  meter.waiting++;
  meter.waitingBytes += byteLength;
  const score = ({ model, encoder }: Served) => scoreBatch(model, refill(encoder), { maxMillis });
  shadow
    .then(async (other) => {
      if (other === served) return; // it was asked for by its own name
      const until = performance.now() + PATIENCE;
      await pause(0);
      while (!isSent() && performance.now() < until) await pause(POLL);
      compare(served, scores, score(other), other);
    })
    .catch(() => meter.failures++) // a shadow may not disturb what is served
    .finally(() => {
      meter.waiting--;
      meter.waitingBytes -= byteLength;
    });
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

function compare(served: Served, scores: Scores, others: Scores, other: Served): void {
  const { shadow } = served.meter;
  const labelOf = (at: Served, index: number) => at.model.schema.classes[index];
  if (scores.rows !== others.rows) throw new TypeError("rows that the shadow cannot read");
  for (let row = 0; row < scores.rows; row++) {
    shadow.rows++;
    if (labelOf(served, scores.labels[row]) !== labelOf(other, others.labels[row])) {
      shadow.classChanges++;
    }
    const last = (row + 1) * scores.numOutputs - 1;
    const otherLast = (row + 1) * others.numOutputs - 1;
    const difference = Math.abs(scores.value[last] - others.value[otherLast]);
    if (difference === difference) shadow.absoluteDifference += difference;
  }
}
