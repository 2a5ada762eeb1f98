/**
 * XE-NDCG: cross entropy between the softmax of a query's scores and a random distribution around
 * its gains, a convex bound on NDCG.
 *
 * Bruch, "An Alternative Cross Entropy Loss for Learning-to-Rank", WWW 2021; the third-order
 * gradient is that of LightGBM's `rank_xendcg`.
 *
 * @module
 */
import { queriesOf, queryWeight } from "../data/dataset/queries.ts";
import { exp, log, pow } from "../util/math.ts";
import { forkRng } from "../util/rng.ts";
import { createSum } from "../util/sum.ts";
import { checkDomain } from "./labels.ts";
import { weighRows } from "./lambda.ts";
import type { Curvature } from "./params.ts";
import type { Loss } from "./types.ts";

const STREAM = 0x78656e64; // keeps these draws apart from those of row and column sampling

/** 2^1023 is the largest power of two that is a number; sums need room above their terms. */
const RELEVANCE = { test: (y: number) => y >= 0 && y <= 1000, text: "a relevance from 0 to 1000" };

/** Numbers from 0 to 1 for the items of one query in one round. */
export type QueryDraws = (round: number, query: number) => { readonly nextFloat: () => number };

/**
 * Makes the loss. Draws depend on the seed, the round and the query only.
 *
 * @param draws Another source of random numbers, for tests against another library's.
 * @param curvature LightGBM weighs rows, not queries.
 */
export function xendcgLoss(
  seed: number,
  draws: QueryDraws = (round, query) => forkRng(seed, STREAM, round, query),
  curvature: Curvature = "treeline",
): Loss {
  return {
    name: "xendcg",
    task: "ranking",
    numOutputs: 1,
    postprocess: { name: "identity" },
    weighted: true,
    checkLabels(labels) {
      queriesOf(`loss "xendcg"`, labels);
      checkDomain("xendcg", labels, RELEVANCE);
    },
    baseScore: () => new Float64Array(1),
    gradients(labels, raw, gradient, hessian, from, to, round = 1) {
      const starts = queriesOf(`loss "xendcg"`, labels);
      for (let q = 0; q + 1 < starts.length; q++) {
        if (starts[q] < from || starts[q] >= to) continue;
        const rng = draws(round, q);
        const targets = labels.values.subarray(starts[q], starts[q + 1])
          .map((y) => pow(2, y) - rng.nextFloat());
        queryGradients(targets, raw, gradient, hessian, starts[q]);
        if (curvature === "lightgbm") {
          weighRows(labels.weight, starts[q], starts[q + 1], gradient, hessian);
          continue;
        }
        const weight = queryWeight(labels, starts[q], starts[q + 1]);
        for (let row = starts[q]; weight !== 1 && row < starts[q + 1]; row++) {
          gradient[row] *= weight;
          hessian[row] *= weight;
        }
      }
    },
    value(labels, raw) {
      const starts = queriesOf(`loss "xendcg"`, labels);
      const total = createSum();
      const weights = createSum();
      for (let q = 0; q + 1 < starts.length; q++) {
        const [from, to] = [starts[q], starts[q + 1]];
        const weight = queryWeight(labels, from, to);
        // The mean of 2^y − γ over γ uniform on [0, 1).
        const targets = labels.values.subarray(from, to).map((y) => pow(2, y) - 0.5);
        total.add(weight * crossEntropy(targets, softmaxOf(raw, from, to)));
        weights.add(weight);
      }
      return total.value() / weights.value();
    },
  };
}

function softmaxOf(raw: Float64Array, from: number, to: number): Float64Array {
  const scores = raw.slice(from, to);
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = scores.map((score) => exp(score - largest));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / total);
}

function crossEntropy(targets: Float64Array, shares: Float64Array): number {
  const total = targets.reduce((a, b) => a + b, 0);
  return targets.reduce(
    (sum, target, i) => sum - target / total * log(Math.max(shares[i], 1e-300)),
    0,
  );
}

/**
 * Where one item has all of the softmax but so much, the two corrections cancel to within that. They
 * divide by it: rounding would take over, and from score gaps of 37 on they are NaN (LightGBM's are).
 */
const LEAST_REST = 1e-8;

/** Gradients of one query, corrected to third order; single items keep zero. */
function queryGradients(
  targets: Float64Array,
  raw: Float64Array,
  gradient: Float64Array,
  hessian: Float64Array,
  from: number,
): void {
  const size = targets.length;
  if (size <= 1) {
    gradient.fill(0, from, from + size);
    hessian.fill(0, from, from + size);
    return;
  }
  const shares = softmaxOf(raw, from, from + size);
  const total = Math.max(1e-15, targets.reduce((a, b) => a + b, 0));
  const first = shares.map((share, i) => share - targets[i] / total);
  shares.forEach((share, i) => hessian[from + i] = share * (1 - share));
  if (shares.some((share) => 1 - share < LEAST_REST)) {
    gradient.set(first, from);
    return;
  }
  const next = first.map((term, i) => term / (1 - shares[i]));
  const sumFirst = next.reduce((a, b) => a + b, 0);
  const second = shares.map((share, i) => share * (sumFirst - next[i]));
  const last = second.map((term, i) => term / (1 - shares[i]));
  const sumSecond = last.reduce((a, b) => a + b, 0);
  for (let i = 0; i < size; i++) {
    gradient[from + i] = first[i] + second[i] + shares[i] * (sumSecond - last[i]);
  }
}
