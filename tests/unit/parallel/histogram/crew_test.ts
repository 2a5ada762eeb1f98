import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { trainRandomForest } from "../../../../src/algorithms/classic/random_forest.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { TrainedEnsemble } from "../../../../src/ensemble/plan.ts";
import { TrainingError } from "../../../../src/errors.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { openCrew } from "../../../../src/parallel/histogram/crew.ts";
import { JOB_BYTES, JobField, MAP_ROWS } from "../../../../src/binning/bin_job.ts";
import { Control } from "../../../../src/grow/histogram/workspace/control.ts";
import { Op } from "../../../../src/grow/histogram/workspace/op.ts";
import { createArena } from "../../../../src/kernels/memory.ts";

/** Runs with a global missing. */
async function without<T>(
  name: "Worker" | "SharedArrayBuffer" | "WebAssembly",
  work: () => Promise<T>,
): Promise<T> {
  const held = globalThis[name];
  Reflect.deleteProperty(globalThis, name);
  try {
    return await work();
  } finally {
    Object.defineProperty(globalThis, name, { value: held, configurable: true, writable: true });
  }
}

for (const name of ["Worker", "SharedArrayBuffer"] as const) {
  Deno.test(`openCrew() says so and goes on alone without ${name}`, async () => {
    const warnings: string[] = [];
    const crew = await without(
      name,
      () =>
        Promise.resolve(
          openCrew({ threads: 4, onWarning: (message) => warnings.push(message) }),
        ),
    );
    assertEquals(crew.numThreads, 1);
    assertEquals(warnings.length, 1);
    assertMatch(warnings[0], /one thread/);
    crew.close();
  });
}

Deno.test("openCrew() starts the threads asked for, and close() may be called twice", async () => {
  const crew = openCrew({ threads: 3 });
  await crew.settle();
  assertEquals(crew.numThreads, 3);
  assertEquals(crew.memory.shared, true);
  crew.close();
  crew.close();
});

Deno.test("a closed crew leaves nothing that keeps the process alive, come or not", async () => {
  const limits: AbortSignal[] = [];
  const listened = new Set<AbortSignal>();
  const made = AbortSignal.timeout;
  AbortSignal.timeout = () => {
    const limit = new AbortController().signal;
    const { addEventListener, removeEventListener } = limit;
    limit.addEventListener = function (...args: unknown[]) {
      listened.add(limit);
      Reflect.apply(addEventListener, limit, args);
    };
    limit.removeEventListener = function (...args: unknown[]) {
      listened.delete(limit);
      Reflect.apply(removeEventListener, limit, args);
    };
    limits.push(limit);
    return limit;
  };
  try {
    openCrew({ threads: 2 }).close();
    const crew = openCrew({ threads: 3 });
    const settled = crew.settle();
    assertEquals(listened.size, 1); // whoever waits, waits for so long
    await settled;
    crew.close();
  } finally {
    AbortSignal.timeout = made;
  }
  // `onabort` would keep a process alive even after it is null.
  assert(limits.every((limit) => limit.onabort === null));
  assertEquals([limits.length, listened.size], [1, 0]);
});

Deno.test("openCrew() takes threads in as they come: each operation is done once, none is missed", async () => {
  const crew = openCrew({ threads: 3 });
  const { memory } = crew;
  const arena = createArena(memory);
  const numRows = 4 * MAP_ROWS;
  const [narrow, values, job] = [4 * numRows, 8 * numRows, JOB_BYTES].map((n) => arena.alloc(n));
  const f32 = new Float32Array(memory.u8.buffer, narrow, numRows);
  memory.u32.set([values, numRows], job >>> 2);
  memory.u32[(job >>> 2) + JobField.narrow] = narrow;
  const present = () => Atomics.load(memory.i32, Control.present >>> 2);
  const seen = new Set<number>();
  let more = 0;
  for (let i = 1; more < 20; i++) {
    seen.add(present());
    if (present() === 2) more++;
    f32.fill(i);
    memory.f64.set([job, 1, 4], Control.args >>> 3);
    crew.run(Op.widenColumns);
    const wide = memory.f64.subarray(values >>> 3, (values >>> 3) + numRows);
    assertEquals([wide[0], wide.indexOf(i - 1), wide.every((one) => one === i)], [i, -1, true]);
    // A thread that worked on its own would write what comes now.
    memory.f64.fill(-1, values >>> 3, (values >>> 3) + numRows);
    f32.fill(-2);
    assertEquals([wide[0], wide[MAP_ROWS], wide.at(-1)], [-1, -1, -1]);
  }
  await crew.settle();
  assertEquals([crew.numThreads, seen.has(2)], [3, true]);
  crew.close();
});

