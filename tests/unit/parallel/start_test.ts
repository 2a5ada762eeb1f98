import { assertEquals, assertRejects } from "@std/assert";
import { train } from "../../../src/algorithms/train.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { TrainingError } from "../../../src/errors.ts";
import { inTime } from "../../../src/parallel/start.ts";

interface Seen {
  readonly workers: Set<unknown>;
  readonly limits: AbortController[];
  /** Called once there are two workers. */
  onTwo: () => void;
}

/** Runs with workers that never answer and limits that never come, unless they are aborted by hand. */
async function withoutAnswers<T>(work: (seen: Seen) => Promise<T>): Promise<T> {
  const held = globalThis.Worker;
  const { timeout } = AbortSignal;
  const seen: Seen = { workers: new Set(), limits: [], onTwo: () => {} };
  globalThis.Worker = class {
    constructor() {
      seen.workers.add(this);
      if (seen.workers.size === 2) seen.onTwo();
    }
    postMessage() {}
    terminate() {
      seen.workers.delete(this);
    }
  } as unknown as typeof Worker;
  AbortSignal.timeout = () => {
    seen.limits.push(new AbortController());
    return seen.limits.at(-1)!.signal;
  };
  try {
    return await work(seen);
  } finally {
    globalThis.Worker = held;
    AbortSignal.timeout = timeout;
  }
}

const CATEGORIES = Array.from({ length: 50 }, (_, i) => `v${i}`);

/** Enough cells for threads: 2000 rows of 60 features, three classes. */
function makeData(kind: "numeric" | "categorical"): Dataset {
  const numRows = 2000;
  return {
    numRows,
    features: Array.from({ length: 60 }, (_, f) => {
      const value = (_: unknown, row: number) => (row * (f + 7)) % 101 % 50;
      const name = `x${f}`;
      return kind === "numeric"
        ? { kind, name, values: Float64Array.from({ length: numRows }, value) }
        : {
          kind,
          name,
          codes: Int32Array.from({ length: numRows }, value),
          categories: CATEGORIES,
        };
    }),
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from({ length: numRows }, (_, row) => (row * 7) % 101 % 3),
      classes: ["a", "b", "c"],
    },
  };
}

const SPECS = [
  { algorithm: "boost" },
  { algorithm: "boost", preset: "xgboost@2", treeMethod: "exact" },
  { algorithm: "boost", preset: "lightgbm@4" },
  { algorithm: "gbdt" },
  { algorithm: "logitboost" },
  { algorithm: "adaboost" },
  { algorithm: "random-forest" },
  { algorithm: "cart", pruning: "cp" },
  { algorithm: "c45" },
  { algorithm: "id3" },
];

for (const spec of SPECS) {
  const name = Object.values(spec).join(", ");
  Deno.test(`an abort is heard while threads start, and none is left: ${name}`, async () => {
    const data = makeData(spec.algorithm === "id3" ? "categorical" : "numeric");
    await withoutAnswers(async (seen) => {
      const abort = new AbortController();
      const warnings: string[] = [];
      seen.onTwo = () => setTimeout(() => abort.abort());
      const error = await assertRejects(
        () =>
          train(data, spec, {
            threads: 3,
            signal: abort.signal,
            onWarning: (message) => warnings.push(message),
          }),
        TrainingError,
      );
      assertEquals([error.code, warnings], ["E_TRAIN_ABORTED", []]);
      assertEquals(seen.workers.size, 0);
    });
  });
}

Deno.test("inTime() gives up after 120 s, in turns, so that a process that was stopped is not late", async () => {
  await withoutAnswers(async ({ limits }) => {
    let ended: string | undefined;
    const wait = inTime(new Promise(() => {})).catch((error) => ended = error.message);
    for (let turn = 1; turn <= 12; turn++) {
      assertEquals([limits.length, ended], [turn, undefined]);
      limits[turn - 1].abort();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await wait;
    assertEquals([limits.length, ended], [12, "no answer in 120 s"]);
  });
});

Deno.test("inTime() ends with those who answer in a later turn, and with a worker's own error", async () => {
  await withoutAnswers(async ({ limits }) => {
    const ready = Promise.withResolvers<void>();
    const wait = inTime(ready.promise);
    limits[0].abort();
    await new Promise((resolve) => setTimeout(resolve, 0));
    ready.resolve();
    await wait;
    assertEquals(limits.length, 2);
    await assertRejects(() => inTime(Promise.reject(new Error("no room"))), Error, "no room");
  });
});
