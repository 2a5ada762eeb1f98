/**
 * Weights and gains of a node in float32, as XGBoost's `TreeEvaluator` computes them: a leaf is
 * w = −T(G)/(H + λ) with T the soft threshold by α, the loss change of a split is
 * gain(left) + gain(right) − gain(parent) without the factor ½.
 *
 * @module
 */

const { fround } = Math;

/** Penalties and bounds of leaves. */
export interface NodeOptions {
  readonly lambda: number;
  readonly alpha: number;
  readonly minChildWeight: number;
  /** 0: no limit. */
  readonly maxDeltaStep: number;
  /** Direction of each feature: −1, 0, 1. */
  readonly monotone?: ArrayLike<number>;
}

/** Bounds that monotone splits above a node put on its weight. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** A node while its level is being split. */
export interface ExactNode {
  readonly id: number;
  readonly bounds: Bounds;
  g: number;
  h: number;
  count: number;
  weight: number;
  gain: number;
  /** Best split so far: missing rows go `left`; `g` and `h` are the left child's sums. */
  readonly best: {
    loss: number;
    feature: number;
    value: number;
    left: boolean;
    g: number;
    h: number;
  };
}

/** The formulas for one set of options. */
export interface NodeMath {
  readonly minWeight: number;
  /** Gains are those of weights that bounds or a largest step have changed. */
  readonly explicit: boolean;
  /** A node without rows. */
  node(id: number, bounds: Bounds): ExactNode;
  /** Fills weight and gain from the node's sums. */
  finish(node: ExactNode): void;
  /** Loss change of a split, or −∞ where it breaks the feature's direction. */
  lossChange(
    parent: ExactNode,
    feature: number,
    leftG: number,
    leftH: number,
    rightG: number,
    rightH: number,
  ): number;
  /** Bounds of both children of a node's best split: the middle of their weights parts them. */
  childBounds(parent: ExactNode): readonly [Bounds, Bounds];
}

/** Makes the formulas. */
export function nodeMath(options: NodeOptions): NodeMath {
  const { monotone } = options;
  const lambda = fround(options.lambda);
  const alpha = fround(options.alpha);
  const minWeight = fround(options.minChildWeight);
  const maxStep = fround(options.maxDeltaStep);
  const explicit = maxStep !== 0 || monotone !== undefined;

  const shrink = (g: number) => g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;

  const weightOf = (g: number, h: number, { low, high }: Bounds): number => {
    let w = 0;
    if (h >= minWeight && h > 0) {
      w = -shrink(g) / (h + lambda);
      if (maxStep !== 0 && Math.abs(w) > maxStep) w = Math.sign(w) * maxStep;
    }
    return Math.min(high, Math.max(low, fround(w)));
  };

  const gainOf = (g: number, h: number, w: number): number => {
    if (h <= 0) return 0;
    if (!explicit) {
      const t = shrink(g);
      return fround((t * t) / (h + lambda));
    }
    const linear = fround(fround(2 * fround(g)) * w);
    const square = fround(fround(fround(h) + lambda) * fround(w * w));
    // Without α·|w|, as XGBoost has it (2.1.4 and 3.2.0): bounded weights are judged as if α were 0.
    return -fround(linear + square);
  };

  return {
    minWeight,
    explicit,
    node: (id, bounds) => ({
      id,
      bounds,
      g: 0,
      h: 0,
      count: 0,
      weight: 0,
      gain: 0,
      best: { loss: 0, feature: 0, value: 0, left: true, g: 0, h: 0 },
    }),
    finish(node) {
      node.weight = weightOf(node.g, node.h, node.bounds);
      node.gain = gainOf(node.g, node.h, node.weight);
    },
    lossChange(parent, feature, leftG, leftH, rightG, rightH) {
      const left = weightOf(leftG, leftH, parent.bounds);
      const right = weightOf(rightG, rightH, parent.bounds);
      const direction = monotone?.[feature] ?? 0;
      if (direction > 0 ? left > right : direction < 0 && left < right) return -Infinity;
      const both = fround(gainOf(leftG, leftH, left) + gainOf(rightG, rightH, right));
      return fround(both - parent.gain);
    },
    childBounds({ g, h, bounds, best }) {
      const direction = monotone?.[best.feature] ?? 0;
      if (direction === 0) return [bounds, bounds];
      const left = weightOf(best.g, best.h, bounds);
      const right = weightOf(g - best.g, h - best.h, bounds);
      const middle = fround(fround(left + right) / 2);
      const below = { low: bounds.low, high: middle };
      const above = { low: middle, high: bounds.high };
      return direction > 0 ? [below, above] : [above, below];
    },
  };
}
