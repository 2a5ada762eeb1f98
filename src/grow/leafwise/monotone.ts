/**
 * Monotone constraints of leaf-wise growth, by LightGBM's three methods. `basic` bounds the children
 * of a split by the middle of their values. `intermediate` bounds each leaf by the values of its
 * neighbours, and looks again at leaves whose bounds a split has changed. `advanced` also lets the
 * bounds differ along the feature that is cut.
 *
 * Auguste, Malory & Smirnov, "A Better Method to Enforce Monotonic Constraints in Regression and
 * Classification Trees", 2020; the order of steps is that of release 4.6.0.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";
import {
  type Bound,
  evenBounds,
  type FeatureBounds,
  lightgbmBounds,
  unevenBounds,
} from "./bounds.ts";
import { EPSILON, type LeafwiseMonotone } from "./math.ts";
import {
  createShape,
  createWay,
  follow,
  isNearest,
  missingReaches,
  numbersReach,
  pass,
  type Reach,
  type Shape,
  splitShape,
  type Way,
  WHOLE,
} from "./shape.ts";
import type { LeafwiseSplit } from "./split.ts";
import { evenSteps, limitSteps, type Tighter } from "./steps.ts";

/** The constraints of one tree that grows. Leaves are numbered in order of birth. */
export interface MonotoneTree {
  /** Bounds of the cuts of a leaf on a feature, by its place. */
  bounds(leaf: number, place: number): FeatureBounds;
  /** Gain of a split of a leaf after the penalty of splits on constrained features. */
  penalised(leaf: number, split: LeafwiseSplit): LeafwiseSplit;
  /**
   * Takes a split in; its right child gets the next number.
   *
   * @param isOpen Whether a leaf has a split to offer.
   * @returns Leaves whose best split must be sought again, in this order, some more than once.
   */
  split(leaf: number, split: LeafwiseSplit, isOpen: (leaf: number) => boolean): readonly number[];
}

/** Bounds of a leaf: of all cuts, or (advanced) of each feature. */
interface LeafBounds {
  min: Bound[];
  max: Bound[];
  /** Bounds of a feature that must be found again before they are used. */
  minStale: boolean[];
  maxStale: boolean[];
}

