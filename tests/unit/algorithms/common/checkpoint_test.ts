import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import { trainC45 } from "../../../../src/algorithms/classic/c45.ts";
import { trainId3 } from "../../../../src/algorithms/classic/id3.ts";
import { train, type TrainSpec } from "../../../../src/algorithms/train.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import type { TrainOptions } from "../../../../src/ensemble/types.ts";
import { ModelError, ParameterError } from "../../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import type { ParamInput } from "../../../../src/params/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

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
  "leaves that are linear models": { preset: "lightgbm@4", linearTree: true, rounds: 14 },
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
    "not a checkpoint",
  );
  assertEquals(error.details.differs, "checkpoint");
  for (const broken of [new Uint8Array(3), state.subarray(0, state.length - 8)]) {
    await assertRejects(() => trainBoost(data, params, { resume: broken }), ModelError);
  }
});

/** Runs whose state is more than their trees. */
const STATES: readonly (readonly [
  "regression" | "classification",
  TrainSpec & { readonly numeric?: boolean },
])[] = [
  ["regression", { algorithm: "gbdt", rounds: 11, subsample: 0.6, featuresPerSplit: 2 }],
  ["classification", { algorithm: "gbdt", rounds: 9, subsample: 0.6 }],
  ["regression", { algorithm: "gbdt", rounds: 9, loss: "huber" }],
  ["classification", { algorithm: "gbdt", rounds: 60, earlyStoppingRounds: 4, learningRate: 0.5 }],
  ["classification", { algorithm: "logitboost", rounds: 9, maxDepth: 2 }],
  ["classification", { algorithm: "logitboost", rounds: 60, tolerance: 0.003 }],
  ["classification", { algorithm: "adaboost", rounds: 9, maxDepth: 2 }],
  ["classification", { algorithm: "adaboost", rounds: 9, maxDepth: 2, variant: "samme.r" }],
  ["classification", { algorithm: "adaboost", rounds: 9, maxDepth: 2, base: "c45" }],
  ["regression", { algorithm: "adaboost", rounds: 9, resample: true, seed: 4 }],
  ["classification", { algorithm: "random-forest", trees: 9, importance: "permutation" }],
  ["regression", { algorithm: "extra-trees", trees: 9, replace: true, importance: "corrected" }],
  ["classification", { algorithm: "bagging", trees: 9, base: "c45" }],
  ["regression", { treeMethod: "exact", rounds: 9, numeric: true }],
  ["classification", { treeMethod: "exact", rounds: 40, earlyStoppingRounds: 3, numeric: true }],
  ["classification", { preset: "lightgbm@4", rounds: 9, minRowsPerLeaf: 5 }],
  ["regression", { preset: "lightgbm@4", loss: "absolute", rounds: 9, minRowsPerLeaf: 5 }],
];

for (const [kind, { numeric, ...spec }] of STATES) {
  const name = JSON.stringify(spec);
  Deno.test(`a resumed run has the bytes of an uninterrupted one: ${kind} ${name}`, async () => {
    const all = makeData(240, 6, kind);
    const data = numeric === true ? { ...all, features: all.features.slice(0, 2) } : all;
    const bytes = encodeModel(await train(data, spec));
    const run = async (options: TrainOptions, every = 3) => {
      const kept: Uint8Array[] = [];
      const save = (state: Uint8Array) => void kept.push(state);
      const model = await train(data, spec, { ...options, checkpoint: { every, save } });
      return { bytes: encodeModel(model), kept };
    };
    const whole = await run({});
    assertEquals(whole.bytes, bytes);
    assert(whole.kept.length > 1);
    for (const resume of [whole.kept[0], whole.kept.at(-1)!]) {
      const again = await run({ resume }, 2);
      assertEquals(again.bytes, bytes);
      // A run that was interrupted twice.
      const [second] = again.kept;
      if (second === undefined) continue;
      assertEquals(encodeModel(await train(data, spec, { resume: second })), bytes);
    }
  });
}

