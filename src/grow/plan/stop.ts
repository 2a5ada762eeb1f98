/**
 * Rules that leave a node as it is (pre-pruning): Pearson's χ² test of independence between the
 * branches of a split and the classes, or a critical value of the gain.
 *
 * Quinlan, "Induction of Decision Trees", Machine Learning 1 (1986), section 4; Kass, "An
 * Exploratory Technique for Investigating Large Quantities of Categorical Data", 1980.
 *
 * @module
 */
import { exp, log } from "../../util/math.ts";
import type { GrowContext, StopRule } from "./context.ts";
import { type NodeView, weightOf } from "../rows/stats.ts";
import type { Split } from "../splitter/split.ts";

/** Branch of a code under a split, −1 for missing. */
function branchOfCode(split: Split, code: number, numCodes: number): number {
  if (code === numCodes) return split.missing;
  if (split.kind === "threshold") return code <= split.code ? 0 : 1;
  const categories = split.categories!;
  return split.kind === "subset"
    ? 1 - (categories[code >>> 5] >>> (code & 31) & 1)
    : categories[code];
}

/** Vetoes splits whose branches show no dependence on the class at level `significance`. */
export function chiSquareStop(significance: number): StopRule {
  return (view, split, context) => {
    const { statistic, freedom } = chiSquareOf(view, split, context);
    return freedom > 0 && chiSquareTail(statistic, freedom) > significance;
  };
}

/** Vetoes splits that do not gain more than `critical` per unit of the node's weight. */
export function criticalValueStop(critical: number): StopRule {
  return (view, split, context) => {
    const unit = context.unitGain === true ? 1 : weightOf(context.source, view.total);
    return !(split.gain > critical * unit);
  };
}

/** χ² statistic of branches × classes, and its degrees of freedom (empty rows and columns left out). */
function chiSquareOf(
  view: NodeView,
  split: Split,
  context: GrowContext,
): { readonly statistic: number; readonly freedom: number } {
  const { source, frame } = context;
  if (source.kind !== "class") return { statistic: 0, freedom: 0 };
  const { numClasses } = source;
  const { codes, numCodes } = frame.features[split.feature];
  const table = new Float64Array(split.numBranches * numClasses);
  for (let i = view.from; i < view.to; i++) {
    const branch = branchOfCode(split, codes[view.rows[i]], numCodes);
    if (branch < 0) continue;
    table[branch * numClasses + view.classes[i - view.from]] += view.weights[i - view.from];
  }
  const branches = new Float64Array(split.numBranches);
  const classes = new Float64Array(numClasses);
  let total = 0;
  for (let i = 0; i < table.length; i++) {
    branches[Math.floor(i / numClasses)] += table[i];
    classes[i % numClasses] += table[i];
    total += table[i];
  }
  let statistic = 0;
  for (let i = 0; i < table.length; i++) {
    const expected = branches[Math.floor(i / numClasses)] * classes[i % numClasses] / total;
    if (expected > 0) statistic += (table[i] - expected) ** 2 / expected;
  }
  const rows = branches.reduce((n, w) => n + (w > 0 ? 1 : 0), 0);
  const cols = classes.reduce((n, w) => n + (w > 0 ? 1 : 0), 0);
  return { statistic, freedom: (rows - 1) * (cols - 1) };
}

/**
 * P(χ²_k > x): the upper incomplete gamma function Q(k/2, x/2), by series below and continued
 * fraction above (Abramowitz and Stegun 6.5.29 and 6.5.31).
 */
export function chiSquareTail(x: number, freedom: number): number {
  if (!(x > 0)) return 1;
  const a = freedom / 2;
  const z = x / 2;
  const front = exp(a * log(z) - z - logGamma(a));
  if (z < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 1000 && term > sum * 1e-17; n++) {
      term *= z / (a + n);
      sum += term;
    }
    return Math.max(0, 1 - front * sum);
  }
  let b = z + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let i = 1; i < 1000; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    const delta = d * c;
    h *= delta;
    if (Math.abs(delta - 1) < 1e-16) break;
  }
  return front * h;
}

/** ln Γ(a) for a > 0: Stirling's series after shifting the argument above 10. */
function logGamma(a: number): number {
  let shift = 0;
  let x = a;
  while (x < 10) {
    shift += log(x);
    x += 1;
  }
  const r = 1 / (x * x);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / x;
  return (x - 0.5) * log(x) - x + 0.9189385332046727 + series - shift;
}
