// deno-lint-ignore-file camelcase
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../src/errors.ts";
import { lossByName } from "../../../src/loss/losses.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { ADVICE } from "../../../src/params/elsewhere.ts";
import { presetParams } from "../../../src/params/presets.ts";
import { canonicalParam, canonicalParams } from "../../../src/params/resolve.ts";
import { paramsOf } from "../../../src/params/table.ts";

Deno.test("a parameter that only others have is answered with what takes its place", () => {
  for (const [names, advice] of ADVICE) {
    for (const name of names.split(" ")) {
      assertEquals(canonicalParam("boost", name), undefined, name);
      const error = assertThrows(() => canonicalParams("boost", { [name]: 1 }), ParameterError);
      assertEquals([error.code, error.details.param], ["E_PARAM_UNKNOWN", name]);
      assert(error.message.endsWith(advice) && !error.message.includes("did you mean"), name);
    }
  }
});

Deno.test("parameters that the advice expects are there", () => {
  const known = paramsOf("boost");
  for (const [, advice] of ADVICE) {
    const expected = /expected ([a-z]+[A-Z][A-Za-z]*|subsample|seed|monotone|sampling)/.exec(
      advice,
    );
    if (expected === null) continue;
    assert(known.has(expected[1]), advice);
  }
});

Deno.test("names of LightGBM's own alias table are taken", () => {
  const names: { readonly [name: string]: string } = {
    num_leaf: "maxLeaves",
    monotone_constraint: "monotone",
    metric_types: "metrics",
    sub_row: "subsample",
    min_sum_hessian: "minChildWeight",
    colsample_bynode: "featuresPerNode",
    n_iter: "rounds",
  };
  for (const [name, ours] of Object.entries(names)) {
    assertEquals(canonicalParam("boost", name), ours);
  }
});

Deno.test("a loss that only others have is answered with what takes its place", () => {
  const data = {
    numRows: 1,
    features: [],
    target: { kind: "regression", name: "y", values: Float64Array.of(1) },
  } as const;
  for (const name of ["survival:cox", "binary:logitraw", "cross_entropy_lambda"]) {
    const error = assertThrows(() => lossByName(name, data), ParameterError);
    assertEquals([error.code, error.details.nearest], ["E_PARAM_UNKNOWN", undefined]);
    assert(!error.message.includes("did you mean"));
  }
});

Deno.test("a name like no other is answered in one sentence, a likely one in two", () => {
  const target = { kind: "regression", name: "y", values: Float64Array.of(1, 2) } as const;
  const data = { numRows: 2, features: [], target };
  const asked: [string, (name: string) => unknown, string][] = [
    ["metrics", metricByName, "rmsee"],
    ["losses", (name) => lossByName(name, data), "squarred"],
    ["presets", presetParams, "treelin"],
  ];
  for (const [what, ask, near] of asked) {
    const far = assertThrows(() => ask("zzzzzzzzzz"), ParameterError).message;
    assert(far.includes(`"zzzzzzzzzz": known ${what} are `), far);
    const close = assertThrows(() => ask(near), ParameterError).message;
    assert(close.includes(`"? Known ${what} are `), close);
  }
});
