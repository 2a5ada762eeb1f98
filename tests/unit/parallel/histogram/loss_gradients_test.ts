import { assertEquals, assertRejects } from "@std/assert";
import { labelsOf } from "../../../../src/data/dataset/target.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { LOSS_NAMES, lossByName, lossOfRecipe, resolveLoss } from "../../../../src/loss/losses.ts";
import type { Loss } from "../../../../src/loss/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 8200; // more than one block of rows, and enough to be shared

/** Numbers in (0, 1), relevance from 0 to 3 in queries of 1 to 40 rows, or classes; with weights. */
function table(kind: "unit" | "ranking" | "classes", numClasses = 2): Dataset {
  const rng = createRng(11);
  const floats = () => Float64Array.from({ length: ROWS }, () => rng.nextFloat());
  const [a, b] = [floats(), floats()];
  const y = a.map((value, row) => (value + b[row]! + rng.nextFloat()) / 3);
  let query = 0;
  let left = 1;
  const group = Int32Array.from({ length: ROWS }, () => {
    if (left-- === 0) [query, left] = [query + 1, rng.nextInt(40)];
    return query;
  });
  return {
    numRows: ROWS,
    features: [a, b].map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: kind === "classes"
      ? {
        kind: "classification",
        name: "y",
        codes: Int32Array.from(y, (v) => Math.floor(v * numClasses)),
        classes: Array.from({ length: numClasses }, (_, k) => `${k}`),
      }
      : {
        kind: "regression",
        name: "y",
        values: kind === "unit" ? y : y.map((v) => Math.floor(v * 4)),
      },
    sampleWeight: Float64Array.from({ length: ROWS }, () => 0.5 + rng.nextInt(3)),
    ...(kind === "ranking" && { group }),
  };
}

const RANKING = ["lambdaNdcg", "lambdaMap", "pairwise", "xendcg"];
const CLASSES: { readonly [name: string]: number } = { exponential: 2, hinge: 2, oneVsAll: 3 };
const PARAMS = {
  quantiles: [0.2, 0.7],
  expectiles: [0.3, 0.6],
  huberDelta: 0.1,
  fairC: 0.2,
  tweediePower: 1.3,
  rankTruncation: 7,
  rankGain: "linear",
  seed: 4,
} as const;

/** Data and loss of each name whose loss has no kernel. */
function casesOf(): (readonly [name: string, data: Dataset, loss: Loss])[] {
  const formula = "expr: (raw - y)^2 * (1 + y)";
  const unit = table("unit");
  const ranking = table("ranking");
  const multi = table("classes", 3);
  const named = LOSS_NAMES.map((name) => {
    const numClasses = name === "softmax" ? 3 : CLASSES[name];
    const data = RANKING.includes(name)
      ? ranking
      : numClasses === undefined
      ? unit
      : numClasses === 3
      ? multi
      : table("classes");
    return [name, data, lossByName(name, data, PARAMS)] as const;
  });
  return [...named, [formula, unit, resolveLoss(formula, unit, {}).loss] as const]
    .filter(([, , { kernel }]) => kernel === undefined);
}

async function treesOf(data: Dataset, loss: Loss, threads: number, plan: Partial<BoostPlan> = {}) {
  loss.checkLabels(labelsOf(data));
  const warnings: string[] = [];
  const { ensemble } = await boost(data, {
    loss,
    rounds: 1,
    learningRate: 0.3,
    seed: 1,
    maxDepth: 3,
    maxBins: 32,
    ...plan,
  }, { threads, onWarning: (message) => warnings.push(message) });
  assertEquals(warnings, []);
  return ensemble.trees;
}

Deno.test("every loss without a kernel, made by its recipe, has the same gradients in blocks", () => {
  const cases = casesOf();
  assertEquals(cases.length > 15, true);
  const rng = createRng(3);
  for (const [name, data, loss] of cases) {
    const labels = labelsOf(data);
    const other = lossOfRecipe(JSON.parse(JSON.stringify(loss.recipe)));
    const raw = Float64Array.from(
      { length: ROWS * loss.numOutputs },
      () => 4 * rng.nextFloat() - 2,
    );
    const gradientsOf = (of: Loss, step: number) => {
      const g = new Float64Array(raw.length).fill(7);
      const h = new Float64Array(raw.length).fill(7);
      for (let from = 0; from < ROWS; from += step) {
        of.gradients(labels, raw, g, h, from, Math.min(ROWS, from + step), 2);
      }
      return { g, h };
    };
    const whole = gradientsOf(loss, ROWS);
    assertEquals(whole.g.every(Number.isFinite) && !whole.g.includes(7), true, name);
    // Blocks begin in the middle of queries.
    assertEquals(gradientsOf(other, 1024), whole, name);
  }
});

Deno.test("losses without a kernel have the trees of one thread on two", async () => {
  const [unit, multi] = [table("unit"), table("classes", 3)];
  for (
    const [data, loss] of [
      [unit, lossByName("tweedie", unit)],
      [unit, lossByName("expectile", unit, PARAMS)],
      [multi, lossByName("oneVsAll", multi)],
    ] as const
  ) {
    const alone = await treesOf(data, loss, 1);
    assertEquals(alone.feature.length > 10, true, loss.name);
    assertEquals(await treesOf(data, loss, 2), alone, loss.name);
  }
});

Deno.test("rankings have the same trees on 1, 2 and 8 threads, members of a committee too", async () => {
  const data = table("ranking");
  const committee = {
    members: 2,
    partOf: Uint8Array.from(data.group!, (query) => query % 2),
  };
  for (const name of ["lambdaNdcg", "xendcg"]) {
    const loss = lossByName(name, data);
    const alone = await treesOf(data, loss, 1, { committee });
    for (const threads of [2, 8]) {
      assertEquals(await treesOf(data, loss, threads, { committee }), alone);
    }
  }
});

Deno.test("threads make a loss by its recipe and do not ask the calling thread", async () => {
  const data = table("unit");
  const deaf: Loss = {
    ...lossByName("poisson", data),
    gradients: () => {
      throw new Error("asked");
    },
  };
  const base = { baseScore: Float64Array.of(0) };
  await treesOf(data, deaf, 2, base);
  await assertRejects(() => treesOf(data, deaf, 1, base), Error, "asked");
  // JSON has no Infinity: such a loss is not sent.
  assertEquals(lossByName("huber", data, { huberDelta: Infinity }).recipe, undefined);
  // Without a recipe there is nobody else to ask.
  const { recipe: _, ...own } = deaf;
  await assertRejects(() => treesOf(data, own, 2, base), Error, "asked");
});
