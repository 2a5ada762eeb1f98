import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Dataset, Labels, Target } from "../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { canonicalLoss, defaultLoss, LOSS_NAMES, lossByName } from "../../../src/loss/losses.ts";
import { assertBestConstant, assertGradients } from "../../support/laws/finite_differences.ts";

function numbers(...values: number[]): Dataset {
  return {
    numRows: values.length,
    features: [],
    target: { kind: "regression", name: "y", values: Float64Array.from(values) },
  };
}

function classes(codes: number[], names: string[]): Dataset {
  const target: Target = {
    kind: "classification",
    name: "y",
    codes: Int32Array.from(codes),
    classes: names,
  };
  return { numRows: codes.length, features: [], target };
}

function labelsOf({ target }: Dataset): Labels {
  const values = target!.kind === "regression" ? target!.values : Float64Array.from(target!.codes);
  return { values };
}

const REAL = numbers(-2.5, 0.3, 1.7, 4, 11);
const POSITIVE = numbers(0.2, 1, 2.5, 7, 40);
const TWO = classes([0, 1, 1, 0, 1], ["a", "b"]);
const THREE = classes([0, 1, 2, 1, 1], ["a", "b", "c"]);
const RAW = [0.4, -0.9, 1.3, 0.05, 2.2];

// hessian: whether the declared curvature is the exact second derivative.
const CASES: { name: string; data: Dataset; hessian: boolean; raw?: number[]; factor?: number }[] =
  [
    { name: "squared", data: REAL, hessian: true },
    { name: "absolute", data: REAL, hessian: false },
    { name: "huber", data: REAL, hessian: false },
    { name: "pseudoHuber", data: REAL, hessian: true },
    { name: "quantile", data: REAL, hessian: false },
    { name: "expectile", data: REAL, hessian: true },
    { name: "squaredLog", data: POSITIVE, hessian: true, raw: [0.3, 0.9, 2, 5, 20] },
    { name: "mape", data: REAL, hessian: false },
    { name: "fair", data: REAL, hessian: true },
    { name: "poisson", data: POSITIVE, hessian: false },
    { name: "gamma", data: POSITIVE, hessian: true },
    { name: "tweedie", data: POSITIVE, hessian: true },
    { name: "logistic", data: TWO, hessian: true },
    { name: "crossEntropy", data: numbers(0, 0.25, 0.5, 0.9, 1), hessian: true },
    { name: "exponential", data: TWO, hessian: true },
    { name: "hinge", data: TWO, hessian: false },
    { name: "oneVsAll", data: THREE, hessian: true },
    { name: "softmax", data: THREE, hessian: false },
  ];

for (const { name, data, hessian, raw = RAW } of CASES) {
  Deno.test(`lossByName("${name}") has the derivatives of its value`, () => {
    const loss = lossByName(name, data);
    const scores = Float64Array.from(
      { length: loss.numOutputs * data.numRows },
      (_, i) => raw[i % raw.length] + 0.3 * Math.floor(i / raw.length),
    );
    assertGradients(loss, labelsOf(data), scores, { hessian });
  });
}

for (
  const { name, data } of CASES.filter(({ name }) =>
    !["huber", "pseudoHuber", "fair"].includes(name)
  )
) {
  Deno.test(`lossByName("${name}") starts at the best constant`, () => {
    assertBestConstant(lossByName(name, data), labelsOf(data));
    const weight = Float64Array.of(1, 3, 0.5, 2, 1);
    assertBestConstant(lossByName(name, data), { ...labelsOf(data), weight });
  });
}

Deno.test("every named loss is in the derivative table", () => {
  const ranking = new Set(["lambdaNdcg", "lambdaMap", "pairwise", "xendcg"]);
  assertEquals(
    LOSS_NAMES.filter((name) => !ranking.has(name)).toSorted(),
    CASES.map(({ name }) => name).toSorted(),
  );
});

Deno.test("softmaxLoss() hessian is 2p(1−p), or K/(K−1) p(1−p) with LightGBM's curvature", () => {
  const raw = new Float64Array(15); // all classes at ⅓
  for (const [curvature, factor] of [["treeline", 2], ["lightgbm", 1.5]] as const) {
    const gradient = new Float64Array(15);
    const hessian = new Float64Array(15);
    lossByName("softmax", THREE, { curvature }).gradients(
      labelsOf(THREE),
      raw,
      gradient,
      hessian,
      0,
      5,
    );
    assert(hessian.every((h) => Math.abs(h - factor * 2 / 9) < 1e-15));
  }
});

