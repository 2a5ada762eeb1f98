import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { TrainingError } from "../../../../src/errors.ts";

/** A few labels are far from all others. */
const data: Dataset = {
  numRows: 200,
  features: [{
    kind: "numeric",
    name: "x",
    values: Float64Array.from({ length: 200 }, (_, i) => i % 20),
  }],
  target: {
    kind: "regression",
    name: "y",
    values: Float64Array.from({ length: 200 }, (_, i) => i % 20 + (i % 50 === 0 ? 5000 : 0)),
  },
};
const params = { loss: "pseudoHuber", rounds: 30, committee: 1 };

async function warningsOf(more: { readonly [name: string]: unknown }): Promise<string[]> {
  const told: string[] = [];
  await trainBoost(data, { ...params, ...more }, { onWarning: (text) => told.push(text) });
  return told.filter((text) => text.includes("pseudoHuber"));
}

Deno.test("pseudoHuber with lambda 0 is warned of and ends in an error that says what helps", async () => {
  const told: string[] = [];
  const error = await assertRejects(
    () => trainBoost(data, { ...params, lambda: 0 }, { onWarning: (text) => told.push(text) }),
    TrainingError,
    "lambda or minChildWeight above 0",
  );
  assertEquals(error.code, "E_TRAIN_NUMERIC");
  assert(told.some((text) => text.includes("lambda above 0")));
});

Deno.test("pseudoHuber with a penalty or a largest step is not warned of", async () => {
  assertEquals(await warningsOf({ lambda: 1 }), []);
  assertEquals(await warningsOf({ lambda: 0, maxDeltaStep: 5 }), []);
  assertEquals(await warningsOf({ lambda: 0, loss: "huber" }), []);
});

Deno.test("squaredLog is warned of without any bound, and for labels that it hardly learns from", async () => {
  const told = async (scale: number, more: { readonly [name: string]: unknown }) => {
    const warnings: string[] = [];
    const values = Float64Array.from({ length: 200 }, (_, i) => scale * (1 + i % 20));
    const target = { kind: "regression", name: "y", values } as const;
    await trainBoost({ ...data, target }, { loss: "squaredLog", rounds: 2, ...more }, {
      onWarning: (text) => warnings.push(text),
    });
    return warnings.filter((text) => text.includes("squaredLog"));
  };
  assertEquals(await told(1, {}), []);
  assertEquals(await told(1, { lambda: 0 }), []);
  assert((await told(1, { lambda: 0, minChildWeight: 0 }))[0].includes("far beyond"));
  assert((await told(1e4, {}))[0].includes("hardly learns from labels near 110000"));
});

Deno.test("weighted percentiles of LightGBM 4.6, which may lie outside of the labels, are warned of", async () => {
  const told = async (more: { readonly [name: string]: unknown }, weight?: Float64Array) => {
    const warnings: string[] = [];
    const rows = weight === undefined ? data : { ...data, sampleWeight: weight };
    await trainBoost(rows, { rounds: 2, ...more }, { onWarning: (text) => warnings.push(text) });
    return warnings.filter((text) => text.includes("percentiles")).length;
  };
  const weight = new Float64Array(200).fill(2);
  const preset = "lightgbm@4";
  assertEquals(await told({ loss: "mape", preset }), 1);
  for (const loss of ["absolute", "quantile"]) {
    assertEquals(await told({ loss, preset }, weight), 1);
    assertEquals(await told({ loss, preset }), 0);
    assertEquals(await told({ loss, preset, curvature: "treeline" }, weight), 0);
  }
  assertEquals(await told({ loss: "mape" }, weight), 0);
});
