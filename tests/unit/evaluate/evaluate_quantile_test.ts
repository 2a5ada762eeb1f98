import { assertAlmostEquals } from "@std/assert";
import { trainGbdt } from "../../../src/algorithms/classic/gbdt.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";

const DATA: Dataset = {
  numRows: 40,
  features: [{
    kind: "numeric",
    name: "x",
    values: Float64Array.from({ length: 40 }, (_, i) => i % 4),
  }],
  target: {
    kind: "regression",
    name: "y",
    values: Float64Array.from({ length: 40 }, (_, i) => (i * 7) % 11),
  },
};

/** Mean pinball loss, by its definition. */
function pinball(predicted: Float64Array, level: number): number {
  const y = (DATA.target as { readonly values: Float64Array }).values;
  const terms = y.map((label, row) => {
    const above = predicted[row] - label;
    return above > 0 ? (1 - level) * above : -level * above;
  });
  return terms.reduce((a, b) => a + b, 0) / 40;
}

for (const huberAlpha of [undefined, 0.2]) {
  Deno.test(`evaluate() judges gbdt's quantile at its own level, ${huberAlpha ?? "by default 0.9"}`, async () => {
    const params = { loss: "quantile", rounds: 5, ...(huberAlpha && { huberAlpha }) };
    const model = await trainGbdt(DATA, params);
    const expected = pinball(model.predictValue(DATA), huberAlpha ?? 0.9);
    assertAlmostEquals(evaluate(model, DATA).metrics.quantile, expected, 1e-12);
    assertAlmostEquals(
      evaluate(model, DATA, ["quantile@0.5"]).metrics["quantile@0.5"],
      pinball(model.predictValue(DATA), 0.5),
      1e-12,
    );
  });
}