Deno.test("poissonLoss() steps as the sheet says for Σy 30, Σμ 10", () => {
  const data = numbers(3, 3, 3, 3, 3, 3, 3, 3, 3, 3);
  const step = (curvature: "treeline" | "xgboost") => {
    const gradient = new Float64Array(10);
    const hessian = new Float64Array(10);
    lossByName("poisson", data, { curvature })
      .gradients(labelsOf(data), new Float64Array(10), gradient, hessian, 0, 10);
    return -gradient.reduce((a, b) => a + b) / hessian.reduce((a, b) => a + b);
  };
  assertEquals(step("treeline"), 1); // 2 (Y − M) / (Y + M)
  assert(Math.abs(step("xgboost") - 0.9931706075828189) < 1e-15);
});

Deno.test("lossByName() refuses labels outside the domain and names the row", () => {
  const bad: [string, Dataset][] = [
    ["gamma", numbers(1, 0)],
    ["poisson", numbers(1, -1)],
    ["tweedie", numbers(2, -0.5)],
    ["squaredLog", numbers(0, -1)],
    ["crossEntropy", numbers(0.5, 1.5)],
    ["squared", numbers(1, NaN)],
    ["absolute", numbers(1, Infinity)],
  ];
  for (const [name, data] of bad) {
    const error = assertThrows(
      () => lossByName(name, data).checkLabels(labelsOf(data)),
      DataError,
    );
    assertEquals(error.code, "E_DATA_TARGET");
    assertEquals(error.details.row, 2);
    assert(error.message.includes(name));
  }
});

Deno.test("lossByName() takes other libraries' names and suggests the nearest", () => {
  assertEquals(lossByName("reg:squarederror", REAL).name, "squared");
  assertEquals(lossByName("binary", TWO).name, "logistic");
  assertEquals(canonicalLoss("multi:softprob"), "softmax");
  const error = assertThrows(() => lossByName("logisitc", TWO), ParameterError);
  assertEquals([error.code, error.details.nearest], ["E_PARAM_UNKNOWN", "logistic"]);
});

Deno.test("lossByName() refuses a loss for another kind of target", () => {
  for (const [name, data] of [["softmax", REAL], ["gamma", TWO], ["hinge", THREE]] as const) {
    const error = assertThrows(() => lossByName(name, data), ParameterError);
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
});

Deno.test("defaultLoss() follows the target", () => {
  assertEquals([REAL, TWO, THREE].map(({ target }) => defaultLoss(target!)), [
    "squared",
    "logistic",
    "softmax",
  ]);
});

Deno.test("logistic start with mean 0.25 is the margin -1.0986122886681098", () => {
  const data = classes([0, 0, 0, 1], ["a", "b"]);
  const [start] = lossByName("logistic", data).baseScore(labelsOf(data));
  assert(Math.abs(start - -1.0986122886681098) < 1e-15);
});

Deno.test("absoluteLoss() refits a leaf to the weighted median of its residuals", () => {
  const loss = lossByName("absolute", REAL);
  const labels = { ...labelsOf(REAL), weight: Float64Array.of(1, 1, 5, 1, 1) };
  const raw = new Float64Array(5).fill(1);
  assertEquals(loss.refitLeaf!(labels, raw, Int32Array.of(0, 1, 2, 3, 4), 0), 1.7 - 1);
});

Deno.test("quantileLoss() has one output a level", () => {
  const loss = lossByName("quantile", REAL, { quantiles: [0.1, 0.5, 0.9] });
  assertEquals([...loss.baseScore(labelsOf(REAL))], [-2.5, 1.7, 11]);
  assertGradients(loss, labelsOf(REAL), Float64Array.from({ length: 15 }, (_, i) => i * 0.77 - 3), {
    hessian: false,
  });
  const error = assertThrows(
    () => lossByName("quantile", REAL, { quantiles: [1] }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_RANGE");
});

Deno.test("huberLoss() leaf is Friedman's one step from the median", () => {
  const loss = lossByName("huber", REAL, { huberDelta: 2 });
  const rows = Int32Array.of(0, 1, 2, 3, 4);
  // Residuals −2.5 0.3 1.7 4 11, median 1.7, clipped deviations −2 −1.4 0 2 2: mean 0.12.
  assert(Math.abs(loss.refitLeaf!(labelsOf(REAL), new Float64Array(5), rows, 0) - 1.82) < 1e-12);
});
