import { assert, assertEquals } from "@std/assert";
import type { Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../src/ensemble/plan.ts";
import type { RoundReport } from "../../../src/ensemble/types.ts";
import { lossByName } from "../../../src/loss/losses.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Three numbers, of which the first two tell of the target; weights. */
function table(numRows: number, numClasses: number, seed: number): Dataset {
  const rng = createRng(seed);
  const columns = Array.from(
    { length: 3 },
    () => Float64Array.from({ length: numRows }, () => rng.nextFloat()),
  );
  const y = columns[0].map((a, row) => a + columns[1][row] / 2 + 0.5 * rng.nextFloat());
  return {
    numRows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: numClasses === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.floor(v * numClasses / 2)),
      classes: Array.from({ length: numClasses }, (_, k) => `${k}`),
    },
    sampleWeight: Float64Array.from({ length: numRows }, () => 0.1 + rng.nextInt(3)),
  };
}

interface Case {
  readonly classes: number;
  readonly loss: string;
  readonly metrics: readonly string[];
  readonly threads: readonly number[];
  readonly plan?: (train: Dataset) => Partial<BoostPlan>;
}

const CASES: { readonly [name: string]: Case } = {
  "two classes": {
    classes: 2,
    loss: "logistic",
    metrics: ["logLoss", "auc", "aucPr", "ece", "f1", "ams"],
    threads: [2, 3, 8],
  },
  "three classes": {
    classes: 3,
    loss: "softmax",
    metrics: ["logLoss", "macroF1", "aucMu"],
    threads: [3],
  },
  "numbers": { classes: 0, loss: "squared", metrics: ["rmse", "mae", "r2"], threads: [2] },
  "a committee whose members grow together": {
    classes: 2,
    loss: "logistic",
    metrics: ["logLoss", "auc"],
    threads: [2, 3],
    plan: ({ numRows }) => ({
      sampling: "goss",
      committee: { members: 2, partOf: Uint8Array.from({ length: numRows }, (_, row) => row % 2) },
    }),
  },
};

/** What is told of every round; the second set is too small to be shared. */
async function historyOf(
  { classes, loss, metrics, plan }: Case,
  threads: number,
  kernels: "wasm" | "twin" = "wasm",
): Promise<readonly RoundReport["metrics"][]> {
  const train = table(8200, classes, 3);
  const told: RoundReport["metrics"][] = [];
  await boost(train, {
    loss: lossByName(loss, train),
    rounds: 2,
    learningRate: 0.3,
    seed: 1,
    maxDepth: 3,
    maxBins: 32,
    metrics: metrics.map((name) => metricByName(name)),
    trainMetrics: true,
    ...plan?.(train),
  }, {
    threads,
    kernels,
    valid: { large: table(9000, classes, 4), small: table(300, classes, 5) },
    onRound: (report) => told.push(report.metrics),
  });
  return told;
}

for (const [name, one] of Object.entries(CASES)) {
  Deno.test(`boost() tells the same figures on any threads and kernels: ${name}`, async () => {
    const expected = await historyOf(one, 1);
    const numbers = expected.flatMap((sets) => Object.values(sets).map((set) => Object.keys(set)));
    assert(numbers.length >= 6 && numbers.every(({ length }) => length > 0));
    for (const threads of one.threads) assertEquals(await historyOf(one, threads), expected);
    assertEquals(await historyOf(one, 2, "twin"), expected);
  });
}

Deno.test("threads make metrics by their recipes and do not ask the calling thread", async () => {
  const train = table(8200, 2, 3);
  const metric = metricByName("auc");
  const deaf = { ...metric, value: () => NaN };
  const plan = { rounds: 1, learningRate: 0.3, seed: 1, loss: lossByName("logistic", train) };
  const told = async (threads: number) => {
    const { history } = await boost(train, { ...plan, metrics: [deaf] }, {
      threads,
      valid: table(9000, 2, 4),
    });
    return history[0].metrics["valid"]["auc"];
  };
  assertEquals(await told(1), NaN);
  assert(await told(2) > 0.5);
});
