/**
 * What LogitBoost does to every row between trees, as a task of several threads: class probabilities
 * of the scores, and the working response and weight of an output.
 *
 * @module
 */
import { blocksOf } from "../../metric/job.ts";
import { exp, log, sigmoid } from "../../util/math.ts";
import type { Task } from "./task.ts";

/** What all threads see. */
export interface LogitRows {
  readonly codes: Int32Array;
  readonly sampleWeight?: Float64Array | undefined;
  /** One output for two classes, else one a class. */
  readonly numOutputs: number;
  /** Largest absolute working response. */
  readonly zMax: number;
  /** Weights follow a clipped response (Weka). */
  readonly weka: boolean;
  /** Output-major, as are the probabilities. */
  readonly raw: Float64Array;
  readonly shares: Float64Array;
  /** Probability of the row's own class, or its logarithm. */
  readonly own: Float64Array;
  /** Working response and weight of the output at hand. */
  readonly values: Float64Array;
  readonly weight: Float64Array;
}

/** Steps; `work` is told its output. */
export const LogitStep = { shares: 0, logarithms: 1, work: 2 } as const;

/** Least weight: twice the distance of 1 from the next double. */
const LEAST_WEIGHT = 2 * 2.220446049250313e-16;

/** Working response of one row and its weight. */
export function workingResponse(
  y: number,
  p: number,
  zMax: number,
  weka: boolean,
): { readonly z: number; readonly w: number } {
  const full = y === 1 ? 1 / p : -1 / (1 - p);
  const z = Math.max(-zMax, Math.min(zMax, full));
  const w = weka ? (y - p) / z : Math.max(p * (1 - p), LEAST_WEIGHT);
  return { z, w };
}

/** Makes the task. */
export function logitTask(rows: LogitRows): Task {
  const { count, start } = blocksOf(rows.codes.length);
  return {
    run(step, next, output) {
      for (let block = next(); block < count; block = next()) {
        const from = start(block);
        const to = start(block + 1);
        if (step === LogitStep.shares) fillShares(rows, from, to);
        else if (step === LogitStep.work) fillWork(rows, output, from, to);
        else takeLogarithms(rows.own, from, to);
      }
    },
  };
}

function fillShares(rows: LogitRows, from: number, to: number): void {
  const { codes, numOutputs, raw, shares, own } = rows;
  const numRows = codes.length;
  for (let row = from; row < to; row++) {
    if (numOutputs === 1) {
      shares[row] = sigmoid(2 * raw[row]);
      own[row] = codes[row] === 1 ? shares[row] : 1 - shares[row];
      continue;
    }
    let largest = -Infinity;
    for (let k = 0; k < numOutputs; k++) largest = Math.max(largest, raw[k * numRows + row]);
    let norm = 0;
    for (let k = 0; k < numOutputs; k++) {
      norm += shares[k * numRows + row] = exp(raw[k * numRows + row] - largest);
    }
    for (let k = 0; k < numOutputs; k++) shares[k * numRows + row] /= norm;
    own[row] = shares[codes[row] * numRows + row];
  }
}

function takeLogarithms(own: Float64Array, from: number, to: number): void {
  for (let row = from; row < to; row++) own[row] = log(Math.max(own[row], 1e-300));
}

function fillWork(rows: LogitRows, output: number, from: number, to: number): void {
  const { codes, sampleWeight, numOutputs, zMax, weka, shares, values, weight } = rows;
  const at = output * codes.length;
  const own = numOutputs === 1 ? 1 : output;
  for (let row = from; row < to; row++) {
    const y = codes[row] === own ? 1 : 0;
    const { z, w } = workingResponse(y, shares[at + row], zMax, weka);
    values[row] = z;
    weight[row] = w * (sampleWeight?.[row] ?? 1);
  }
}
