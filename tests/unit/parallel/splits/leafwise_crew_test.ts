import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { leafwiseColumn, usefulBins } from "../../../../src/binning/leafwise_bins.ts";
import { type LeafwisePlan, leafwisePlan } from "../../../../src/grow/leafwise/space.ts";
import { leafwiseHelper } from "../../../../src/grow/leafwise/tree.ts";
import { TrainingError } from "../../../../src/errors.ts";
import { boostLeafwise } from "../../../../src/ensemble/parity/leafwise.ts";
import { lossByName } from "../../../../src/loss/losses.ts";
import type { Loss } from "../../../../src/loss/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Numbers with gaps, zeros and ties, few and many categories; all but `a` are there twice. */
function table(classes: number, rows = 2500): Dataset {
  const rng = createRng(classes + 7);
  const numbers = Array.from(
    { length: 3 },
    (_, f) =>
      Float64Array.from(
        { length: rows },
        () => f === 0 && rng.nextInt(7) === 0 ? NaN : f === 1 ? rng.nextInt(20) : rng.nextFloat(),
      ),
  );
  const codes = (levels: number) =>
    Int32Array.from({ length: rows }, () => rng.nextInt(levels + 1) - 1);
  const [few, many] = [codes(3), codes(60)];
  const columns = (end: string): Column[] => [
    ...numbers.map((values, f) => ({ kind: "numeric", name: `x${f}${end}`, values } as const)),
    { kind: "categorical", name: `few${end}`, codes: few, categories: ["p", "q", "r"] },
    {
      kind: "categorical",
      name: `many${end}`,
      codes: many,
      categories: Array.from({ length: 60 }, (_, i) => `${i}`),
    },
  ];
  const y = Float64Array.from(
    { length: rows },
    (_, row) => (numbers[0]![row]! || 0.4) + (many[row]! % 5) / 5 + rng.nextFloat() / 2,
  );
  return createDataset(
    [...columns(""), ...columns("'")],
    classes === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(
        y,
        (v) => Math.max(0, Math.min(classes - 1, Math.floor(v * classes / 2.5))),
      ),
      classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    },
  );
}

const LIGHTGBM = {
  preset: "lightgbm@4",
  maxCategoriesPerSplit: 32,
  minRowsPerCategory: 5,
} as const;
const MONOTONE = { monotone: { x0: 1, "x1'": -1, x2: 1 }, maxLeaves: 12, rounds: 2 } as const;

const CASES: readonly (readonly [number, { readonly [name: string]: unknown }])[] = [
  [0, { rounds: 2, maxLeaves: 16, minRowsPerLeaf: 5, pathSmooth: 2 }],
  [2, { ...MONOTONE, monotoneMethod: "intermediate", monotonePenalty: 0.5 }],
  [0, { ...MONOTONE, monotoneMethod: "advanced" }],
  [3, { rounds: 1, maxDepth: 3, lambda: 1, alpha: 0.1, zeroAsMissing: true }],
];

Deno.test("trees of the lightgbm method on 1, 2, 3 and 8 threads have the same bytes", async () => {
  for (const [i, [classes, params]] of CASES.entries()) {
    const data = table(classes);
    const told: string[] = [];
    const onDetail = (message: string) => void told.push(message);
    const bytesOn = async (threads: number) =>
      encodeModel(await train(data, { ...LIGHTGBM, ...params }, { threads, onDetail }));
    const alone = await bytesOn(1);
    // More threads than cores sleep at every step, which takes its time.
    const counts = i === 0 ? [2, 3, 8] : [3];
    for (const threads of counts) assertEquals(await bytesOn(threads), alone);
    const shared = (threads: number) => `Growing trees on ${threads} threads, shared memory`;
    assertEquals(told, ["Growing trees on one thread", ...counts.map(shared)]);
  }
});

Deno.test("gradients of lightgbm and exact are computed by threads, with the same bits", async () => {
  const [numbers, classes] = [table(0, 9000), table(3, 4500)];
  const exact = { treeMethod: "exact", committee: 1 } as const;
  const plain = (data: Dataset): Dataset => ({ ...data, features: data.features.slice(0, 3) });
  const group = Int32Array.from({ length: 9000 }, (_, row) => Math.floor(row / 37));
  const ranked = createDataset(numbers.features, {
    kind: "regression",
    name: "y",
    values: (numbers.target as { readonly values: Float64Array }).values.map((v) =>
      Math.max(0, Math.floor(2 * v))
    ),
  });
  const runs: readonly (readonly [Dataset, { readonly [name: string]: unknown }])[] = [
    [numbers, { ...LIGHTGBM, loss: "huber" }],
    [classes, LIGHTGBM],
    [{ ...ranked, group }, { ...LIGHTGBM, loss: "xendcg" }],
    [plain(classes), exact],
  ];
  for (const [data, params] of runs) {
    const weighed = {
      ...data,
      sampleWeight: Float64Array.from(group.subarray(0, data.numRows), (q) => 1 + q),
    };
    const shape = { ...params, rounds: 2, maxDepth: 2, maxLeaves: undefined };
    const bytesOn = async (threads: number) =>
      encodeModel(await train(weighed, shape, { threads }));
    assertEquals(await bytesOn(2), await bytesOn(1));
  }
});

