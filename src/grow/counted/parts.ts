/**
 * A tree of two classes in parts: its first levels in one call of the kernel, then the subtrees below
 * them one by one, in any order and on any thread. What is below a node depends on its rows alone, so
 * that the joined tree is the one that a single call grows.
 *
 * @module
 */
import { forkRng, type Rng } from "../../util/rng.ts";
import type { GrowContext } from "../plan/context.ts";
import { closeCounted, type CountedStart, NODE_BYTES } from "./space.ts";
import { growInKernel, type WholeTree } from "./tree.ts";

/** Levels of the first part: eight subtrees, where rows part evenly, for two threads and more. */
const TOP_LEVELS = 3;

/** Words of a node, and those that say where it stands; see assembly/classic/grow.ts. */
const NODE_WORDS = NODE_BYTES / 4;
const FEATURE = 4;
const FIRST_CHILD = 8;
const PARENT = 9;
const DEPTH = 10;
const FROM = 11;
const TO = 12;
const SET = 13;

/** Nodes of a tree, or of a part of one, copied out of the kernel's memory. */
export interface GrownNodes {
  readonly nodes: Int32Array;
  /** Words of their categories. */
  readonly sets: Uint32Array;
  /** The rows, those of each node adjacent. */
  readonly rows: Int32Array;
}

/** The rows of a subtree. */
export interface Part {
  /** Its root among the nodes of the first levels. */
  readonly node: number;
  readonly from: number;
  readonly to: number;
}

/** The first levels of a tree, and what is below them: the most rows first. */
export interface TreeTop extends GrownNodes {
  readonly start: CountedStart;
  readonly parts: readonly Part[];
}

/** A context for what is below the first levels. */
export function belowTop<T extends Pick<GrowContext, "limits">>(context: T): T {
  const { limits } = context;
  return { ...context, limits: { ...limits, maxDepth: limits.maxDepth - TOP_LEVELS } };
}

/** Grows the first levels; undefined where the tree must be grown in another way. */
export function growTop(context: GrowContext, rows: Int32Array, rng: Rng): TreeTop | undefined {
  const { frame, limits, features, featuresPerNode } = context;
  // Draws of features go down the path from the root.
  if (featuresPerNode !== undefined && featuresPerNode < (features ?? frame.features).length) {
    return undefined;
  }
  if (limits.maxDepth <= TOP_LEVELS) return undefined;
  const short = { ...context, limits: { ...limits, maxDepth: TOP_LEVELS } };
  const whole = growInKernel(short, rows, rng);
  if (whole === undefined) return undefined;
  const top = copyNodes(context, whole, rows);
  const parts: Part[] = [];
  for (let node = 0; node < whole.numNodes; node++) {
    const at = NODE_WORDS * node;
    if (top.nodes[at + DEPTH] < TOP_LEVELS) continue;
    parts.push({ node, from: top.nodes[at + FROM], to: top.nodes[at + TO] });
  }
  parts.sort((a, b) => (b.to - b.from) - (a.to - a.from) || a.node - b.node);
  return { ...top, start: whole.start, parts };
}

/** No node of a part draws anything. */
const NO_DRAWS = forkRng(0, 0);

/** Grows what is below a node; undefined where the kernel has no room for its categories. */
export function growPart(
  below: GrowContext,
  rows: Int32Array,
  { from, to }: Part,
): GrownNodes | undefined {
  const own = rows.slice(from, to);
  const whole = growInKernel(below, own, NO_DRAWS);
  return whole && copyNodes(below, whole, own);
}

function copyNodes(
  { frame }: GrowContext,
  { start, numNodes }: WholeTree,
  rows: Int32Array,
): GrownNodes {
  const { space: { memory: { i32, u32 } }, at } = start.loaded;
  const first = at.nodes >>> 2;
  const nodes = i32.slice(first, first + NODE_WORDS * numNodes);
  let words = 0;
  for (let node = 0; node < nodes.length; node += NODE_WORDS) {
    const set = nodes[node + SET];
    if (set < 0) continue;
    words = Math.max(words, set + (frame.features[nodes[node + FEATURE]].numCodes + 31 >>> 5));
  }
  const sets = at.grownSets >>> 2;
  const ordered = rows.slice();
  closeCounted(start, ordered);
  return { nodes, sets: u32.slice(sets, sets + words), rows: ordered };
}

/**
 * Puts the whole tree into the kernel's memory, its nodes numbered as if it had grown in one go, and
 * its rows in order; undefined where there is no room for its categories.
 */
export function joinParts(
  top: TreeTop,
  grown: readonly GrownNodes[],
  rows: Int32Array,
): WholeTree | undefined {
  const { start, parts } = top;
  const { space: { memory: { i32, u32 } }, at, mostWords } = start.loaded;
  const sources: readonly GrownNodes[] = [top, ...grown];
  const numWords = sources.reduce((sum, { sets }) => sum + sets.length, 0);
  if (numWords > mostWords) return undefined;
  let words = 0;
  const setAt = sources.map(({ sets }) => {
    u32.set(sets, (at.grownSets >>> 2) + words);
    words += sets.length;
    return words - sets.length;
  });
  const rowAt = [0, ...parts.map(({ from }) => from)];
  sources.forEach((source, i) => rows.set(source.rows, rowAt[i]));
  const partAt = new Map(parts.map(({ node }, i) => [node, i + 1]));
  const nodes = at.nodes >>> 2;
  let count = 0;
  /** Nodes whose children are to come: their numbers, and where they stand. */
  const stack: { readonly node: number; readonly source: number; readonly local: number }[] = [];
  // Depths and keys stay as they are: nobody asks for them once a tree has grown.
  const place = (source: number, local: number, parent: number) => {
    const part = source === 0 ? partAt.get(local) : undefined;
    if (part !== undefined) [source, local] = [part, 0];
    const own = nodes + NODE_WORDS * count;
    const from = NODE_WORDS * local;
    for (let i = 0; i < NODE_WORDS; i++) i32[own + i] = sources[source].nodes[from + i];
    i32[own + PARENT] = parent;
    i32[own + FROM] += rowAt[source];
    i32[own + TO] += rowAt[source];
    if (i32[own + SET] >= 0) i32[own + SET] += setAt[source];
    return { node: count++, source, local };
  };
  stack.push(place(0, 0, -1));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, source, local } = next;
    const first = sources[source].nodes[NODE_WORDS * local + FIRST_CHILD];
    if (first < 0) continue;
    i32[nodes + NODE_WORDS * node + FIRST_CHILD] = count;
    const left = place(source, first, node);
    const right = place(source, first + 1, node);
    stack.push(right, left);
  }
  return { start, numNodes: count };
}
