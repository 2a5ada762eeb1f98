import { assert, assertEquals } from "@std/assert";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { EngineOptions } from "../../../../src/ensemble/engine/engine.ts";
import { mostBytes } from "../../../../src/ensemble/engine/memory_bound.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { lossByName } from "../../../../src/loss/losses.ts";
import { softmaxLoss } from "../../../../src/loss/softmax.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { metricByName } from "../../../../src/metric/metrics.ts";
import { createRng, type Rng } from "../../../../src/util/rng.ts";

/** Numbers of 32 and 64 bits, zeros, levels; labels 0 and 1, in queries, where these are asked for. */
function makeData(
  rng: Rng,
  numRows: number,
  numFeatures: number,
  { levels = 0, weights = false, queries = false } = {},
): Dataset {
  const numbers = (of: () => number) => Float64Array.from({ length: numRows }, of);
  const columns = Array.from({ length: numFeatures }, (_, f): Column => {
    const name = `x${f}`;
    if (levels > 0 && f % 3 === 0) {
      const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(levels + 1) - 1);
      const categories = Array.from({ length: levels }, (_, i) => `v${i}`);
      return { kind: "categorical", name, codes, categories };
    }
    const isFew = f % 3 === 1;
    const values = numbers(() => isFew ? rng.nextInt(9) && 1 : rng.nextFloat());
    return { kind: "numeric", name, values: f % 2 === 0 ? values : new Float32Array(values) };
  });
  return {
    numRows,
    features: columns,
    target: { kind: "regression", name: "y", values: numbers(() => rng.nextInt(2)) },
    ...(weights && { sampleWeight: numbers(() => 0.5 + rng.nextInt(3)) }),
    ...(queries && { group: Int32Array.from({ length: numRows }, (_, row) => row >>> 4) }),
  };
}

/** What is told while boosting, the memories asked for, and the ensemble. */
async function run(data: Dataset, plan: BoostPlan, options: EngineOptions) {
  const memories: WebAssembly.Memory[] = [];
  const said: string[] = [];
  const { Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(this);
    }
  };
  try {
    const { ensemble } = await boost(data, plan, {
      ...options,
      onDetail: (message) => said.push(message),
      onWarning: (message) => said.push(message),
      onRound: ({ round }) => said.push(`round ${round}`),
    });
    return { bytes: memories.map(({ buffer }) => buffer.byteLength), said, ensemble };
  } finally {
    WebAssembly.Memory = Memory;
  }
}

const PLAN = { loss: squaredLoss(), rounds: 2, learningRate: 0.3, seed: 1 };
const FEW_BYTES = 512 * 2 ** 20;
const AUC = metricByName("auc");

Deno.test("mostBytes() is more than memory that grows comes to, whatever is trained", async () => {
  let numBelow = 0;
  const rng = createRng(9);
  const any = <T>(...of: readonly T[]) => of[rng.nextInt(of.length)];
  const shapes = [[300, 600], [20_000, 30], [70_000, 3], [3000, 100], [90_000, 1], [1, 1]];
  for (const [numRows, numFeatures] of [...shapes, ...shapes, ...shapes]) {
    const queries = any(false, false, true);
    const data = makeData(rng, numRows, numFeatures, {
      levels: any(0, 3, 300, 5000),
      weights: any(false, true),
      queries,
    });
    const valid = any(0, 1, 2);
    const sets = Array.from({ length: valid }, () => data);
    const leafwise = any(false, true);
    const outputs = queries ? 1 : any(1, 1, 2, 3, 7, 16);
    const plan: BoostPlan = {
      ...PLAN,
      loss: queries
        ? lossByName("lambdaNdcg", data)
        : outputs > 1
        ? softmaxLoss(outputs)
        : lossByName(any("squared", "logistic", "absolute"), data),
      maxBins: any(2, 256, 256, 1000, 65_535),
      growth: leafwise ? "leaf" : "depth",
      maxDepth: leafwise ? 0 : any(1, 6, 12),
      maxLeaves: leafwise ? any(31, 1000, 0) : 0,
      minRowsPerLeaf: any(1, 20),
      trainMetrics: any(false, true),
      metrics: outputs > 1
        ? any([], [metricByName("logLoss"), metricByName("accuracy")])
        : any([], [AUC], [AUC, metricByName("rmse"), metricByName("mae")]),
      parallelTrees: any(1, 1, 2),
      ...any<Partial<BoostPlan>>({}, { subsample: 0.5 }, { sampling: "goss" }, {
        dart: {
          dropRate: 0.5,
          skipDrop: 0,
          maxDrop: 50,
          oneDrop: true,
          dropBy: "uniform",
          dropScale: "tree",
        },
      }),
    };
    const threads = any(1, 2, 3, 8);
    const most = mostBytes(data, sets, plan, threads);
    if (most > FEW_BYTES) continue; // it gets all there may be
    const { bytes } = await run(data, plan, {
      threads,
      pages: 1,
      valid: Object.fromEntries(sets.map((set, i) => [`v${i}`, set])),
    });
    assert(
      bytes.at(-1)! <= most,
      `${bytes} of ${most}: ${JSON.stringify({ numRows, plan, threads })}`,
    );
    numBelow++;
  }
  assert(numBelow >= 12, `${numBelow}`);
});

