import { assert, assertEquals, assertMatch } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { trainRandomForest } from "../../../src/algorithms/random_forest.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { boost } from "../../../src/ensemble/booster.ts";
import type { TrainedEnsemble } from "../../../src/ensemble/plan.ts";
import type { TrainingError } from "../../../src/errors.ts";
import { squaredLoss } from "../../../src/loss/squared.ts";
import { openCrew } from "../../../src/parallel/crew.ts";

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
      () => openCrew({ threads: 4, onWarning: (message) => warnings.push(message) }),
    );
    assertEquals(crew.numThreads, 1);
    assertEquals(warnings.length, 1);
    assertMatch(warnings[0], /one thread/);
    crew.close();
  });
}

Deno.test("openCrew() starts the threads asked for, and close() may be called twice", async () => {
  const crew = await openCrew({ threads: 3 });
  assertEquals(crew.numThreads, 3);
  assertEquals(crew.memory.shared, true);
  crew.close();
  crew.close();
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

Deno.test("openCrew() takes memory that grows where the system refuses all of it at once", async () => {
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
    const crew = await openCrew({ threads: 2, whole: true });
    assertEquals([crew.numThreads, crew.memory.shared, crew.memory.grows], [2, true, true]);
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
  assertEquals([short.sizes, long.sizes], [[1], [65536]]);
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
