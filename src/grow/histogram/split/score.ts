/**
 * Newton score of a node and the step of a leaf: Chen & Guestrin, "XGBoost: A Scalable Tree Boosting
 * System", KDD 2016, equations 5 and 6, with L1 penalty, a bound on the step, path smoothing
 * (LightGBM) and monotone bounds. No factor ½; gamma is compared with the gain, not subtracted.
 *
 * @module
 */

/** Penalties and limits of splits; plain data, known to all threads. */
export interface ScoreParams {
  readonly lambda: number;
  readonly alpha: number;
  /** 0 means no limit. */
  readonly maxDeltaStep: number;
  readonly pathSmooth: number;
  readonly minChildWeight: number;
  readonly minRowsPerLeaf: number;
  readonly maxCategoriesOneHot: number;
  readonly maxCategoriesPerSplit: number;
  readonly catSmooth: number;
  readonly catL2: number;
  readonly minRowsPerCategory: number;
  /** Direction of each feature; absent without constraints. */
  readonly monotone?: readonly number[];
}

/** Sums of a node and what its ancestors demand of its value. */
export interface NodeSums {
  gradient: number;
  hessian: number;
  count: number;
  /** Bounds of its value (monotone constraints). */
  lower: number;
  upper: number;
  /** Value of the node, which its children are smoothed towards. */
  value: number;
}

function softThreshold(g: number, alpha: number): number {
  return g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
}

/** A value of so many rows pulled towards the parent's (LightGBM's `path_smooth`). */
export function smoothed(
  value: number,
  count: number,
  parentValue: number,
  pathSmooth: number,
): number {
  const k = count / pathSmooth;
  return value * (k / (k + 1)) + parentValue / (k + 1);
}

/** Value of a node before the learning rate; the root's parent value is undefined. */
export function nodeValue(
  g: number,
  h: number,
  count: number,
  lower: number,
  upper: number,
  parentValue: number | undefined,
  lambda: number,
  params: ScoreParams,
): number {
  const { alpha, maxDeltaStep, pathSmooth } = params;
  let value = h + lambda > 0 ? -softThreshold(g, alpha) / (h + lambda) : 0;
  if (maxDeltaStep > 0) value = Math.max(-maxDeltaStep, Math.min(maxDeltaStep, value));
  if (pathSmooth > 0 && parentValue !== undefined) {
    value = smoothed(value, count, parentValue, pathSmooth);
  }
  return Math.max(lower, Math.min(upper, value));
}

/** Twice the loss decrease that a value brings to a node. */
function scoreOfValue(g: number, h: number, value: number, lambda: number, alpha: number): number {
  return -(2 * g * value + (h + lambda) * value * value + 2 * alpha * Math.abs(value));
}

/** Whether T(G)² / (H + λ) is the whole story. */
export function isPlain(params: ScoreParams): boolean {
  return params.maxDeltaStep === 0 && params.pathSmooth === 0 && params.monotone === undefined;
}

/** T(G)² / (H + λ). */
export function plainScore(g: number, h: number, lambda: number, alpha: number): number {
  const t = softThreshold(g, alpha);
  return h + lambda > 0 ? (t * t) / (h + lambda) : 0;
}

/** Score of a node by itself. */
export function nodeScore(node: NodeSums, params: ScoreParams): number {
  const { gradient: g, hessian: h, value } = node;
  return isPlain(params)
    ? plainScore(g, h, params.lambda, params.alpha)
    : scoreOfValue(g, h, value, params.lambda, params.alpha);
}

/**
 * Score of two children, or −Infinity where their values would break a monotone constraint.
 *
 * @param direction 1: the right value must not be below the left; −1: not above; 0: free.
 */
export function childrenScore(
  gl: number,
  hl: number,
  cl: number,
  gr: number,
  hr: number,
  cr: number,
  node: NodeSums,
  lambda: number,
  direction: number,
  params: ScoreParams,
): number {
  const { lower, upper, value } = node;
  const left = nodeValue(gl, hl, cl, lower, upper, value, lambda, params);
  const right = nodeValue(gr, hr, cr, lower, upper, value, lambda, params);
  if (direction * (right - left) < 0) return -Infinity;
  return scoreOfValue(gl, hl, left, lambda, params.alpha) +
    scoreOfValue(gr, hr, right, lambda, params.alpha);
}
