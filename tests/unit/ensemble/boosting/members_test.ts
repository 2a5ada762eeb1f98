import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { EngineOptions } from "../../../../src/ensemble/engine/engine.ts";
import type { BoostPlan, CheckpointState, TrainedEnsemble } from "../../../../src/ensemble/plan.ts";
import { TrainingError } from "../../../../src/errors.ts";
import { absoluteLoss } from "../../../../src/loss/absolute.ts";
import { logisticLoss } from "../../../../src/loss/logistic.ts";
import { softmaxLoss } from "../../../../src/loss/softmax.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import type { Loss } from "../../../../src/loss/types.ts";
import { metricByName } from "../../../../src/metric/metrics.ts";
import { createRng } from "../../../../src/util/rng.ts";

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
  ["parallel trees", 2, squaredLoss(), { parallelTrees: 2 }],
  ["no kernel", 2, absoluteLoss(), {}],
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
    for (const threads of [1, 2]) {
      assertEquals(await run(data, plan, { threads, valid, kernels: "twin" }), one, "twin");
    }
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

Deno.test("rounds told while the next one grows are the same rounds", async () => {
  const data = mixed(2000, 2, 3);
  const metric = metricByName("rmse");
  const plan = planOf(squaredLoss(), 2000, {
    rounds: 200,
    learningRate: 0.9,
    metrics: [metric],
    trainMetrics: true,
    earlyStopping: { metric, set: "outOfFold", rounds: 3, stretch: 1.3 },
  });
  const [one, two] = await Promise.all([1, 2].map(async (threads) => {
    const { history, best, ensemble } = await boost(data, plan, { threads });
    return { history: history.map(({ round, metrics }) => ({ round, metrics })), best, ensemble };
  }));
  assertEquals(two, one);
  assert(one.history.length < 200 && one.history.length === one.best!.round + 3);
});

for (const members of [5, 1]) {
  const name = members > 1 ? "a committee" : "one member";
  Deno.test(`${name} stopped while a round is told ends with that round`, async () => {
    const data = mixed(2000, 2, 3);
    const { committee, ...alone } = planOf(squaredLoss(), 2000, { rounds: 9 });
    const plan = members > 1 ? { ...alone, committee: committee! } : alone;
    for (const threads of [1, 2]) {
      const stop = new AbortController();
      const told: number[] = [];
      const onRound = ({ round }: { readonly round: number }) => {
        told.push(round);
        if (round === 4) stop.abort();
      };
      const error = await assertRejects(
        () => boost(data, plan, { threads, onRound, signal: stop.signal }),
        TrainingError,
      );
      const { rounds, best } = error.details as { rounds: number; best: TrainedEnsemble };
      assertEquals([rounds, best.history.length], [4, 4]);
      assertEquals([best.ensemble.treeWeight.length, told], [4 * members, [1, 2, 3, 4]]);
      await assertRejects(() =>
        boost(data, plan, {
          threads,
          onRound: () => {
            throw new RangeError("told");
          },
        }), RangeError);
    }
  });
}

Deno.test("a committee whose last round is told as a signal aborts is done, on any threads", async () => {
  const data = mixed(2000, 2, 3);
  const metric = metricByName("rmse");
  const plan = planOf(squaredLoss(), 2000, {
    rounds: 200,
    learningRate: 0.9,
    metrics: [metric],
    earlyStopping: { metric, set: "outOfFold", rounds: 3 },
  });
  const { history: { length: last } } = await boost(data, plan, { threads: 1 });
  assert(last < 200);
  for (const threads of [1, 2]) {
    const stop = new AbortController();
    const onRound = ({ round }: { readonly round: number }) => {
      if (round === last) stop.abort();
    };
    const { history } = await boost(data, plan, { threads, onRound, signal: stop.signal });
    assertEquals(history.length, last);
  }
});

for (const members of [5, 1]) {
  const name = members > 1 ? "a committee" : "one member";
  Deno.test(`checkpoints of ${name} have all rounds before them, on any threads`, async () => {
    const data = mixed(2000, 2, 3);
    const { committee, ...alone } = planOf(squaredLoss(), 2000, { rounds: 5, seed: 8 });
    const plan = members > 1 ? { ...alone, committee: committee! } : alone;
    const whole = await run(data, plan, { threads: 1 });
    for (const threads of [1, 2]) {
      const states: CheckpointState[] = [];
      const told: number[] = [];
      const save = (state: CheckpointState) => void states.push(state);
      const kept = { ...plan, checkpoint: { every: 2, save } };
      await boost(data, kept, { threads, onRound: ({ round }) => void told.push(round) });
      assertEquals(told, [1, 2, 3, 4, 5]);
      assertEquals(
        states.map(({ round, ensemble, history }) => [
          round,
          ensemble.treeWeight.length,
          history.length,
        ]),
        [[2, 2 * members, 2], [4, 4 * members, 4]],
      );
      for (const resume of states) {
        assertEquals(await run(data, { ...plan, resume }, { threads }), whole);
      }
    }
  });
}

Deno.test("a run that is stopped while other threads have begun a round ends there", async () => {
  const data = mixed(2000, 2, 3);
  const { committee: _committee, ...plan } = planOf(squaredLoss(), 2000, { rounds: 100_000 });
  const stop = new AbortController();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => stop.abort();
  const onRound = ({ round }: { readonly round: number }) => {
    if (round === 2) port2.postMessage("heard in a pause");
  };
  const options = { threads: 2, onRound, signal: stop.signal };
  const error = await assertRejects(() => boost(data, plan, options), TrainingError);
  port1.close();
  const { rounds, best } = error.details as { rounds: number; best: TrainedEnsemble };
  assert(rounds >= 2 && best.history.length === rounds, `${rounds}`);
  assertEquals(best.ensemble.treeWeight.length, rounds);
});

Deno.test("a leaf that is not finite ends training with the rounds before, on any threads", async () => {
  const data = mixed(2000, 2, 3);
  for (const threads of [1, 2]) {
    const told: number[] = [];
    const { committee: _committee, ...plan } = planOf(squaredLoss(), 2000, {
      learningRate: 1e38, // the second round's steps are beyond float32
      rounds: 9,
    });
    const error = await assertRejects(
      () => boost(data, plan, { threads, onRound: ({ round }) => void told.push(round) }),
      TrainingError,
    );
    assertEquals(error.code, "E_TRAIN_NUMERIC");
    assertEquals(told, [1]);
  }
});

Deno.test("rows left out do not count, whether kernels weigh gradients at once or afterwards", async () => {
  const data = mixed(700, 2, 5);
  for (const loss of [squaredLoss(), logisticLoss()]) {
    const { kernel: _kernel, ...apart } = loss;
    const { committee, ...alone } = planOf(loss, 700, { minRowsPerLeaf: 1, subsample: 0.6 });
    for (const plan of [alone, { ...alone, committee: committee! }]) {
      const atOnce = await run(data, plan, { threads: 1 });
      assertEquals(atOnce, await run(data, { ...plan, loss: apart }, { threads: 1 }));
    }
  }
});
