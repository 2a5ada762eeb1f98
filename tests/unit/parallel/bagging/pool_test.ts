import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainRandomForest } from "../../../../src/algorithms/classic/random_forest.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { TrainingError } from "../../../../src/errors.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { type BagJob, growBagged } from "../../../../src/grow/bagged_tree.ts";
import { NO_LIMITS } from "../../../../src/grow/plan/plan.ts";
import { createFrame } from "../../../../src/grow/rows/frame.ts";
import { growBag } from "../../../../src/parallel/bagging/pool.ts";
import { runTasks } from "../../../../src/parallel/tasks.ts";

/** Enough cells for threads. */
const data: Dataset = {
  numRows: 2000,
  features: Array.from({ length: 30 }, (_, f) => ({
    kind: "numeric",
    name: `x${f}`,
    values: Float64Array.from({ length: 2000 }, (_, row) => (row * (f + 7)) % 101),
  })),
  target: {
    kind: "regression",
    name: "y",
    values: Float64Array.from({ length: 2000 }, (_, row) => (row * 7) % 101 + (row * 9) % 101),
  },
};

const forest = (options: Parameters<typeof trainRandomForest>[2]) =>
  trainRandomForest(data, { trees: 6, maxDepth: 4 }, { threads: 2, ...options });

Deno.test("what a caller of a forest on threads throws rejects the training", async () => {
  const onRound = () => {
    throw new RangeError("the caller's own");
  };
  await assertRejects(() => forest({ onRound }), RangeError, "the caller's own");
});

Deno.test("a forest on threads leaves nothing with the signal", async () => {
  const { signal } = new AbortController();
  const { addEventListener, removeEventListener } = signal;
  const listeners = new Set<unknown>();
  let most = 0;
  signal.addEventListener = function (...args: unknown[]) {
    most = listeners.add(args[1]).size;
    Reflect.apply(addEventListener, signal, args);
  };
  signal.removeEventListener = function (...args: unknown[]) {
    listeners.delete(args[1]);
    Reflect.apply(removeEventListener, signal, args);
  };
  await forest({ signal });
  assertEquals([most, listeners.size], [1, 0]);
});

/** A bag of whole trees; `inbag` says what each holds. */
const bagJob = (inbag?: number[][]): BagJob => ({
  frame: createFrame(data),
  source: { kind: "moment", values: (data.target as { values: Float64Array }).values },
  plan: {
    criterion: "variance",
    splitter: "exact",
    missing: "learn",
    order: "depth-first",
    limits: NO_LIMITS,
  },
  seed: 0,
  sampleShare: 1,
  replace: true,
  outOfBag: false,
  permutation: false,
  innerValues: false,
  ...(inbag && { inbag }),
});

Deno.test("a tree that fails on a thread fails the forest with a code", async () => {
  const inbag = Array.from({ length: 6 }, () => new Array<number>(2000).fill(1));
  delete inbag[4];
  const error = await assertRejects(() => growBag(bagJob(inbag), 6, { threads: 2 }), TrainingError);
  assertEquals(error.code, "E_TRAIN_NUMERIC");
  assert(
    error.message.startsWith("Cannot continue: a training thread has failed ("),
    error.message,
  );
});

Deno.test("where the platform refuses workers at once, one thread does the work", async () => {
  const bytes = encodeModel(await forest({}));
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const { Worker } = globalThis;
  let opened = 0;
  let ended = 0;
  const refuse = () => {
    throw new Error("not allowed");
  };
  globalThis.Worker = class {
    constructor() {
      if (++opened === 2) refuse();
    }
    postMessage() {}
    terminate() {
      ended++;
    }
  } as unknown as typeof Worker;
  try {
    assertEquals(encodeModel(await forest({ onWarning })), bytes);
    const work = () => (task: number) => task * 2;
    const open = refuse;
    assertEquals(
      await runTasks([1, 2, 3], { threads: 2, setup: 0, work, open, onWarning }),
      [2, 4, 6],
    );
  } finally {
    globalThis.Worker = Worker;
  }
  assertEquals([opened, ended], [2, 1]);
  assertEquals(warnings.filter((message) => message.startsWith("Threads")), [
    "Threads do not start: growing on one",
    "Threads do not start (not allowed): working on one",
  ]);
});

Deno.test("trees are told of when an abort would hand them over, however late the first thread is", async () => {
  const { Worker } = globalThis;
  const held: (() => void)[] = [];
  let opened = 0;
  globalThis.Worker = class {
    onmessage?: (event: { data: unknown }) => void;
    #isFirst = opened++ === 0;
    #job?: BagJob;
    postMessage(message: BagJob | number) {
      if (typeof message !== "number") return void (this.#job = message);
      const answer = () => {
        this.onmessage?.({ data: { index: message, tree: growBagged(this.#job!, message) } });
      };
      if (this.#isFirst) return void held.push(answer);
      queueMicrotask(answer);
      // Those of the first thread come behind the last of the other.
      if (message === 5) queueMicrotask(() => held.splice(0).forEach((one) => one()));
    }
    terminate() {}
  } as unknown as typeof Worker;
  const controller = new AbortController();
  const onTree = (done: number) => {
    if (done === 3) controller.abort();
  };
  const run = { threads: 2, signal: controller.signal, onTree };
  try {
    const { details } = await assertRejects(() => growBag(bagJob(), 6, run), TrainingError);
    assert(details.trees as number >= 3, `${details.trees} trees`);
  } finally {
    globalThis.Worker = Worker;
  }
});
