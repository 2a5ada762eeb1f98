import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import { exportModel } from "../../../../src/convert/export_model.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { ConversionError, ModelError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { modelFromJson, modelToJson } from "../../../../src/format/json.ts";
import { createModel } from "../../../../src/model/model.ts";
import { treeText } from "../../../../src/plot/tree_text.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

/** 30 no and 10 yes; x = 0: 27 and 3, x = 1: 3 and 7. */
const DATA: Dataset = countedRows(["no", "yes"], [[0, 0, 27], [0, 1, 3], [1, 0, 3], [1, 1, 7]]);

Deno.test("priors weigh the classes in splits and leaves", async () => {
  const model = await trainCart(DATA, { priors: { no: 0.5, yes: 0.5 } });
  // Weights 2/3 and 2: 20 and 20 at the root, 18 and 6 on the left, 2 and 14 on the right.
  const { data } = model.predictProba([{ x: 0 }, { x: 1 }]);
  [0.75, 0.25, 0.125, 0.875].forEach((p, i) => assertAlmostEquals(data[i], p, 1e-14));
  // 40 · 0.5 − 24 · 0.375 − 16 · 0.21875
  assertAlmostEquals(model.ensemble.trees.gain[0], 7.5, 1e-12);
  assertAlmostEquals(model.ensemble.trees.cover[1], 24, 1e-12);
});

Deno.test("a loss matrix alters the split rule and leaves the shares", async () => {
  const model = await trainCart(DATA, { loss: [[0, 1], [10, 0]] });
  const { data } = model.predictProba([{ x: 0 }, { x: 1 }]);
  [0.9, 0.1, 0.3, 0.7].forEach((p, i) => assertAlmostEquals(data[i], p, 1e-15));
  // Altered priors: 1 and 10 over 0.75 · 1 + 0.25 · 10; Gini of weights a, b is 2ab/(a + b).
  const gain = (2 * 30 * 100 / 130 - 2 * 27 * 30 / 57 - 2 * 3 * 70 / 73) / 3.25;
  assertAlmostEquals(model.ensemble.trees.gain[0], gain, 1e-12);
});

Deno.test("predictClass() takes the class of least expected cost", async () => {
  const rows = [{ x: 0 }, { x: 1 }];
  // On the left "no" costs 3 · c and "yes" 27, on the right 7 · c and 3.
  const cases: [number, string[]][] = [
    [0.4, ["no", "no"]],
    [1, ["no", "yes"]],
    [8.9, ["no", "yes"]],
    [9, ["no", "yes"]], // a tie: the first class
    [9.1, ["yes", "yes"]],
  ];
  for (const [cost, expected] of cases) {
    const model = await trainCart(DATA, { loss: [[0, 1], [cost, 0]] });
    for (
      const again of [model, decodeModel(encodeModel(model)), modelFromJson(modelToJson(model))]
    ) {
      assertEquals(again.predictClass(rows), expected, `cost ${cost}`);
    }
  }
});

Deno.test("the cheapest of three classes may be neither the likeliest nor the second", async () => {
  const data = countedRows(["a", "b", "c"], [[0, 0, 8], [0, 1, 7], [0, 2, 5]]);
  // a costs 7 · 2 + 5 · 9 = 59, b 8 · 9 + 5 · 9 = 117, c 8 · 1 + 7 · 1 = 15.
  const model = await trainCart(data, { loss: [[0, 9, 1], [2, 0, 1], [9, 9, 0]] });
  assertEquals(model.predictClass({ x: 0 }), ["c"]);
  assertEquals((await trainCart(data)).predictClass({ x: 0 }), ["a"]);
});

Deno.test("evaluate() and plots show the class of least cost", async () => {
  const model = await trainCart(DATA, { loss: [[0, 1], [10, 0]] });
  assertEquals(evaluate(model, DATA, ["accuracy"]).metrics.accuracy, 10 / 40);
  const text = treeText(model);
  assert(text.includes("yes (10 %)") && !text.includes("no ("), text);
});

Deno.test("costs that do not fit the classes are refused", async () => {
  const model = await trainCart(DATA, { loss: [[0, 1], [10, 0]] });
  const { schema, info, ensemble } = model;
  for (const costs of [[0, 1], [0, 1, -1, 0], [0, 1, NaN, 0]]) {
    const postprocess = { ...ensemble.postprocess, costs };
    assertThrows(
      () => createModel({ schema, info, ensemble: { ...ensemble, postprocess } }),
      ModelError,
      "costs",
    );
  }
  const text = modelToJson(model);
  assertThrows(() => modelFromJson(text.replace("[0,1,10,0]", "[0,1,10]")), ModelError, "costs");
});

Deno.test("formats without costs refuse a model that has them", async () => {
  const model = await trainCart(DATA, { loss: [[0, 1], [10, 0]] });
  assertThrows(() => exportModel(model, "onnx"), ConversionError, "cost of mistakes");
});

Deno.test("pruning weighs leaves by the loss matrix", async () => {
  // The root answers "yes" for 30; leaves cost 3 · 5 and 3.
  const kept = await trainCart(DATA, { loss: [[0, 1], [5, 0]], cp: 0.1 });
  const table = kept.info.cpTable as unknown as { cp: number; relativeError: number }[];
  assertEquals(table.length, 2);
  assertAlmostEquals(table[0].cp, 0.4, 1e-14);
  assertAlmostEquals(table[1].relativeError, 0.6, 1e-14);
  assertEquals(kept.ensemble.trees.kind.length, 3);
  const cut = await trainCart(DATA, { loss: [[0, 1], [5, 0]], cp: 0.41 });
  assertEquals(cut.ensemble.trees.kind.length, 1);
  // With 10 the leaves cost 27 and 3, as much as the root.
  const useless = await trainCart(DATA, { loss: [[0, 1], [10, 0]], cp: 1e-6 });
  assertEquals(useless.ensemble.trees.kind.length, 1);
});
