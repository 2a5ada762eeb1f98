import { assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { EngineOptions } from "../../../../src/ensemble/engine/engine.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { lossByName } from "../../../../src/loss/losses.ts";
import type { LossParams } from "../../../../src/loss/params.ts";
import type { Loss } from "../../../../src/loss/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 8300; // several blocks of rows, and enough to be shared

/** One feature in 12 levels, another that is noise; labels with ties. */
function makeTable(weighted: boolean): Dataset {
  const rng = createRng(4);
  const x = Float64Array.from({ length: ROWS }, () => rng.nextInt(12));
  const noise = Float64Array.from({ length: ROWS }, () => rng.nextFloat());
  const y = x.map((level, row) =>
    Math.round(8 * Math.sin(level)) + (row % 3) + rng.nextInt(9) / 4 + (row % 50 === 0 ? 40 : 0)
  );
  return {
    numRows: ROWS,
    features: [
      { kind: "numeric", name: "x", values: x },
      { kind: "numeric", name: "noise", values: noise },
    ],
    target: { kind: "regression", name: "y", values: y },
    ...(weighted && {
      sampleWeight: Float64Array.from({ length: ROWS }, () => rng.nextInt(7) / 10),
    }),
  };
}

const PLAIN = makeTable(false);
const WEIGHTED = makeTable(true);

function planOf(name: string, params: LossParams, plan: Partial<BoostPlan> = {}): BoostPlan {
  const loss = lossByName(name, PLAIN, params);
  return { loss, rounds: 2, learningRate: 0.4, seed: 1, maxDepth: 4, maxBins: 32, ...plan };
}

async function treesOf(data: Dataset, plan: BoostPlan, options: EngineOptions) {
  const warnings: string[] = [];
  const { ensemble } = await boost(data, plan, {
    ...options,
    onWarning: (message) => warnings.push(message),
  });
  assertEquals(warnings, []);
  return ensemble.trees;
}

const committee = { members: 2, partOf: Uint8Array.from({ length: ROWS }, (_, row) => row % 2) };

const CASES: { readonly [name: string]: readonly [Dataset, BoostPlan] } = {
  "absolute": [PLAIN, planOf("absolute", {})],
  "quantiles, weights, members of a committee": [
    WEIGHTED,
    planOf("quantile", { quantiles: [0.1, 0.6] }, { committee }),
  ],
  "mape, some rows, pulled towards parents": [
    WEIGHTED,
    planOf("mape", {}, { subsample: 0.6, pathSmooth: 3, growth: "leaf", maxLeaves: 20 }),
  ],
  "huber, weights, steps limited, pruned": [
    WEIGHTED,
    planOf("huber", { huberDelta: 0.5 }, { maxDeltaStep: 3, gamma: 5, postPrune: true }),
  ],
  "LightGBM's percentiles, weights": [
    WEIGHTED,
    planOf("quantile", { quantiles: [0.3], curvature: "lightgbm" }),
  ],
  "LightGBM's percentiles, rows kept by gradient": [
    PLAIN,
    planOf("absolute", { curvature: "lightgbm" }, { sampling: "goss", learningRate: 1 }),
  ],
};

for (const [name, [data, plan]] of Object.entries(CASES)) {
  Deno.test(`leaves set by the loss are the same on any threads: ${name}`, async () => {
    const alone = await treesOf(data, plan, { threads: 1 });
    assertEquals(alone.feature.length > 6, true);
    for (const threads of [2, 3, 8]) {
      assertEquals(await treesOf(data, plan, { threads }), alone, `${threads} threads`);
    }
    for (const threads of [1, 2]) {
      assertEquals(await treesOf(data, plan, { threads, kernels: "twin" }), alone, "twin");
    }
  });
}

Deno.test("leaves set on two threads are weighted medians of the rows that reach them", async () => {
  // A tree on x alone: rows of one level are in one leaf.
  const data = { ...WEIGHTED, features: WEIGHTED.features.slice(0, 1) };
  const params = {
    loss: "absolute",
    rounds: 1,
    learningRate: 1,
    maxDepth: 6,
    baseScore: 4,
    subsample: 1,
  };
  const model = await trainBoost(data, params, { threads: 2 });
  const y = (data.target as { values: Float64Array }).values;
  const rowsOf = new Map<number, number[]>();
  model.predictLeaf(data).data.forEach((node, row) => {
    rowsOf.set(node, [...rowsOf.get(node) ?? [], row]);
  });
  assertEquals(rowsOf.size > 5, true, `${rowsOf.size}`);
  for (const [node, rows] of rowsOf) {
    // Tenths, added up as whole numbers.
    const tenths = (row: number) => Math.round(10 * data.sampleWeight![row]);
    const total = rows.reduce((sum, row) => sum + tenths(row), 0);
    let reached = 0;
    const ascending = rows.filter((row) => tenths(row) > 0).sort((a, b) => y[a] - y[b]);
    const median = ascending.find((row) => (reached += tenths(row)) >= total / 2)!;
    assertEquals(model.ensemble.trees.leaf[node], Math.fround(y[median] - 4));
  }
});

Deno.test("threads set leaves by a loss's recipe and do not ask the calling thread", async () => {
  const plan = planOf("absolute", {});
  const deaf: Loss = {
    ...plan.loss,
    refitLeaf: () => {
      throw new Error("asked");
    },
  };
  await treesOf(PLAIN, { ...plan, loss: deaf }, { threads: 2 });
  await assertRejects(
    () => treesOf(PLAIN, { ...plan, loss: deaf }, { threads: 1 }),
    Error,
    "asked",
  );
  // Without a recipe there is nobody else to ask.
  const { recipe: _, ...own } = deaf;
  await assertRejects(() => treesOf(PLAIN, { ...plan, loss: own }, { threads: 2 }), Error, "asked");
});
