import { assert, assertEquals } from "@std/assert";
import { leafwiseColumn } from "../../../../src/binning/leafwise_bins.ts";
import type { Column } from "../../../../src/data/types.ts";
import { createFrame } from "../../../../src/grow/rows/frame.ts";
import { startEarly } from "../../../../src/parallel/splits/early_helpers.ts";
import { startWorker } from "../../../../src/parallel/splits/helpers.ts";
import type {
  BinnedAnswer,
  RankedAnswer,
  RankOrder,
} from "../../../../src/parallel/splits/column_orders.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { withWorkers } from "../../../support/stand_ins/workers.ts";

const ROWS = 5000;
const LIMITS = { maxBins: 63 };

/** Columns that are parts of one buffer, float32 ones, and categories. */
function makeColumns(): readonly Column[] {
  const rng = createRng(8);
  const all = Float64Array.from({ length: 6 * ROWS }, () => rng.nextInt(9) ? rng.nextFloat() : NaN);
  const numbers = Array.from({ length: 6 }, (_, f) => all.subarray(f * ROWS, (f + 1) * ROWS));
  const codes = Int32Array.from({ length: ROWS }, () => rng.nextInt(9) - 1);
  const categories = Array.from({ length: 8 }, (_, i) => `v${i}`);
  return [
    ...numbers.map((values, f): Column => ({ kind: "numeric", name: `x${f}`, values })),
    { kind: "numeric", name: "single", values: Float32Array.from(numbers[0]) },
    { kind: "categorical", name: "c", codes, categories },
  ];
}

/** Bins by one thread, their codes in plain memory. */
function binAlone(columns: readonly Column[]) {
  return columns.map((column, f) => leafwiseColumn(column, f, LIMITS));
}

async function binEarly(columns: readonly Column[], threads: number) {
  using early = startEarly(threads);
  const found = await early.bin(columns, LIMITS);
  return found.map((one) => ({ ...one, codes: Uint16Array.from(one.codes) }));
}

Deno.test("workers that start early bin columns as one thread does", async () => {
  const columns = makeColumns();
  for (const threads of [1, 2, 4]) {
    assertEquals(await binEarly(columns, threads), binAlone(columns));
  }
  assertEquals(await binEarly([], 2), []);
});

Deno.test("workers that start early rank columns as one thread does", async () => {
  const columns = makeColumns();
  const alone = createFrame({ numRows: ROWS, features: columns }).features;
  for (const threads of [1, 2, 4]) {
    using early = startEarly(threads);
    const found = await early.rank(columns);
    assertEquals(
      found.map((one) => ({
        ...one,
        codes: Int32Array.from(one.codes),
        values: Float64Array.from(one.values),
      })),
      alone,
    );
  }
});

Deno.test("a worker's ranks are those of the calling thread, in memory that all threads see", async () => {
  const columns = makeColumns();
  const alone = createFrame({ numRows: ROWS, features: columns }).features;
  const worker = startWorker();
  try {
    for (const [feature, column] of columns.entries()) {
      const answer = Promise.withResolvers<RankedAnswer>();
      worker.onmessage = ({ data }) => answer.resolve(data);
      worker.onerror = (event) => answer.reject(new Error(event.message));
      worker.postMessage({ rank: { column, feature } });
      const { found, feature: of } = await answer.promise;
      assertEquals(of, feature);
      assertEquals(found.codes.buffer instanceof SharedArrayBuffer, true);
      assertEquals(found.values.buffer instanceof SharedArrayBuffer, true);
      const codes = Int32Array.from(found.codes);
      assertEquals({ ...found, codes, values: Float64Array.from(found.values) }, alone[feature]);
    }
  } finally {
    worker.terminate();
  }
});

Deno.test("a worker's bins are those of the calling thread, with codes that all threads see", async () => {
  const columns = makeColumns();
  const worker = startWorker();
  try {
    for (const [feature, column] of columns.entries()) {
      const answer = Promise.withResolvers<BinnedAnswer>();
      worker.onmessage = ({ data }) => answer.resolve(data);
      worker.onerror = (event) => answer.reject(new Error(event.message));
      worker.postMessage({ bin: { column, feature, limits: LIMITS } });
      const { found } = await answer.promise;
      assertEquals(found.codes.buffer instanceof SharedArrayBuffer, true);
      assertEquals({ ...found, codes: Uint16Array.from(found.codes) }, binAlone(columns)[feature]);
    }
  } finally {
    worker.terminate();
  }
});

Deno.test("each column has the ranks that a worker found for it", async () => {
  const columns = makeColumns();
  const alone = createFrame({ numRows: ROWS, features: columns }).features;
  const given: number[] = [];
  class Prompt {
    onmessage: (event: { data: RankedAnswer }) => void = () => {};
    postMessage({ rank: { feature } }: RankOrder) {
      given.push(feature);
      const found = { ...alone[feature], values: Float64Array.of(feature) };
      queueMicrotask(() => this.onmessage({ data: { feature, found } }));
    }
    terminate() {}
  }
  await withWorkers(Prompt, async () => {
    using early = startEarly(2);
    const found = await early.rank(columns);
    const told = (feature: number) =>
      given.includes(feature) ? Float64Array.of(feature) : alone[feature].values;
    assertEquals(found, alone.map((one, feature) => ({ ...one, values: told(feature) })));
  });
  assert(given.length > 4, `${given}`);
});

Deno.test("workers that never answer, fail or cannot be made keep nobody waiting for bins", async () => {
  const columns = makeColumns();
  const expected = binAlone(columns);
  const given: number[] = [];
  class Silent {
    postMessage({ bin }: { bin: { feature: number } }) {
      given.push(bin.feature);
    }
    terminate() {}
  }
  await withWorkers(Silent, async () => assertEquals(await binEarly(columns, 2), expected));
  assertEquals(given, [0, 1]);
  class Failing {
    onerror: (event: ErrorEvent) => void = () => {};
    postMessage() {
      queueMicrotask(() => this.onerror(new ErrorEvent("error", { message: "no such platform" })));
    }
    terminate() {}
  }
  await withWorkers(Failing, async () => {
    using early = startEarly(3);
    assertEquals((await early.bin(columns, LIMITS)).length, columns.length);
    // A worker that has failed is of no use for trees.
    assertEquals(early.take(), []);
  });
  class Impossible {
    constructor() {
      throw new Error("no such platform");
    }
  }
  await withWorkers(Impossible, async () => assertEquals(await binEarly(columns, 2), expected));
});
