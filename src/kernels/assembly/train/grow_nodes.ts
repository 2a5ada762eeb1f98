// Nodes of a tree that grows by levels, and what is known of them: ../../items/grow.ts.

import { GrowField, GrowNumber, NodeList, NodeNumber } from "./grow_fields";

const WORDS: usize = 64;
const BEST: usize = 64;
const NUMBERS: usize = 3;

// @ts-ignore: decorator
@inline
export function get(plan: usize, field: GrowField): i32 {
  return load<i32>(plan + WORDS + (<usize>field << 2));
}

// @ts-ignore: decorator
@inline
export function set(plan: usize, field: GrowField, value: i32): void {
  store<i32>(plan + WORDS + (<usize>field << 2), value);
}

/** Returns a count, which is one more afterwards. */
// @ts-ignore: decorator
@inline
export function next(plan: usize, field: GrowField): i32 {
  const value = get(plan, field);
  set(plan, field, value + 1);
  return value;
}

// @ts-ignore: decorator
@inline
export function given(plan: usize, field: GrowNumber): f64 {
  return load<f64>(plan + (<usize>field << 3));
}

/** Where a list has its entry `i`. */
// @ts-ignore: decorator
@inline
export function place(plan: usize, list: NodeList, i: i32): usize {
  const capacity = <usize>get(plan, GrowField.capacity);
  return <usize>get(plan, GrowField.nodes) + capacity * (BEST + (NUMBERS << 3) + (<usize>list << 2)) + (<usize>i << 2);
}

// @ts-ignore: decorator
@inline
export function read(plan: usize, list: NodeList, i: i32): i32 {
  return load<i32>(place(plan, list, i));
}

// @ts-ignore: decorator
@inline
export function write(plan: usize, list: NodeList, i: i32, value: i32): void {
  store<i32>(place(plan, list, i), value);
}

// @ts-ignore: decorator
@inline
export function number(plan: usize, list: NodeNumber, node: i32): usize {
  const capacity = <usize>get(plan, GrowField.capacity);
  return <usize>get(plan, GrowField.nodes) + capacity * (BEST + (<usize>list << 3)) + (<usize>node << 3);
}

/** The best split of a node. */
// @ts-ignore: decorator
@inline
export function bestOf(plan: usize, node: i32): usize {
  return <usize>get(plan, GrowField.nodes) + <usize>node * BEST;
}

// @ts-ignore: decorator
@inline
export function endsIn(plan: usize, node: i32): bool {
  return read(plan, NodeList.depth, node) + 1 >= get(plan, GrowField.maxDepth);
}

/** A place for a histogram. */
export function take(plan: usize): i32 {
  const numFree = get(plan, GrowField.numFree);
  if (numFree > 0) {
    set(plan, GrowField.numFree, numFree - 1);
    return read(plan, NodeList.free, numFree - 1);
  }
  const histogram = get(plan, GrowField.poolEnd);
  set(plan, GrowField.poolEnd, histogram + get(plan, GrowField.placeBytes));
  return histogram;
}

/** Gives a node's histogram back. */
export function release(plan: usize, node: i32): void {
  const histogram = read(plan, NodeList.histogram, node);
  if (histogram == 0) return;
  write(plan, NodeList.free, next(plan, GrowField.numFree), histogram);
  write(plan, NodeList.histogram, node, 0);
}

/** Adds an open node; returns its number. */
export function add(plan: usize, parent: i32, depth: i32, rows: i32, entry: i32, gradient: f64, hessian: f64): i32 {
  const node = next(plan, GrowField.numNodes);
  store<f64>(bestOf(plan, node), 0);
  store<f64>(number(plan, NodeNumber.gain, node), 0);
  store<f64>(number(plan, NodeNumber.gradient, node), gradient);
  store<f64>(number(plan, NodeNumber.hessian, node), hessian);
  write(plan, NodeList.feature, node, -1);
  write(plan, NodeList.bin, node, -1);
  write(plan, NodeList.missingLeft, node, 0);
  write(plan, NodeList.left, node, -1);
  write(plan, NodeList.parent, node, parent);
  write(plan, NodeList.leaf, node, -1);
  write(plan, NodeList.rows, node, rows);
  write(plan, NodeList.table, node, 0);
  write(plan, NodeList.depth, node, depth);
  write(plan, NodeList.entry, node, entry);
  write(plan, NodeList.histogram, node, 0);
  return node;
}

