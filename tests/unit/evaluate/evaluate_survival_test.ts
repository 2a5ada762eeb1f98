import { assertAlmostEquals, assertEquals } from "@std/assert";
import { importModel } from "../../../src/convert/import_model.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { xgboostStump } from "../../support/models/foreign_stumps.ts";

Deno.test("evaluate() judges an imported survival:cox model by coxNll, and by no error of times", () => {
  const file = xgboostStump("0.5")
    .replace("reg:squarederror", "survival:cox").replace("[0E0]", "[1E0]").replace("10,20", "0,1");
  const model = importModel(new TextEncoder().encode(file));
  const { metrics } = evaluate(model, {
    numRows: 3,
    features: [{ kind: "numeric", name: "x", values: Float64Array.of(0, 1, 1) }],
    target: { kind: "regression", name: "t", values: Float64Array.of(2, 1, -0.5) },
  });
  assertEquals(Object.keys(metrics), ["coxNll"]);
  // Raw 0 and 1. At time 1 both are at risk, at time 2 the first alone; the third was gone before.
  assertAlmostEquals(metrics.coxNll, (Math.log(1 + Math.E) - 1) / 2, 1e-7);
});
