import { assertEquals } from "@std/assert";
import { schemaFromDataset } from "../../../src/data/dataset/schema.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../src/ensemble/plan.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { logisticLoss } from "../../../src/loss/logistic.ts";
import { softmaxLoss } from "../../../src/loss/softmax.ts";
import { createModel } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Numbers, missing values, few and many categories, weights. */
function makeData(numRows: number, numClasses: number, seed: number): Dataset {
  const rng = createRng(seed);
  const column = () => Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const numeric = Array.from({ length: 6 }, column);
  for (let row = 0; row < numRows; row += 5) numeric[1][row] = NaN;
  const few = Int32Array.from({ length: numRows }, () => rng.nextInt(4) - 1);
  const many = Int32Array.from({ length: numRows }, () => rng.nextInt(400));
  const codes = Int32Array.from({ length: numRows }, (_, row) => {
    const x = numeric[0][row] + 0.3 * numeric[2][row] + (many[row] % 7) / 7 + rng.nextFloat() / 2;
    return Math.min(numClasses - 1, Math.floor((x * numClasses) / 2.5));
  });
  return {
    numRows,
    features: [
      ...numeric.map((values, i) => ({ kind: "numeric", name: `x${i}`, values } as const)),
      { kind: "categorical", name: "few", codes: few, categories: ["a", "b", "c"] },
      {
        kind: "categorical",
        name: "many",
        codes: many,
        categories: Array.from({ length: 400 }, (_, i) => `v${i}`),
      },
    ],
    target: {
      kind: "classification",
      name: "y",
      codes,
      classes: Array.from({ length: numClasses }, (_, i) => `${i}`),
    },
    sampleWeight: Float64Array.from({ length: numRows }, () => 0.5 + rng.nextInt(3)),
  };
}

async function hash(
  data: Dataset,
  plan: BoostPlan,
  threads: number,
  kernels: "wasm" | "twin",
): Promise<string> {
  const warnings: string[] = [];
  const { ensemble, missingLearnt } = await boost(data, plan, {
    threads,
    kernels,
    onWarning: (message) => warnings.push(message),
  });
  assertEquals(warnings, []);
  const model = createModel({
    schema: schemaFromDataset(data, { missingLearnt }),
    ensemble,
    info: { version: "0", algorithm: "boost" },
  });
  const digest = await crypto.subtle.digest("SHA-256", encodeModel(model));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const base = { rounds: 4, learningRate: 0.3, seed: 5 } as const;

const PLANS: { readonly [name: string]: { plan: BoostPlan; rows: number; classes: number } } = {
  "two classes": { plan: { ...base, loss: logisticLoss() }, rows: 2500, classes: 2 },
  "packed histograms": {
    plan: { ...base, rounds: 1, loss: logisticLoss(), maxDepth: 4 },
    rows: 66000,
    classes: 2,
  },
  "classes, rows and columns drawn, leaf-wise": {
    plan: {
      ...base,
      rounds: 2,
      loss: softmaxLoss(3),
      growth: "leaf",
      maxDepth: 0,
      maxLeaves: 15,
      subsample: 0.7,
      featuresPerNode: 0.6,
      minRowsPerLeaf: 5,
    },
    rows: 1500,
    classes: 3,
  },
  "rows kept by gradient, many bins": {
    plan: { ...base, loss: logisticLoss(), sampling: "goss", learningRate: 1, maxBins: 1000 },
    rows: 2000,
    classes: 2,
  },
  // Which rounds are dropped depends on those before: each must be there when the next one begins.
  "rounds that are dropped": {
    plan: {
      ...base,
      rounds: 8,
      loss: logisticLoss(),
      dart: {
        dropRate: 0.5,
        skipDrop: 0,
        maxDrop: 0,
        oneDrop: true,
        dropBy: "uniform",
        dropScale: "tree",
      },
    },
    rows: 2000,
    classes: 2,
  },
};

for (const [name, { plan, rows, classes }] of Object.entries(PLANS)) {
  Deno.test(`boost() makes the same bytes on any threads and kernels: ${name}`, async () => {
    const data = makeData(rows, classes, 3);
    const expected = await hash(data, plan, 1, "wasm");
    for (const threads of [2, 3, 8]) {
      assertEquals(await hash(data, plan, threads, "wasm"), expected, `${threads} threads`);
    }
    for (const threads of [1, 2]) {
      assertEquals(await hash(data, plan, threads, "twin"), expected, `twin, ${threads} threads`);
    }
    // Another seed of the draws is another model: the comparison can fail.
    if (plan.subsample !== undefined) {
      const other = await hash(data, { ...plan, seed: 6 }, 1, "wasm");
      assertEquals(other === expected, false);
    }
  });
}
