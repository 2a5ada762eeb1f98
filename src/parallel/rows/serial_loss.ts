/**
 * Gradients of the methods that repeat another library's arithmetic, by the threads that help to grow
 * their trees: blocks of rows are taken from a common counter (ranking: the queries that begin in
 * them). A row's gradients depend on nothing that another thread writes.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { TeamWord, TeamWork } from "../../grow/split_team.ts";
import { lossOfRecipe } from "../../loss/losses.ts";
import type { Loss } from "../../loss/types.ts";
import { leadLeaves, type LeafPlan, type LeafRows, leafRows } from "./serial_leaves.ts";
import { together, type Turns } from "./turns.ts";
import { sharedBuffer } from "../../util/buffers.ts";

/** What all threads see; arrays are output-major views of shared memory. */
export interface LossPlan extends LeafPlan {
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
}

/** Arrays of a run and what fills the gradients from the scores. */
export interface SharedGradients extends Pick<LossPlan, "raw" | "gradient" | "hessian"> {
  run(round: number): void;
  /** Where the loss sets leaves by itself: room for their rows, and what finds their constants. */
  readonly leaves?: LeafRows & { fit(numLeaves: number, output: number): void };
}

/** Rows of a block, and rows × outputs from which threads share them. */
const BLOCK_ROWS = 2048;
const LEAST_ROWS = 8192;

const floats = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length));

/** Shared memory for a loss that other threads can make; undefined where there is little to share. */
export function lossPlan(
  { recipe, numOutputs, refitLeaf }: Loss,
  labels: Labels,
): LossPlan | undefined {
  const numRows = labels.values.length;
  const size = numRows * numOutputs;
  if (recipe === undefined || size < LEAST_ROWS) return undefined;
  return {
    recipe,
    labels: shareLabels(labels),
    raw: floats(size),
    gradient: floats(size),
    hessian: floats(size),
    ...(refitLeaf && {
      leaves: leafRows(numRows, numRows, sharedBuffer),
    }),
  };
}

/** The same labels in shared memory. */
export function shareLabels({ values, weight, group }: Labels): Labels {
  const copy = (numbers: Float64Array) => {
    const shared = floats(numbers.length);
    shared.set(numbers);
    return shared;
  };
  return {
    values: copy(values),
    ...(weight && { weight: copy(weight) }),
    ...(group && { group: shareGroup(group) }),
  };
}

function shareGroup(group: Int32Array): Int32Array {
  const shared = new Int32Array(new SharedArrayBuffer(group.byteLength));
  shared.set(group);
  return shared;
}

/** Takes blocks of rows until none is left, in the round that the control words tell. */
export function gradientsOf(plan: LossPlan, control: Int32Array): () => void {
  const loss = lossOfRecipe(plan.recipe);
  const { labels, raw, gradient, hessian } = plan;
  const numRows = labels.values.length;
  return () => {
    const round = control[TeamWord.round];
    for (;;) {
      const from = BLOCK_ROWS * Atomics.add(control, TeamWord.next, 1);
      if (from >= numRows) return;
      const to = Math.min(numRows, from + BLOCK_ROWS);
      loss.gradients(labels, raw, gradient, hessian, from, to, round);
    }
  };
}

/** The thread that keeps the trees, at the head of its helpers. */
export function leadGradients(
  plan: LossPlan,
  control: Int32Array,
  helpers: Turns,
): SharedGradients {
  const own = gradientsOf(plan, control);
  const { leaves } = plan;
  return {
    ...(leaves && { leaves: { ...leaves, fit: leadLeaves(plan, control, helpers) } }),
    raw: plan.raw,
    gradient: plan.gradient,
    hessian: plan.hessian,
    run(round) {
      control[TeamWord.round] = round;
      together(control, helpers, TeamWork.gradients, own);
    },
  };
}
