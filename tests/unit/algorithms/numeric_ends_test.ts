/**
 * Numbers that are out of reach end a training with an error that says so, not with a model that is no
 * model.
 */
import { assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { train, type TrainSpec } from "../../../src/algorithms/train.ts";
import { refitBoost } from "../../../src/algorithms/update/refit.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { TrainingError, TreelineError } from "../../../src/errors.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { decodeModel } from "../../../src/format/decode_checked.ts";

/** Labels by turns, which the column tells. */
function byTurns(low: number, high: number, more: Partial<Dataset> = {}): Dataset {
  const x = Float64Array.from({ length: 40 }, (_, row) => row % 2);
  return {
    numRows: 40,
    features: [{ kind: "numeric", name: "x", values: x }],
    target: { kind: "regression", name: "y", values: x.map((v) => v === 0 ? low : high) },
    ...more,
  };
}

async function endOf(data: Dataset, spec: TrainSpec): Promise<string> {
  return (await assertRejects(() => train(data, spec), TreelineError)).code;
}

Deno.test("a leaf that is not finite ends boosting in its round, whoever grows the tree", async () => {
  // Medians of float64 that the leaves, float32, cannot hold.
  const far = byTurns(0, 1e150);
  for (const more of [{ committee: 1 }, { preset: "xgboost@2", treeMethod: "exact" }]) {
    const error = await assertRejects(
      () => train(far, { loss: "absolute", rounds: 3, minRowsPerLeaf: 1, ...more }),
      TrainingError,
    );
    assertEquals([error.code, error.details.round], ["E_TRAIN_NUMERIC", 1]);
  }
});

Deno.test("labels that are infinite as float32 only are refused as what they are", async () => {
  const error = await assertRejects(
    () => train(byTurns(0, 1e150), { preset: "lightgbm@4", rounds: 1 }),
    TreelineError,
    "its largest magnitude is 1e+150",
  );
  assertEquals(error.code, "E_DATA_TARGET");
});

Deno.test("xendcg without a least second derivative ends where a row is sure beyond float32", async () => {
  // Second derivatives near e^-400, so that the step −g / h is beyond all numbers.
  const data = byTurns(0, 1, {
    group: Int32Array.from({ length: 40 }, (_, row) => row >> 1),
    offset: Float64Array.from({ length: 40 }, (_, row) => 400 * (row % 2)),
  });
  const spec = { loss: "xendcg", rounds: 1, lambda: 0, minRowsPerLeaf: 1 };
  assertEquals(await endOf(data, { ...spec, minChildWeight: 0 }), "E_TRAIN_NUMERIC");
  assertEquals([...(await train(data, spec)).predictRaw(data).data.subarray(0, 2)], [0, 400]);
});

Deno.test("a start that is not finite ends boosting before the first round", async () => {
  const most = Number.MAX_VALUE;
  assertEquals(await endOf(byTurns(most, most), { rounds: 0 }), "E_TRAIN_NUMERIC");
});

const classes = ["a", "b"];
const ofClass = (code: (row: number) => number): Partial<Dataset> => ({
  target: {
    kind: "classification",
    name: "y",
    classes,
    codes: Int32Array.from({ length: 40 }, (_, row) => code(row)),
  },
});

Deno.test("weights of classes that leave the reach of weights are refused", async () => {
  const rare = Float64Array.from({ length: 40 }, (_, row) => row % 2 === 0 ? 1e99 : 1e-250);
  const data = byTurns(0, 1, { ...ofClass((row) => row % 2), sampleWeight: rare });
  const two = byTurns(0, 1, ofClass((row) => row % 2));
  for (const algorithm of ["boost", "cart", "c45", "random-forest"]) {
    // The rare class would be weighed by 1e349.
    assertEquals(await endOf(data, { algorithm, classWeights: "balanced" }), "E_DATA_TYPE");
    assertEquals(await endOf(two, { algorithm, classWeights: { a: 1e101 } }), "E_DATA_TYPE");
  }
});

Deno.test("prior correction of a single class moves nothing", async () => {
  const data = byTurns(0, 1, {
    target: { kind: "classification", name: "y", classes: ["a"], codes: new Int32Array(40) },
  });
  for (const loss of ["logistic", "softmax"]) {
    const spec = { loss, rounds: 1, classWeights: { a: 3 } };
    const [plain, corrected] = [
      await train(data, spec),
      await train(data, {
        ...spec,
        priorCorrection: true,
      }),
    ];
    assertEquals(corrected.predictRaw(data).data, plain.predictRaw(data).data);
  }
});

Deno.test("gains and covers beyond float32 are in the model and in its file", async () => {
  const x = Float64Array.from({ length: 60 }, (_, row) => row % 7);
  const data = (unit: number, weight: number): Dataset => ({
    numRows: 60,
    features: [{ kind: "numeric", name: "x", values: x }],
    target: { kind: "regression", name: "y", values: x.map((v) => unit * v * v) },
    sampleWeight: new Float64Array(60).fill(weight),
  });
  const run = async (unit: number, weight: number) => {
    const spec = { rounds: 2, committee: 1, lambda: 0, minChildWeight: 0, baseScore: 0 };
    const model = await train(data(unit, weight), spec);
    const { trees } = decodeModel(encodeModel(model)).ensemble;
    assertEquals(trees.gain, model.ensemble.trees.gain);
    assertEquals(trees.cover, model.ensemble.trees.cover);
    return trees;
  };
  const small = await run(1, 1);
  for (const [unit, weight] of [[2 ** 64, 1], [1, 2 ** 140]]) {
    // Labels enter gains squared; weights enter both.
    const large = await run(unit, weight);
    assertEquals(large.threshold, small.threshold);
    large.gain.forEach((gain, node) =>
      assertAlmostEquals(gain / unit ** 2 / weight, small.gain[node], 1e-6 * small.gain[node])
    );
    assertEquals(large.cover.map((cover) => cover / weight), small.cover);
  }
});

Deno.test("covers of Weka's LogitBoost are finite down to the least zMax", async () => {
  const plain = byTurns(0, 1);
  const target = {
    kind: "classification",
    name: "y",
    codes: Int32Array.from({ length: 40 }, (_, row) => row % 7 === 0 ? 1 : row % 2),
    classes: ["a", "b"],
  } as const;
  const data = { ...plain, target };
  const spec = { algorithm: "logitboost", weka: true, rounds: 3 };
  const { cover } = (await train(data, { ...spec, zMax: 1e-6 })).ensemble.trees;
  // Weights add up to the number of rows.
  assertAlmostEquals(cover[0], 40, 1e-9);
  assertEquals(cover.every(Number.isFinite), true);
  // Weights (y − p)/z would be infinite.
  assertEquals(await endOf(data, { ...spec, zMax: 5e-324 }), "E_PARAM_RANGE");
});

Deno.test("a refit whose leaves are not finite ends in the round of the first", async () => {
  const model = await train(byTurns(0, 1), { loss: "absolute", rounds: 2, committee: 1 });
  const error = assertThrows(() => refitBoost(model, byTurns(0, 1e150)), TrainingError);
  assertEquals([error.code, error.details.round], ["E_TRAIN_NUMERIC", 1]);
});
