import { assertEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import { refitBoost, refitBoostOnThreads } from "../../../../src/algorithms/update/refit.ts";
import type { Dataset, Target } from "../../../../src/data/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 12_000;

/** Rows with weights, some of which are 0. */
function table(target: (x: Float64Array) => Target): Dataset {
  const rng = createRng(5);
  const x = Float64Array.from({ length: ROWS }, () => rng.nextInt(9) ? rng.nextFloat() : NaN);
  return {
    numRows: ROWS,
    features: [{ kind: "numeric", name: "x", values: x }],
    sampleWeight: Float64Array.from(x, () => rng.nextInt(4)),
    target: target(x.map((value) => (value || 0) + rng.nextFloat())),
  };
}

const classes = (count: number) => (x: Float64Array): Target => ({
  kind: "classification",
  name: "y",
  codes: Int32Array.from(x, (value) => Math.floor(value / 2 * count)),
  classes: Array.from({ length: count }, (_, k) => `${k}`),
});
const numbers = (x: Float64Array): Target => ({ kind: "regression", name: "y", values: x });

/** Queries of 30 rows, without weights of rows. */
function queries(): Dataset {
  const { sampleWeight: _, ...rows } = table((x) => numbers(x.map((v) => Math.floor(2 * v))));
  return { ...rows, group: Int32Array.from({ length: ROWS }, (_, row) => Math.floor(row / 30)) };
}

/** Runs something, and tells how many workers were told of a loss. */
async function helpersOf(run: () => Promise<unknown>): Promise<number> {
  const { Worker } = globalThis;
  let count = 0;
  globalThis.Worker = class extends Worker {
    override postMessage(message: unknown) {
      if ("loss" in (message as object)) count++;
      super.postMessage(message);
    }
  };
  try {
    await run();
  } finally {
    globalThis.Worker = Worker;
  }
  return count;
}

for (
  const [what, data, params] of [
    ["of two classes", table(classes(2)), { committee: 2 }],
    ["of three classes", table(classes(3)), { parallelTrees: 2 }],
    ["by median and committee", table(numbers), { loss: "absolute", committee: 2 }],
    ["by quantile", table(numbers), { loss: "quantile" }],
    ["of queries", queries(), { loss: "lambdarank" }],
    // Its gradients are drawn anew each round.
    ["of queries by draws", queries(), { loss: "xendcg" }],
  ] as const
) {
  Deno.test(`refitBoostOnThreads() ${what} gives the bytes of one thread at any number`, async () => {
    const model = await trainBoost(data, { rounds: 12, ...params }, { threads: 1 });
    const alone = encodeModel(refitBoost(model, data, { decay: 0.3 }));
    for (const threads of [1, 2, 3, 8]) {
      const helpers = await helpersOf(async () => {
        const found = encodeModel(await refitBoostOnThreads(model, data, { decay: 0.3, threads }));
        assertEquals(found.length, alone.length);
        assertEquals(found.findIndex((value, i) => value !== alone[i]), -1);
      });
      assertEquals(helpers, threads - 1);
    }
  });
}

Deno.test("refitBoostOnThreads() leaves losses that continuations changed to one thread", async () => {
  const data = table(numbers);
  const params = { rounds: 6, loss: "tweedie", tweediePower: 1.2 };
  const first = await trainBoost(data, params, { threads: 1 });
  const more = { rounds: 6, tweediePower: 1.8 };
  const model = await continueBoost(first, data, more, { threads: 1 });
  const alone = encodeModel(refitBoost(model, data, { decay: 0.3 }));
  const helpers = await helpersOf(async () => {
    const found = await refitBoostOnThreads(model, data, { decay: 0.3, threads: 2 });
    assertEquals(encodeModel(found), alone);
  });
  assertEquals(helpers, 0);
});

Deno.test("refitBoostOnThreads() under squared starts no threads for gradients", async () => {
  const data = table(numbers);
  const model = await trainBoost(data, { rounds: 20 }, { threads: 1 });
  assertEquals(await helpersOf(() => refitBoostOnThreads(model, data, { threads: 3 })), 0);
});
