/**
 * Where leaf-wise trees grow: the rows in order of leaves and their derivatives, which all threads
 * see, and the thread's own share of the work. All threads take every step of a tree together; each
 * fills the histograms of its own features and looks for their splits, and each parts a block of a
 * leaf's rows. Only what was found is told to the others, so sums are those of one thread.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";
import { threadFailed } from "../thread_failed.ts";
import { TEAM_BYTES } from "../split_team.ts";
import type { LeafwiseOptions, LeafwiseSums } from "./math.ts";
import type { LeafwiseSplit } from "./split.ts";

/** What all threads see: plain data, and arrays that are views of shared memory where there are more. */
export interface LeafwisePlan {
  readonly kind: "leafwise";
  readonly threads: number;
  /** Looks at a word before going to sleep. */
  readonly spins: number;
  /** Words of `TeamWord`, by which helpers are woken for a tree. */
  readonly control: Int32Array;
  /** See {@linkcode Meeting}. */
  readonly meeting: Int32Array;
  readonly features: readonly LeafwiseFeature[];
  readonly options: LeafwiseOptions;
  /** Of each row. */
  readonly gradient: Float32Array;
  readonly hessian: Float32Array;
  /** Rows in order of leaves, and room for as many. */
  readonly rows: Int32Array;
  readonly parted: Int32Array;
  /** Derivatives of the rows of the leaf whose histogram is filled, in their order. */
  readonly orderedG: Float32Array;
  readonly orderedH: Float32Array;
  /** Rows of each thread's block that go left. */
  readonly lefts: Int32Array;
  /** Two sets of records of best splits, a record a thread and leaf of a pair. */
  readonly found: Float64Array;
}

/** Words by which threads wait for each other. */
const Meeting = { arrived: 0, number: 1, failed: 2 } as const;

/** Numbers of a record before the bins of a set of categories. */
const WIDTH = 13;

/** Makes the plan of a training. */
export function leafwisePlan(
  features: readonly LeafwiseFeature[],
  numRows: number,
  options: LeafwiseOptions,
  threads: number,
  spins: number,
): LeafwisePlan {
  const isShared = threads > 1;
  const bytes = (byteLength: number) =>
    isShared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength);
  const int32 = (length: number) => new Int32Array(bytes(4 * length));
  const float32 = (length: number) => new Float32Array(bytes(4 * length));
  const { monotone } = options;
  return {
    kind: "leafwise",
    threads,
    spins,
    control: int32(TEAM_BYTES / 4),
    meeting: int32(16),
    features: isShared ? features.map(shareCodes) : features,
    options: monotone === undefined
      ? options
      : { ...options, monotone: { ...monotone, directions: Array.from(monotone.directions) } },
    gradient: float32(numRows),
    hessian: float32(numRows),
    rows: int32(numRows),
    parted: int32(numRows),
    orderedG: float32(numRows),
    orderedH: float32(numRows),
    lefts: int32(threads),
    found: new Float64Array(bytes(8 * 4 * threads * recordWidth(features))),
  };
}

/** A feature whose codes all threads see. */
function shareCodes(feature: LeafwiseFeature): LeafwiseFeature {
  if (feature.codes.buffer instanceof SharedArrayBuffer) return feature;
  const codes = new Uint16Array(new SharedArrayBuffer(feature.codes.byteLength));
  codes.set(feature.codes);
  return { ...feature, codes };
}

function recordWidth(features: readonly LeafwiseFeature[]): number {
  let most = 0;
  for (const { kind, numBins } of features) {
    if (kind === "categorical") most = Math.max(most, numBins);
  }
  return WIDTH + most;
}

/** What a thread does of a tree. */
export interface LeafwiseSpace {
  readonly plan: LeafwisePlan;
  /** 1 for each feature whose histograms and splits are this thread's. */
  readonly own: Uint8Array;
  /** Puts the rows in the order of the data. */
  begin(): void;
  /**
   * Parts `rows[from … from + count − 1]`, both sides in their order, and puts the derivatives of the
   * side with fewer rows (the right one of two equal) in order.
   *
   * @param goesLeft 1 for each bin that goes left.
   * @returns Rows that went left.
   */
  part(from: number, count: number, codes: Uint16Array, goesLeft: Uint8Array): number;
  /** The best of the splits that all threads have found, of one leaf or of two. */
  agree(found: readonly (LeafwiseSplit | undefined)[]): (LeafwiseSplit | undefined)[];
}

