import { assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import { ParameterError } from "../../../../src/errors.ts";
import type { ParamInput } from "../../../../src/params/types.ts";

const x = Float64Array.from({ length: 20 }, (_, i) => i);
const data = createDataset([{ kind: "numeric", name: "x", values: x }], {
  kind: "regression",
  name: "y",
  values: x,
});

Deno.test("trainBoost() refuses alpha where other libraries mean the level of the loss", async () => {
  for (
    const [loss, own] of [["quantile", "quantiles"], ["huber", "huberDelta"], [
      "reg:quantileerror",
      "quantiles",
    ]]
  ) {
    const error = await assertRejects(
      () => trainBoost(data, { loss, alpha: 0.9, rounds: 1 }),
      ParameterError,
      own,
    );
    assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "alpha"]);
  }
  await trainBoost(data, { loss: "quantile", quantiles: [0.9], alpha: 0.1, rounds: 1 });
  await trainBoost(data, { loss: "squared", alpha: 0.1, rounds: 1 });
});

Deno.test("trainBoost() refuses parameters that nothing switches on", async () => {
  const idle: [ParamInput, string][] = [
    [{ quantile_alpha: [0.1, 0.9] }, "quantiles"], // the loss is squared
    [{ loss: "absolute", huberDelta: 2 }, "huberDelta"],
    [{ loss: "poisson", tweedie_variance_power: 1.2 }, "tweediePower"],
    [{ lambdarank_truncation_level: 10 }, "rankTruncation"],
    [{ top_rate: 0.3 }, "gossTop"],
    [{ skip_drop: 0.5 }, "skipDrop"],
    [{ earlyStoppingMetric: "mae", rounds: 3 }, "earlyStoppingMetric"],
    [{ minDelta: 0.1, rounds: 3 }, "minDelta"],
    [{ keepAll: true, rounds: 3 }, "keepAll"],
    [{ featureWeights: { x: 2 }, rounds: 3 }, "featureWeights"],
  ];
  for (const [params, param] of idle) {
    const error = await assertRejects(
      () => trainBoost(data, { rounds: 2, ...params }),
      ParameterError,
      undefined,
      param,
    );
    assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", param]);
  }
});

Deno.test("trainBoost() takes parameters that metrics use, or whose switch is given, even off", async () => {
  const fine: ParamInput[] = [
    { huberDelta: 2, metrics: ["huber"] },
    { quantiles: [0.9], metrics: ["quantile@0.9"] },
    { gossTop: 0.3, sampling: "uniform" },
    { skipDrop: 0.5, dropRate: 0 },
    { earlyStoppingMetric: "mae", earlyStoppingRounds: 0 },
    { featureWeights: { x: 2 }, featuresPerNode: 1 },
    { preset: "lightgbm@4" }, // whose huberDelta and truncation nobody gave
  ];
  for (const params of fine) await trainBoost(data, { rounds: 1, ...params });
});

Deno.test("other libraries' words with another meaning are refused, not taken for a like one", async () => {
  const wrong: ParamInput[] = [
    { init_score: 0.5 }, // LightGBM's is a raw score of each row
    { grow_policy: "SymmetricTree" },
    { sampling_method: "gradient_based" },
  ];
  for (const params of wrong) {
    await assertRejects(() => trainBoost(data, { rounds: 1, ...params }), ParameterError);
  }
});
