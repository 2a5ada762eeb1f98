import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { DataError, ModelError, ParameterError } from "../../../../src/errors.ts";
import { createModel, Model } from "../../../../src/model/model.ts";
import { canonicalJson, hash64 } from "../../../../src/model/hash.ts";
import { createScorerPool } from "../../../../src/parallel/score/pool.ts";
import { randomParts } from "../../../support/models/random.ts";
import { createRng } from "../../../../src/util/rng.ts";

const model = createModel(randomParts({ seed: 3, trees: 20, depth: 6, outputs: 3 }));
const numFeatures = model.schema.features.length;

function numbers(rows: number): Float64Array {
  const rng = createRng(rows);
  return Float64Array.from(
    { length: rows * numFeatures },
    () => rng.nextInt(20) === 0 ? NaN : rng.nextFloat() * 4 - 2,
  );
}

Deno.test("createScorerPool() gives the bits of one thread for any number of threads and rows", async () => {
  for (const threads of [1, 2, 3]) {
    const pool = createScorerPool(model, { threads });
    try {
      assertEquals(pool.numThreads, threads === 1 ? 0 : threads);
      for (const rows of [0, 1, 1025, 30_001]) {
        const x = numbers(rows);
        const expected = new Float64Array(rows * model.numOutputs);
        model.positional(model.schemaHash).rawRowsInto(x, expected);
        assertEquals(await pool.rawRows(x, model.schemaHash), expected);
        const narrow = Float32Array.from(x);
        model.positional(model.schemaHash).rawRowsInto(narrow, expected);
        assertEquals(await pool.rawRows(narrow, model.schemaHash), expected);
      }
    } finally {
      pool.close();
    }
  }
});

Deno.test("rawRows() of a pool scores shared rows where they are, and calls that overlap", async () => {
  const rows = 40_000; // with 20 trees enough to wake the other threads
  const shared = new Float64Array(new SharedArrayBuffer(8 * rows * numFeatures));
  shared.set(numbers(rows));
  const others = numbers(rows + 1).subarray(numFeatures);
  const expected = [shared, others].map((x) => {
    const out = new Float64Array(rows * model.numOutputs);
    model.positional(model.schemaHash).rawRowsInto(x, out);
    return out;
  });
  using pool = createScorerPool(model, { threads: 3 });
  for (let i = 0; i < 3; i++) {
    const found = await Promise.all(
      [shared, others].map((x) => pool.rawRows(x, model.schemaHash)),
    );
    assertEquals(found, expected);
    assert(found.every(({ buffer }) => buffer instanceof ArrayBuffer));
  }
});

Deno.test("rawRows() of a pool names the row that one thread would name", async () => {
  const features = model.schema.features.map((feature, f) =>
    f === 1 ? { ...feature, missing: "error" as const } : feature
  );
  const { rules, info, storage } = model;
  const schema = { ...model.schema, features };
  const schemaHash = hash64(canonicalJson(schema));
  const strict = new Model({ rules, info, storage, schema, schemaHash });
  using pool = createScorerPool(strict, { threads: 2 });
  const x = numbers(40_000).map((value) => value === value ? value : 0);
  x[31_234 * numFeatures + 1] = NaN;
  x[38_000 * numFeatures + 1] = NaN;
  const error = await assertRejects(() => pool.rawRows(x, strict.schemaHash), DataError);
  assertEquals(error.details.row, 31_235);
  x[31_234 * numFeatures + 1] = x[38_000 * numFeatures + 1] = 1;
  const expected = new Float64Array(40_000 * model.numOutputs);
  strict.positional(strict.schemaHash).rawRowsInto(x, expected);
  assertEquals(await pool.rawRows(x, strict.schemaHash), expected);
});

Deno.test("table() of a pool gives the scores and the report of the model's own method", async () => {
  const values = numbers(500);
  const columns = model.schema.features.map((feature, f) => ({
    kind: "numeric" as const,
    name: feature.name,
    values: Float64Array.from({ length: 500 }, (_, r) => values[r * numFeatures + f]),
  }));
  const table = { numRows: 500, features: columns };
  const pool = createScorerPool(model, { threads: 2 });
  try {
    let report: unknown;
    const many = await Promise.all([1, 2, 3, 4].map(() => pool.table("predictRaw", table)));
    for (const raw of many) assertEquals(raw, model.predictRaw(table).data);
    const options = { rounds: 7, onReport: (r: unknown) => report = r };
    assertEquals(
      await pool.table("predictClass", table, options),
      model.predictClass(table, options),
    );
    const there = report;
    assertEquals(
      await pool.table("predictLeaf", table, options),
      model.predictLeaf(table).data.length > 0 ? model.predictLeaf(table, { rounds: 7 }).data : [],
    );
    model.predictClass(table, options);
    assertEquals(report, there);
    // Errors keep their class and code.
    await assertRejects(
      () => pool.table("predictRaw", table, { rounds: 99 }),
      ParameterError,
      "99",
    );
  } finally {
    pool.close();
  }
});

