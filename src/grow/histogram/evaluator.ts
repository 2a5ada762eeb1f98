/**
 * Queues nodes whose splits are wanted, gives them histograms from a pool, and has the team work on
 * many at once.
 *
 * @module
 */
import { isBetter, NodeField, readFound } from "./evaluate.ts";
import { EvaluateArgs, ITEM_BYTES, ItemField } from "./fill.ts";
import type { GrowTask, OpenNode } from "./grower.ts";
import type { HistLayout } from "./layout.ts";
import { Op } from "./op.ts";
import { noSplit } from "./scan.ts";
import type { NodeSums } from "./score.ts";
import type { Team } from "./team.ts";

/** Pairs of siblings in one operation. */
export const MAX_PAIRS = 128;

/** Most items of one operation: every pair once, and the large ones in parts. */
export function maxItems(numThreads: number): number {
  return 2 * MAX_PAIRS + 4 * numThreads * numThreads;
}

/** A node to build, and the sibling that is what remains of the parent. */
interface Job {
  readonly built: OpenNode;
  readonly sibling: OpenNode | undefined;
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
  readonly #pathOf: (node: number) => readonly number[];
  #jobs: Job[] = [];
  /** Nodes that hold a histogram that nobody is working on. */
  readonly #holders = new Set<OpenNode>();

  /** Starts with an empty queue. */
  constructor(team: Team, task: GrowTask, pathOf: (node: number) => readonly number[]) {
    this.#team = team;
    this.#task = task;
    this.#pathOf = pathOf;
  }

  /** Evaluates the root at once. */
  evaluateOne(open: OpenNode): void {
    open.histogram = this.#take();
    this.#jobs.push({ built: open, sibling: undefined });
    this.flush();
  }

