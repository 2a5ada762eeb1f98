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
} from "../../../kernels/items/evaluate.ts";
import { bufferOf } from "../tree/grow_space.ts";
import type { GrowTask } from "../tree/grow_task.ts";
import { Op } from "../workspace/op.ts";
import type { Team } from "../workspace/team.ts";
import { readFound } from "./found.ts";

/** Pairs of siblings in one operation. */
const MAX_PAIRS = 128;

/** Most items of one operation: every pair once, and the large ones in parts. */
export function maxItems(numThreads: number): number {
  return 2 * MAX_PAIRS + 4 * numThreads * numThreads;
}

/** Groups of small nodes for each thread: more are shared more evenly, fewer share cached rows. */
const GROUPS = 4;

/** Additions that a cell of a job costs as much as: it is emptied, subtracted, scanned for both nodes. */
const CELL_COST = 5;

/** Jobs in one operation: of a pair whose parent has no histogram each node is one. */
const MAX_JOBS = MAX_PAIRS + 1;

/** A field of all jobs. */
const ofJobs = () => new Int32Array(MAX_JOBS);

/** One tree's evaluations. */
export class Evaluator {
  readonly #team: Team;
  readonly #task: GrowTask;
  /**
   * Jobs that are queued: a node to build, and the sibling that is what remains of the parent (−1: none);
   * whether the best splits are asked for, else only the histogram is; see {@linkcode ItemField.root}.
   */
  #numJobs = 0;
  readonly #built = ofJobs();
  readonly #sibling = ofJobs();
  readonly #scans = ofJobs();
  readonly #root = ofJobs();
  /** First item of each job, and how many it has. */
  readonly #first = ofJobs();
  readonly #parts = ofJobs();
  /** The next job of the same group. */
  readonly #next = ofJobs();
  #numItems = 0;
  #numGroups = 0;
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
    if (this.#numJobs >= MAX_PAIRS) this.flush();
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
    const job = this.#numJobs++;
    this.#built[job] = built;
    this.#sibling[job] = sibling;
    this.#scans[job] = scans ? 1 : 0;
    this.#root[job] = root;
  }