/** Makes the space of a thread, from 0. */
export function leafwiseSpace(plan: LeafwisePlan, thread: number): LeafwiseSpace {
  const { features, threads, gradient, hessian, rows, parted, orderedG, orderedH, lefts } = plan;
  const numRows = rows.length;
  const meet = threads === 1 ? () => {} : meetingOf(plan);
  const width = recordWidth(features);
  let turn = 0;
  /** First of the rows of a thread's block. */
  const blockAt = (of: number, count: number) => Math.floor(of * count / threads);
  /** Copies rows to their places, with their derivatives where the leaf's histogram is filled. */
  const put = (source: number, count: number, to: number, first: number) => {
    for (let i = 0; i < count; i++) rows[to + i] = parted[source + i];
    if (first < 0) return;
    for (let i = 0; i < count; i++) {
      const row = parted[source + i];
      orderedG[to - first + i] = gradient[row];
      orderedH[to - first + i] = hessian[row];
    }
  };
  return {
    plan,
    own: ownFeatures(features, threads, thread),
    begin() {
      const to = blockAt(thread + 1, numRows);
      for (let row = blockAt(thread, numRows); row < to; row++) {
        rows[row] = row;
        orderedG[row] = gradient[row];
        orderedH[row] = hessian[row];
      }
      meet();
    },
    part(from, count, codes, goesLeft) {
      const begin = from + blockAt(thread, count);
      const end = from + blockAt(thread + 1, count);
      // Left rows from the front of the block on, right rows from its end back.
      let front = begin;
      let back = end;
      for (let i = begin; i < end; i++) {
        const row = rows[i];
        if (goesLeft[codes[row]] === 1) parted[front++] = row;
        else parted[--back] = row;
      }
      parted.subarray(back, end).reverse();
      lefts[thread] = front - begin;
      meet();
      let numLeft = 0;
      let before = 0;
      for (let other = 0; other < threads; other++) {
        if (other < thread) before += lefts[other];
        numLeft += lefts[other];
      }
      const middle = from + numLeft;
      const leftIsSmall = numLeft < count - numLeft;
      put(begin, front - begin, from + before, leftIsSmall ? from : -1);
      put(back, end - back, middle + (begin - from - before), leftIsSmall ? -1 : middle);
      meet();
      return numLeft;
    },
    agree(found) {
      if (threads === 1) return [...found];
      // Two sets of records in turn: a thread that is ahead does not write where another still reads.
      turn = 1 - turn;
      const recordAt = (of: number, leaf: number) => ((turn * threads + of) * 2 + leaf) * width;
      found.forEach((split, leaf) => write(plan, recordAt(thread, leaf), split));
      meet();
      return found.map((own, leaf) => {
        let best = own;
        for (let other = 0; other < threads; other++) {
          if (other === thread) continue;
          const split = read(plan, recordAt(other, leaf));
          if (split !== undefined && isBetter(split, best)) best = split;
        }
        return best;
      });
    },
  };
}

/** More gain, or as much on an earlier feature. */
export function isBetter(one: LeafwiseSplit, other: LeafwiseSplit | undefined): boolean {
  if (other === undefined || one.gain !== other.gain) return one.gain > (other?.gain ?? -Infinity);
  return one.feature.feature < other.feature.feature;
}

/** Tells the other threads that this one has failed: they leave their tree. */
export function failMeeting({ meeting }: LeafwisePlan): void {
  Atomics.store(meeting, Meeting.failed, 1);
  Atomics.add(meeting, Meeting.number, 1);
  Atomics.notify(meeting, Meeting.number);
}

/** Waits until all threads have come this far. */
function meetingOf({ meeting, threads, spins }: LeafwisePlan): () => void {
  const refuseFailed = () => {
    if (Atomics.load(meeting, Meeting.failed) !== 0) throw threadFailed();
  };
  return () => {
    const number = Atomics.load(meeting, Meeting.number);
    // A thread that failed before the number was read does not come; one that fails later raises it.
    refuseFailed();
    if (Atomics.add(meeting, Meeting.arrived, 1) === threads - 1) {
      Atomics.store(meeting, Meeting.arrived, 0);
      Atomics.add(meeting, Meeting.number, 1);
      Atomics.notify(meeting, Meeting.number);
      return;
    }
    for (let i = 0; Atomics.load(meeting, Meeting.number) === number; i++) {
      if (i >= spins) Atomics.wait(meeting, Meeting.number, number);
    }
    refuseFailed();
  };
}

/** Deals features out by falling number of bins, there and back, so that all have as many bins. */
function ownFeatures(
  features: readonly LeafwiseFeature[],
  threads: number,
  thread: number,
): Uint8Array {
  const own = new Uint8Array(features.length);
  const order = features.map((_, f) => f)
    .sort((a, b) => features[b].numBins - features[a].numBins || a - b);
  order.forEach((f, i) => {
    const place = i % (2 * threads);
    if (Math.min(place, 2 * threads - 1 - place) === thread) own[f] = 1;
  });
  return own;
}

function write({ features, found }: LeafwisePlan, at: number, split?: LeafwiseSplit): void {
  found[at] = split === undefined ? -1 : features.indexOf(split.feature);
  if (split === undefined) return;
  const { gain, bin, bins, missingLeft, left, right } = split;
  found.set([gain, bin, missingLeft ? 1 : 0, ...numbersOf(left), ...numbersOf(right)], at + 1);
  found[at + 12] = bins.length;
  found.set(bins, at + WIDTH);
}

function read({ features, found }: LeafwisePlan, at: number): LeafwiseSplit | undefined {
  if (found[at] < 0) return undefined;
  return {
    feature: features[found[at]],
    gain: found[at + 1],
    bin: found[at + 2],
    bins: Array.from(found.subarray(at + WIDTH, at + WIDTH + found[at + 12])),
    missingLeft: found[at + 3] === 1,
    left: sumsOf(found, at + 4),
    right: sumsOf(found, at + 8),
  };
}

function numbersOf({ gradient, hessian, count, value }: LeafwiseSums): number[] {
  return [gradient, hessian, count, value];
}

function sumsOf(found: Float64Array, at: number): LeafwiseSums {
  return {
    gradient: found[at],
    hessian: found[at + 1],
    count: found[at + 2],
    value: found[at + 3],
  };
}
