/**
 * Rows of each feature in ascending order of value, sorted once for all trees; while a tree grows, a
 * copy in which the rows of each node lie together. A node's rows stay in order when it is split, so
 * that a scan of a node reads its own rows only, one after the other.
 *
 * Mehta, Agrawal & Rissanen, "SLIQ: A Fast Scalable Classifier for Data Mining", EDBT 1996 (sorting
 * once); Shafer, Agrawal & Mehta, "SPRINT", VLDB 1996 (parting the sorted lists).
 *
 * @module
 */
import { float32Order } from "../../util/float32_order.ts";
import type { MakeBuffer } from "../../util/buffers.ts";

/** Rows of one feature in ascending order of value, missing ones left out. */
export interface SortedColumn {
  readonly rows: Int32Array;
  /** Float32 values in the same order. */
  readonly values: Float32Array;
  readonly numMissing: number;
}

/** Sorts a column once for all trees. */
export function sortColumn(values: ArrayLike<number>): SortedColumn {
  const rounded = new Float32Array(values);
  const rows = float32Order(rounded);
  const ascending = new Float32Array(rows.length);
  for (let i = 0; i < rows.length; i++) ascending[i] = rounded[rows[i]];
  return {
    rows,
    values: ascending,
    numMissing: rounded.length - rows.length,
  };
}

/** The lists of a level, by feature: the first `lengths[feature]` places, node after node. */
export interface NodeLists {
  readonly rows: readonly Int32Array[];
  readonly values: readonly Float32Array[];
  readonly lengths: Int32Array;
}

/** Room for the lists of a tree. */
export function nodeLists(
  columns: readonly SortedColumn[],
  buffer: MakeBuffer,
): NodeLists {
  return {
    rows: columns.map(({ rows }) => new Int32Array(buffer(rows.byteLength))),
    values: columns.map(({ values }) => new Float32Array(buffer(values.byteLength))),
    lengths: new Int32Array(buffer(4 * columns.length)),
  };
}

/** What a thread parts lists with. */
export interface ListSpace {
  readonly rows: Int32Array;
  readonly values: Float32Array;
  /** Where the rows of each node of the level begin, and where the last ones end. */
  starts: Int32Array;
}

/** Makes it. */
export function listSpace(numRows: number): ListSpace {
  return {
    rows: new Int32Array(numRows),
    values: new Float32Array(numRows),
    starts: new Int32Array(64),
  };
}

/**
 * Brings a feature's list from the level above to this one: rows of nodes that were not split leave,
 * left children stay before right ones. The first level takes all rows that take part.
 *
 * @param first Number of the level's first node; its nodes have consecutive numbers, children of one
 * node beside each other.
 * @param numNodes Nodes of the level; 1 is the root.
 */
export function partList(
  column: SortedColumn,
  feature: number,
  lists: NodeLists,
  leafOf: Int32Array,
  first: number,
  numNodes: number,
  space: ListSpace,
): void {
  if (space.starts.length <= numNodes) space.starts = new Int32Array(2 * numNodes);
  const starts = space.starts.fill(0, 0, numNodes + 1);
  const rows = lists.rows[feature];
  const values = lists.values[feature];
  const end = numNodes === 1 ? takeAll(column, rows, values, leafOf) : lists.lengths[feature];
  const { rows: laterRows, values: laterValues } = space;
  let place = 0;
  for (let i = 0; i < end;) {
    const parent = (leafOf[rows[i]] - first) >> 1;
    if (parent < 0) {
      i++;
      continue;
    }
    const begin = place;
    let later = 0;
    for (; i < end; i++) {
      const row = rows[i];
      const node = leafOf[row] - first;
      if (node >> 1 !== parent) break;
      const value = values[i];
      // Written to both sides, of which one moves on: no branch that would be guessed wrong.
      const right = node & 1;
      rows[place] = row;
      values[place] = value;
      laterRows[later] = row;
      laterValues[later] = value;
      place += 1 - right;
      later += right;
    }
    starts[2 * parent + 1] = place - begin;
    if (2 * parent + 1 < numNodes) starts[2 * parent + 2] = later;
    for (let j = 0; j < later; j++, place++) {
      rows[place] = laterRows[j];
      values[place] = laterValues[j];
    }
  }
  lists.lengths[feature] = place;
  for (let node = 0; node < numNodes; node++) starts[node + 1] += starts[node];
}

/** Copies the rows that take part in a tree; returns their number. */
function takeAll(
  column: SortedColumn,
  rows: Int32Array,
  values: Float32Array,
  leafOf: Int32Array,
): number {
  let count = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = column.rows[i];
    if (leafOf[row] < 0) continue;
    rows[count] = row;
    values[count++] = column.values[i];
  }
  return count;
}