Deno.test("an operation in which another thread fails throws, though this one has done its part", async () => {
  const crew = openCrew({ threads: 2 });
  try {
    await crew.settle();
    const { memory } = crew;
    const job = createArena(memory).alloc(JOB_BYTES);
    memory.u32[(job >>> 2) + JobField.numRows] = 16;
    memory.u32[(job >>> 2) + JobField.narrow] = 0xffff0000; // beyond the memory: the kernel traps
    memory.f64.set([job, 1, 1], Control.args >>> 3);
    const until = performance.now() + 20_000;
    const waitForOther = () => {
      while (Atomics.load(memory.i32, Control.counter >>> 2) === 0 && performance.now() < until);
    };
    const error = assertThrows(() => crew.run(Op.widenColumns, waitForOther), TrainingError);
    assertMatch(error.message, /a training thread has failed \(.*out of bounds/);
  } finally {
    crew.close();
  }
});

Deno.test("an operation within another one is an error: threads would wait for each other for ever", async () => {
  const crew = openCrew({ threads: 2 });
  try {
    await crew.settle();
    const { memory } = crew;
    const arena = createArena(memory);
    const numRows = 4 * MAP_ROWS;
    const [narrow, values, job] = [4 * numRows, 8 * numRows, JOB_BYTES].map((n) => arena.alloc(n));
    memory.u32.set([values, numRows], job >>> 2);
    memory.u32[(job >>> 2) + JobField.narrow] = narrow;
    memory.f64.set([job, 1, 4], Control.args >>> 3);
    const widen = (meanwhile?: () => void) => crew.run(Op.widenColumns, meanwhile);
    assertThrows(() => widen(widen), Error, "within another one");
    memory.f64[values >>> 3] = -1;
    widen(); // what comes after is done
    assertEquals(memory.f64[values >>> 3], 0);
  } finally {
    crew.close();
  }
});

Deno.test("a crew whose threads do not start goes on alone, says so, and gives the same bytes", async () => {
  const whole = encodeModel((await told(3)).model);
  const { Worker } = globalThis;
  let terminated = 0;
  globalThis.Worker = class {
    onerror = (_event: { preventDefault(): void; message: string }) => {};
    postMessage() {
      queueMicrotask(() => this.onerror({ preventDefault() {}, message: "no room" }));
    }
    terminate() {
      terminated++;
    }
  } as unknown as typeof Worker;
  try {
    const { model, warnings, details } = await told(3);
    assertEquals(warnings, ["Threads do not start (no room): training on one"]);
    assertEquals(details, ["Training with WebAssembly SIMD on one thread"]);
    assertEquals(encodeModel(model), whole);
    assert(terminated >= 2);
  } finally {
    globalThis.Worker = Worker;
  }
});

/** Enough cells for threads: 2000 rows of 60 numbers. */
const data: Dataset = {
  numRows: 2000,
  features: Array.from({ length: 60 }, (_, f) => ({
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

/** A run's model and all that it says. */
async function told(threads?: number, rows = data) {
  const details: string[] = [];
  const warnings: string[] = [];
  const model = await trainBoost(rows, { rounds: 3, subsample: 0.7 }, {
    ...(threads === undefined ? {} : { threads }),
    onDetail: (message) => details.push(message),
    onWarning: (message) => warnings.push(message),
  });
  return { model, details, warnings };
}

Deno.test("training says which kernels run on how many threads; every way gives the same bytes", async () => {
  const threads = await told(3);
  assertEquals(threads.warnings, []);
  assertEquals(threads.details, [
    "Training with WebAssembly SIMD on 3 threads, shared memory",
  ]);
  const one = await told(1);
  assertEquals([one.warnings, one.details], [[], ["Training with WebAssembly SIMD on one thread"]]);
  const bytes = encodeModel(threads.model);
  assertEquals(encodeModel(one.model), bytes);
  for (const name of ["Worker", "SharedArrayBuffer", "WebAssembly"] as const) {
    const less = await without(name, () => told(3));
    assertEquals(encodeModel(less.model), bytes, name);
    const kernels = name === "WebAssembly" ? "TypeScript" : "WebAssembly SIMD";
    assertEquals(less.details, [`Training with ${kernels} on one thread`]);
    const reason = name === "Worker"
      ? /^Workers are missing: training on one thread$/
      : name === "SharedArrayBuffer"
      ? /^Shared memory is not allowed here: training on one thread$/
      : /^WebAssembly SIMD is missing: training in TypeScript, slower$/;
    assertMatch(less.warnings[0], reason);
  }
});

Deno.test("openCrew() takes memory that grows where the system refuses all of it at once", () => {
  const { Memory } = WebAssembly;
  const asked: number[] = [];
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      asked.push(descriptor.initial);
      if (descriptor.initial > 1024) throw new RangeError("could not allocate memory");
      super(descriptor);
    }
  };
  try {
    const crew = openCrew({ threads: 2, pages: 65536 });
    assertEquals([crew.numThreads, crew.memory.shared, crew.memory.pages], [2, true, 1]);
    crew.close();
    assertEquals(asked, [65536, 1]);
  } finally {
    WebAssembly.Memory = Memory;
  }
});

Deno.test("shared memory that grows and such that has its full size give the same bytes", async () => {
  const cells = data.numRows * data.features.length;
  const plan = { loss: squaredLoss(), learningRate: 0.1, seed: 1, maxDepth: 2 };
  const grow = async (rounds: number) => {
    const sizes: number[] = [];
    const { Memory } = WebAssembly;
    WebAssembly.Memory = class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        sizes.push(descriptor.initial);
        super(descriptor);
      }
    };
    const abort = new AbortController();
    try {
      await boost(data, { ...plan, rounds }, {
        threads: 2,
        signal: abort.signal,
        onRound: ({ round }) => round === 3 && abort.abort(),
      });
    } catch (error) {
      const { best } = (error as TrainingError).details as { best: TrainedEnsemble };
      return { sizes, ensemble: best.ensemble };
    } finally {
      WebAssembly.Memory = Memory;
    }
    throw new Error("was not stopped");
  };
  // 1e9 cells × levels × trees make a run long; both are stopped after the third round.
  const [short, long] = [await grow(4), await grow(Math.ceil(1e9 / (2 * cells)))];
  // 120,000 cells are sure to fit in 512 MiB.
  assertEquals([short.sizes, long.sizes], [[1], [8192]]);
  assertEquals(long.ensemble, short.ensemble);
});

Deno.test("training says why small data get one thread", async () => {
  const small = { ...data, features: data.features.slice(0, 2) };
  const { details } = await told(undefined, small);
  assertMatch(details[0], /on one thread: more cost more than they gain on data this small$/);
});

Deno.test("a forest says that workers are missing, and its bytes are the same", async () => {
  const grow = async (warnings: string[], details: string[]) =>
    encodeModel(
      await trainRandomForest(data, { trees: 4 }, {
        threads: 2,
        onWarning: (message) => warnings.push(message),
        onDetail: (message) => details.push(message),
      }),
    );
  const details: string[] = [];
  const whole = await grow([], details);
  assertEquals(details, ["Growing on 2 threads"]);
  const warnings: string[] = [];
  assertEquals(await without("Worker", () => grow(warnings, [])), whole);
  assert(warnings.includes("Workers are missing: growing on one thread"), `${warnings}`);
});
