/**
 * The splits of a growing leaf-wise tree by bins, and which leaves lie side by side: two leaves are
 * neighbours under a node where rows that differ in the node's feature only can reach both.
 *
 * Auguste, Malory & Smirnov, "A Better Method to Enforce Monotonic Constraints in Regression and
 * Classification Trees", 2020. Missing values, which that method leaves out, are followed too: leaves
 * apart in the numbers of a feature may both hold rows without a value of it.
 *
 * @module
 */
import type { LeafwiseSplit } from "./split.ts";

/** A child: a node, or a leaf as −1 − its number. */
export type Child = number;

/** One split. */
export interface ShapeNode {
  /** Place among the features that may be split. */
  readonly place: number;
  readonly numeric: boolean;
  /** Last bin on the left. */
  readonly bin: number;
  readonly hasMissing: boolean;
  readonly missingLeft: boolean;
  readonly parent: number;
  left: Child;
  right: Child;
}

/** Splits, and for each leaf the node above it, its depth and its value. */
export interface Shape {
  readonly nodes: ShapeNode[];
  readonly parentOf: number[];
  readonly depthOf: number[];
  readonly valueOf: number[];
  /** Whether missing values are followed; LightGBM leaves them out. */
  readonly followsMissing: boolean;
}

export function createShape(followsMissing: boolean): Shape {
  return { nodes: [], parentOf: [-1], depthOf: [0], valueOf: [0], followsMissing };
}

/** Splits a leaf, which becomes the left child; the right child is a new leaf. */
export function splitShape(shape: Shape, leaf: number, place: number, split: LeafwiseSplit): void {
  const { nodes, parentOf, depthOf, valueOf } = shape;
  const node = nodes.length;
  const right = node + 1;
  const parent = parentOf[leaf];
  nodes.push({
    place,
    numeric: split.feature.kind === "numeric",
    bin: split.bin,
    hasMissing: shape.followsMissing && split.feature.kind === "numeric" &&
      split.feature.missingBin >= 0,
    missingLeft: split.missingLeft,
    parent,
    left: ~leaf,
    right: ~right,
  });
  if (parent >= 0) {
    if (nodes[parent].left === ~leaf) nodes[parent].left = node;
    else nodes[parent].right = node;
  }
  parentOf[leaf] = parentOf[right] = node;
  depthOf[right] = ++depthOf[leaf];
  valueOf[leaf] = split.left.value;
  valueOf[right] = split.right.value;
}

/** The splits between a leaf and a node above it. */
export interface Way {
  readonly places: number[];
  readonly bins: number[];
  readonly wentRight: boolean[];
  /** Features whose missing values went the other way. */
  readonly lost: Set<number>;
}

export function createWay(): Way {
  return { places: [], bins: [], wentRight: [], lost: new Set() };
}

/**
 * Whether leaves on the other side of a node can be neighbours: nearer ones of the same feature on
 * the same side stand between them otherwise. Categories have no such order.
 */
export function isNearest(way: Way, { place, numeric }: ShapeNode, isRight: boolean): boolean {
  return numeric &&
    !way.places.some((other, i) => other === place && way.wentRight[i] === isRight);
}

/** Takes a node into the way. */
export function pass(way: Way, node: ShapeNode, isRight: boolean, nearest: boolean): void {
  if (nearest) {
    way.places.push(node.place);
    way.bins.push(node.bin);
    way.wentRight.push(isRight);
  }
  if (node.hasMissing && node.missingLeft === isRight) way.lost.add(node.place);
}

/** What of the leaf's own range of other features is still there on the way down another side. */
export interface Reach {
  /** Features of which nothing but missing values is. */
  readonly onlyMissing: ReadonlySet<number>;
  /** Features of which no missing value is. */
  readonly noMissing: ReadonlySet<number>;
}

export const WHOLE: Reach = { onlyMissing: new Set(), noMissing: new Set() };

/** Whether missing values of a node's feature are among what reaches it. */
export function missingReaches(way: Way, node: ShapeNode, reach: Reach): boolean {
  return node.hasMissing && !way.lost.has(node.place) && !reach.noMissing.has(node.place);
}

/** Whether numbers of a node's feature that the leaf holds go to a side. */
export function numbersReach(way: Way, node: ShapeNode, reach: Reach, isRight: boolean): boolean {
  if (!node.numeric) return true;
  if (reach.onlyMissing.has(node.place)) return false;
  return !way.places.some((place, i) =>
    place === node.place && way.wentRight[i] !== isRight &&
    (isRight ? node.bin >= way.bins[i] : node.bin <= way.bins[i])
  );
}

/** What is left on one side of a node, or undefined where nothing is. */
export function follow(
  way: Way,
  node: ShapeNode,
  reach: Reach,
  isRight: boolean,
): Reach | undefined {
  const numbers = numbersReach(way, node, reach, isRight);
  if (!node.hasMissing) return numbers ? reach : undefined;
  const missing = missingReaches(way, node, reach) && node.missingLeft !== isRight;
  if (!numbers && !missing) return undefined;
  const { onlyMissing, noMissing } = reach;
  const { place } = node;
  return {
    onlyMissing: numbers ? onlyMissing : new Set([...onlyMissing, place]),
    noMissing: missing ? noMissing : new Set([...noMissing, place]),
  };
}
