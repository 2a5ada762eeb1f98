import { assertAlmostEquals, assertEquals } from "@std/assert";
import { expectedCalibrationError, reliabilityTable } from "../../../src/metric/calibration.ts";

Deno.test("reliabilityTable() bins by confidence and ece weighs the gaps", () => {
  const response = Float64Array.of(0.1, 0.15, 0.9, 1);
  const labels = { values: Float64Array.of(0, 1, 1, 1) };
  const bins = reliabilityTable(
    labels,
    { raw: response, response, numRows: 4, numOutputs: 1 },
    10,
  );
  assertEquals(bins.map(({ weight, observed }) => [weight, observed]), [[2, 0.5], [2, 1]]);
  assertAlmostEquals(bins[0].confidence, 0.125, 1e-15);
  assertAlmostEquals(expectedCalibrationError(bins), (2 * 0.375 + 2 * 0.05) / 4, 1e-15);
});

Deno.test("reliabilityTable() takes the second of two classes, however many outputs tell them", () => {
  const second = [0.1, 0.15, 0.45, 0.9];
  const labels = { values: Float64Array.of(0, 1, 1, 1) };
  const table = (response: Float64Array, numOutputs: number) =>
    reliabilityTable(labels, { raw: response, response, numRows: 4, numOutputs });
  const one = table(Float64Array.from(second), 1);
  assertEquals(one.map(({ from, weight, observed }) => [from, weight, observed]), [
    [0.1, 2, 0.5],
    [0.4, 1, 1],
    [0.9, 1, 1],
  ]);
  assertEquals(table(Float64Array.of(...second.map((p) => 1 - p), ...second), 2), one);
});
