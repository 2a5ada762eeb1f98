import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { trainCart } from "../../../src/algorithms/cart.ts";
import { continueBoost } from "../../../src/algorithms/continue.ts";
import { trainGbdt } from "../../../src/algorithms/gbdt.ts";
import { train } from "../../../src/algorithms/train.ts";
import { createDataset } from "../../../src/data/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import type { TrainOptions } from "../../../src/ensemble/types.ts";
import { ModelError, ParameterError } from "../../../src/errors.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import type { ParamInput } from "../../../src/params/types.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Two numbers with gaps, a category; three classes or a number to predict. */
function makeData(numRows: number, seed: number, kind: "regression" | "classification"): Dataset {
  const rng = createRng(seed);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const b = Float64Array.from(a, () => rng.nextInt(8) === 0 ? NaN : rng.nextFloat());
  const codes = Int32Array.from(a, () => rng.nextInt(5));
  const y = a.map((value, i) => 2 * value + (codes[i] % 2) + 0.3 * rng.nextFloat());
  return createDataset(
    [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      { kind: "categorical", name: "c", codes, categories: ["p", "q", "r", "s", "t"] },
    ],
    kind === "regression" ? { kind, name: "y", values: y } : {
      kind,
      name: "y",
      codes: Int32Array.from(y, (value) => Math.min(2, Math.floor(value))),
      classes: ["low", "middle", "high"],
    },
  );
}

/** Trains to the end, keeping every checkpoint. */
async function withCheckpoints(data: Dataset, params: ParamInput, options: TrainOptions = {}) {
  const kept: Uint8Array[] = [];
  const model = await trainBoost(data, params, {
    ...options,
    checkpoint: { every: 4, save: (bytes) => void kept.push(bytes) },
  });
  return { bytes: encodeModel(model), kept };
}

const RUNS: { readonly [name: string]: ParamInput } = {
  "rows and columns drawn": {
    rounds: 14,
    subsample: 0.6,
    featuresPerTree: 0.7,
    featuresPerNode: 0.8,
    seed: 3,
  },
  "a committee": { committee: 3, rounds: 10, subsample: 0.8, trainMetrics: true },
  "a committee that stops by itself": { maxDepth: 2, learningRate: 0.5 },
  "early stopping on rows held out": { rounds: 60, earlyStoppingRounds: 5, learningRate: 0.5 },
  DART: { rounds: 12, dropRate: 0.3 },
  "leaf-wise, missing values, two trees a round": { growth: "leaf", parallelTrees: 2, rounds: 9 },
};

for (const kind of ["regression", "classification"] as const) {
  for (const [name, params] of Object.entries(RUNS)) {
    Deno.test(`a resumed run has the bytes of an uninterrupted one: ${name}, ${kind}`, async () => {
      const data = makeData(240, 5, kind);
      const { bytes, kept } = await withCheckpoints(data, params);
      assert(kept.length > 1);
      assertEquals(bytes, encodeModel(await trainBoost(data, params)));
      for (const resume of [kept[0], kept.at(-1)!]) {
        assertEquals(encodeModel(await trainBoost(data, params, { resume })), bytes);
      }
      // A run that was interrupted twice.
      const again: Uint8Array[] = [];
      await trainBoost(data, params, {
        resume: kept[0],
        checkpoint: { every: 3, save: (state) => void again.push(state) },
      });
      assertEquals(encodeModel(await trainBoost(data, params, { resume: again[0] })), bytes);
    });
  }
}

Deno.test("a run is not resumed with other data, parameters, seed or validation set", async () => {
  const data = makeData(120, 1, "regression");
  const valid = makeData(40, 2, "regression");
  const params = { rounds: 8 };
  const { kept: [resume] } = await withCheckpoints(data, params, { valid });
  const { features } = data;
  const moved = { ...data, features: [...features.slice(0, 2), { ...features[2], name: "d" }] };
  const weighted = { ...data, sampleWeight: new Float64Array(120).fill(2) };
  const others: [string, Dataset, ParamInput, TrainOptions][] = [
    ["data", makeData(120, 7, "regression"), params, { valid }],
    ["data", moved as Dataset, params, {}],
    ["data", weighted, params, { valid }],
    ["params", data, { rounds: 9 }, { valid }],
    ["seed", data, { rounds: 8, seed: 1 }, { valid }],
    ["validation", data, params, { valid: makeData(40, 3, "regression") }],
    ["validation", data, params, {}],
  ];
  for (const [differs, set, given, options] of others) {
    const error = await assertRejects(
      () => trainBoost(set, given, { ...options, resume }),
      ParameterError,
    );
    assertEquals([error.code, error.details.differs], ["E_PARAM_CONFLICT", differs]);
  }
});

Deno.test("a file that is no checkpoint is refused", async () => {
  const data = makeData(120, 1, "regression");
  const params = { rounds: 8 };
  const { bytes, kept: [state] } = await withCheckpoints(data, params);
  const error = await assertRejects(
    () => trainBoost(data, params, { resume: bytes }),
    ParameterError,
    "no checkpoint",
  );
  assertEquals(error.details.differs, "checkpoint");
  for (const broken of [new Uint8Array(3), state.subarray(0, state.length - 8)]) {
    await assertRejects(() => trainBoost(data, params, { resume: broken }), ModelError);
  }
});

Deno.test("checkpoints are refused where nothing would write them", async () => {
  const data = makeData(120, 1, "regression");
  const checkpoint = { every: 2, save: () => {} };
  const codes = await Promise.all([
    () => trainBoost(data, { rounds: 3 }, { checkpoint: { ...checkpoint, every: 0 } }),
    () => trainBoost(data, { preset: "lightgbm@4", rounds: 3 }, { checkpoint }),
    async () => await train(data, { algorithm: "random-forest" }, { checkpoint }),
    async () => await trainGbdt(data, {}, { checkpoint }),
    async () => await trainCart(data, {}, { resume: new Uint8Array() }),
    async () => {
      const model = await trainBoost(data, { rounds: 3 });
      return continueBoost(model, data, { rounds: 2 }, { checkpoint });
    },
  ].map(async (run) => (await assertRejects(run, ParameterError)).code));
  assertEquals(codes, ["E_PARAM_RANGE", ...Array(5).fill("E_PARAM_CONFLICT")]);
});
