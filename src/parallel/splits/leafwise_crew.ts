/**
 * Opens the threads that grow LightGBM's trees together (`grow/leafwise/space.ts`), where there is
 * work enough for them and they can be had.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";
import type { LeafwiseOptions } from "../../grow/leafwise/math.ts";
import { failMeeting, leafwisePlan, leafwiseSpace } from "../../grow/leafwise/space.ts";
import { growLeafwise, type LeafwiseTree } from "../../grow/leafwise/tree.ts";
import { isThreadFailed } from "../../grow/thread_failed.ts";
import { type EarlyHelpers, startEarly } from "./early_helpers.ts";
import { openSerialHelpers, type SerialShares } from "./serial_help.ts";
import type { SerialWork } from "../rows/serial_work.ts";
import { spinsOf, startProblem, whyNoThreads } from "../start.ts";
import { threadsOf } from "../tasks.ts";

/** What grows, and how it is carried out. */
export interface LeafwiseWork extends SerialWork {
  readonly features: readonly LeafwiseFeature[];
  readonly options: LeafwiseOptions;
  /** Workers that have been started already. */
  readonly early?: EarlyHelpers | undefined;
}

/** Grows trees, on one thread or more. */
export interface LeafwiseCrew extends SerialShares, Disposable {
  /** Derivatives of the rows, float32. */
  grow(gradient: Float32Array, hessian: Float32Array): LeafwiseTree;
}

/**
 * Steps of a run from which threads are started: those asked for, and all cores. A step is a row of a
 * feature at a level, or a cut that is looked at. 10 million take about 0.05 s on one thread, and a
 * new thread is there after 0.1 s.
 */
const LEAST_ASKED = 1e5;
const LEAST_WORK = 4e7;

/** What the steps of a run depend on. */
interface RunSize extends Pick<LeafwiseWork, "numRows" | "options" | "trees" | "threads"> {
  readonly numFeatures: number;
  /** Of all features. */
  readonly bins: number;
}

/** Whether there is too little to do for more than one thread. */
function isLittle({ numFeatures, bins, numRows, options, trees, threads }: RunSize): boolean {
  const leaves = Math.min(options.maxLeaves, Math.ceil(numRows / options.minRowsPerLeaf) || 1);
  const steps = trees * (numRows * numFeatures * Math.log2(leaves + 1) + 4 * bins * leaves);
  return steps < (threads === undefined ? LEAST_WORK : LEAST_ASKED);
}

/** Starts workers for a run whose columns are not binned yet, where it will need them. */
export function startLeafwise(size: RunSize): EarlyHelpers | undefined {
  const threads = Math.min(threadsOf(size.threads), size.numFeatures);
  const isNone = threads <= 1 || isLittle(size) || whyNoThreads() !== undefined;
  return isNone ? undefined : startEarly(threads);
}

/** Opens a crew. */
export async function openLeafwiseCrew(work: LeafwiseWork): Promise<LeafwiseCrew> {
  const { features, numRows, options } = work;
  const threads = Math.min(threadsOf(work.threads), Math.max(1, features.length));
  const bins = features.reduce((sum, { numBins }) => sum + numBins, 0);
  const little = isLittle({ ...work, numFeatures: features.length, bins });
  if (threads > 1 && !little) {
    const reason = whyNoThreads();
    if (reason === undefined) {
      try {
        const crew = await openTeam(work, threads);
        work.onDetail?.(`Growing trees on ${threads} threads, shared memory`);
        return crew;
      } catch (error) {
        if (work.signal?.aborted !== true) work.onWarning?.(startProblem(error));
      }
    } else work.onWarning?.(`${reason}: training on one thread`);
  }
  const why = threads > 1 && little ? ": there is too little work to share" : "";
  work.onDetail?.(`Growing trees on one thread${why}`);
  const plan = leafwisePlan(features, numRows, options, 1, 0);
  const space = leafwiseSpace(plan, 0);
  return {
    grow(gradient, hessian) {
      plan.gradient.set(gradient);
      plan.hessian.set(hessian);
      return growLeafwise(space);
    },
    [Symbol.dispose]() {},
  };
}

async function openTeam(work: LeafwiseWork, threads: number): Promise<LeafwiseCrew> {
  const { features, numRows, options } = work;
  const plan = leafwisePlan(features, numRows, options, threads, spinsOf(threads));
  const { helpers, shares } = await openSerialHelpers(plan, threads, work, work.early);
  const space = leafwiseSpace(plan, 0);
  return {
    ...shares,
    grow(gradient, hessian) {
      plan.gradient.set(gradient);
      plan.hessian.set(hessian);
      helpers.release();
      let grown: LeafwiseTree;
      try {
        grown = growLeafwise(space);
      } catch (error) {
        // Helpers still read the plan until they have left the tree.
        failMeeting(plan);
        try {
          helpers.join();
        } catch (theirs) {
          if (isThreadFailed(error)) throw theirs;
        }
        throw error;
      }
      helpers.join();
      return grown;
    },
    [Symbol.dispose]: () => helpers.close(),
  };
}
