/**
 * Subtrees of one tree of two classes on several threads: each takes the next one by a counter and
 * grows it by the kernel (`grow/counted/parts.ts`).
 *
 * @module
 */
import {
  belowTop,
  type GrownNodes,
  growPart,
  growTop,
  joinParts,
  type Part,
} from "../../grow/counted/parts.ts";
import { loadFrame } from "../../grow/counted/space.ts";
import type { WholeTree } from "../../grow/counted/tree.ts";
import type { GrowContext } from "../../grow/plan/context.ts";
import { contextOf, type TreePlan } from "../../grow/plan/plan.ts";
import type { Frame } from "../../grow/rows/frame.ts";
import type { StatSource } from "../../grow/rows/stats.ts";
import type { Rng } from "../../util/rng.ts";
import { nextTurn } from "../../util/turn.ts";

/** What a worker is told: what trees grow from, then one tree after the other. */
export interface SubtreeOrder {
  readonly subtrees: Learner | TopParts;
}

interface Learner {
  readonly plan: TreePlan;
  readonly frame: Frame;
  readonly source: StatSource;
}

/** The subtrees of a tree. */
interface TopParts {
  /** All rows, those of each part adjacent; every thread sees them, and the counter in `control`. */
  readonly rows: Int32Array;
  readonly parts: readonly Part[];
  readonly control: Int32Array;
}

/** A subtree; none where the kernel has no room for its categories. */
export interface SubtreeAnswer {
  readonly subtree: number;
  readonly grown: GrownNodes | undefined;
}

/** What grows on threads. */
export interface SubtreeWork {
  readonly context: GrowContext;
  readonly plan: TreePlan;
  /** Once it aborts nothing more is waited for. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Grows a tree in the kernel's memory of the calling thread; undefined where it must be grown in
 * another way, or was stopped.
 *
 * @param rows As in `growTree`.
 */
export type GrowInParts = (rows: Int32Array, rng: Rng) => Promise<WholeTree | undefined>;

/** Takes subtrees until none is left. */
function* takeParts(
  { rows, parts, control }: TopParts,
  context: GrowContext,
): Generator<SubtreeAnswer> {
  const below = belowTop(context);
  for (let part = Atomics.add(control, 0, 1); part < parts.length;) {
    yield { subtree: part, grown: growPart(below, rows, parts[part]) };
    part = Atomics.add(control, 0, 1);
  }
}

/** What this worker was told to grow trees from. */
let known: GrowContext | undefined;

/** What a worker does. */
export function growSubtrees(
  { subtrees }: SubtreeOrder,
  say: (answer: SubtreeAnswer, transfer: Transferable[]) => void,
): void {
  if ("plan" in subtrees) {
    const { plan, frame, source } = subtrees;
    known = contextOf(plan, frame, source);
    loadFrame(frame); // while the first levels grow
    return;
  }
  for (const answer of takeParts(subtrees, known!)) {
    say(answer, Object.values(answer.grown ?? {}).map(({ buffer }) => buffer as ArrayBuffer));
  }
}

/**
 * Grows trees, one after the other, together with workers of `split_worker.ts`. A worker that fails
 * leaves its part to this thread, and no worker gets another tree.
 */
export function growerInParts(
  given: readonly Worker[],
  { context, plan, signal }: SubtreeWork,
): GrowInParts {
  const { frame, source } = context;
  let workers = given;
  const tell = (subtrees: SubtreeOrder["subtrees"]) => {
    for (const worker of workers) worker.postMessage({ subtrees } satisfies SubtreeOrder);
  };
  tell({ plan, frame, source });
  return async (rows, rng) => {
    const top = growTop(context, rows, rng);
    if (top === undefined) return undefined;
    const { parts } = top;
    const shared = new Int32Array(new SharedArrayBuffer(rows.byteLength));
    shared.set(top.rows);
    const control = new Int32Array(new SharedArrayBuffer(4));
    const job: TopParts = { rows: shared, parts, control };
    const found: (GrownNodes | undefined)[] = new Array(parts.length).fill(undefined);
    const over = Promise.withResolvers<void>();
    const end = () => over.resolve();
    let left = parts.length;
    const hear = ({ subtree, grown }: SubtreeAnswer) => {
      found[subtree] = grown;
      if (--left === 0) end();
    };
    for (const worker of workers) {
      worker.onmessage = ({ data }) => {
        if ("subtree" in data) hear(data); // else a column that was not waited for
      };
      worker.onerror = (event) => {
        event.preventDefault();
        workers = []; // others may answer later, to this tree
        end();
      };
    }
    tell(job);
    signal?.addEventListener("abort", end);
    try {
      for (const answer of takeParts(job, context)) {
        hear(answer);
        await nextTurn(); // hears aborts
        if (signal?.aborted === true) return undefined;
      }
      if (left > 0) await over.promise;
    } finally {
      signal?.removeEventListener("abort", end);
    }
    if (signal?.aborted === true) return undefined;
    const below = belowTop(context);
    const grown = parts.map((part, i) => found[i] ?? growPart(below, shared, part));
    return grown.every((one) => one !== undefined) ? joinParts(top, grown, rows) : undefined;
  };
}
