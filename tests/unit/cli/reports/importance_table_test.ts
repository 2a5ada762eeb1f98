import { assert, assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { importanceRows } from "../../../../src/cli/reports/importance_table.ts";
import { createModel } from "../../../../src/model/model.ts";
import { surrogateParts } from "../../../support/models/surrogate.ts";

Deno.test("what shuffling costs is measured for columns that only surrogates ask, too", async () => {
  // x is missing throughout: y alone says which of both sides, 1 where it is larger than 2, else 2.
  const y = Float64Array.from({ length: 40 }, (_, row) => row % 4);
  const data: Dataset = {
    numRows: 40,
    features: [
      { kind: "numeric", name: "x", values: new Float64Array(40).fill(NaN) },
      { kind: "numeric", name: "y", values: y },
      { kind: "categorical", name: "c", codes: new Int32Array(40).fill(-1), categories: [] },
      { kind: "numeric", name: "z", values: new Float64Array(40) },
    ],
    target: { kind: "regression", name: "t", values: y.map((value) => value > 2 ? 1 : 2) },
  };
  const { importance } = await importanceRows(createModel(surrogateParts()), data);
  const costs = Object.fromEntries(
    importance.map(({ feature, permutation }) => [feature, permutation]),
  );
  assert(costs.y! > 0.1, String(costs.y));
  assertEquals({ ...costs, y: 0 }, { x: 0, y: 0, c: 0, z: 0 });
});
