/**
 * Whole trees grown by one thread each, as the trees of different outputs can be: no thread waits for
 * another before a tree is done. Each thread has lists of rows, histograms and tables of its own in the
 * memory of the run; what a tree is made with comes as JSON, the tree goes back as numbers.
 *
 * @module
 */
import type { Memory } from "../../kernels/memory.ts";
import type { GrowLimits } from "./tree/grow_task.ts";
import { CELLS8, LEVEL_WORK_BYTES } from "../../kernels/types.ts";
import { type ColumnDraw, columnSampler } from "./column_sampler.ts";
import { APART_BYTES, EVALUATE_BYTES, type HistLayout } from "./workspace/layout.ts";
import { createContext, forItems, type HistContext } from "./workspace/context.ts";
import { histogramBytes } from "./workspace/histogram_bytes.ts";
import { createGrowSpace } from "./tree/grow_space.ts";
import { createNodes, NODE_BYTES, nodeBytes } from "./tree/nodes.ts";
import { createPool, type TableSpace } from "./workspace/pool.ts";
import {
  finishTree,
  growTree,
  type RoundTree,
  type TreePlace,
  type TreeTask,
} from "./round_tree.ts";
import { teamOfOne } from "./operations/solo.ts";
import type { NodeFacts } from "./tree/tree.ts";

/** A tree that a thread is to grow. */
export interface AloneTask {
  readonly task: TreeTask;
  readonly columns: ColumnDraw;
}

/** Arguments of the operation, float64. */
const Args = { numTrees: 0, at: 1, byteLength: 2 } as const;

/** Where a tree stands whose leaves get their values later. */
const Stage = { due: 0, grown: 1, finished: 2 } as const;

/** Float64 of a tree that goes back before its nodes: nodes, leaves, nodes with levels. */
const HEAD = 3;

/** Bytes that a tree needs at most. */
export function treeBytes(maxLeaves: number, mostLevels: number): number {
  const nodes = (16 + NODE_BYTES) * (2 * maxLeaves - 1);
  return 8 * HEAD + nodes + (mostLevels === 0 ? 0 : maxLeaves * (8 + mostLevels + 3) + 3);
}

/** Bytes that the tables of a tree need at most, those by the codes of bundles too. */
export function tableBytes(maxLeaves: number, mostBins: number): number {
  return maxLeaves * (((mostBins + 1 + 15) & ~15) + CELLS8);
}

/**
 * Writes what the next trees are made with.
 *
 * @param put Keeps bytes until the trees are grown; returns their address.
 */
export function writeTasks(
  { memory, layout }: HistContext,
  tasks: readonly unknown[],
  put: (bytes: Uint8Array) => number,
): void {
  // JSON knows no Infinity, which `readLimits` puts back.
  const bytes = new TextEncoder().encode(JSON.stringify(tasks));
  const at = put(bytes);
  const args = layout.args >>> 3;
  memory.f64[args + Args.numTrees] = tasks.length;
  memory.f64[args + Args.at] = at;
  memory.f64[args + Args.byteLength] = bytes.length;
  const stages = layout.alone!.stages >>> 2;
  memory.i32.fill(Stage.due, stages, stages + tasks.length);
}

/** Reads what {@linkcode writeTasks} has written. */
export function readTasks({ memory, layout }: HistContext): unknown[] {
  const args = layout.args >>> 3;
  const at = memory.f64[args + Args.at];
  const bytes = memory.u8.slice(at, at + memory.f64[args + Args.byteLength]);
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown[];
}

/** A tree's limits as they were before JSON. */
export function readLimits(limits: GrowLimits): GrowLimits {
  const { maxDepth, minGain } = limits;
  return { ...limits, maxDepth: maxDepth ?? Infinity, minGain: minGain ?? Infinity };
}

/**
 * Grows trees until none is left; each goes to its own place. Where nobody writes over the leaf numbers,
 * leaves get their values after that: a thread that has one tree less to grow has time for it.
 */
export function growTreesAlone(context: HistContext): void {
  const { layout, memory: { i32 } } = context;
  const tasks = readTasks(context) as AloneTask[];
  const place = placeOf(context);
  const stages = layout.alone!.stages >>> 2;
  const isLater = layout.signed?.late !== undefined;
  forItems(context.memory, tasks.length, (i) => {
    const { task, columns } = tasks[i];
    const limits = readLimits(task.limits);
    const tree = growTree(place, { ...task, limits }, columnSampler(columns));
    if (!isLater) return writeTree(context, i, finishTree(place, task, tree));
    const { count } = tree.nodes;
    writeTree(context, i, { tree, facts: noFacts(count) });
    Atomics.store(i32, stages + i, Stage.grown);
  }, layout.counter);
  // Who is still growing another will come here after it.
  for (let i = 0; i < tasks.length; i++) {
    const stage = Atomics.compareExchange(i32, stages + i, Stage.grown, Stage.finished);
    if (stage !== Stage.grown) continue;
    writeTree(context, i, finishTree(place, tasks[i].task, readTree(context, i).tree));
  }
}