  /** Queues two children; their parent's histogram is used up. */
  evaluatePair(parent: OpenNode, left: OpenNode, right: OpenNode): void {
    if (this.#jobs.length >= MAX_PAIRS) this.flush();
    const [small, large] = left.sums.count <= right.sums.count ? [left, right] : [right, left];
    // The parent keeps its place in the queue of victims until its histogram is spoken for.
    small.histogram = this.#take();
    if (parent.histogram !== 0) {
      large.histogram = parent.histogram;
      parent.histogram = 0;
      this.#holders.delete(parent);
      this.#jobs.push({ built: small, sibling: large });
      return;
    }
    this.#jobs.push({ built: small, sibling: undefined });
    large.histogram = this.#take();
    this.#jobs.push({ built: large, sibling: undefined });
  }

  /** Gives a node's histogram back. */
  release(open: OpenNode): void {
    if (open.histogram === 0) return;
    this.#task.pool.give(open.histogram);
    open.histogram = 0;
    this.#holders.delete(open);
  }

  /** Calls `use` with a node's histogram, which is built again when it had to be given up. */
  withHistogram(open: OpenNode, use: (histogram: number) => void): void {
    if (open.histogram === 0) {
      const split = open.split;
      open.histogram = this.#take();
      this.#jobs.push({ built: open, sibling: undefined });
      this.flush();
      open.split = split;
    }
    use(open.histogram);
  }

  /** Works on all that is queued. */
  flush(): void {
    const jobs = this.#jobs;
    if (jobs.length === 0) return;
    this.#jobs = [];
    const { context } = this.#team;
    const { parts, numStriped } = this.#writeItems(jobs);
    if (numStriped > 0) this.#team.run(Op.fillStripes);
    this.#team.run(Op.evaluate);
    parts.forEach(({ job, first, count }) => {
      [job.built, job.sibling].forEach((open, which) => {
        if (open === undefined) return;
        const best = noSplit();
        for (let item = first; item < first + count; item++) {
          const found = readFound(context, item, which);
          if (isBetter(found, best)) Object.assign(best, found);
        }
        open.split = best.gain > 0 ? best : undefined;
        this.#holders.add(open);
      });
    });
  }

  /** A place for a histogram, if need be taken from the node with the fewest rows. */
  #take(): number {
    for (;;) {
      const place = this.#task.pool.take();
      if (place !== 0) return place;
      this.flush();
      let victim: OpenNode | undefined;
      for (const open of this.#holders) {
        if (victim === undefined || open.sums.count < victim.sums.count) victim = open;
      }
      if (victim === undefined) throw new Error("histogram pool has no place");
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
    const writeGroup = (first: number) => {
      memory.u32.set([first, item - first], (layout.groups >>> 2) + 2 * group++);
    };
    for (const { jobs: members, split, striped } of groupJobs(jobs, layout)) {
      const begin = item;
      let copies = 0;
      if (striped) {
        memory.u32[(layout.stripes >>> 2) + numStriped] = item;
        copies = layout.copies + numStriped++ * (numThreads - 1) * layout.copyBytes;
      }
      // Rows are added to four features at a time. Where they are added up already, parts cost
      // nothing; features differ in what they take.
      const slots = striped ? 1 : 4;
      const parts = Math.min(unitsOf(slots), striped ? 2 * numThreads : numThreads);
      for (const job of members) {
        const count = split ? parts : 1;
        const allowed = [job.built, job.sibling].map((open, which) =>
          open === undefined ? 0 : this.#writeAllowed(open, 2 * item + which)
        );
        placed.push({ job, first: item, count });
        for (let part = 0; part < count; part++) {
          const at = (layout.items + item * ITEM_BYTES) >>> 2;
          const share = (size: number, p: number) => Math.floor((size * p) / count);
          memory.u32[at + ItemField.entry] = job.built.entry;
          memory.u32[at + ItemField.buffer] = job.built.buffer;
          memory.u32[at + ItemField.built] = job.built.histogram;
          memory.u32[at + ItemField.sibling] = job.sibling?.histogram ?? 0;
          memory.u32[at + ItemField.from8] = slots * share(features8 / slots, part);
          memory.u32[at + ItemField.to8] = slots * share(features8 / slots, part + 1);
          memory.u32[at + ItemField.from16] = share(order16.length, part);
          memory.u32[at + ItemField.to16] = share(order16.length, part + 1);
          memory.u32[at + ItemField.allowedBuilt] = allowed[0];
          memory.u32[at + ItemField.allowedSibling] = allowed[1];
          memory.u32[at + ItemField.copies] = copies;
          this.#writeNode(job.built.sums, item, 0);
          if (job.sibling !== undefined) this.#writeNode(job.sibling.sums, item, 1);
          item++;
          if (split) writeGroup(item - 1);
        }
      }
      if (!split) writeGroup(begin);
    }
    const args = layout.args >>> 3;
    memory.f64[args + EvaluateArgs.numGroups] = group;
    memory.f64[args + EvaluateArgs.output] = this.#task.output;
    memory.f64[args + EvaluateArgs.wide] = this.#task.wide ? 1 : 0;
    memory.f64[args + EvaluateArgs.unitG] = this.#task.unitG;
    memory.f64[args + EvaluateArgs.unitH] = this.#task.unitH;
    memory.f64[args + EvaluateArgs.numStriped] = numStriped;
    return { parts: placed, numStriped };
  }

  #writeNode(sums: NodeSums, item: number, which: number): void {
    const { layout, memory } = this.#team.context;
    const at = ((layout.items + item * ITEM_BYTES + 64) >>> 3) + 8 * which;
    memory.f64[at + NodeField.gradient] = sums.gradient;
    memory.f64[at + NodeField.hessian] = sums.hessian;
    memory.f64[at + NodeField.count] = sums.count;
    memory.f64[at + NodeField.lower] = sums.lower;
    memory.f64[at + NodeField.upper] = sums.upper;
    memory.f64[at + NodeField.value] = sums.value;
  }

  /** Writes which features a node may be split on; 0 means all. */
  #writeAllowed(open: OpenNode, slot: number): number {
    const path = this.#pathOf(open.node);
    const allowed = this.#task.features.allowed(open.depth, open.node, path);
    if (allowed === undefined) return 0;
    const { layout, memory } = this.#team.context;
    const at = layout.allowed + slot * layout.bins.places.length;
    memory.u8.set(allowed, at);
    return at;
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
function groupJobs(jobs: readonly Job[], layout: HistLayout): Group[] {
  const { numThreads, mostStriped } = layout;
  if (numThreads === 1) return [{ jobs: [...jobs], split: false, striped: false }];
  const { features8, order16, numCells } = layout.bins;
  const order = [...jobs].sort((a, b) => b.built.sums.count - a.built.sums.count);
  const total = jobs.reduce((sum, { built }) => sum + built.sums.count, 0);
  const groups: Group[] = [];
  const small = Array.from({ length: GROUPS * numThreads }, () => ({ jobs: [] as Job[], rows: 0 }));
  for (const job of order) {
    const rows = job.built.sums.count;
    if (2 * numThreads * rows > total) {
      // Copies are emptied and added up: that must cost less than filling them.
      const striped = groups.length < mostStriped &&
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
