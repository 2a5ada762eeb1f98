import { assertEquals } from "@std/assert";
import { schemaFromDataset } from "../../../../src/data/dataset/schema.ts";
import type { Dataset } from "../../../../src/data/types.ts";

const data: Dataset = {
  numRows: 2,
  features: [
    { kind: "numeric", name: "x", values: new Float64Array(2) },
    { kind: "categorical", name: "c", codes: new Int32Array(2), categories: ["a"] },
  ],
  target: { kind: "classification", name: "y", codes: new Int32Array([0, 1]), classes: ["n", "p"] },
};

Deno.test("schemaFromDataset() states the rule of each feature", () => {
  assertEquals(schemaFromDataset(data, { missingLearnt: [true, false], unknown: "node" }), {
    features: [
      { kind: "numeric", name: "x", missing: "learnt" },
      { kind: "categorical", name: "c", missing: "heavier", unknown: "node", categories: ["a"] },
    ],
    target: { name: "y" },
    task: "classification",
    classes: ["n", "p"],
    extraColumns: "ignore",
    absentColumns: "missing",
  });
});

Deno.test("schemaFromDataset() takes the task it is told and knows data without a target", () => {
  const { target: _target, ...bare } = data;
  assertEquals(schemaFromDataset(bare).target, undefined);
  assertEquals(schemaFromDataset(bare, { task: "ranking" }).task, "ranking");
});
