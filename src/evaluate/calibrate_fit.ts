/**
 * Fits of the maps that calibrate probabilities, each by its own likelihood or least squares.
 *
 * @module
 */
import type { Calibration } from "../model/types.ts";
import { logSumExp, sigmoid, softplus } from "../util/math.ts";

/** Scores and truth of held-out rows; weights are all ones where omitted. */
export interface BinaryScores {
  readonly scores: Float64Array;
  /** Whether each row is of the class in question. */
  readonly truth: ArrayLike<number>;
  readonly weight?: Float64Array;
}

/**
 * Platt scaling σ(a·raw + b) by Newton's method with backtracking, on targets (N₊ + 1)/(N₊ + 2) and
 * 1/(N₋ + 2).
 *
 * Lin, Lin & Weng, "A Note on Platt's Probabilistic Outputs", Machine Learning 68 (2007).
 */
export function fitPlatt({ scores, truth, weight }: BinaryScores): Calibration {
  const size = scores.length;
  let positives = 0;
  let negatives = 0;
  for (let i = 0; i < size; i++) {
    if (truth[i] === 1) positives += weight?.[i] ?? 1;
    else negatives += weight?.[i] ?? 1;
  }
  const high = (positives + 1) / (positives + 2);
  const low = 1 / (negatives + 2);
  const target = (i: number) => truth[i] === 1 ? high : low;
  const cost = (a: number, b: number): number => {
    let total = 0;
    for (let i = 0; i < size; i++) {
      const f = a * scores[i] + b;
      total += (weight?.[i] ?? 1) * (softplus(f) - target(i) * f);
    }
    return total;
  };
  // Small scores must not pass for small slopes.
  const scale = Math.min(1, scores.reduce((most, score) => Math.max(most, Math.abs(score)), 0));
  let a = 0;
  let b = -Math.log((negatives + 1) / (positives + 1));
  let best = cost(a, b);
  for (let step = 0; step < 100; step++) {
    let [ga, gb, haa, hab, hbb] = [0, 0, 1e-12 * scale * scale, 0, 1e-12];
    for (let i = 0; i < size; i++) {
      const w = weight?.[i] ?? 1;
      const p = sigmoid(a * scores[i] + b);
      const g = w * (p - target(i));
      const h = w * p * (1 - p);
      ga += g * scores[i];
      gb += g;
      haa += h * scores[i] * scores[i];
      hab += h * scores[i];
      hbb += h;
    }
    if (Math.abs(ga) < 1e-9 * scale && Math.abs(gb) < 1e-9) break;
    const det = haa * hbb - hab * hab;
    const da = -(hbb * ga - hab * gb) / det;
    const db = -(haa * gb - hab * ga) / det;
    let size2 = 1;
    for (; size2 >= 1e-10; size2 /= 2) {
      const next = cost(a + size2 * da, b + size2 * db);
      if (next < best + 1e-4 * size2 * (ga * da + gb * db)) {
        a += size2 * da;
        b += size2 * db;
        best = next;
        break;
      }
    }
    if (size2 < 1e-10) break;
  }
  return { method: "platt", a, b };
}

/**
 * Isotonic regression of the truth on the response by pooling adjacent violators; equal responses
 * are pooled first. Between the points the map is linear, outside it is flat.
 *
 * Zadrozny & Elkan, KDD 2002; Ayer et al., Annals of Mathematical Statistics 26 (1955).
 */
export function fitIsotonic({ scores, truth, weight }: BinaryScores): Calibration {
  const order = Int32Array.from(scores, (_, i) => i).sort((a, b) => scores[a] - scores[b] || a - b);
  interface Block {
    first: number;
    last: number;
    weight: number;
    total: number;
  }
  const blocks: Block[] = [];
  for (let at = 0; at < order.length;) {
    const x = scores[order[at]];
    const block: Block = { first: x, last: x, weight: 0, total: 0 };
    for (; at < order.length && scores[order[at]] === x; at++) {
      const w = weight?.[order[at]] ?? 1;
      block.weight += w;
      block.total += w * truth[order[at]];
    }
    if (block.weight === 0) continue;
    blocks.push(block);
    while (blocks.length > 1) {
      const [before, last] = blocks.slice(-2);
      if (before.total / before.weight < last.total / last.weight) break;
      before.last = last.last;
      before.weight += last.weight;
      before.total += last.total;
      blocks.pop();
    }
  }
  const x: number[] = [];
  const y: number[] = [];
  for (const { first, last, weight: w, total } of blocks) {
    x.push(first);
    y.push(total / w);
    if (last > first) {
      x.push(last);
      y.push(total / w);
    }
  }
  return { method: "isotonic", x, y };
}

/**
 * Temperature t that minimises the cross entropy of the link of raw/t, by Newton's method on 1/t.
 *
 * Guo et al., "On Calibration of Modern Neural Networks", ICML 2017.
 *
 * @param raw Output-major scores: one output (logistic) or one a class (softmax).
 */
export function fitTemperature(
  raw: Float64Array,
  codes: ArrayLike<number>,
  numOutputs: number,
  scale: number,
  weight?: Float64Array,
): Calibration {
  const numRows = codes.length;
  let beta = 1;
  // The slope grows with β: it is below 0 at `low`, above 0 at `high`.
  let [low, high] = [0, Infinity];
  for (let step = 0; step < 100; step++) {
    let slope = 0;
    let curve = 1e-12;
    for (let row = 0; row < numRows; row++) {
      const w = weight?.[row] ?? 1;
      if (numOutputs === 1) {
        const z = scale * raw[row];
        const p = sigmoid(beta * z);
        slope += w * z * (p - codes[row]);
        curve += w * z * z * p * (1 - p);
        continue;
      }
      const scores = Float64Array.from(
        { length: numOutputs },
        (_, k) => beta * raw[k * numRows + row],
      );
      const norm = logSumExp(scores, 0, numOutputs);
      const p = scores.map((score) => Math.exp(score - norm));
      let mean = 0;
      for (let k = 0; k < numOutputs; k++) mean += p[k] * raw[k * numRows + row];
      slope += w * (mean - raw[codes[row] * numRows + row]);
      for (let k = 0; k < numOutputs; k++) curve += w * p[k] * (raw[k * numRows + row] - mean) ** 2;
    }
    // Half of β at most, so that it stays positive.
    const change = Math.max(-0.5 * beta, Math.min(beta, -slope / curve));
    if (slope > 0) high = beta;
    else low = beta;
    // A step beyond what is known already would go to and fro for ever.
    const next = beta + change;
    const within = next < low ? Math.sqrt(low * beta) : next > high ? Math.sqrt(high * beta) : next;
    beta = Math.min(1e6, Math.max(1e-6, within));
    if (Math.abs(change) < 1e-12 * beta) break;
  }
  return { method: "temperature", t: 1 / beta };
}