function noFacts(count: number): NodeFacts {
  return { value: new Float64Array(count), cover: new Float64Array(count) };
}

const places = new WeakMap<HistContext, TreePlace>();

function placeOf(context: HistContext): TreePlace {
  const known = places.get(context);
  if (known !== undefined) return known;
  const place = createPlace(context);
  places.set(context, place);
  return place;
}

/**
 * A thread's own place; its layout differs from the common one in addresses only.
 *
 * @param others Further addresses that differ.
 */
export function createPlace(
  { layout, memory, kernels, thread }: HistContext,
  others: Partial<HistLayout> & { readonly raw?: number } = {},
): TreePlace {
  const { spaces, maxLeaves, poolBytes, tableBytes } = layout.alone!;
  const { leafOf, pool, tables, routeAt, valuesAt, member: _member, ...own } = spaces[thread];
  const { alone: _alone, ...common } = layout;
  const { raw = layout.sets[0].raw, ...rest } = others;
  const ownLayout: HistLayout = {
    ...common,
    ...own,
    ...rest,
    numThreads: 1,
    mostStriped: 0,
    sets: [{ ...layout.sets[0], leafOf, raw }],
    evaluate: layout.evaluate + EVALUATE_BYTES * thread,
    levelWork: layout.levelWork + LEVEL_WORK_BYTES * thread,
    apart: layout.apart + APART_BYTES * thread,
  };
  const bytesOf = (wide: boolean) =>
    histogramBytes(layout.bins, wide, layout.counted !== "none") + 64;
  return {
    team: teamOfOne(createContext(memory, kernels, ownLayout, 0)),
    pool: {
      packed: createPool(pool, poolBytes, bytesOf(false)),
      wide: createPool(pool, poolBytes, bytesOf(true)),
    },
    tables: fixedTables(memory, tables, tableBytes),
    space: createGrowSpace(maxLeaves),
    routeAt,
    valuesAt,
  };
}

/** Table space that cannot grow. */
function fixedTables(memory: Memory, start: number, byteLength: number): TableSpace {
  let used = 0;
  return {
    put(bytes) {
      if (used + bytes.length > byteLength) throw new Error("tables of a tree have no place");
      const at = start + used;
      memory.u8.set(bytes, at);
      used += (bytes.length + 15) & ~15;
      return at;
    },
    clear() {
      used = 0;
    },
  };
}

/** Writes the tree that has place `i` among those that go back. */
export function writeTree(
  { memory: { f64, u8, u32 }, layout }: HistContext,
  i: number,
  { tree: { nodes, numLeaves }, facts }: RoundTree,
): void {
  const { count, levels } = nodes;
  const at = (layout.alone!.trees + i * layout.alone!.treeBytes) >>> 3;
  f64[at] = count;
  f64[at + 1] = numLeaves;
  f64[at + 2] = levels.size;
  // Fields as they are, not node by node: V8 would compile that, in each thread.
  f64.set(facts.value, at + HEAD);
  f64.set(facts.cover, at + HEAD + count);
  let to = 8 * (at + HEAD + 2 * count);
  u8.set(nodeBytes(nodes), to);
  to += NODE_BYTES * count;
  for (const [node, goesLeft] of levels) {
    const word = (to + 3) >>> 2;
    u32[word] = node;
    u32[word + 1] = goesLeft.length;
    u8.set(goesLeft, 4 * word + 8);
    to = 4 * word + 8 + goesLeft.length;
  }
}

/** Says that there is no tree in place `i`. */
export function writeNoTree({ memory, layout }: HistContext, i: number): void {
  memory.f64[(layout.alone!.trees + i * layout.alone!.treeBytes) >>> 3] = 0;
}

/** Whether the last operation has grown the tree in place `i`. */
export function wasGrown({ memory, layout }: HistContext, i: number): boolean {
  return memory.f64[(layout.alone!.trees + i * layout.alone!.treeBytes) >>> 3] > 0;
}

/** Reads one of the trees that the last operation has grown. */
export function readTree({ memory, layout }: HistContext, i: number): RoundTree {
  const { f64, u8, u32 } = memory;
  const at = (layout.alone!.trees + i * layout.alone!.treeBytes) >>> 3;
  const count = f64[at];
  const numLeaves = f64[at + 1];
  const numLevels = f64[at + 2];
  const first = at + HEAD;
  const facts = {
    value: f64.slice(first, first + count),
    cover: f64.slice(first + count, first + 2 * count),
  };
  const nodes = createNodes(count);
  nodes.count = count;
  let from = 8 * (first + 2 * count);
  nodeBytes(nodes).set(u8.subarray(from, from += NODE_BYTES * count));
  for (let n = 0; n < numLevels; n++) {
    const word = (from + 3) >>> 2;
    from = 4 * word + 8;
    nodes.levels.set(u32[word], u8.slice(from, from += u32[word + 1]));
  }
  return { tree: { nodes, numLeaves }, facts };
}
