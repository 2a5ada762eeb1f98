import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { definePointwiseLoss, formulaLoss } from "../../../src/loss/custom.ts";
import { createRng } from "../../../src/util/rng.ts";
import { assertBestConstant, assertGradients } from "../../support/laws/finite_differences.ts";

const rng = createRng(5);
const X = Float64Array.from({ length: 200 }, () => rng.nextFloat());
const CODES = Int32Array.from(X, (x) => x + 0.3 * rng.nextFloat() > 0.7 ? 1 : 0);
const TWO: Dataset = {
  numRows: 200,
  features: [{ kind: "numeric", name: "x", values: X }],
  target: { kind: "classification", name: "y", codes: CODES, classes: ["no", "yes"] },
};

Deno.test("definePointwiseLoss() with a sigmoid link equals the built-in logistic loss", async () => {
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const loss = definePointwiseLoss({
    name: "mine",
    gradient: (y, raw) => sigmoid(raw) - y,
    hessian: (_, raw) => sigmoid(raw) * (1 - sigmoid(raw)),
    value: (y, raw) => Math.log1p(Math.exp(raw)) - y * raw,
    link: "sigmoid",
  });
  const mine = await trainBoost(TWO, { loss, rounds: 10, maxDepth: 3 });
  const builtIn = await trainBoost(TWO, { loss: "logistic", rounds: 10, maxDepth: 3 });
  const [p, q] = [mine.predictProba(TWO).data, builtIn.predictProba(TWO).data];
  // Float32 leaves absorb the last bits of Math.exp unless one falls on a rounding edge.
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 1e-6));
  assertEquals([mine.info.loss, mine.info.params!.loss], ["mine", "mine"]);
});

Deno.test("definePointwiseLoss() without a link gives no probabilities", async () => {
  const loss = definePointwiseLoss({
    name: "plain",
    gradient: (y, raw) => raw - y,
    hessian: () => 1,
    value: (y, raw) => (raw - y) ** 2 / 2,
    baseScore: "none",
  });
  const target = { kind: "regression", name: "y", values: X.map((x) => 2 * x) } as const;
  const model = await trainBoost({ ...TWO, target }, { loss, rounds: 0 });
  assertEquals(model.ensemble.baseScore[0], 0);
  assertThrows(() => model.predictProba({ x: 1 }));
});

const FORMULAS: { text: string; labels: number[]; hessian?: boolean }[] = [
  { text: "expr: (raw - y)^2 / 2", labels: [-1, 0.5, 3] },
  { text: "expr:log(1 + exp(raw)) - y*raw; link=sigmoid", labels: [0, 1, 1] },
  { text: "expr: softplus(raw) - y*raw; link = sigmoid; base = 0.25", labels: [0, 1, 0] },
  { text: "expr: exp(raw) - y*raw; link = exp", labels: [1, 2, 7] },
  { text: "expr: sqrt(1 + square(raw - y)) - 1", labels: [-1, 0.5, 3] },
  { text: "expr: if(raw < y, 4, 1) * (raw - y)^2", labels: [-1, 0.5, 3] },
  { text: "expr: tanh((raw - y)/4)^2 + 0.3*(raw-y)^2", labels: [-1, 0.5, 1] },
  { text: "expr: max(raw - y, 0)^2 + 2*min(raw - y, 0)^2", labels: [-1, 0.5, 3] },
  { text: "expr: (1 + (raw-y)^2)^1.5", labels: [-1, 0.5, 3] },
  { text: "expr: expm1(raw - y) - (raw - y)", labels: [-1, 0.5, 1] },
  { text: "expr: 2^(raw - y) + log1p(exp(y - raw))", labels: [-1, 0.5, 1] },
  { text: "expr: -y*log(sigmoid(raw)) - (1-y)*log(1 - sigmoid(raw))", labels: [0, 1, 1] },
  { text: "expr: abs(raw - y)", labels: [-1, 0.5, 3], hessian: false },
];

for (const { text, labels, hessian = true } of FORMULAS) {
  Deno.test(`formulaLoss("${text}") has the derivatives of its value`, () => {
    const values = Float64Array.from(labels);
    assertGradients(formulaLoss(text), { values }, Float64Array.of(0.37, -0.81, 1.23), {
      hessian,
      tolerance: 1e-5,
    });
  });
}

Deno.test("formulaLoss() starts at the best constant, at a number through the link, or at 0", () => {
  const values = Float64Array.of(1, 2, 7);
  const text = "expr: exp(raw) - y*raw; link = exp";
  assertBestConstant(formulaLoss(text), { values });
  assertAlmostEquals(formulaLoss(text).baseScore({ values })[0], Math.log(10 / 3), 1e-9);
  assertAlmostEquals(formulaLoss(`${text}; base = 5`).baseScore({ values })[0], Math.log(5), 1e-12);
  assertEquals(formulaLoss(`${text}; base = none`).baseScore({ values })[0], 0);
});

Deno.test("formulaLoss() is stored in the model and reloads anywhere", async () => {
  const text = "expr: log(1 + exp(raw)) - y*raw; link = sigmoid";
  const model = await trainBoost(TWO, { loss: text, rounds: 5 });
  const again = decodeModel(encodeModel(model));
  assertEquals([again.info.loss, again.info.params!.loss], [text, text]);
  assertEquals(again.predictProba(TWO).data, model.predictProba(TWO).data);
  const builtIn = await trainBoost(TWO, { rounds: 5 });
  builtIn.predictProba(TWO).data.forEach((p, i) =>
    assertAlmostEquals(again.predictProba(TWO).data[i], p, 1e-6)
  );
});

Deno.test("formulaLoss() says where a formula goes wrong", () => {
  const wrong: [string, string][] = [
    ["expr: (raw - y", "the end"],
    ["expr: raw * * y", '"*"'],
    ["expr: raww - y", '"raw"'],
    ["expr: lg(raw)", '"log"'],
    ["expr: pow(raw)", "1 arguments of pow"],
    ["expr: raw - y $", '"$"'],
    ["expr: y^2", 'does not change with "raw"'],
    ["expr: raw^2; link = probit", "link = probit"],
    ["expr: constructor(raw)", "constructor"],
    ["expr: " + "(".repeat(500) + "raw" + ")".repeat(500), "nesting"],
    ["expr:", "the end"],
    ["expr: " + "raw+".repeat(1000) + "y", "2000"],
  ];
  for (const [text, part] of wrong) {
    const error = assertThrows(() => formulaLoss(text), ParameterError);
    assertEquals(error.code, "E_PARAM_RANGE");
    assert(error.message.includes(part), `${error.message} lacks ${part}`);
  }
});
