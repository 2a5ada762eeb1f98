import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { refitBoost, refitBoostOnThreads } from "../../../../src/algorithms/update/refit.ts";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { calibrate, calibrateOnThreads } from "../../../../src/evaluate/calibrate.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { leavesOnThreads } from "../../../../src/parallel/score/leaves.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 20_000;

/** Numbers, some missing, and categories; labels of some classes. */
function table(numClasses: number): Dataset {
  const rng = createRng(numClasses);
  const values = Float64Array.from(
    { length: ROWS },
    () => rng.nextInt(9) ? rng.nextFloat() : NaN,
  );
  const codes = Int32Array.from(values, () => rng.nextInt(5) - 1);
  return {
    numRows: ROWS,
    features: [
      { kind: "numeric", name: "x", values },
      { kind: "categorical", name: "c", codes, categories: ["a", "b", "c", "d"] },
    ],
    target: {
      kind: "classification",
      name: "y",
      codes: codes.map((code, row) =>
        (code + 1 + (values[row]! > rng.nextFloat() ? 1 : 0)) % numClasses
      ),
      classes: Array.from({ length: numClasses }, (_, k) => `${k}`),
    },
  };
}

/** Equal numbers; a comparison by depth would take seconds. */
function assertSame(found: Uint8Array | Int32Array, expected: Uint8Array | Int32Array): void {
  assertEquals(found.length, expected.length);
  assertEquals(found.findIndex((value, i) => value !== expected[i]), -1);
}

/** Messages that workers got during a run, by what they hold. */
async function told(key: string, run: () => Promise<unknown>): Promise<number> {
  const { Worker } = globalThis;
  let count = 0;
  globalThis.Worker = class extends Worker {
    override postMessage(message: unknown) {
      const task = (message as { readonly task?: object }).task ?? message as object;
      if (key in task) count++;
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

Deno.test("refitBoostOnThreads() makes the model of refitBoost(), its leaves found by workers", async () => {
  const data = table(3);
  const model = await trainBoost(data, { rounds: 4, committee: 2 }, { threads: 1 });
  const expected = encodeModel(refitBoost(model, data));
  const { data: leaves } = model.predictLeaf(data);
  for (const threads of [1, 2, 3, 8]) {
    const stripes = await told("table", async () => {
      assertSame(await leavesOnThreads(model, data, threads), leaves);
    });
    assertEquals(stripes, threads === 1 ? 0 : 3);
  }
  assertSame(encodeModel(await refitBoostOnThreads(model, data, { threads: 2 })), expected);
  // Short work is done here where no number is given.
  assertEquals(await told("table", () => refitBoostOnThreads(model, data)), 0);
  await assertRejects(() => refitBoostOnThreads(model, data, { threads: 0 }), ParameterError);
});

Deno.test("leavesOnThreads() sends columns in shared memory as they are", async () => {
  const plain = table(2);
  const model = await trainBoost(plain, { rounds: 3 }, { threads: 1 });
  const share = <T extends Float64Array | Int32Array>(values: T): T => {
    const buffer = new SharedArrayBuffer(values.byteLength);
    const shared = values instanceof Float64Array
      ? new Float64Array(buffer)
      : new Int32Array(buffer);
    shared.set(values);
    return shared as T;
  };
  const features = plain.features.map((column): Column =>
    column.kind === "numeric"
      ? { ...column, values: share(column.values as Float64Array) }
      : { ...column, codes: share(column.codes) }
  );
  const { Worker } = globalThis;
  const sent: boolean[] = [];
  globalThis.Worker = class extends Worker {
    override postMessage(message: { readonly table?: Dataset }) {
      for (const column of message.table?.features ?? []) {
        const { buffer } = column.kind === "numeric" ? column.values : column.codes;
        sent.push(buffer instanceof SharedArrayBuffer);
      }
      super.postMessage(message);
    }
  };
  try {
    const found = await leavesOnThreads(model, { ...plain, features }, 2);
    assertSame(found, model.predictLeaf(plain).data);
  } finally {
    globalThis.Worker = Worker;
  }
  assertEquals(sent, Array(6).fill(true));
});

Deno.test("refitBoost() fits a leaf to its rows alone, by a median under absolute", async () => {
  const x = Float64Array.from({ length: 6 }, (_, i) => i);
  const data = (values: number[]): Dataset => ({
    numRows: 6,
    features: [{ kind: "numeric", name: "x", values: x }],
    target: { kind: "regression", name: "y", values: Float64Array.from(values) },
  });
  const params = { rounds: 1, learningRate: 1, committee: 1, maxDepth: 1 };
  const old = data([0, 0, 0, 8, 8, 8]);
  for (const [loss, low, high] of [["absolute", 1, 5], ["squared", 2, 6]] as const) {
    const model = await trainBoost(old, { ...params, loss, lambda: 0 });
    const fresh = refitBoost(model, data([0, 1, 5, 4, 5, 9]), { decay: 0 });
    // Medians 1 and 5 of both threes, and means 2 and 6; leaves are float32.
    fresh.predictValue([{ x: 0 }, { x: 5 }]).forEach((value, i) => {
      assert(Math.abs(value - [low, high][i]!) < 1e-6, `${loss} ${value}`);
    });
  }
});

Deno.test("refitBoost() fits the leaves of all of many trees", async () => {
  const values = Float64Array.from({ length: 40 }, (_, i) => i * 7 % 40);
  const data = (labels: Float64Array): Dataset => ({
    numRows: 40,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values: labels },
  });
  const params = { rounds: 40, learningRate: 0.5, committee: 1, lambda: 0, subsample: 1 };
  const model = await trainBoost(data(values.map((x) => x * x % 17)), params);
  const fresh = refitBoost(model, data(new Float64Array(40).fill(3)), { decay: 0 });
  // Half of what is missing to 3 is added 40 times; leaves of old labels would stay far off.
  for (const value of fresh.predictValue(data(values))) assert(Math.abs(value - 3) < 1e-5);
});

Deno.test("calibrateOnThreads() makes the model of calibrate(), scored by workers", async () => {
  const runs = [[2, "platt", [1, 2]], [3, "isotonic", [8]], [3, "temperature", [3]]] as const;
  for (const [classes, method, numbers] of runs) {
    const data = table(classes);
    const model = await trainBoost(data, { rounds: 3, committee: 1 }, { threads: 1 });
    const expected = encodeModel(calibrate(model, data, method));
    for (const threads of numbers) {
      const windows = await told("kind", async () => {
        const found = await calibrateOnThreads(model, data, method, { threads });
        assertSame(encodeModel(found), expected);
      });
      assertEquals(windows, threads - 1);
    }
  }
});
