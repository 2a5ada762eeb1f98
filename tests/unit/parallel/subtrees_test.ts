import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainCart } from "../../../src/algorithms/cart.ts";
import type { Column, Dataset, Target } from "../../../src/data/types.ts";
import { TrainingError } from "../../../src/errors.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { growPacked } from "../../../src/grow/counted/pack.ts";
import { createFrame } from "../../../src/grow/frame.ts";
import { contextOf, NO_LIMITS, type TreePlan } from "../../../src/grow/plan.ts";
import { sourceOf, weightedRows } from "../../../src/grow/source.ts";
import { shareFrame } from "../../../src/grow/split_team.ts";
import { startWorker } from "../../../src/parallel/split_helpers.ts";
import { growInParts, growSubtrees, type SubtreeOrder } from "../../../src/parallel/subtrees.ts";
import { createRng, forkRng } from "../../../src/util/rng.ts";

/** Numbers of few and of many values, some missing, and categories; labels with noise. */
function table(numRows: number, numbers: number, weighted = false): Dataset {
  const rng = createRng(6);
  const columns = Array.from({ length: numbers }, (_, f): Column => ({
    kind: "numeric",
    name: `x${f}`,
    values: Float64Array.from(
      { length: numRows },
      () => rng.nextInt(30) ? Math.round(rng.nextFloat() * 10 ** (1 + f % 6)) : NaN,
    ),
  }));
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(42) - 1);
  const { values } = columns[0] as { readonly values: Float64Array };
  return {
    numRows,
    features: [...columns, {
      kind: "categorical",
      name: "c",
      codes,
      categories: Array.from({ length: 41 }, (_, i) => `v${i}`),
    }],
    target: {
      kind: "classification",
      name: "y",
      codes: codes.map((code, row) => (code % 3 + values[row]! + rng.nextInt(5) > 7 ? 1 : 0)),
      classes: ["no", "yes"],
    },
    ...(weighted && {
      sampleWeight: Float64Array.from({ length: numRows }, () => rng.nextInt(4)),
    }),
  };
}

/** All that a tree needs. */
function workOf(data: Dataset, limits: Partial<TreePlan["limits"]> = {}) {
  const plan: TreePlan = {
    criterion: "gini",
    splitter: "exact",
    missing: "learn",
    order: "depth-first",
    limits: { ...NO_LIMITS, ...limits },
  };
  const context = contextOf(plan, shareFrame(createFrame(data)), sourceOf(data));
  const rows = () => weightedRows(data.numRows, data.sampleWeight);
  const rng = forkRng(1, 0);
  const whole = () => growPacked(context, rows(), rng, { innerValues: true, codes: false })!.trees;
  const inParts = (workers: readonly Worker[], signal?: AbortSignal) =>
    growInParts(workers, { context, plan, rows: rows(), rng, signal });
  return { whole, inParts };
}

Deno.test("a tree in parts is the tree of one call, on any number of threads", async () => {
  const workers = Array.from({ length: 7 }, startWorker);
  try {
    for (const weighted of [false, true]) {
      const data = table(4000, 5, weighted);
      for (
        const limits of [{}, { maxDepth: 5 }, { minRowsLeaf: 20, minGain: 1 }, {
          minRowsSplit: 200,
        }]
      ) {
        const { whole, inParts } = workOf(data, limits);
        const expected = whole();
        assert(expected.kind.length > 15 && expected.categoryPool.length > 0);
        for (const helpers of [0, 1, 2, 7]) {
          assertEquals(await inParts(workers.slice(0, helpers)), expected);
        }
      }
    }
  } finally {
    for (const worker of workers) worker.terminate();
  }
});

Deno.test("no tree in parts where it ends before, or where all is one class", async () => {
  const data = table(500, 2);
  assertEquals(await workOf(data, { maxDepth: 3 }).inParts([]), undefined);
  const target = { ...data.target!, codes: new Int32Array(500) } as Target;
  const { whole, inParts } = workOf({ ...data, target });
  assertEquals(await inParts([]), whole());
});

/** A worker that does in this thread what it is told. */
function stand(
  take: (order: SubtreeOrder, worker: Worker) => void,
): Worker {
  const worker = { postMessage: (order: SubtreeOrder) => take(order, worker as Worker) };
  return worker as unknown as Worker;
}

Deno.test("subtrees that a worker grew stand in the tree; one that fails leaves them to others", async () => {
  const { whole, inParts } = workOf(table(4000, 5));
  const expected = whole();
  const marked = stand((order, worker) => {
    growSubtrees(order, (answer) => {
      answer.trees!.gain.fill(-7);
      queueMicrotask(() => worker.onmessage!(new MessageEvent("message", { data: answer })));
    });
  });
  const { gain, ...rest } = (await inParts([marked]))!;
  const { gain: _, ...same } = expected;
  assertEquals(rest, same);
  // Seven nodes above, all others were the worker's.
  assertEquals(gain.filter((value) => value !== -7).length, 7);
  const failing = stand(({ subtrees: { control } }, worker) => {
    Atomics.add(control, 0, 3);
    queueMicrotask(() => worker.onerror!(new ErrorEvent("error", { message: "no memory" })));
  });
  assertEquals(await inParts([failing]), expected);
  const silent = stand(({ subtrees: { control } }) => void Atomics.add(control, 0, 1));
  assertEquals(await inParts([silent], AbortSignal.timeout(50)), undefined);
});

Deno.test("CART of two classes has the same bytes on 1, 2, 3 and 8 threads that grow subtrees", async () => {
  const data = table(50_000, 19);
  const details: string[] = [];
  const bytes = async (threads: number) =>
    encodeModel(
      await trainCart(data, { maxDepth: 5 }, {
        threads,
        onDetail: (message) => void details.push(message),
      }),
    );
  const alone = await bytes(1);
  for (const threads of [2, 3, 8]) {
    assert((await bytes(threads)).every((byte, i) => byte === alone[i]));
    assertEquals(details.at(-1), `Growing subtrees on ${threads} threads, shared memory`);
  }
  assert(details[0]!.startsWith("Finding splits on one thread"));
  const aborted = new AbortController();
  const training = trainCart(data, { maxDepth: 5 }, { threads: 2, signal: aborted.signal });
  queueMicrotask(() => aborted.abort());
  const error = await assertRejects(() => training, TrainingError);
  assertEquals(error.code, "E_TRAIN_ABORTED");
});
