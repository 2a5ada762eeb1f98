/**
 * Threads that look for the best split of a node together: each takes features from a common counter
 * and writes what it finds. The best split of a feature depends on the node alone, so the tree is
 * that of one thread. Helpers see the rows, labels and weights of the node in shared memory; between
 * nodes they sleep.
 *
 * @module
 */
import type { SplitTeam } from "./plan/context.ts";
import { contextOf, type TreePlan } from "./plan/plan.ts";
import type { Frame, FrameFeature } from "./rows/frame.ts";
import { channelsOf, type MutableNodeView, type StatSource } from "./rows/stats.ts";
import { createScratch } from "./splitter/scratch.ts";
import type { FindSplit, Split, SplitContext } from "./splitter/split.ts";

/** Words of the control block. */
export const TeamWord = {
  /** Goes up by one for every node. */
  sequence: 0,
  /** 1: the helpers leave. */
  leave: 1,
  /** Next feature of the list. */
  next: 2,
  /** Helpers that are done with the node. */
  arrived: 3,
  rows: 5,
  features: 6,
  depth: 7,
  /** What is due: see {@linkcode TeamWork}. */
  work: 8,
  /** Round of gradients; set of rows, and step of its metrics; output of a tree. */
  round: 9,
  set: 10,
  step: 11,
  output: 12,
  /** Which task of rows (`parallel/rows/team_tasks.ts`), and what its step is told. */
  task: 13,
  argument: 14,
  /** Whether a helper has failed, and why; see `parallel/failures.ts`. */
  failure: 16,
} as const;

/** What helpers are woken for: nodes and trees, or what else a run has (`parallel/rows/serial_loss.ts`, …). */
export const TeamWork = {
  trees: 0,
  gradients: 1,
  leaves: 2,
  walk: 3,
  measure: 4,
  tasks: 5,
} as const;

/** Bytes of the words, and of what stands at {@linkcode TeamWord.failure}. */
export const TEAM_BYTES = 704;
export const FAILURE_BYTES = TEAM_BYTES - 4 * TeamWord.failure;

/** Numbers of a split in the results, and the states of one. */
const WIDTH = 12;
const NONE = 1;
const FOUND = 2;

const KINDS = ["threshold", "subset", "multiway"] as const;

/** What all threads see of the node. All arrays are views of shared memory. */
export interface TeamMemory {
  readonly control: Int32Array;
  /** Row numbers of the node. */
  readonly rows: Int32Array;
  readonly classes: Int32Array;
  readonly labels: Float64Array;
  readonly seconds: Float64Array;
  readonly weights: Float64Array;
  readonly total: Float64Array;
  /** Features to look at. */
  readonly list: Int32Array;
  /** What was found: one record a place of the list. */
  readonly state: Int32Array;
  readonly found: Float64Array;
  /** Category sets and branches, of each feature from `setAt[feature]` on. */
  readonly sets: Uint32Array;
  readonly setAt: Int32Array;
}

/** What a helper needs: plain data and shared arrays. */
export interface TeamPlan {
  readonly plan: TreePlan;
  /** A frame in shared memory. */
  readonly frame: Frame;
  /** Number of classes; 0 for numbers. */
  readonly numClasses: number;
  readonly memory: TeamMemory;
}

function shared<T>(make: (buffer: SharedArrayBuffer) => T, bytes: number): T {
  return make(new SharedArrayBuffer(bytes));
}

const int32 = (length: number) => shared((buffer) => new Int32Array(buffer), 4 * length);
const float64 = (length: number) => shared((buffer) => new Float64Array(buffer), 8 * length);

/** The same frame in shared memory. */
export function shareFrame({ numRows, features }: Frame): Frame {
  return {
    numRows,
    features: features.map(shareFeature),
  };
}

/** A feature in shared memory: itself where it is there already. */
export function shareFeature(feature: FrameFeature): FrameFeature {
  if (feature.codes.buffer instanceof SharedArrayBuffer) return feature;
  const codes = int32(feature.codes.length);
  const values = float64(feature.values.length);
  codes.set(feature.codes);
  values.set(feature.values);
  return { ...feature, codes, values };
}

/** Memory for nodes of a frame. */
export function teamMemory(frame: Frame, numClasses: number): TeamMemory {
  const { numRows, features } = frame;
  const isClass = numClasses > 0;
  const setAt = int32(features.length);
  let words = 0;
  features.forEach(({ kind, numCodes }, f) => {
    setAt[f] = words;
    if (kind === "categorical") words += numCodes + 1;
  });
  return {
    control: int32(TEAM_BYTES / 4),
    rows: int32(numRows),
    classes: int32(isClass ? numRows : 0),
    labels: float64(isClass ? 0 : numRows),
    seconds: float64(isClass ? 0 : numRows),
    weights: float64(numRows),
    total: float64(isClass ? numClasses + 1 : 4),
    list: int32(features.length),
    state: int32(features.length),
    found: float64(features.length * WIDTH),
    sets: shared((buffer) => new Uint32Array(buffer), 4 * words),
    setAt,
  };
}

