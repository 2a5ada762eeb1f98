/**
 * Queues nodes whose splits are wanted, gives them histograms from a pool, and has the team work on
 * many at once.
 *
 * @module
 */
import {
  EvaluateArgs,
  ITEM_BYTES,
  ITEM_NODES,
  ItemField,
  NODE_BYTES,
  NodeField,
} from "../../kernels/evaluate_items.ts";
import { readFound } from "./found.ts";
import { bufferOf } from "./grow_space.ts";
import type { GrowTask } from "./grow_task.ts";
import type { HistLayout } from "./layout.ts";
import { Op } from "./op.ts";
import type { Team } from "./team.ts";

/** Pairs of siblings in one operation. */
const MAX_PAIRS = 128;

/** Most items of one operation: every pair once, and the large ones in parts. */
export function maxItems(numThreads: number): number {
  return 2 * MAX_PAIRS + 4 * numThreads * numThreads;
}

/** A node to build, and the sibling that is what remains of the parent (−1: none). */
interface Job {
  readonly built: number;
  readonly sibling: number;
  /** Whether the best splits are asked for; else only the histogram is. */
  readonly scans: boolean;
  /** See {@linkcode ItemField}. */
  readonly root: number;
}

/** Items as they were written. */
interface Written {
  readonly parts: readonly { readonly job: Job; readonly first: number; readonly count: number }[];
  /** Jobs whose histograms are filled by stripes of rows first. */
  readonly numStriped: number;
}

/** Groups of small nodes for each thread: more are shared more evenly, fewer share cached rows. */
const GROUPS = 4;

/** One tree's evaluations. */
export class Evaluator {
  readonly #team: Team;
  readonly #task: GrowTask;
  #jobs: Job[] = [];
  /** Nodes that hold a histogram that nobody is working on. */
  readonly #holders = new Set<number>();

  /** Starts with an empty queue. */
  constructor(team: Team, task: GrowTask) {
    this.#team = team;
    this.#task = task;
  }

  /** Evaluates the root at once. */
  evaluateOne(node: number): void {
    const { root } = this.#task;
    this.#task.space.histogram[node] = this.#take();
    this.#push(node, -1, true, root.place === undefined ? 0 : 1 + root.place);
    this.flush();
  }

  /**
   * Queues the children of a node, those that may be split; the parent's histogram is used up.
   */
  evaluatePair(parent: number, left: number, right: number): void {
    const { histogram, mayBeSplit, nodes } = this.#task.space;
    const isSmaller = nodes.rows[left] <= nodes.rows[right];
    const small = isSmaller ? left : right;
    const large = isSmaller ? right : left;
    const splitsSmall = mayBeSplit[small] === 1;
    const splitsLarge = mayBeSplit[large] === 1;
    if (!splitsSmall && !splitsLarge) return this.release(parent);
    if (this.#jobs.length >= MAX_PAIRS) this.flush();
    // The parent keeps its place in the queue of victims until its histogram is spoken for.
    if (splitsLarge && histogram[parent] !== 0) histogram[small] = this.#take();
    if (histogram[parent] === 0) {
      if (histogram[small] !== 0) this.#push(small);
      else if (splitsSmall) this.#build(small);
      if (splitsLarge) this.#build(large);
      return;
    }
    this.#holders.delete(parent);
    if (splitsLarge) {
      histogram[large] = histogram[parent];
      this.#push(small, large);
    } else {
      histogram[small] = histogram[parent];
      this.#push(small);
    }
    histogram[parent] = 0;
  }

  /** Gives a node's histogram back. */
  release(node: number): void {
    const { pool, space: { histogram } } = this.#task;
    if (histogram[node] === 0) return;
    pool.give(histogram[node]);
    histogram[node] = 0;
    this.#holders.delete(node);
  }

  /** A node's histogram, which is built again when it had to be given up. */
  histogramOf(node: number): number {
    const { histogram } = this.#task.space;
    if (histogram[node] === 0) {
      histogram[node] = this.#take();
      this.#push(node, -1, false);
      this.flush();
    }
    return histogram[node];
  }

  /** Queues a node that is built from its rows. */
  #build(node: number): void {
    this.#task.space.histogram[node] = this.#take();
    this.#push(node);
  }

