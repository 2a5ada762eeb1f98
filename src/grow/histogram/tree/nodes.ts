/**
 * Nodes of a tree on bins, a field an array: deep trees have tens of thousands, and objects of that
 * many numbers were most of what training held.
 *
 * @module
 */

/** Nodes by number; a leaf until it is split. Node 0 is the root, children come after their parents. */
export interface TreeNodes {
  /** How many there are; arrays may be longer. */
  count: number;
  /** −1 at leaves. */
  readonly feature: Int32Array;
  /** Last bin on the left (numeric features). */
  readonly bin: Int32Array;
  /** 1 where missing values go left. */
  readonly missingLeft: Uint8Array;
  /** Left child, the right one is next to it; −1 without, and stays when a node is pruned. */
  readonly left: Int32Array;
  readonly parent: Int32Array;
  /** Number of the leaf whose rows it holds; −1 at inner nodes. */
  readonly leaf: Int32Array;
  /** Rows that reached it. */
  readonly rows: Int32Array;
  readonly gain: Float64Array;
  /** Bounds of its value (monotone constraints). */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Of nodes that are split on a category: 1 for each level that goes left. */
  levels: Map<number, Uint8Array>;
}

const FLOATS = ["gain", "lower", "upper"] as const;
const WORDS = ["feature", "bin", "left", "parent", "leaf", "rows"] as const;

/** Bytes of a node without its levels. */
export const NODE_BYTES = 8 * FLOATS.length + 4 * WORDS.length + 1;

/** Room for nodes, none there yet. Pages of the system are taken as nodes come. */
export function createNodes(capacity: number): TreeNodes {
  const buffer = new ArrayBuffer(capacity * NODE_BYTES);
  const floats = (i: number) => new Float64Array(buffer, 8 * i * capacity, capacity);
  const words = (i: number) =>
    new Int32Array(buffer, (8 * FLOATS.length + 4 * i) * capacity, capacity);
  return {
    count: 0,
    gain: floats(0),
    lower: floats(1),
    upper: floats(2),
    feature: words(0),
    bin: words(1),
    left: words(2),
    parent: words(3),
    leaf: words(4),
    rows: words(5),
    missingLeft: new Uint8Array(buffer, (NODE_BYTES - 1) * capacity, capacity),
    levels: new Map(),
  };
}

/** All fields of nodes whose arrays are just as long as there are nodes. */
export function nodeBytes({ gain, count }: TreeNodes): Uint8Array {
  return new Uint8Array(gain.buffer, 0, NODE_BYTES * count);
}

/** Adds a leaf; returns its number. */
export function addNode(
  nodes: TreeNodes,
  parent: number,
  lower: number,
  upper: number,
  rows: number,
): number {
  const node = nodes.count++;
  nodes.feature[node] = -1;
  nodes.bin[node] = -1;
  nodes.missingLeft[node] = 0;
  nodes.left[node] = -1;
  nodes.parent[node] = parent;
  nodes.leaf[node] = -1;
  nodes.rows[node] = rows;
  nodes.gain[node] = 0;
  nodes.lower[node] = lower;
  nodes.upper[node] = upper;
  return node;
}

/** Moves nodes to arrays of their own, just as long; the room is empty afterwards. */
export function takeNodes(room: TreeNodes): TreeNodes {
  const { count } = room;
  const nodes = createNodes(count);
  for (const field of [...FLOATS, ...WORDS]) nodes[field].set(room[field].subarray(0, count));
  nodes.missingLeft.set(room.missingLeft.subarray(0, count));
  nodes.count = count;
  nodes.levels = room.levels;
  room.count = 0;
  room.levels = new Map();
  return nodes;
}
