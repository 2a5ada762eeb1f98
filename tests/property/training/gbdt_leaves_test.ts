/**
 * Leaves of gradient boosting beside the losses' own formulas: where a closed form is known the step
 * is the best one there is, elsewhere it is Newton's, by differences of the loss.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainGbdt } from "../../../src/algorithms/classic/gbdt.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { definePointwiseLoss } from "../../../src/loss/custom.ts";
import { createRng } from "../../../src/util/rng.ts";

type Formula = (y: number, f: number) => number;

/** Losses whose leaves take the best step, by their formulas. */
const EXACT: { readonly [name: string]: Formula } = {
  squared: (y, f) => (y - f) ** 2,
  absolute: (y, f) => Math.abs(y - f),
  quantile: (y, f) => y >= f ? 0.9 * (y - f) : 0.1 * (f - y),
  mape: (y, f) => Math.abs(y - f) / Math.max(1, Math.abs(y)),
  poisson: (y, f) => Math.exp(f) - y * f,
  gamma: (y, f) => y * Math.exp(-f) + f,
  tweedie: (y, f) => 2 * y * Math.exp(-0.5 * f) + 2 * Math.exp(0.5 * f),
};

/** Losses whose leaves take one Newton step. */
const NEWTON: { readonly [name: string]: Formula } = {
  logistic: (y, f) => Math.log(1 + Math.exp(f)) - y * f,
  exponential: (y, f) => Math.exp(-(2 * y - 1) * f),
  fair: (y, f) => Math.abs(y - f) - Math.log(1 + Math.abs(y - f)),
  pseudoHuber: (y, f) => Math.sqrt(1 + (y - f) ** 2) - 1,
  "expr: (raw - y)^2 + sqrt(1 + (raw - y)^2)": (y, f) => (y - f) ** 2 + Math.sqrt(1 + (y - f) ** 2),
};

const CLASSES = new Set(["logistic", "exponential"]);

function makeData(seed: number, classes: boolean): Dataset {
  const rng = createRng(seed);
  const n = 80;
  const x = Float64Array.from({ length: n }, () => rng.nextFloat());
  const y = Float64Array.from(
    x,
    (v) =>
      classes ? Number(v + rng.nextFloat() > 1) : 0.2 + Math.round(40 * (v + rng.nextFloat())) / 10,
  );
  return {
    numRows: n,
    features: [{ kind: "numeric", name: "x", values: x }],
    target: classes
      ? { kind: "classification", name: "y", codes: Int32Array.from(y), classes: ["no", "yes"] }
      : { kind: "regression", name: "y", values: y },
    sampleWeight: Float64Array.from({ length: n }, () => 0.5 + rng.nextInt(5)),
  };
}

/** Calls back for every leaf of the first two rounds: the loss of a step there, and the step taken. */
async function eachLeaf(
  loss: unknown,
  formula: Formula,
  classes: boolean,
  check: (lossOf: (step: number) => number, step: number, where: string) => void,
): Promise<void> {
  for (let seed = 0; seed < 5; seed++) {
    const data = makeData(seed, classes);
    const { target, sampleWeight } = data;
    const labels = target!.kind === "classification" ? target!.codes : target!.values;
    const model = await trainGbdt(data, { loss, rounds: 2, learningRate: 1, maxDepth: 2 });
    const base = new Float64Array(data.numRows).fill(model.ensemble.baseScore[0]);
    const raw = [base, ...[1, 2].map((rounds) => model.predictRaw(data, { rounds }).data)];
    const ends = model.predictLeaf(data);
    assertEquals(ends.cols, 2);
    for (let t = 0; t < 2; t++) {
      const nodes = Array.from(base, (_, row) => ends.data[2 * row + t]);
      for (const node of new Set(nodes)) {
        const rows = nodes.flatMap((at, row) => at === node ? [row] : []);
        const lossOf = (step: number) =>
          rows.reduce(
            (sum, row) => sum + sampleWeight![row] * formula(labels[row], raw[t][row] + step),
            0,
          );
        check(lossOf, raw[t + 1][rows[0]] - raw[t][rows[0]], `seed ${seed}, round ${t + 1}`);
      }
    }
  }
}

for (const [loss, formula] of Object.entries(EXACT)) {
  Deno.test(`a leaf of trainGbdt() takes the best step under ${loss}`, async () => {
    await eachLeaf(loss, formula, false, (lossOf, step, where) => {
      const least = lossOf(step);
      for (const away of [1e-3, 1e-2, 0.1, 1]) {
        for (const other of [step - away, step + away]) {
          assert(least <= lossOf(other) * (1 + 1e-12), `${where}: ${step}, better at ${other}`);
        }
      }
    });
  });
}

/** −G′/G″ by differences. */
function newton(lossOf: (step: number) => number): number {
  const h = 1e-3;
  const [low, middle, high] = [-h, 0, h].map(lossOf);
  return -(high - low) / 2 * h / (high - 2 * middle + low);
}

for (const [loss, formula] of Object.entries(NEWTON)) {
  Deno.test(`a leaf of trainGbdt() takes Newton's step under ${loss}`, async () => {
    await eachLeaf(loss, formula, CLASSES.has(loss), (lossOf, step, where) => {
      const expected = newton(lossOf);
      // Differences err by h² of higher derivatives.
      assertAlmostEquals(step, expected, 1e-4 * Math.max(1, Math.abs(expected)), where);
    });
  });
}

Deno.test("a leaf of trainGbdt() takes Newton's step under a loss of one's own", async () => {
  const loss = definePointwiseLoss({
    name: "quartic",
    value: (y: number, raw: number) => (raw - y) ** 4 + (raw - y) ** 2,
    gradient: (y: number, raw: number) => 4 * (raw - y) ** 3 + 2 * (raw - y),
    hessian: (y: number, raw: number) => 12 * (raw - y) ** 2 + 2,
  });
  await eachLeaf(loss, (y, f) => (f - y) ** 4 + (f - y) ** 2, false, (lossOf, step, where) => {
    const expected = newton(lossOf);
    assertAlmostEquals(step, expected, 1e-4 * Math.max(1, Math.abs(expected)), where);
  });
});