  #push(built: number, sibling = -1, scans = true, root = 0): void {
    this.#jobs.push({ built, sibling, scans, root });
  }

  /** Works on all that is queued. */
  flush(): void {
    const jobs = this.#jobs;
    if (jobs.length === 0) return;
    this.#jobs = [];
    const { parts, numStriped } = this.#writeItems(jobs);
    if (numStriped > 0) this.#team.run(Op.fillStripes);
    this.#team.run(Op.evaluate);
    for (const { job, first, count } of parts) {
      if (job.scans) this.#readSplit(job.built, first, count, 0);
      this.#keep(job.built);
      if (job.sibling < 0) continue;
      this.#readSplit(job.sibling, first, count, 1);
      this.#keep(job.sibling);
    }
  }

  /** Takes over the best split that a node's items have found. */
  #readSplit(node: number, first: number, count: number, which: number): void {
    const { space } = this.#task;
    if (space.mayBeSplit[node] === 0) return;
    for (let item = first; item < first + count; item++) {
      readFound(this.#team.context, item, which, space, node);
    }
  }

  /** A node keeps its histogram as long as it may be split. */
  #keep(node: number): void {
    if (this.#task.space.mayBeSplit[node] === 1) this.#holders.add(node);
    else this.release(node);
  }

  /** A place for a histogram, if need be taken from the node with the fewest rows. */
  #take(): number {
    const { pool, space: { nodes: { rows } } } = this.#task;
    for (;;) {
      const place = pool.take();
      if (place !== 0) return place;
      this.flush();
      let victim = -1;
      for (const node of this.#holders) {
        if (victim < 0 || rows[node] < rows[victim]) victim = node;
      }
      if (victim < 0) throw new Error("histogram pool has no place");
      this.release(victim);
    }
  }

  /** Writes the items of all jobs in groups, the largest first; says which are whose. */
  #writeItems(jobs: readonly Job[]): Written {
    const { layout, memory } = this.#team.context;
    const { numThreads } = layout;
    const { features8, order16 } = layout.bins;
    const unitsOf = (slots: number) => Math.max(1, features8 / slots + order16.length);
    const placed: { job: Job; first: number; count: number }[] = [];
    let numStriped = 0;
    let item = 0;
    let group = 0;
    const { u32, f64 } = memory;
    const writeGroup = (first: number) => {
      const at = (layout.groups >>> 2) + 2 * group++;
      u32[at] = first;
      u32[at + 1] = item - first;
    };
    const { space } = this.#task;
    for (const { jobs: members, split, striped } of groupJobs(jobs, space.nodes.rows, layout)) {
      const begin = item;
      let copies = 0;
      if (striped) {
        u32[(layout.stripes >>> 2) + numStriped] = item;
        copies = layout.copies + numStriped++ * (numThreads - 1) * layout.copyBytes;
      }
      // Rows are added to four features at a time. Where they are added up already, parts cost
      // nothing; features differ in what they take.
      const slots = striped ? 1 : 4;
      const parts = Math.min(unitsOf(slots), striped ? 2 * numThreads : numThreads);
      for (const job of members) {
        const count = split ? parts : 1;
        const scansBuilt = job.scans && space.mayBeSplit[job.built] === 1;
        const allowedBuilt = scansBuilt ? this.#writeAllowed(job.built, 2 * item) : 0;
        const allowedSibling = job.sibling < 0 ? 0 : this.#writeAllowed(job.sibling, 2 * item + 1);
        placed.push({ job, first: item, count });
        for (let part = 0; part < count; part++) {
          const share = (size: number, p: number) => Math.floor((size * p) / count);
          const at = this.#writeItem(item, job);
          u32[at + ItemField.from8] = slots * share(features8 / slots, part);
          u32[at + ItemField.to8] = slots * share(features8 / slots, part + 1);
          u32[at + ItemField.fromLevel] = layout.levels.first[u32[at + ItemField.from8]];
          u32[at + ItemField.toLevel] = layout.levels.first[u32[at + ItemField.to8]];
          u32[at + ItemField.from16] = share(order16.length, part);
          u32[at + ItemField.to16] = share(order16.length, part + 1);
          u32[at + ItemField.allowedBuilt] = allowedBuilt;
          u32[at + ItemField.allowedSibling] = allowedSibling;
          u32[at + ItemField.copies] = copies;
          u32[at + ItemField.scansBuilt] = scansBuilt ? 1 : 0;
          u32[at + ItemField.root] = job.root;
          item++;
          if (split) writeGroup(item - 1);
        }
      }
      if (!split) writeGroup(begin);
    }
    const args = layout.args >>> 3;
    f64[args + EvaluateArgs.numGroups] = group;
    f64[args + EvaluateArgs.output] = this.#task.output;
    f64[args + EvaluateArgs.wide] = this.#task.wide ? 1 : 0;
    f64[args + EvaluateArgs.unitG] = this.#task.unitG;
    f64[args + EvaluateArgs.unitH] = this.#task.unitH;
    f64[args + EvaluateArgs.numStriped] = numStriped;
    f64[args + EvaluateArgs.packed] = this.#task.packed;
    return { parts: placed, numStriped };
  }

  /** Writes the nodes of an item; returns where its words are. */
  #writeItem(item: number, { built, sibling }: Job): number {
    const { layout, memory: { u32 } } = this.#team.context;
    const { space } = this.#task;
    const at = (layout.items + item * ITEM_BYTES) >>> 2;
    u32[at + ItemField.entry] = space.entry[built];
    u32[at + ItemField.buffer] = bufferOf(space, built);
    u32[at + ItemField.built] = space.histogram[built];
    u32[at + ItemField.sibling] = sibling < 0 ? 0 : space.histogram[sibling];
    this.#writeNode(built, item, 0);
    if (sibling >= 0) this.#writeNode(sibling, item, 1);
    return at;
  }

  #writeNode(node: number, item: number, which: number): void {
    const { layout, memory: { f64 } } = this.#team.context;
    const { nodes, gradient, hessian, value } = this.#task.space;
    const at = (layout.items + item * ITEM_BYTES + ITEM_NODES + which * NODE_BYTES) >>> 3;
    f64[at + NodeField.gradient] = gradient[node];
    f64[at + NodeField.hessian] = hessian[node];
    f64[at + NodeField.count] = nodes.rows[node];
    f64[at + NodeField.lower] = nodes.lower[node];
    f64[at + NodeField.upper] = nodes.upper[node];
    f64[at + NodeField.value] = value[node];
  }

  /** Writes which features a node may be split on; 0 means all. */
  #writeAllowed(node: number, slot: number): number {
    const { features, space } = this.#task;
    const allowed = features.allowed(space.depth[node], node, () => this.#pathOf(node));
    if (allowed === undefined) return 0;
    const { layout, memory } = this.#team.context;
    const at = layout.allowed + slot * layout.bins.places.length;
    memory.u8.set(allowed, at);
    return at;
  }

  /** Features that a node's ancestors were split on. */
  #pathOf(node: number): number[] {
    const { parent, feature } = this.#task.space.nodes;
    const path: number[] = [];
    for (let i = parent[node]; i >= 0; i = parent[i]) {
      if (!path.includes(feature[i])) path.push(feature[i]);
    }
    return path;
  }
}