/** A source without rows: splitters read a node's from its view. */
function emptySource(numClasses: number): StatSource {
  return numClasses > 0
    ? { kind: "class", codes: new Int32Array(0), numClasses }
    : { kind: "moment", values: new Float64Array(0) };
}

/** A view whose label arrays are those of the team. */
function viewOf({ classes, labels, seconds, weights, total }: TeamMemory): MutableNodeView {
  return {
    rows: new Int32Array(0),
    from: 0,
    to: 0,
    share: undefined,
    total: total.slice(),
    classes,
    labels,
    seconds,
    weights,
    depth: 0,
  };
}

/** Writes a split to place `at` of the results. */
function write(memory: TeamMemory, at: number, split: Split | undefined): void {
  if (split === undefined) {
    memory.state[at] = NONE;
    return;
  }
  const { categories } = split;
  memory.found.set([
    split.feature,
    KINDS.indexOf(split.kind),
    split.code,
    split.threshold,
    split.numBranches,
    split.missing,
    split.gain,
    split.score,
    split.outOfAverage === undefined ? 0 : split.outOfAverage ? 2 : 1,
    categories === undefined ? -1 : categories.length,
  ], at * WIDTH);
  if (categories !== undefined) memory.sets.set(categories, memory.setAt[split.feature]);
  memory.state[at] = FOUND;
}

function read({ found, sets, setAt }: TeamMemory, place: number): Split {
  const at = place * WIDTH;
  const feature = found[at];
  const average = found[at + 8];
  const words = found[at + 9];
  return {
    feature,
    kind: KINDS[found[at + 1]],
    code: found[at + 2],
    threshold: found[at + 3],
    categories: words < 0
      ? undefined
      : Uint32Array.from(sets.subarray(setAt[feature], setAt[feature] + words)),
    numBranches: found[at + 4],
    missing: found[at + 5],
    gain: found[at + 6],
    score: found[at + 7],
    ...(average > 0 && { outOfAverage: average === 2 }),
  };
}

/** What a helper does at a node, until the counter is at the end. */
export function createHelper({ plan, frame, numClasses, memory }: TeamPlan): () => void {
  const source = emptySource(numClasses);
  const { criterion, numeric, categorical, limits, missing, maxExhaustive } = contextOf(
    plan,
    frame,
    source,
  );
  let maxCodes = 0;
  for (const feature of frame.features) maxCodes = Math.max(maxCodes, feature.numCodes);
  const context: SplitContext = {
    frame,
    source,
    criterion,
    limits,
    missing,
    scratch: createScratch(frame.numRows, maxCodes, channelsOf(source)),
    maxExhaustive: maxExhaustive ?? 10,
  };
  const find = (feature: number, view: MutableNodeView): Split | undefined => {
    const splitter: FindSplit = frame.features[feature].kind === "numeric" ? numeric : categorical;
    return splitter(view, feature, context, undefined);
  };
  const view = viewOf(memory);
  view.rows = memory.rows;
  const { control, list } = memory;
  return () => {
    view.to = control[TeamWord.rows];
    view.depth = control[TeamWord.depth];
    // A new array a node: criteria know by it whether they have seen the node.
    view.total = memory.total.slice();
    const count = control[TeamWord.features];
    for (;;) {
      const at = Atomics.add(control, TeamWord.next, 1);
      if (at >= count) return;
      write(memory, at, find(list[at], view));
    }
  };
}

/** Rows × features from which a node is worth waking others: about 0.2 ms of work. */
const LEAST_CELLS = 16_384;

/**
 * The thread that grows, at the head of a team.
 *
 * @param release Wakes the helpers; the counter and the arrivals are at zero.
 * @param join Waits until all have arrived.
 */
export function leadTeam(
  memory: TeamMemory,
  release: () => void,
  join: () => void,
): SplitTeam {
  const view = viewOf(memory);
  const { control, state } = memory;
  return {
    view,
    pays: (numRows, numFeatures) => numFeatures > 1 && numRows * numFeatures >= LEAST_CELLS,
    find(list, count, own) {
      const { rows, from, to, total, depth } = view;
      memory.rows.set(rows.subarray(from, to));
      memory.total.set(total);
      memory.list.set(list.subarray(0, count));
      control[TeamWord.rows] = to - from;
      control[TeamWord.depth] = depth;
      control[TeamWord.features] = count;
      const mine: (Split | undefined)[] = [];
      state.fill(0, 0, count);
      release();
      try {
        for (;;) {
          const at = Atomics.add(control, TeamWord.next, 1);
          if (at >= count) break;
          mine[at] = own(list[at]);
        }
      } finally {
        join();
      }
      const found: Split[] = [];
      for (let at = 0; at < count; at++) {
        const split = state[at] === FOUND ? read(memory, at) : mine[at];
        if (split !== undefined) found.push(split);
      }
      return found;
    },
  };
}