for (
  const [what, outputs, threads, maxLeaves, numRows, numFeatures, levels] of [
    ["places of threads", 3, 8, 1000, 20_000, 30, 0],
    ["trees that go back", 16, 2, 8000, 20_000, 3, 2000],
    ["numbers of rows", 16, 1, 2, 450_000, 1, 0],
  ] as const
) {
  Deno.test(`mostBytes() knows what several outputs take most of: ${what}`, async () => {
    const table = makeData(createRng(3), numRows, numFeatures, { levels });
    const plan: BoostPlan = {
      ...PLAN,
      ...{ rounds: 1, loss: softmaxLoss(outputs), growth: "leaf", maxDepth: 0, maxLeaves },
    };
    const { bytes } = await run(table, plan, { threads, pages: 1 });
    const used = bytes.at(-1)!;
    const most = mostBytes(table, [], plan, threads);
    assert(used <= most, `${used} of ${most}`);
    // A bound of one output is too low.
    assert(used > mostBytes(table, [], { ...plan, loss: squaredLoss() }, threads));
  });
}

Deno.test("mostBytes() has no bound where there are many outputs, members or values are kept", () => {
  const data = makeData(createRng(1), 10, 2);
  const committee = { members: 2, partOf: new Uint8Array(10) };
  for (
    const plan of [
      { ...PLAN, loss: softmaxLoss(300) },
      { ...PLAN, loss: softmaxLoss(3), featureWeights: [1, 2] },
      { ...PLAN, loss: softmaxLoss(3), interactions: [[0], [1]] },
      { ...PLAN, committee },
      { ...PLAN, linear: { lambda: 0 } },
    ]
  ) assertEquals(mostBytes(data, [], plan, 2), Infinity);
});

Deno.test("a run that is larger than its memory begins again with all there may be, and nothing tells", async () => {
  const data = makeData(createRng(3), 30_000, 6, { levels: 300 });
  const plan = { ...PLAN, metrics: [AUC], trainMetrics: true, maxLeaves: 300, maxDepth: 0 };
  const usual = await run(data, plan, { threads: 3, pages: 1 });
  const used = usual.bytes[0] / 65_536;
  const seen = new Set<number>();
  // Some are full in binning, some when all is laid out, some by the tables of the first tree.
  for (const pages of [2, 50, 200, used - 8, used - 3, used - 1, used + 4]) {
    const { bytes, said, ensemble } = await run(data, plan, { threads: 3, pages });
    assertEquals([said, ensemble], [usual.said, usual.ensemble], `${pages} of ${used} pages`);
    assertEquals([bytes[0], bytes[1] ?? 2 ** 32], [pages * 65_536, 2 ** 32]);
    seen.add(bytes.length);
  }
  assertEquals(seen, new Set([2, 1]));
});