Deno.test("a forest on several threads leaves states that any number of threads goes on from", async () => {
  const data = makeData(3000, 7, "classification");
  const spec = { algorithm: "random-forest", trees: 30 };
  const bytes = encodeModel(await train(data, spec, { threads: 1 }));
  const kept: Uint8Array[] = [];
  const save = async (state: Uint8Array) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    kept.push(state);
  };
  await train(data, spec, { threads: 3, checkpoint: { every: 10, save } });
  assertEquals(kept.length, 3);
  for (const [i, resume] of kept.entries()) {
    assertEquals(encodeModel(await train(data, spec, { threads: 1 + i % 2, resume })), bytes);
  }
  const failing = () => Promise.reject(new Error("disk full"));
  const run = () => train(data, spec, { threads: 2, checkpoint: { every: 10, save: failing } });
  await assertRejects(run, Error, "disk full");
});

Deno.test("a state is no model, belongs to its run alone, and is refused when damaged", async () => {
  const data = makeData(120, 1, "regression");
  const spec = { algorithm: "gbdt", rounds: 6 };
  const kept: Uint8Array[] = [];
  const save = (state: Uint8Array) => void kept.push(state);
  const model = await train(data, spec, { checkpoint: { every: 2, save } });
  const resume = kept[0];
  assertThrows(() => decodeModel(resume), ModelError);
  const others: [Dataset, TrainSpec, Uint8Array][] = [
    [data, { ...spec, learningRate: 0.2 }, resume],
    [data, { ...spec, seed: 5 }, resume],
    [data, { algorithm: "adaboost", rounds: 6 }, resume],
    [makeData(120, 2, "regression"), spec, resume],
    [data, spec, encodeModel(model)],
  ];
  for (const [rows, other, state] of others) {
    const { code } = await assertRejects(
      () => train(rows, other, { resume: state }),
      ParameterError,
      "Cannot resume",
    );
    assertEquals(code, "E_PARAM_CONFLICT");
  }
  const damaged = resume.slice();
  damaged[damaged.length >> 1] ^= 1;
  for (const state of [damaged, resume.subarray(0, resume.length - 8), new Uint8Array(3)]) {
    await assertRejects(() => train(data, spec, { resume: state }), ModelError);
  }
});

Deno.test("checkpoints are refused where nothing would write them", async () => {
  const data = makeData(120, 1, "regression");
  const checkpoint = { every: 2, save: () => {} };
  const codes = await Promise.all([
    () => trainBoost(data, { rounds: 3 }, { checkpoint: { ...checkpoint, every: 0 } }),
    async () => await trainId3(data, {}, { checkpoint }),
    async () => await trainC45(data, {}, { checkpoint }),
    async () => await trainCart(data, {}, { resume: new Uint8Array() }),
    async () => {
      const model = await trainBoost(data, { rounds: 3 });
      return continueBoost(model, data, { rounds: 2 }, { checkpoint });
    },
  ].map(async (run) => (await assertRejects(run, ParameterError)).code));
  assertEquals(codes, ["E_PARAM_RANGE", ...Array(4).fill("E_PARAM_CONFLICT")]);
});

Deno.test("options of a checkpoint that are misspelt or missing are refused before the first round", async () => {
  const data = makeData(120, 1, "regression");
  const wrong = [{ evry: 2, save: () => {} }, { every: 2, sav: () => {} }, { every: 2, save: "x" }];
  for (const spec of [{ rounds: 3 }, { algorithm: "gbdt", rounds: 3 }]) {
    const codes = await Promise.all(wrong.map(async (checkpoint) => {
      const run = () => train(data, spec, { checkpoint: checkpoint as never });
      const { code, message } = await assertRejects(run, ParameterError);
      return `${code} ${message}`;
    }));
    assertEquals(codes, [
      'E_PARAM_UNKNOWN Cannot use option "checkpoint.evry" in train(): did you mean "checkpoint.every"?',
      'E_PARAM_UNKNOWN Cannot use option "checkpoint.sav" in train(): did you mean "checkpoint.save"?',
      'E_PARAM_RANGE Cannot use checkpoint.save "x" in train(): expected a function',
    ]);
  }
});
