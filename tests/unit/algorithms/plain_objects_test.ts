import { assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { trainAdaBoost } from "../../../src/algorithms/classic/adaboost.ts";
import { trainBagging } from "../../../src/algorithms/classic/bagging.ts";
import { trainC45 } from "../../../src/algorithms/classic/c45.ts";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import { trainExtraTrees } from "../../../src/algorithms/classic/extra_trees.ts";
import { trainGbdt } from "../../../src/algorithms/classic/gbdt.ts";
import { trainLogitBoost } from "../../../src/algorithms/classic/logitboost.ts";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import type { Dataset, Target } from "../../../src/data/types.ts";
import { DataError, TreelineError } from "../../../src/errors.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";

const X = Float64Array.from({ length: 60 }, (_, i) => i % 6);
const CODES = Int32Array.from(X, (x) => x > 2 ? 1 : 0);
const CLASSES: Target = { kind: "classification", name: "y", classes: ["a", "b"], codes: CODES };
const NUMBERS: Target = { kind: "regression", name: "y", values: X.map((x) => 1 + 2 * x) };
const DATA: Dataset = {
  numRows: 60,
  features: [{ kind: "numeric", name: "x", values: X }],
  target: CLASSES,
};
const weights = (bad: number) => new Float64Array(60).fill(1).with(7, bad);

const levels = (...categories: readonly string[]) =>
  ({ kind: "categorical", name: "x", categories, codes: CODES }) as const;

const TRAINERS = {
  boost: (data: Dataset) => trainBoost(data, { rounds: 2 }),
  exact: (data: Dataset) => trainBoost(data, { rounds: 2, treeMethod: "exact" }),
  lightgbm: (data: Dataset) => trainBoost(data, { rounds: 2, preset: "lightgbm@4" }),
  gbdt: (data: Dataset) => trainGbdt(data, { rounds: 2 }),
  logitboost: (data: Dataset) => trainLogitBoost(data, { rounds: 2 }),
  adaboost: (data: Dataset) => trainAdaBoost(data, { rounds: 2 }),
  cart: (data: Dataset) => trainCart(data),
  c45: (data: Dataset) => trainC45(data),
  "random-forest": (data: Dataset) => trainRandomForest(data, { trees: 2 }),
  "extra-trees": (data: Dataset) => trainExtraTrees(data, { trees: 2 }),
  bagging: (data: Dataset) => trainBagging(data, { trees: 2 }),
};

const MISFITS: { readonly [what: string]: Partial<Dataset> } = {
  "a weight that is NaN": { sampleWeight: weights(NaN) },
  "a negative weight": { sampleWeight: weights(-1) },
  "an infinite weight": { sampleWeight: weights(Infinity) },
  "weights of 0": { sampleWeight: new Float64Array(60) },
  "too few weights": { sampleWeight: new Float64Array(50).fill(1) },
  "weights whose squares are no numbers": { sampleWeight: new Float64Array(60).fill(1e200) },
  "weights whose squares are 0": { sampleWeight: new Float64Array(60).fill(1e-200) },
  "a short column": { features: [{ kind: "numeric", name: "x", values: X.slice(0, 50) }] },
  "two columns of a name": { features: [DATA.features[0], DATA.features[0]] },
  "a code outside the vocabulary": {
    features: [{
      kind: "categorical",
      name: "x",
      categories: ["p", "q"],
      codes: Int32Array.from(X),
    }],
  },
  "a level that reads as missing": { features: [levels("", "q")] },
  "two levels of a name": { features: [levels("p", "p")] },
  "two classes of a name": { target: { ...CLASSES, classes: ["a", "a"] } },
  "a class that is none": { target: { ...CLASSES, codes: CODES.with(3, -1) } },
  "a class beyond the list": { target: { ...CLASSES, codes: CODES.with(3, 2) } },
  "too few labels": { target: { ...CLASSES, codes: CODES.slice(0, 50) } },
  "no rows": { numRows: 0 },
};

async function codeOf(run: () => unknown): Promise<string> {
  const error = await assertRejects(async () => await run(), TreelineError);
  return error.code.slice(0, 7);
}

for (const [name, train] of Object.entries(TRAINERS)) {
  Deno.test(`${name} refuses plain objects whose parts do not fit`, async () => {
    for (const [what, part] of Object.entries(MISFITS)) {
      assertEquals(await codeOf(() => train({ ...DATA, ...part })), "E_DATA_", what);
    }
  });
}

Deno.test("a column is scored by the levels that it was trained on, or not trained on", async () => {
  const lines = Array.from(
    { length: 60 },
    (_, i) => `${["", "a", "NA"][i % 3]},${[5, 1, 9][i % 3]}`,
  );
  const text = `c,y\n${lines.join("\n")}\n`;
  // With blanks as text of their own they were trained as a level, and scored as missing values.
  const blanks = parseCsv(text, { target: "y", missing: ["NA"] });
  const error = await assertRejects(() => trainBoost(blanks), DataError, `is ""`);
  assertEquals([error.code, error.details.column], ["E_DATA_TYPE", "c"]);
  const data = parseCsv(text, { target: "y", missing: ["NA", ""] });
  const model = await trainCart(data);
  // Blank and NA are both missing: the mean of 5 and 9.
  assertEquals(Array.from(model.predictValue(data).slice(0, 3)), [7, 1, 7]);
});

for (
  const name of ["cart", "random-forest", "extra-trees", "bagging", "adaboost", "gbdt"] as const
) {
  Deno.test(`${name} refuses labels whose squares are beyond float64`, async () => {
    for (const scale of [1e160, 1e-160]) {
      const target = { ...NUMBERS, values: NUMBERS.values.map((y) => y * scale) } as Target;
      assertEquals(await codeOf(() => TRAINERS[name]({ ...DATA, target })), "E_DATA_");
    }
  });
}

Deno.test("boost refuses labels that vanish in float32 leaves", async () => {
  const target = { ...NUMBERS, values: NUMBERS.values.map((y) => y * 1e-60) } as Target;
  for (const loss of ["squared", "absolute", "huber"]) {
    const train = () => trainBoost({ ...DATA, target }, { loss, rounds: 2 });
    assertEquals(await codeOf(train), "E_DATA_", loss);
  }
});

Deno.test("poisson starts at the log of the mean of the smallest labels", async () => {
  const target = { ...NUMBERS, values: NUMBERS.values.map((y) => y * 1e-40) } as Target;
  const model = await trainBoost({ ...DATA, target }, { loss: "poisson", rounds: 0 });
  // 1 + 2x is 6 on average over x = 0 … 5.
  assertEquals(Math.round(model.predictValue({ x: 1 })[0] / 1e-46), 6e6);
});

Deno.test("cart by poisson does not look at the size of weights", async () => {
  const values = async (weight: number) => {
    const sampleWeight = new Float64Array(60).fill(weight);
    const data = { ...DATA, target: NUMBERS, sampleWeight };
    const model = await trainCart(data, { criterion: "poisson" });
    return [0, 1, 2, 3, 4, 5].map((x) => Math.round(1e9 * model.predictValue({ x })[0]) / 1e9);
  };
  assertEquals(await values(1), [1, 3, 5, 7, 9, 11]);
  assertEquals(await values(2 ** -70), [1, 3, 5, 7, 9, 11]);
});

Deno.test("validation sets and rows to evaluate are looked at too", async () => {
  for (
    const part of [{ sampleWeight: weights(-1) }, { features: MISFITS["a short column"].features! }]
  ) {
    const valid = { ...DATA, ...part };
    assertEquals(await codeOf(() => trainBoost(DATA, { rounds: 2 }, { valid })), "E_DATA_");
    assertEquals(await codeOf(() => trainGbdt(DATA, { rounds: 2 }, { valid })), "E_DATA_");
    const model = await trainBoost(DATA, { rounds: 2 });
    assertEquals(await codeOf(() => evaluate(model, valid)), "E_DATA_");
  }
  const model = await trainBoost(DATA, { rounds: 2 });
  const unweighted = { ...DATA, sampleWeight: new Float64Array(60) };
  assertEquals(evaluate(model, unweighted, ["logLoss"]).metrics, { logLoss: NaN });
});
