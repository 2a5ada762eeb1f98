/**
 * Which features a node may be split on: drawn by tree, then by level, then by node, and within what
 * interaction constraints leave. Each draw has a stream of its own, named by round, tree, level and
 * node, so that it does not depend on the order in which nodes are dealt with.
 *
 * @module
 */
import { log } from "../../util/math.ts";
import { forkRng, type Rng } from "../../util/rng.ts";
import { interactionRule } from "./constraints.ts";
import type { FeatureChooser } from "./tree/grow_task.ts";

/** Shares of features; 1 takes all. */
export interface ColumnShares {
  readonly perTree: number;
  readonly perLevel: number;
  readonly perNode: number;
  /** Chance of each feature to be drawn; features of weight 0 never are. */
  readonly weights?: ArrayLike<number>;
}

/** What the features of one tree are drawn by; plain data. */
export interface ColumnDraw {
  readonly numFeatures: number;
  readonly shares: ColumnShares;
  /** Groups of features that may meet on one path. */
  readonly groups?: readonly (readonly number[])[];
  /** Seed and names of the tree's stream. */
  readonly stream: readonly [seed: number, ...path: number[]];
}

/** Chooses features for the nodes of one tree. */
export function columnSampler({ numFeatures, shares, groups, stream }: ColumnDraw): FeatureChooser {
  const [seed, ...path] = stream;
  return createColumnSampler(
    numFeatures,
    shares,
    groups === undefined ? undefined : interactionRule(groups, numFeatures),
    forkRng(seed, ...path),
  );
}

/**
 * Draws a share of features without replacement, at least one, in ascending order. Weighted draws
 * follow Efraimidis & Spirakis (2006): the largest keys ln(u) / w.
 */
export function drawFeatures(
  from: readonly number[],
  share: number,
  weights: ArrayLike<number> | undefined,
  rng: Rng,
): readonly number[] {
  const open = weights === undefined ? from : from.filter((feature) => weights[feature] > 0);
  const count = Math.max(1, Math.round(from.length * share));
  if (count >= open.length) return open;
  if (weights === undefined) {
    const drawn = open.slice();
    drawToFront(drawn, open.length, count, rng);
    drawn.length = count;
    return drawn.sort((a, b) => a - b);
  }
  const keyed = open.map((feature) => ({
    feature,
    key: log(1 - rng.nextFloat()) / (weights?.[feature] ?? 1),
  }));
  keyed.sort((a, b) => b.key - a.key || a.feature - b.feature);
  return keyed.slice(0, count).map(({ feature }) => feature).sort((a, b) => a - b);
}

/** Draws without replacement, all alike, to the front: the first steps of Fisher and Yates' shuffle. */
function drawToFront(all: number[] | Int32Array, size: number, count: number, rng: Rng): void {
  for (let i = 0; i < count; i++) {
    const j = i + rng.nextInt(size - i);
    const held = all[i];
    all[i] = all[j];
    all[j] = held;
  }
}

/** Sets the bytes of the features that {@linkcode drawFeatures} draws all alike. */
function markDrawn(
  from: readonly number[],
  share: number,
  rng: Rng,
  order: Int32Array,
  mask: Uint8Array,
): void {
  const count = Math.max(1, Math.round(from.length * share));
  for (let i = 0; i < from.length; i++) order[i] = from[i];
  if (count < from.length) drawToFront(order, from.length, count, rng);
  for (let i = 0; i < Math.min(count, from.length); i++) mask[order[i]] = 1;
}

/**
 * Chooses features for the nodes of one tree.
 *
 * @param permits Features that a node with this path may use (interaction constraints).
 * @param rng The tree's stream.
 */
export function createColumnSampler(
  numFeatures: number,
  shares: ColumnShares,
  permits: ((path: readonly number[]) => Uint8Array | undefined) | undefined,
  rng: Rng,
): FeatureChooser {
  const { perTree, perLevel, perNode, weights } = shares;
  const all = Array.from({ length: numFeatures }, (_, feature) => feature);
  const drawsAny = perTree < 1 || perLevel < 1 || perNode < 1 || weights !== undefined;
  const ofTree = drawsAny ? drawFeatures(all, perTree, weights, forkRng(rng, 0)) : all;
  const ofLevel = new Map<number, readonly number[]>();
  const order = new Int32Array(numFeatures);
  const mask = new Uint8Array(numFeatures);
  const levelSet = (depth: number) => {
    let found = ofLevel.get(depth);
    if (found === undefined) {
      found = perLevel < 1
        ? drawFeatures(ofTree, perLevel, weights, forkRng(rng, 1, depth))
        : ofTree;
      ofLevel.set(depth, found);
    }
    return found;
  };
  return {
    allowed(depth, node, path) {
      const permitted = permits?.(path());
      if (!drawsAny) return permitted;
      let features = levelSet(depth);
      if (permitted !== undefined) {
        features = features.filter((feature) => permitted[feature] === 1);
      }
      mask.fill(0);
      if (perNode === 1 || features.length === 0) {
        for (const feature of features) mask[feature] = 1;
        return mask;
      }
      const own = forkRng(rng, 2, node);
      if (weights === undefined) markDrawn(features, perNode, own, order, mask);
      else for (const feature of drawFeatures(features, perNode, weights, own)) mask[feature] = 1;
      return mask;
    },
  };
}
