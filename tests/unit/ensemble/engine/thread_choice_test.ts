import { assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { isLittle } from "../../../../src/ensemble/engine/thread_choice.ts";
import { lossByName } from "../../../../src/loss/losses.ts";

/** 20,000 rows of five numbers, relevance 0 or 1 in queries of so many rows. */
function table(perQuery: number): Dataset {
  const numRows = 20_000;
  const values = new Float64Array(numRows);
  return {
    numRows,
    features: Array.from({ length: 5 }, (_, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: { kind: "regression", name: "y", values: values.map((_, row) => row % 2) },
    group: Int32Array.from(values, (_, row) => Math.floor(row / perQuery)),
  };
}

Deno.test("isLittle() counts the pairs of rankings, whose gradients threads share", () => {
  const plan = (name: string, data: Dataset) => ({
    loss: lossByName(name, data),
    rounds: 30,
    learningRate: 0.1,
    seed: 0,
  });
  const [long, short] = [table(100), table(2)];
  // Trees alone: 100,000 cells x 6 levels x 30 rounds = 1.8e7 of 1.5e8 that pay. Pairs of long
  // queries: 20,000 rows x 30 rounds x 1000 = 6e8 more.
  assertEquals(isLittle(long, plan("lambdaNdcg", long)), false);
  assertEquals(isLittle(short, plan("lambdaNdcg", short)), true);
  assertEquals(isLittle(long, plan("squared", long)), true);
  // A loss that threads cannot make is no work for them.
  const { recipe: _, ...own } = lossByName("lambdaNdcg", long);
  assertEquals(isLittle(long, { ...plan("lambdaNdcg", long), loss: own }), true);
});