/** Makes the constraints of a tree. */
export function monotoneTree(
  features: readonly LeafwiseFeature[],
  { directions, method, penalty, rules }: LeafwiseMonotone,
): MonotoneTree {
  const isSound = rules === "sound";
  const shape = createShape(isSound);
  const width = method === "advanced" ? features.length : 1;
  const leaves: LeafBounds[] = [freeBounds(width)];
  const below: boolean[] = [false]; // whether a constrained split is above a leaf
  const directionAt = (place: number) => directions[features[place].feature] ?? 0;
  const advanced = method === "advanced";
  return {
    bounds(leaf, place) {
      const own = leaves[leaf];
      if (!advanced) {
        return evenBounds(directionAt(place), own.min[0] as number, own.max[0] as number);
      }
      if (features[place].kind === "numeric") refresh(own, leaf, place);
      const direction = directionAt(place);
      const [min, max] = [own.min[place], own.max[place]];
      return isSound
        ? unevenBounds(direction, features[place], min, max)
        : lightgbmBounds(direction, min, max);
    },
    penalised(leaf, split) {
      if ((directions[split.feature.feature] ?? 0) === 0) return split;
      return { ...split, gain: split.gain * penaltyAt(shape.depthOf[leaf], penalty) };
    },
    split(leaf, split, isOpen) {
      const place = features.indexOf(split.feature);
      const direction = directionAt(place);
      const right = leaves.length;
      below[leaf] = below[right] = below[leaf] || direction !== 0;
      splitShape(shape, leaf, place, split);
      leaves.push(cloneBounds(leaves[leaf]));
      const { left: { value: l }, right: { value: r } } = split;
      // LightGBM's `mid` is a float64; it halves by a float32 2, which is exact.
      const middle = (l + r) / 2;
      const [beyond, before] = method === "basic" ? [middle, middle] : [r, l];
      if (direction > 0) {
        raise(leaves[right], before, false);
        lower(leaves[leaf], beyond, false);
      } else if (direction < 0) {
        raise(leaves[leaf], beyond, false);
        lower(leaves[right], before, false);
      }
      return method === "basic" || !below[leaf] ? [] : touched(right, split, isOpen);
    },
  };

  /** Leaves that a new split bounds, found from its node upwards. */
  function touched(
    right: number,
    split: LeafwiseSplit,
    isOpen: (leaf: number) => boolean,
  ): number[] {
    const found: number[] = [];
    const visit = (leaf: number, upper: boolean, useLeft: boolean, useRight: boolean) => {
      if (!isOpen(leaf)) return;
      const { left: { value: l }, right: { value: r } } = split;
      const values = useLeft === useRight ? [l, r] : useLeft ? [l] : [r];
      const changed = upper
        ? lower(leaves[leaf], Math.min(...values), true)
        : raise(leaves[leaf], Math.max(...values), true);
      if (changed || advanced) found.push(leaf);
    };
    climb(shape, shape.parentOf[right], (way, node, isRight) => {
      const direction = directionAt(shape.nodes[node].place);
      if (direction === 0) return;
      const other = isRight ? shape.nodes[node].left : shape.nodes[node].right;
      const upper = direction < 0 ? !isRight : isRight;
      descend(shape, way, split, other, (leaf, l, r) => visit(leaf, upper, l, r));
    });
    return found;
  }

  /** Finds the bounds of a leaf along a feature again, where a split has changed them. */
  function refresh(own: LeafBounds, leaf: number, place: number): void {
    if (!own.minStale[place] && !own.maxStale[place]) return;
    // Where both are stale, the lower one is found again and the upper one stays as it is: tighter.
    const wantMin = own.minStale[place];
    const { numBins } = features[place];
    const none = wantMin ? -Infinity : Infinity;
    const bound = isSound ? new Float64Array(numBins).fill(none) : evenSteps(none);
    constrain(leaf, place, wantMin, bound);
    if (wantMin) own.min[place] = bound;
    else own.max[place] = bound;
    own.minStale[place] = own.maxStale[place] = false;
  }

  /** Bounds of a leaf for each bin of a feature by the values of its neighbours. */
  function constrain(leaf: number, place: number, wantMin: boolean, bound: PlacedBound): void {
    const { numBins, missingBin } = features[place];
    let range: Range = {
      from: 0,
      to: isSound && missingBin === numBins - 1 ? numBins - 1 : numBins,
      missing: isSound ? missingBin : -1,
    };
    climb(shape, ~leaf, (way, at, isRight) => {
      const node = shape.nodes[at];
      if (node.place === place && node.numeric) range = narrow(range, node, isRight, 0);
      const direction = directionAt(node.place);
      if (direction === 0 || (direction < 0 ? !isRight : isRight) !== wantMin) return;
      const task = { place, root: node.place, wantMin, way, bound };
      gather(task, isRight ? node.left : node.right, range, WHOLE);
    }, (at, isRight) => {
      const node = shape.nodes[at];
      if (node.place === place && node.numeric) range = narrow(range, node, isRight, 0);
    });
  }

  /** Takes the values of all neighbours below a node. */
  function gather(task: Gathering, at: number, range: Range, reach: Reach): void {
    const { place, root, wantMin, way, bound } = task;
    if (at < 0) {
      const value = shape.valueOf[~at];
      limit(bound, value, range, features[place].numBins, wantMin ? Math.max : Math.min);
      return;
    }
    const node = shape.nodes[at];
    const along = node.place === place && node.numeric && root !== place;
    const direction = along ? 0 : directionAt(node.place);
    for (const isRight of [false, true]) {
      const rest = follow(way, node, reach, isRight);
      if (rest === undefined) continue;
      // The other side holds the tighter values, and the leaf has numbers there.
      const tighter = direction !== 0 && (direction > 0) === wantMin;
      const weaker = direction !== 0 && isRight !== tighter;
      if (weaker && numbersReach(way, node, reach, !isRight)) continue;
      const part = along ? narrow(range, node, isRight, 1) : range;
      gather(task, isRight ? node.right : node.left, part, rest);
    }
  }
}

/** What is asked of neighbours. */
interface Gathering {
  readonly place: number;
  /** Feature of the node that parts the leaf and its neighbours. */
  readonly root: number;
  readonly wantMin: boolean;
  readonly way: Way;
  readonly bound: PlacedBound;
}

/** A bound that differs along a feature. */
type PlacedBound = Exclude<Bound, number>;

/** Bounds a range of bins by the value of a neighbour. */
function limit(
  bound: PlacedBound,
  value: number,
  { from, to, missing }: Range,
  numBins: number,
  tighter: Tighter,
): void {
  if (!(bound instanceof Float64Array)) {
    limitSteps(bound, value, { start: from, end: to, numBins }, tighter);
    return;
  }
  for (let bin = from; bin < to; bin++) bound[bin] = tighter(value, bound[bin]);
  if (missing >= 0) bound[missing] = tighter(value, bound[missing]);
}

/** Bins `from … to − 1`, and the one of missing values (−1: without). */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly missing: number;
}

