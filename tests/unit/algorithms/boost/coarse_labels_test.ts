import { assert, assertEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";

/** Warnings of a training with labels that are 0 to 9 above a number. */
async function warningsAbove(shift: number, treeMethod: "hist" | "lightgbm"): Promise<string[]> {
  const told: string[] = [];
  const values = Float64Array.from({ length: 200 }, (_, row) => row % 10);
  await trainBoost(
    {
      numRows: 200,
      features: [{ kind: "numeric", name: "x", values }],
      target: { kind: "regression", name: "y", values: values.map((v) => shift + v) },
    },
    { preset: "lightgbm@4", treeMethod, rounds: 1 },
    { onWarning: (text) => told.push(text) },
  );
  return told.filter((text) => text.includes("coarse"));
}

Deno.test("LightGBM's method tells labels that float32 holds coarsely", async () => {
  // Neighbours of 10⁹ are 64 apart in float32.
  const told = await warningsAbove(1e9, "lightgbm");
  assertEquals(told.length, 1);
  assert(told[0].includes("coarse for these labels: subtract a constant"));
  assertEquals(await warningsAbove(0, "lightgbm"), []);
  assertEquals(await warningsAbove(1e9, "hist"), []);
});
