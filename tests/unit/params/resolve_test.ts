import { assert, assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../src/errors.ts";
import {
  explainParam,
  kebab,
  resolveAlgorithm,
  resolveParams,
} from "../../../src/params/resolve.ts";
import { PARAM_TABLES, paramsOf } from "../../../src/params/table.ts";

function codeOf(run: () => unknown): ParameterError {
  return assertThrows(run, ParameterError);
}

Deno.test("resolveParams() takes names of XGBoost, LightGBM and scikit-learn, and flags", () => {
  const params = resolveParams("boost", {
    n_estimators: 50,
    eta: "0.3",
    "max-depth": "4",
    reg_lambda: 2,
    colsample_bytree: 0.5,
    grow_policy: "lossguide",
  });
  assertEquals(
    [
      params.rounds,
      params.learningRate,
      params.maxDepth,
      params.lambda,
      params.featuresPerTree,
      params.growth,
    ],
    [50, 0.3, 4, 2, 0.5, "leaf"],
  );
});

Deno.test("resolveParams() answers a wrong name with the nearest right one", () => {
  for (
    const [wrong, right] of [["learningrat", "learningRate"], ["max_dept", "max_depth"], [
      "lamda",
      "lambda",
    ]]
  ) {
    const error = codeOf(() => resolveParams("boost", { [wrong]: 1 }));
    assertEquals([error.code, kebab(String(error.details.nearest)).replaceAll("_", "-")], [
      "E_PARAM_UNKNOWN",
      kebab(right).replaceAll("_", "-"),
    ]);
  }
  assertEquals(codeOf(() => resolveParams("boost", { __proto__x: 1 })).code, "E_PARAM_UNKNOWN");
});

Deno.test("resolveParams() refuses values outside the range, each with one shape of message", () => {
  const error = codeOf(() => resolveParams("boost", { learningRate: 1.5 }));
  assertEquals(error.message, "Cannot use learningRate 1.5: expected a number in (0, 1]");
  for (
    const input of [
      { learningRate: 0 },
      { rounds: 2.5 },
      { maxDepth: "six" },
      { growth: "sideways" },
      { subsample: 0 },
      { postPrune: "maybe" },
      { quantiles: [0.5, 1] },
      { monotone: { a: "up" } },
      { interactions: ["a"] },
      { rounds: NaN },
      { rounds: "" },
    ]
  ) {
    assertEquals(codeOf(() => resolveParams("boost", input)).code, "E_PARAM_RANGE");
  }
});

Deno.test("resolveParams() refuses one parameter under two names with different values", () => {
  assertEquals(
    codeOf(() => resolveParams("boost", { eta: 0.1, learningRate: 0.2 })).code,
    "E_PARAM_CONFLICT",
  );
  assertEquals(resolveParams("boost", { eta: 0.1, learningRate: 0.1 }).learningRate, 0.1);
});

Deno.test("resolveParams() lets given parameters win over the preset", () => {
  const plain = resolveParams("boost", { preset: "xgboost@2" });
  assertEquals([plain.learningRate, plain.postPrune], [0.3, true]);
  const changed = resolveParams("boost", { preset: "lightgbm@4", num_leaves: 7 });
  assertEquals([changed.maxLeaves, changed.minRowsPerLeaf], [7, 20]);
  assertEquals(codeOf(() => resolveParams("boost", { preset: "xgbost@2" })).code, "E_PARAM_RANGE");
});

// Parameters.rst of LightGBM 4: skip_drop 0.5, max_drop 50, uniform_drop false, normalised by k + 1.
Deno.test("preset lightgbm@4 drops rounds as LightGBM's dart does", () => {
  const { skipDrop, maxDrop, dropBy, dropScale } = resolveParams("boost", {
    preset: "lightgbm@4",
    drop_rate: 0.1,
  });
  assertEquals([skipDrop, maxDrop, dropBy, dropScale], [0.5, 50, "weighted", "lightgbm"]);
});

Deno.test("resolveParams() reads LightGBM's −1 as no limit", () => {
  for (const minus of [-1, "-1"]) {
    const found = resolveParams("boost", { max_depth: minus, max_drop: minus });
    assertEquals([found.maxDepth, found.maxDrop], [0, 0]);
  }
  assertThrows(() => resolveParams("boost", { max_depth: -2 }), ParameterError, "[0, 64]");
});

Deno.test("resolveParams() reads tables and lists from objects, JSON and flags alike", () => {
  const wanted: { [key: string]: number } = { a: 1, "b=c": -1 };
  for (const monotone of [wanted, JSON.stringify(wanted), "a=1,b=c=-1"]) {
    const found = resolveParams("boost", { monotone }).monotone as { [key: string]: number };
    assertEquals({ ...found }, wanted);
  }
  for (
    const monotone of [[1, 0, -1], ["1", 0, -1], "[1,0,-1]", "(1,0,-1)", " (1, 0, -1) ", "1,0,-1"]
  ) {
    assertEquals(resolveParams("boost", { monotone_constraints: monotone }).monotone, [1, 0, -1]);
  }
  assertEquals(resolveParams("boost", { monotone: "increasing,none" }).monotone, [
    "increasing",
    "none",
  ]);
  for (const monotone of [[1, "up"], "(1,0", "(a,b)"]) {
    assertThrows(() => resolveParams("boost", { monotone }), ParameterError, "for each feature");
  }
  // Class weights have no list: the order of classes is not the user's.
  assertThrows(() => resolveParams("boost", { classWeights: "(1,2)" }), ParameterError);
  assertEquals(resolveParams("boost", { metrics: "auc, logLoss" }).metrics, ["auc", "logLoss"]);
  assertEquals(resolveParams("boost", { quantiles: "0.1,0.9" }).quantiles, [0.1, 0.9]);
  assertEquals(resolveParams("cart", { loss: "[[0,1],[3,0]]" }).loss, [[0, 1], [3, 0]]);
  assertEquals(resolveParams("cart", { foldOfRow: "[0,1,1]" }).foldOfRow, [0, 1, 1]);
  assertEquals(resolveParams("bagging", { inbag: "[[2,0]]" }).inbag, [[2, 0]]);
});

Deno.test("PARAM_TABLES: no spelling stands for two parameters of one algorithm", () => {
  const seen = new Map<string, string>();
  for (const [name, spec] of paramsOf("boost")) {
    for (const word of [name, kebab(name), ...spec.aliases]) {
      const key = word.toLowerCase().replaceAll("_", "-");
      assert((seen.get(key) ?? name) === name, `${word}: ${seen.get(key)} and ${name}`);
      seen.set(key, name);
    }
  }
});

Deno.test("PARAM_TABLES: every default is accepted by its own range", () => {
  for (const table of PARAM_TABLES) {
    for (const [name, spec] of Object.entries(table)) {
      if (spec.default === undefined) continue;
      for (const algorithm of spec.algorithms) resolveParams(algorithm, { [name]: spec.default });
    }
  }
});

Deno.test("explainParam() finds a parameter by alias", () => {
  assertEquals(explainParam("eta").name, "learningRate");
  assertEquals(explainParam("--max_bin".slice(2)).name, "maxBins");
});

Deno.test("resolveAlgorithm() knows aliases and suggests the nearest", () => {
  assertEquals(["xgb", "XGBoost", "boost", "rf"].map(resolveAlgorithm), [
    "boost",
    "boost",
    "boost",
    "random-forest",
  ]);
  assertEquals(codeOf(() => resolveAlgorithm("bost")).details.nearest, "boost");
});

Deno.test("resolveParams() refuses a name that a table of a flag has twice", () => {
  for (const monotone of ["a=1,a=-1", "a=1,b=1,a=1"]) {
    assertThrows(() => resolveParams("boost", { monotone }), ParameterError, "each name once");
  }
});

Deno.test("resolveParams() reads 1.0 as text as all features, as scikit-learn does", () => {
  for (
    const [algorithm, name] of [["random-forest", "featuresPerSplit"], [
      "bagging",
      "featuresPerTree",
    ]] as const
  ) {
    const of = (value: unknown) =>
      (resolveParams(algorithm, { max_features: value }) as Record<string, unknown>)[name];
    assertEquals([of("1.0"), of("1"), of("1.5"), of(1)], ["all", 1, 1.5, 1]);
  }
});