  /** Works on all that is queued. */
  flush(): void {
    const numJobs = this.#numJobs;
    if (numJobs === 0) return;
    const numStriped = this.#writeItems();
    if (numStriped > 0) this.#team.run(Op.fillStripes);
    this.#team.run(Op.evaluate);
    this.#numJobs = 0;
    for (let job = 0; job < numJobs; job++) {
      const sibling = this.#sibling[job];
      if (this.#scans[job] === 1) this.#readSplit(this.#built[job], job, 0);
      this.#keep(this.#built[job]);
      if (sibling < 0) continue;
      this.#readSplit(sibling, job, 1);
      this.#keep(sibling);
    }
  }

  /** Takes over the best split that a node's items have found. */
  #readSplit(node: number, job: number, which: number): void {
    const { space } = this.#task;
    if (space.mayBeSplit[node] === 0) return;
    const first = this.#first[job];
    for (let item = first; item < first + this.#parts[job]; item++) {
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

  /**
   * Writes the items of all jobs in groups: large ones alone, to be shared between threads; the others so
   * that the rows of all groups are about as many. Returns how many are filled by stripes of rows first.
   */
  #writeItems(): number {
    const { layout, memory: { u32, f64 } } = this.#team.context;
    const { numThreads, mostStriped, args } = layout;
    const { features8, order16, numCells } = layout.bins;
    const { output, packed, unitG, unitH, wide, space: { nodes: { rows } } } = this.#task;
    this.#numItems = this.#numGroups = 0;
    const numFeatures = features8 + order16.length;
    /** What a job costs besides its rows, in rows. */
    const more = Math.floor(CELL_COST * numCells / numFeatures);
    let total = 0;
    for (let job = 0; job < this.#numJobs; job++) total += rows[this.#built[job]] + more;
    const numSmall = numThreads === 1 ? 1 : GROUPS * numThreads;
    /** Cost of each group of small ones, in rows, and its last job. */
    const costs = new Int32Array(numSmall);
    const last = new Int32Array(numSmall).fill(-1);
    const striped: number[] = [];
    for (let job = 0; job < this.#numJobs; job++) {
      const n = rows[this.#built[job]];
      if (numThreads > 1 && 2 * numThreads * (n + more) > total) {
        // Copies are emptied and added up: that must cost less than filling them.
        const isStriped = this.#root[job] === 0 && striped.length < mostStriped &&
          n * numFeatures > 2 * numCells;
        if (isStriped) striped.push(job);
        else this.#writeShared(job, -1);
        continue;
      }
      const group = indexOfLeast(costs);
      this.#next[job] = last[group];
      last[group] = job;
      costs[group] += n + more;
    }
    for (let group = indexOfMost(costs); costs[group] > 0; group = indexOfMost(costs)) {
      const first = this.#numItems;
      for (let job = last[group]; job >= 0; job = this.#next[job]) this.#writeJob(job, 1, 1, 0);
      this.#writeGroup(first, this.#numItems - first);
      costs[group] = 0;
    }
    // Last, since little is left to do in each part of them: threads end at about the same time.
    const numStriped = striped.length;
    for (let i = 0; i < numStriped; i++) {
      u32[(layout.stripes >>> 2) + i] = this.#numItems;
      this.#writeShared(striped[i], i);
    }
    const at = args >>> 3;
    f64[at + EvaluateArgs.numGroups] = this.#numGroups;
    f64[at + EvaluateArgs.output] = output;
    f64[at + EvaluateArgs.wide] = wide ? 1 : 0;
    f64[at + EvaluateArgs.unitG] = unitG;
    f64[at + EvaluateArgs.unitH] = unitH;
    f64[at + EvaluateArgs.numStriped] = numStriped;
    f64[at + EvaluateArgs.packed] = packed;
    return numStriped;
  }

  /** Writes a job whose work threads share: its features, and before that the rows where it is striped. */
  #writeShared(job: number, stripe: number): void {
    const { numThreads, copies, copyBytes, bins } = this.#team.context.layout;
    // Rows are added to four features at a time. Where they are added up already, parts cost
    // nothing; features differ in what they take.
    const slots = stripe < 0 ? 4 : 1;
    const most = Math.max(1, bins.features8 / slots + bins.order16.length);
    const parts = Math.min(most, stripe < 0 ? numThreads : 2 * numThreads);
    const first = this.#numItems;
    this.#writeJob(
      job,
      parts,
      slots,
      stripe < 0 ? 0 : copies + stripe * (numThreads - 1) * copyBytes,
    );
    for (let item = first; item < first + parts; item++) this.#writeGroup(item, 1);
  }

  #writeGroup(first: number, count: number): void {
    const { layout, memory: { u32 } } = this.#team.context;
    const at = (layout.groups >>> 2) + 2 * this.#numGroups++;
    u32[at] = first;
    u32[at + 1] = count;
  }

  /** Writes the items of a job, a part of the features each. */
  #writeJob(job: number, parts: number, slots: number, copies: number): void {
    const { layout, memory: { u32 } } = this.#team.context;
    const { bins: { features8, order16 }, levels } = layout;
    const { space } = this.#task;
    const built = this.#built[job];
    const sibling = this.#sibling[job];
    const scansBuilt = this.#scans[job] === 1 && space.mayBeSplit[built] === 1;
    const first = this.#first[job] = this.#numItems;
    this.#parts[job] = parts;
    this.#numItems += parts;
    const allowedBuilt = scansBuilt ? this.#writeAllowed(built, 2 * first) : 0;
    const allowedSibling = sibling < 0 ? 0 : this.#writeAllowed(sibling, 2 * first + 1);
    let from8 = 0;
    let from16 = 0;
    for (let part = 0; part < parts; part++) {
      const item = layout.items + (first + part) * ITEM_BYTES;
      const at = item >>> 2;
      const to8 = slots * Math.floor(((features8 / slots) * (part + 1)) / parts);
      const to16 = Math.floor((order16.length * (part + 1)) / parts);
      u32[at + ItemField.entry] = space.entry[built];
      u32[at + ItemField.buffer] = bufferOf(space, built);
      u32[at + ItemField.built] = space.histogram[built];
      u32[at + ItemField.sibling] = sibling < 0 ? 0 : space.histogram[sibling];
      u32[at + ItemField.from8] = from8;
      u32[at + ItemField.to8] = to8;
      u32[at + ItemField.fromLevel] = levels.first[from8];
      u32[at + ItemField.toLevel] = levels.first[to8];
      u32[at + ItemField.from16] = from16;
      u32[at + ItemField.to16] = to16;
      u32[at + ItemField.allowedBuilt] = allowedBuilt;
      u32[at + ItemField.allowedSibling] = allowedSibling;
      u32[at + ItemField.copies] = copies;
      u32[at + ItemField.scansBuilt] = scansBuilt ? 1 : 0;
      u32[at + ItemField.root] = this.#root[job];
      this.#writeNode(built, item + ITEM_NODES);
      if (sibling >= 0) this.#writeNode(sibling, item + ITEM_NODES + NODE_BYTES);
      from8 = to8;
      from16 = to16;
    }
  }

  /** Writes what the scan of a node needs to know of it. */
  #writeNode(node: number, address: number): void {
    const { memory: { f64 } } = this.#team.context;
    const { nodes, gradient, hessian, value } = this.#task.space;
    const at = address >>> 3;
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

/** Where the first of the least numbers is. */
function indexOfLeast(numbers: Int32Array): number {
  let least = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] < numbers[least]) least = i;
  return least;
}

/** Where the first of the largest numbers is. */
function indexOfMost(numbers: Int32Array): number {
  let most = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[most]) most = i;
  return most;
}
