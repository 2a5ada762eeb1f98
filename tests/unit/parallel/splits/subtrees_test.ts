import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import type { Column, Dataset, Target } from "../../../../src/data/types.ts";
import { TrainingError } from "../../../../src/errors.ts";
import type { CartParams } from "../../../../src/params/typed.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { growPacked, packWhole } from "../../../../src/grow/counted/pack.ts";
import { belowTop, growPart, growTop, joinParts } from "../../../../src/grow/counted/parts.ts";
import { grownTree, growWhole, type WholeTree } from "../../../../src/grow/counted/tree.ts";
import { createFrame } from "../../../../src/grow/rows/frame.ts";
import { contextOf, NO_LIMITS, type TreePlan } from "../../../../src/grow/plan/plan.ts";
import { sourceOf, weightedRows } from "../../../../src/grow/rows/source.ts";
import { shareFrame } from "../../../../src/grow/split_team.ts";
import { startWorker } from "../../../../src/parallel/splits/helpers.ts";
import {
  growerInParts,
  growSubtrees,
  type SubtreeOrder,
} from "../../../../src/parallel/splits/subtrees.ts";
import { createRng, forkRng } from "../../../../src/util/rng.ts";

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
  const wishes = { innerValues: true, codes: false };
  const whole = () => growPacked(context, rows(), rng, wishes)!.trees;
  const grower = (workers: readonly Worker[], signal?: AbortSignal) =>
    growerInParts(workers, { context, plan, signal });
  const packed = (found: WholeTree) => packWhole(context, found, wishes).trees;
  const inParts = async (workers: readonly Worker[], signal?: AbortSignal) => {
    const found = await grower(workers, signal)(rows(), rng);
    return found && packed(found);
  };
  return { whole, inParts, grower, packed, context, rows, rng };
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

Deno.test("trees of other rows grow in parts one after the other, with their counts and rows", async () => {
  const workers = Array.from({ length: 2 }, startWorker);
  try {
    for (const weighted of [false, true]) {
      const { grower, context, rows, rng } = workOf(table(4000, 5, weighted));
      const grow = grower(workers);
      for (let fold = 0; fold < 3; fold++) {
        const inside = rows().filter((row) => row % 3 !== fold);
        const own = inside.slice();
        const expected = growWhole(context, inside, rng)!;
        const found = await grow(own, rng);
        assertEquals(grownTree(context, own, found!), expected);
        assertEquals(own, inside);
      }
    }
  } finally {
    for (const worker of workers) worker.terminate();
  }
});

/** A worker that does in this thread what it is told of a tree. */
function stand(
  take: (order: SubtreeOrder, worker: Worker) => void,
): Worker {
  const worker = {
    postMessage(order: SubtreeOrder) {
      if ("plan" in order.subtrees) growSubtrees(order, () => {});
      else take(order, worker as unknown as Worker);
    },
  };
  return worker as unknown as Worker;
}

/** The counter that subtrees are taken by. */
function counterOf({ subtrees }: SubtreeOrder): Int32Array {
  return "control" in subtrees ? subtrees.control : new Int32Array(1);
}

Deno.test("subtrees that a worker grew stand in the tree; one that fails leaves them to others", async () => {
  const { whole, inParts, grower, packed, rows, rng } = workOf(table(4000, 5));
  const expected = whole();
  const marked = stand((order, worker) => {
    growSubtrees(order, (answer) => {
      // The gain of a node stands in its third and fourth word of eighteen.
      const { nodes } = answer.grown!;
      const gains = new Float64Array(nodes.buffer);
      for (let node = 0; node < nodes.length / 18; node++) gains[9 * node + 1] = -7;
      queueMicrotask(() => worker.onmessage!(new MessageEvent("message", { data: answer })));
    });
  });
  const { gain, ...rest } = (await inParts([marked]))!;
  const { gain: _, ...same } = expected;
  assertEquals(rest, same);
  // Seven nodes above, all others that were split were the worker's.
  assertEquals(gain.filter((value) => value > 0).length, 7);
  let orders = 0;
  const failing = stand((order, worker) => {
    orders++;
    Atomics.add(counterOf(order), 0, 3);
    queueMicrotask(() => worker.onerror!(new ErrorEvent("error", { message: "no memory" })));
  });
  const grow = grower([failing]);
  for (let tree = 0; tree < 2; tree++) {
    assertEquals(packed((await grow(rows(), rng))!), expected);
  }
  assertEquals(orders, 1);
  const silent = stand((order) => void Atomics.add(counterOf(order), 0, 1));
  assertEquals(await inParts([silent], AbortSignal.timeout(50)), undefined);
});

Deno.test("parts whose categories have no room together make no tree, and leave the rows alone", () => {
  const { whole, packed, context, rows, rng } = workOf(table(4000, 5));
  const ordered = rows();
  const top = growTop(context, ordered, rng)!;
  const grown = top.parts.map((part) => growPart(belowTop(context), top.rows, part)!);
  const words = [top, ...grown].reduce((sum, { sets }) => sum + sets.length, 0);
  assert(grown.filter(({ sets }) => sets.length > 0).length > 1);
  const withRoom = (mostWords: number) => {
    const loaded = { ...top.start.loaded, mostWords };
    return joinParts({ ...top, start: { ...top.start, loaded } }, grown, ordered);
  };
  const before = ordered.slice();
  assertEquals(withRoom(words - 1), undefined);
  assertEquals(ordered, before);
  assertEquals(packed(withRoom(words)!), whole());
});

const PRUNINGS: readonly CartParams[] = [
  { maxDepth: 5 },
  { maxDepth: 5, ccpAlpha: 0.001 },
  { maxDepth: 5, pruning: "cv", folds: 2, cp: 0.001 },
  { maxDepth: 5, pruning: "reduced-error" },
  { maxDepth: 5, criticalValue: 0.001 },
];

Deno.test("CART of two classes has the same bytes on 1, 2, 3 and 8 threads that grow subtrees", async () => {
  const data = table(50_000, 19);
  const details: string[] = [];
  for (const params of PRUNINGS) {
    const bytes = async (threads: number) =>
      encodeModel(
        await trainCart(data, params, {
          threads,
          onDetail: (message) => void details.push(message),
        }),
      );
    const alone = await bytes(1);
    for (const threads of [2, 3, 8]) {
      assertEquals(await bytes(threads), alone);
      assertEquals(details.at(-1), `Growing subtrees on ${threads} threads, shared memory`);
    }
  }
  assert(details[0]!.startsWith("Finding splits on one thread"));
  const aborted = new AbortController();
  const training = trainCart(data, { maxDepth: 5 }, { threads: 2, signal: aborted.signal });
  queueMicrotask(() => aborted.abort());
  const error = await assertRejects(() => training, TrainingError);
  assertEquals(error.code, "E_TRAIN_ABORTED");
});