/** Jobs that one thread works on together, or one job whose work threads share. */
interface Group {
  readonly jobs: Job[];
  /** Threads share the features. */
  readonly split: boolean;
  /** Before that, they share the rows. */
  readonly striped: boolean;
}

/**
 * Groups of jobs: large ones alone, to be shared between threads; the others so that the rows of all
 * groups are about as many.
 */
function groupJobs(jobs: readonly Job[], rowsOf: Int32Array, layout: HistLayout): Group[] {
  const { numThreads, mostStriped } = layout;
  if (numThreads === 1) return [{ jobs: [...jobs], split: false, striped: false }];
  const { features8, order16, numCells } = layout.bins;
  const order = [...jobs].sort((a, b) => rowsOf[b.built] - rowsOf[a.built]);
  const total = jobs.reduce((sum, { built }) => sum + rowsOf[built], 0);
  const groups: Group[] = [];
  const small = Array.from({ length: GROUPS * numThreads }, () => ({ jobs: [] as Job[], rows: 0 }));
  for (const job of order) {
    const rows = rowsOf[job.built];
    if (2 * numThreads * rows > total) {
      // Copies are emptied and added up: that must cost less than filling them.
      const striped = job.root === 0 && groups.length < mostStriped &&
        rows * (features8 + order16.length) > 2 * numCells;
      groups.push({ jobs: [job], split: true, striped });
      continue;
    }
    const least = small.reduce((a, b) => b.rows < a.rows ? b : a);
    least.jobs.push(job);
    least.rows += rows;
  }
  for (const { jobs: members } of small.sort((a, b) => b.rows - a.rows)) {
    if (members.length > 0) groups.push({ jobs: members, split: false, striped: false });
  }
  return groups;
}
