/**
 * Subtrees of one tree of two classes on several threads: each takes the next one by a counter and
 * grows it by the kernel (`grow/counted/parts.ts`).
 *
 * @module
 */
import type { GrowContext } from "../grow/context.ts";
import { growPacked } from "../grow/counted/pack.ts";
import { belowTop, growTop, joinParts, type Part } from "../grow/counted/parts.ts";
import type { Frame } from "../grow/frame.ts";
import { contextOf, type TreePlan } from "../grow/plan.ts";
import type { StatSource } from "../grow/stats.ts";
import type { Trees } from "../model/types.ts";
import { forkRng, type Rng } from "../util/rng.ts";
import { nextTurn } from "../util/turn.ts";

/** What a worker is told. */
export interface SubtreeOrder {
  readonly subtrees: {
    readonly plan: TreePlan;
    readonly frame: Frame;
    readonly source: StatSource;
    /** All rows, those of each part adjacent; every thread sees them, and the counter in `control`. */
    readonly rows: Int32Array;
    readonly parts: readonly Part[];
    readonly control: Int32Array;
  };
}

/** A subtree; none where the kernel has no room for its categories. */
export interface SubtreeAnswer {
  readonly subtree: number;
  readonly trees: Trees | undefined;
}

/** What grows on threads. */
export interface SubtreeWork {
  readonly context: GrowContext;
  readonly plan: TreePlan;
  /** As in `growTree`. */
  readonly rows: Int32Array;
  readonly rng: Rng;
  /** Once it aborts nothing more is waited for. */
  readonly signal?: AbortSignal | undefined;
}

/** Takes subtrees until none is left. */
function* takeParts(
  { subtrees: { rows, parts, control } }: SubtreeOrder,
  context: GrowContext,
): Generator<SubtreeAnswer> {
  const below = belowTop(context);
  for (let part = Atomics.add(control, 0, 1); part < parts.length;) {
    yield { subtree: part, trees: growPart(below, rows, parts[part]) };
    part = Atomics.add(control, 0, 1);
  }
}

function growPart(below: GrowContext, rows: Int32Array, { from, to }: Part): Trees | undefined {
  // No node draws anything.
  return growPacked(below, rows.slice(from, to), forkRng(0, 0), {
    innerValues: true,
    codes: false,
  })?.trees;
}

/** What a worker does. */
export function growSubtrees(
  order: SubtreeOrder,
  say: (answer: SubtreeAnswer, transfer: Transferable[]) => void,
): void {
  const { plan, frame, source } = order.subtrees;
  for (const answer of takeParts(order, contextOf(plan, frame, source))) {
    say(answer, Object.values(answer.trees ?? {}).map(({ buffer }) => buffer as ArrayBuffer));
  }
}

/**
 * Grows a tree together with workers of `split_worker.ts`; undefined where it must be grown in another
 * way, or was stopped. A worker that fails leaves its part to this thread.
 */
export async function growInParts(
  workers: readonly Worker[],
  { context, plan, rows, rng, signal }: SubtreeWork,
): Promise<Trees | undefined> {
  const { frame, source } = context;
  const top = growTop(context, rows, rng);
  if (top === undefined) return undefined;
  const { parts } = top;
  const shared = new Int32Array(new SharedArrayBuffer(rows.byteLength));
  shared.set(rows);
  const control = new Int32Array(new SharedArrayBuffer(4));
  const order: SubtreeOrder = {
    subtrees: { plan, frame, source, rows: shared, parts, control },
  };
  const found: (Trees | undefined)[] = new Array(parts.length).fill(undefined);
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  let left = parts.length;
  const hear = ({ subtree, trees }: SubtreeAnswer) => {
    found[subtree] = trees;
    if (--left === 0) end();
  };
  for (const worker of workers) {
    worker.onmessage = ({ data }) => {
      if ("subtree" in data) hear(data); // else a column that was not waited for
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end();
    };
    worker.postMessage(order);
  }
  signal?.addEventListener("abort", end);
  try {
    for (const answer of takeParts(order, context)) {
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
  return grown.every((one) => one !== undefined) ? joinParts(context, top, grown) : undefined;
}
