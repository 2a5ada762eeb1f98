import { assertEquals } from "@std/assert";
import { alignDataset } from "../../../../src/data/dataset/align.ts";
import type { Dataset } from "../../../../src/data/types.ts";

const numbers = (name: string, ...values: number[]): Dataset => ({
  numRows: values.length,
  features: [{ kind: "numeric", name, values: Float64Array.from(values) }],
});

Deno.test("alignDataset() finds a column in another Unicode form, under the reference's name", () => {
  const [composed, apart] = ["\u00e9", "e\u0301"];
  const found = alignDataset(numbers(composed), numbers(apart, 1, 2), "valid");
  assertEquals(found.features, numbers(composed, 1, 2).features);
});
