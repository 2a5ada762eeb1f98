import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/booster.ts";
import type { EngineOptions } from "../../../src/ensemble/engine.ts";
import type { BoostPlan } from "../../../src/ensemble/plan.ts";
import { TrainingError } from "../../../src/errors.ts";
import { logisticLoss } from "../../../src/loss/logistic.ts";
import { softmaxLoss } from "../../../src/loss/softmax.ts";
import { squaredLoss } from "../../../src/loss/squared.ts";
import type { Loss } from "../../../src/loss/types.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Numbers with gaps and a category; labels 0 … classes − 1. */
function mixed(numRows: number, classes: number, seed: number): Dataset {
  const rng = createRng(seed);
  const column = () => Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const [a, b] = [column(), column()];
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(9));
  const values = Float64Array.from(a, (x, i) => {
    const score = 3 * x + b[i] + (codes[i] % 3) + rng.nextFloat();
    return Math.min(classes - 1, Math.floor((score * classes) / 7));
  });
  for (let i = 0; i < numRows; i += 7) b[i] = NaN;
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      { kind: "categorical", name: "c", codes, categories: [..."abcdefghi"] },
    ],
    target: { kind: "regression", name: "y", values },
  };
}

function planOf(loss: Loss, numRows: number, extra: Partial<BoostPlan> = {}): BoostPlan {
  return {
    loss,
    rounds: 3,
    learningRate: 0.3,
    seed: 7,
    maxDepth: 4,
    featuresPerNode: 0.7,
    committee: { members: 5, partOf: Uint8Array.from({ length: numRows }, (_, i) => (i * 7) % 5) },
    metrics: [metricByName(loss.numOutputs > 1 ? "logLoss" : "rmse")],
    ...extra,
  };
}

async function run(data: Dataset, plan: BoostPlan, options: EngineOptions): Promise<string> {
  const { ensemble, history } = await boost(data, plan, options);
  const { trees } = ensemble;
  return JSON.stringify([
    [...trees.feature],
    [...trees.threshold],
    [...trees.leaf],
    [...trees.cover],
    [...trees.categoryPool],
    history.map(({ metrics }) => metrics),
  ]);
}

const CASES: readonly (readonly [string, number, Loss, Partial<BoostPlan>])[] = [
  ["squared", 2, squaredLoss(), {}],
  ["logistic, drawn rows", 2, logisticLoss(), { subsample: 0.6 }],
  ["softmax, bootstrap", 3, softmaxLoss(3), { sampling: "bootstrap", gamma: 0.1, postPrune: true }],
  ["leaf-wise", 2, logisticLoss(), { growth: "leaf", maxDepth: 0, maxLeaves: 9 }],
];

for (const [name, classes, loss, extra] of CASES) {
  Deno.test(`members grown by a thread each are those of one thread (${name})`, async () => {
    const data = mixed(3000, classes, 3);
    const plan = planOf(loss, 3000, extra);
    const valid = mixed(500, classes, 4);
    const one = await run(data, plan, { threads: 1, valid });
    for (const threads of [2, 3, 8]) {
      assertEquals(await run(data, plan, { threads, valid }), one, `${threads} threads`);
    }
    assertEquals(await run(data, plan, { threads: 2, valid, kernels: "twin" }), one, "twin");
  });
}

Deno.test("members grown alone keep an endless least gain", async () => {
  const data = mixed(2000, 2, 3);
  const plan = planOf(squaredLoss(), 2000, { gamma: Infinity });
  const { ensemble } = await boost(data, plan, { threads: 2 });
  assert(ensemble.trees.feature.every((feature) => feature < 0));
});

Deno.test("a gradient that is not finite is named by its row when threads grow members", async () => {
  const data = mixed(2000, 2, 3);
  (data.target as { values: Float64Array }).values[41] = 1e308;
  const plan = planOf(squaredLoss(), 2000, { baseScore: [-1e308] });
  for (const threads of [1, 2]) {
    const error = await assertRejects(() => boost(data, plan, { threads }), TrainingError);
    assertEquals(error.code, "E_TRAIN_NUMERIC");
    assertEquals(error.details, { round: 1, row: 42 });
  }
});