/**
 * The part of a range on one side of a node.
 *
 * @param beyond 1, or 0 to keep the last bin of the left side on the right too, as LightGBM does on
 *   its way up: the leaf has no rows there.
 */
function narrow(
  { from, to, missing }: Range,
  { bin, missingLeft }: { readonly bin: number; readonly missingLeft: boolean },
  isRight: boolean,
  beyond: number,
): Range {
  return {
    from: isRight ? Math.max(bin + beyond, from) : from,
    to: isRight ? to : Math.min(bin + 1, to),
    missing: missingLeft === isRight ? -1 : missing,
  };
}

/**
 * Goes from a child to the root and calls at every node whose other side can hold neighbours, before
 * the node is taken into the way; `skipped` at the others.
 */
function climb(
  { nodes, parentOf }: Shape,
  child: number,
  visit: (way: Way, node: number, isRight: boolean) => void,
  skipped: (node: number, isRight: boolean) => void = () => {},
): void {
  const way = createWay();
  let at = child;
  for (;;) {
    const parent = at < 0 ? parentOf[~at] : nodes[at].parent;
    if (parent < 0) return;
    const isRight = nodes[parent].right === at;
    const nearest = isNearest(way, nodes[parent], isRight);
    if (nearest) visit(way, parent, isRight);
    else skipped(parent, isRight);
    pass(way, nodes[parent], isRight, nearest);
    at = parent;
  }
}

/** Calls for every neighbour of the two children of a new split below a node. */
function descend(
  { nodes }: Shape,
  way: Way,
  split: LeafwiseSplit,
  start: number,
  visit: (leaf: number, useLeft: boolean, useRight: boolean) => void,
): void {
  const made = nodes[nodes.length - 1];
  const walk = (at: number, reach: Reach, useLeft: boolean, useRight: boolean): void => {
    if (at < 0) return visit(~at, useLeft, useRight);
    const node = nodes[at];
    for (const isRight of [false, true]) {
      const rest = follow(way, node, reach, isRight);
      if (rest === undefined) continue;
      let [l, r] = [useLeft, useRight];
      if (node.numeric && node.place === made.place) {
        // Of the two children, that on the far side of both cuts is no neighbour, unless by rows
        // without a value.
        const missing = missingReaches(way, node, reach) && node.missingLeft !== isRight;
        if (isRight && node.bin >= split.bin && !(missing && split.missingLeft)) l = false;
        if (!isRight && node.bin <= split.bin && !(missing && !split.missingLeft)) r = false;
      }
      walk(isRight ? node.right : node.left, rest, l, r);
    }
  };
  walk(start, WHOLE, true, true);
}

function freeBounds(width: number): LeafBounds {
  return {
    min: new Array<Bound>(width).fill(-Infinity),
    max: new Array<Bound>(width).fill(Infinity),
    minStale: new Array<boolean>(width).fill(false),
    maxStale: new Array<boolean>(width).fill(false),
  };
}

function cloneBounds({ min, max, minStale, maxStale }: LeafBounds): LeafBounds {
  const copy = (bound: Bound) =>
    typeof bound === "number"
      ? bound
      : bound instanceof Float64Array
      ? bound.slice()
      : { from: [...bound.from], bound: [...bound.bound] };
  return {
    min: min.map(copy),
    max: max.map(copy),
    minStale: [...minStale],
    maxStale: [...maxStale],
  };
}

/** Raises all lower bounds; whether one moved. */
function raise({ min, minStale }: LeafBounds, value: number, stale: boolean): boolean {
  if (stale) minStale.fill(true);
  return move(min, (bound) => Math.max(bound, value));
}

/** Lowers all upper bounds; whether one moved. */
function lower({ max, maxStale }: LeafBounds, value: number, stale: boolean): boolean {
  if (stale) maxStale.fill(true);
  return move(max, (bound) => Math.min(bound, value));
}

function move(bounds: Bound[], change: (bound: number) => number): boolean {
  let moved = false;
  bounds.forEach((bound, i) => {
    if (typeof bound === "number") {
      bounds[i] = change(bound);
      moved ||= bounds[i] !== bound;
    } else {
      const all = bound instanceof Float64Array ? bound : bound.bound;
      for (let at = 0; at < all.length; at++) all[at] = change(all[at]);
    }
  });
  return moved;
}

/** LightGBM's factor on the gain of a split on a constrained feature. */
function penaltyAt(depth: number, penalty: number): number {
  if (penalty >= depth + 1) return EPSILON;
  if (penalty <= 1) return 1 - penalty / 2 ** depth + EPSILON;
  return 1 - 2 ** (penalty - 1 - depth) + EPSILON;
}