Deno.test("table() of a pool takes the memory of a table that is given away, and of no other", async () => {
  const shared = new Float64Array(new SharedArrayBuffer(8 * 40));
  const make = () => ({
    numRows: 40,
    features: model.schema.features.map(({ name }, f) => ({
      kind: "numeric" as const,
      name,
      values: f === 0 ? shared : Float64Array.from({ length: 40 }, (_, r) => r - 20 * f),
    })),
  });
  const expected = model.predictRaw(make()).data;
  const [kept, given] = [make(), make()];
  using pool = createScorerPool(model, { threads: 2 });
  assertEquals(await pool.table("predictRaw", kept), expected);
  assertEquals(await pool.table("predictRaw", given, { giveAway: true }), expected);
  assertEquals(kept.features.map(({ values }) => values.length), kept.features.map(() => 40));
  assertEquals(
    given.features.map(({ values }) => values.length),
    given.features.map((_, f) => f === 0 ? 40 : 0),
  );
});

Deno.test("table() of a pool gives each worker its next table before it asks, and shares evenly", async () => {
  const { Worker } = globalThis;
  const workers: { got: number[]; onmessage?: (event: unknown) => void }[] = [];
  globalThis.Worker = class {
    got: number[] = [];
    constructor() {
      workers.push(this);
    }
    postMessage(message: { id?: number }) {
      if (message.id !== undefined) this.got.push(message.id);
    }
    terminate() {}
  } as unknown as typeof Worker;
  try {
    const pool = createScorerPool(model, { threads: 2 });
    const answers = Array.from({ length: 7 }, () =>
      pool.table("predictRaw", {
        numRows: 0,
        features: [],
      }));
    assertEquals(workers.map(({ got }) => got), [[0, 2], [1, 3]]);
    workers[1].onmessage!({ data: { id: 1, wasTable: true, scores: [] } });
    workers[1].onmessage!({ data: { id: 3, wasTable: true, scores: [] } });
    assertEquals(workers.map(({ got }) => got), [[0, 2], [1, 3, 4, 5]]);
    pool.close();
    const ends = (await Promise.allSettled(answers)).map(({ status }) => status === "fulfilled");
    assertEquals(ends, [false, true, false, true, false, false, false]);
  } finally {
    globalThis.Worker = Worker;
  }
});

Deno.test("table() of a pool refuses misspelt scores and options, with threads and without", async () => {
  const table = { numRows: 1, features: model.schema.features.map(({ name }) => column(name)) };
  for (const threads of [1, 2]) {
    using pool = createScorerPool(model, { threads });
    const refused = async (...given: unknown[]) => {
      const [score, data, options] = given as Parameters<typeof pool.table>;
      const call = () => pool.table(score, data, options);
      return (await assertRejects(call, ParameterError)).message;
    };
    assertStringIncludes(
      await refused("predict", table),
      "expected one of predictRaw, predictValue",
    );
    assertStringIncludes(await refused(table, "predictRaw"), "expected one of predictRaw");
    assertStringIncludes(await refused("predictRaw", [{ x0: 1 }]), "expected a Dataset");
    // It scored all rounds.
    const options = { round: 1 };
    assertStringIncludes(await refused("predictRaw", table, options), 'did you mean "rounds"?');
    await pool.table("predictRaw", table, { rounds: 1, giveAway: false });
  }
});

function column(name: string) {
  return { kind: "numeric", name, values: new Float64Array(1) } as const;
}

Deno.test("createScorerPool() refuses other orders of columns, broken rows and a closed pool", async () => {
  assertThrows(() => createScorerPool(model, { threads: 0 }), ParameterError, "0 threads");
  const pool = createScorerPool(model, { threads: 2 });
  await assertRejects(() => pool.rawRows(numbers(9), "elsewhere"), ModelError);
  const odd = new Float64Array(numFeatures + 1);
  await assertRejects(() => pool.rawRows(odd, model.schemaHash), DataError, "whole rows");
  pool.close();
  // Few rows, which the calling thread would score, and many.
  await assertRejects(() => pool.rawRows(numbers(9), model.schemaHash), ModelError, "closed");
  await assertRejects(() => pool.rawRows(numbers(90_000), model.schemaHash), ModelError, "closed");
});

Deno.test("createScorerPool() starts no more workers than threadsOf() gives", () => {
  const { Worker } = globalThis;
  let started = 0;
  globalThis.Worker = class {
    constructor() {
      started++;
    }
    postMessage() {}
    terminate() {}
  } as unknown as typeof Worker;
  try {
    createScorerPool(model, { threads: 100_000 }).close();
  } finally {
    globalThis.Worker = Worker;
  }
  assertEquals(started, Math.max(64, navigator.hardwareConcurrency));
});
