import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import { selectRows } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError } from "../../../src/errors.ts";
import { calibrate } from "../../../src/evaluate/calibrate.ts";
import { evaluate, evaluateOnThreads, labelsFor } from "../../../src/evaluate/evaluate.ts";
import { type EvaluateSetup, evaluateWork } from "../../../src/evaluate/evaluate_rows.ts";
import { measureOnThreads } from "../../../src/evaluate/evaluate_threads.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import type { Model } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";
import { withWorkers } from "../../support/stand_ins/workers.ts";

/** Rows in three stripes, the last of them short. */
const ROWS = 9000;

/** Numbers of both widths, categories, weights; classes or, with 0 of them, numbers above 0. */
function table(classes: number, seed = 1, categories = ["x", "y", "z"]): Dataset {
  const rng = createRng(seed);
  const a = Float64Array.from({ length: ROWS }, () => rng.nextInt(20) ? rng.nextFloat() : NaN);
  const b = Float32Array.from(a, () => rng.nextFloat());
  const codes = Int32Array.from(a, () => rng.nextInt(categories.length + 1) - 1);
  const y = Float64Array.from(b, (v, row) => v + (a[row] > 0.5 ? 0.5 : 0) + rng.nextFloat());
  return {
    numRows: ROWS,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      { kind: "categorical", name: "c", codes, categories },
    ],
    target: classes === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.floor(classes * v / 2.5)),
      classes: Array.from({ length: classes }, (_, k) => `k${k}`),
    },
    sampleWeight: Float64Array.from(a, () => rng.nextInt(4) / 2),
  };
}

const FEW = Int32Array.from({ length: 400 }, (_, row) => row);
const SMALL = { rounds: 4, committee: 1 };

interface Case {
  readonly data: Dataset;
  readonly model: Model;
  readonly metrics?: readonly string[];
}

async function cases(): Promise<{ readonly [name: string]: Case }> {
  const two = table(2);
  const three = table(3);
  const numbers = table(0);
  const offset = Float64Array.from({ length: ROWS }, (_, row) => row % 5 / 5);
  const counts = { ...numbers, offset };
  const group = Int32Array.from({ length: ROWS }, (_, row) => Math.floor(row / 7));
  const { sampleWeight: _, ...plain } = numbers;
  const grades = (numbers.target as { values: Float64Array }).values.map(Math.floor);
  const queries: Dataset = {
    ...plain,
    group,
    target: { kind: "regression", name: "y", values: grades },
  };
  const of = (data: Dataset, params = {}) =>
    trainBoost(selectRows(data, FEW), { ...SMALL, ...params });
  const boosted = await of(two);
  return {
    "two classes": { data: two, model: boosted },
    // `ams` is computed by one thread.
    "metrics by name": { data: two, model: boosted, metrics: ["ams", "auc", "ece", "f1", "auc"] },
    "calibrated": { data: two, model: calibrate(boosted, selectRows(two, FEW), "isotonic") },
    "three classes": { data: three, model: await of(three) },
    "costs of mistakes": {
      data: three,
      model: await trainCart(selectRows(three, FEW), {
        loss: [[0, 1, 1], [1, 0, 1], [9, 9, 0]],
        maxDepth: 2,
      }),
    },
    "numbers beside an offset": { data: counts, model: await of(counts, { loss: "poisson" }) },
    "queries": { data: queries, model: await of(queries, { loss: "lambdarank" }) },
  };
}

const CASES = await cases();

for (const [name, { model, data, metrics }] of Object.entries(CASES)) {
  const options = metrics === undefined ? {} : { metrics };
  Deno.test(`evaluateOnThreads() gives the figures of evaluate(): ${name}`, async () => {
    const expected = evaluate(model, data, metrics);
    assert(Object.values(expected.metrics).every(Number.isFinite), JSON.stringify(expected));
    for (const threads of name === "two classes" ? [1, 2, 3, 8] : [2]) {
      assertEquals(await evaluateOnThreads(model, data, { ...options, threads }), expected);
    }
  });

  Deno.test(`a worker that takes all of an evaluation gives the same: ${name}`, async () => {
    const count = { given: 0, done: 0 };
    const found = await withWorkers(greedy(count), () => {
      return evaluateOnThreads(model, data, { ...options, threads: 2 });
    });
    assertEquals(found, evaluate(model, data, metrics));
    assert(count.given > 1 && count.done === count.given, JSON.stringify(count));
  });
}

Deno.test("rows that go through shared memory window by window are all measured", async () => {
  for (const { model, data } of [CASES["numbers beside an offset"], CASES["three classes"]]) {
    const expected = evaluate(model, data);
    const metrics = Object.keys(expected.metrics).map((name) => metricByName(name));
    const labels = labelsFor(model, data);
    const work = { model, data, labels, metrics, table: false, threads: 2, windowRows: 4000 };
    const count = { given: 0, done: 0 };
    for (const worker of [globalThis.Worker, greedy(count)]) {
      const { values } = await withWorkers(worker, () => measureOnThreads(work));
      assertEquals(values, Object.values(expected.metrics));
    }
    assertEquals(count.done, count.given);
  }
});

/** Workers that do at once what they are sent, before the calling thread begins. */
function greedy(count: { given: number; done: number }): unknown {
  return class {
    onmessage: (event: MessageEvent) => void = () => {};
    #work: (task: Parameters<ReturnType<typeof evaluateWork>>[0]) => void = () => {};
    // deno-lint-ignore no-explicit-any -- what a pool sends
    postMessage(message: any) {
      if ("setup" in message) {
        this.#work = evaluateWork(structuredClone(message.setup) as EvaluateSetup);
        return;
      }
      count.given++;
      this.#work(structuredClone(message.task));
      count.done++;
      const data = { id: message.id, answer: undefined };
      queueMicrotask(() => this.onmessage(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}

Deno.test("evaluateOnThreads() goes on alone where workers fail or cannot be made", async () => {
  const { model, data } = CASES["three classes"];
  const expected = evaluate(model, data);
  class Failing {
    onerror: (event: ErrorEvent) => void = () => {};
    postMessage() {
      queueMicrotask(() => this.onerror(new ErrorEvent("error", { message: "no such platform" })));
    }
    terminate() {}
  }
  class Impossible {
    constructor() {
      throw new Error("no such platform");
    }
  }
  for (const worker of [Failing, Impossible]) {
    const found = await withWorkers(worker, () => evaluateOnThreads(model, data, { threads: 3 }));
    assertEquals(found, expected);
  }
  const none = selectRows(data, new Int32Array(0));
  assertEquals((await evaluateOnThreads(model, none, { threads: 2 })).rows, 0);
});

Deno.test("evaluateOnThreads() refuses what evaluate() refuses, at the same row", async () => {
  const data = table(2);
  const model = await trainBoost(selectRows(data, FEW), { ...SMALL, unknown: "error" });
  const late = table(2, 1, ["x", "y", "z", "new"]);
  const [a, b, c] = late.features;
  const codes = Int32Array.from({ length: ROWS }, (_, row) => row === 8500 ? 3 : 0);
  const strange = { ...late, features: [a, b, { ...c, codes }] } as Dataset;
  const alone = assertThrows(() => evaluate(model, strange), DataError);
  assert(alone.message.includes("8501"), alone.message);
  const found = await assertRejects(
    () => evaluateOnThreads(model, strange, { threads: 2 }),
    DataError,
  );
  assertEquals(found.message, alone.message);
  const { target: _, ...unlabelled } = data;
  await assertRejects(
    () => evaluateOnThreads(model, unlabelled, { threads: 2 }),
    DataError,
    "target",
  );
});