Deno.test("threads of lightgbm make its loss by the recipe", async () => {
  const data = table(0, 9000);
  const deaf: Loss = {
    ...lossByName("huber", data),
    gradients: () => {
      throw new Error("asked");
    },
  };
  const plan = { loss: deaf, rounds: 2, learningRate: 0.1, seed: 0, maxLeaves: 4 };
  await boostLeafwise(data, plan, { threads: 2 });
  await assertRejects(() => boostLeafwise(data, plan, { threads: 1 }), Error, "asked");
});

Deno.test("the lightgbm method on threads splits on the first of two equal columns", async () => {
  const { ensemble } = await train(table(0), { ...LIGHTGBM, rounds: 3 }, { threads: 3 });
  const used = [...ensemble.trees.feature].filter((feature) => feature >= 0);
  assert(used.length > 30);
  assert(used.every((feature) => feature < 5), `${used}`);
});

Deno.test("the lightgbm method stays on one thread where there is little to share", async () => {
  const told: string[] = [];
  const onDetail = (message: string) => void told.push(message);
  await train(table(0, 80), { ...LIGHTGBM, rounds: 2 }, { threads: 2, onDetail });
  assertStringIncludes(told.join(), "there is too little work to share");
});

/** A plan whose threads all are this one. */
function planOf(threads: number): LeafwisePlan {
  const { features, numRows } = table(0, 300);
  const bins = features.flatMap((column, f) =>
    usefulBins(leafwiseColumn(column, f, { maxBins: 255 }), 5) ?? []
  );
  const limits = {
    learningRate: 0.1,
    maxDepth: 0,
    maxLeaves: 8,
    lambda: 0,
    alpha: 0,
    gamma: 0,
    minChildWeight: 1e-3,
    minRowsPerLeaf: 5,
    maxDeltaStep: 0,
    pathSmooth: 0,
    maxCategoriesOneHot: 4,
    maxCategoriesPerSplit: 32,
    catSmooth: 10,
    catL2: 10,
    minRowsPerCategory: 5,
  };
  return leafwisePlan(bins, numRows, limits, threads, 0);
}

Deno.test("a thread that fails does not leave the others waiting", async () => {
  const plan = planOf(2);
  const broken = { ...plan, gradient: undefined as unknown as Float32Array };
  try {
    leafwiseHelper(broken, 1)();
  } catch { /* as it should */ }
  // Without the notice this one would wait for ever in the first step.
  await assertRejects(
    () => Promise.resolve().then(() => leafwiseHelper(plan, 0)()),
    Error,
    "a training thread has failed",
  );
});

Deno.test("a refusal of the lightgbm method reads the same on any number of threads", async () => {
  // Weights over ten decades: LightGBM takes second derivatives for rows, and finds none where it
  // counts two. The thread that meets it first stops the others.
  const rng = createRng(11);
  const values = Array.from(
    { length: 3 },
    () => Float64Array.from({ length: 3000 }, () => rng.nextInt(400)),
  );
  const data = createDataset(
    values.map((column, f) => ({ kind: "numeric", name: `x${f}`, values: column })),
    {
      kind: "regression",
      name: "y",
      values: values[0].map((x) => 3 * Math.sin(x / 20) + 2 * rng.nextFloat()),
    },
  );
  const sampleWeight = Float64Array.from(
    { length: 3000 },
    () => Math.exp(24 * (rng.nextFloat() - 0.5)),
  );
  const params = { preset: "lightgbm@4", rounds: 4, minRowsPerLeaf: 1, minChildWeight: 0 } as const;
  const refusal = async (threads: number) =>
    (await assertRejects(
      () => train({ ...data, sampleWeight }, params, { threads }),
      TrainingError,
    ))
      .message;
  const alone = await refusal(1);
  assertStringIncludes(alone, "one side has none");
  for (const threads of [2, 2, 2, 3, 3, 3]) assertEquals(await refusal(threads), alone);
});
