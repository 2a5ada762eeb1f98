/**
 * Threads that look for the exact method's splits together: each takes features of a level from a
 * common counter and keeps its own best split of every node. Which of two splits is better does not
 * depend on the order in which they are met, so the tree is that of one thread.
 *
 * @module
 */
import { TEAM_BYTES, TeamWord } from "../split_team.ts";
import { nodeLists, type SortedColumn } from "./lists.ts";
import { nodeMath } from "./math.ts";
import type { ExactOptions, ExactTeam } from "./newton.ts";
import { createScan, isBetter, type ScanRows } from "./scan.ts";

/** Numbers of a node, and of a best split. */
const NODE_WIDTH = 8;
const BEST_WIDTH = 6;

/** What all threads see: plain data and views of shared memory. */
export interface ExactPlan extends ScanRows {
  readonly kind: "exact";
  readonly control: Int32Array;
  readonly options: ExactOptions;
  /** The nodes of the level. */
  readonly nodes: Float64Array;
  /** Best splits of the level's nodes, one record a node, helper by helper. */
  readonly found: Float64Array;
  readonly mostNodes: number;
}

const shared = (bytes: number) => new SharedArrayBuffer(bytes);

/** Most nodes that a level can have. */
function widestLevel(numRows: number, { maxDepth }: ExactOptions): number {
  return maxDepth === 0 || maxDepth > 30 ? numRows : Math.min(numRows, 2 ** maxDepth);
}

/** Shared memory for so many helpers. */
export function exactPlan(
  columns: readonly SortedColumn[],
  numRows: number,
  options: ExactOptions,
  helpers: number,
): ExactPlan {
  const mostNodes = Math.max(1, widestLevel(numRows, options));
  const { monotone, ...others } = options;
  return {
    kind: "exact",
    control: new Int32Array(shared(TEAM_BYTES)),
    columns: columns.map(({ rows, values, numMissing }) => {
      const copy = {
        rows: new Int32Array(shared(rows.byteLength)),
        values: new Float32Array(shared(values.byteLength)),
        numMissing,
      };
      copy.rows.set(rows);
      copy.values.set(values);
      return copy;
    }),
    lists: nodeLists(columns, shared),
    pairs: new Float32Array(shared(8 * numRows)),
    leafOf: new Int32Array(shared(4 * numRows)),
    options: { ...others, ...(monotone && { monotone: Array.from(monotone) }) },
    nodes: new Float64Array(shared(8 * NODE_WIDTH * mostNodes)),
    found: new Float64Array(shared(8 * BEST_WIDTH * mostNodes * helpers)),
    mostNodes,
  };
}

/** Takes features until none is left. */
function takeFeatures(plan: ExactPlan, find: (feature: number) => void): void {
  for (;;) {
    const feature = Atomics.add(plan.control, TeamWord.next, 1);
    if (feature >= plan.columns.length) return;
    find(feature);
  }
}

/** What a helper, from 0, does at a level. */
export function exactHelper(plan: ExactPlan, helper: number): () => void {
  const { control, options, nodes, found, mostNodes } = plan;
  const math = nodeMath(options);
  const scan = createScan(plan, options);
  return () => {
    const level = Array.from({ length: control[TeamWord.rows] }, (_, i) => {
      const at = i * NODE_WIDTH;
      const node = math.node(nodes[at], { low: nodes[at + 1], high: nodes[at + 2] });
      node.g = nodes[at + 3];
      node.h = nodes[at + 4];
      node.count = nodes[at + 5];
      node.weight = nodes[at + 6];
      node.gain = nodes[at + 7];
      return node;
    });
    takeFeatures(plan, (feature) => scan(feature, level));
    level.forEach(({ best }, i) => {
      const at = (helper * mostNodes + i) * BEST_WIDTH;
      found[at] = best.loss;
      found[at + 1] = best.feature;
      found[at + 2] = best.value;
      found[at + 3] = best.left ? 1 : 0;
      found[at + 4] = best.g;
      found[at + 5] = best.h;
    });
  };
}

/** Rows × features from which a level is worth waking others: about 0.2 ms of work. */
const LEAST_CELLS = 16_384;

/**
 * The thread that grows, at the head of a team.
 *
 * @param release Wakes the helpers; the counter and the arrivals are at zero.
 * @param join Waits until all have arrived.
 */
export function leadExact(
  plan: ExactPlan,
  helpers: number,
  release: () => void,
  join: () => void,
): ExactTeam {
  const { control, columns, pairs, leafOf, options, nodes, found, mostNodes } = plan;
  const scanOne = createScan(plan, options);
  const pays = leafOf.length * columns.length >= LEAST_CELLS;
  return {
    leafOf,
    pairs,
    findBest(level) {
      const scan = (feature: number) => scanOne(feature, level);
      if (!pays) return columns.forEach((_, feature) => scan(feature));
      level.forEach(({ id, bounds, g, h, count, weight, gain }, i) => {
        nodes.set([id, bounds.low, bounds.high, g, h, count, weight, gain], i * NODE_WIDTH);
      });
      control[TeamWord.rows] = level.length;
      release();
      try {
        takeFeatures(plan, scan);
      } finally {
        join();
      }
      level.forEach(({ best }, i) => {
        for (let helper = 0; helper < helpers; helper++) {
          const at = (helper * mostNodes + i) * BEST_WIDTH;
          // A loss of 0 is what a node begins with: nothing was found.
          if (found[at] === 0 || !isBetter(found[at], found[at + 1], best)) continue;
          best.loss = found[at];
          best.feature = found[at + 1];
          best.value = found[at + 2];
          best.left = found[at + 3] === 1;
          best.g = found[at + 4];
          best.h = found[at + 5];
        }
      });
    },
  };
}
