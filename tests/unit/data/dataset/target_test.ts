import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  balancedWeights,
  encodeByClasses,
  encodeTarget,
  labelsOf,
  requireTarget,
  withTask,
} from "../../../../src/data/dataset/target.ts";
import type { Column, Target } from "../../../../src/data/types.ts";
import { DataError } from "../../../../src/errors.ts";

const numbers = (...values: number[]): Column => ({
  kind: "numeric",
  name: "y",
  values: Float64Array.from(values),
});
const text = (categories: string[], ...codes: number[]): Column => ({
  kind: "categorical",
  name: "y",
  codes: Int32Array.from(codes),
  categories,
});
const classes = (target: Target) => target.kind === "classification" ? target.classes : undefined;

Deno.test("encodeTarget() reads text as classes, and only the values that occur", () => {
  const target = encodeTarget(text(["b", "unused", "a"], 0, 2, 0));
  assertEquals(target, {
    kind: "classification",
    name: "y",
    codes: new Int32Array([1, 0, 1]),
    classes: ["a", "b"],
  });
});

Deno.test("CASES I1: classes may be any values, sorted by number or by code point", () => {
  assertEquals(classes(encodeTarget(text(["lane5", "lane3"], 0, 1))), ["lane3", "lane5"]);
  assertEquals(classes(encodeTarget(text(["10", "9"], 0, 1))), ["9", "10"]);
  const gaps = encodeTarget(numbers(5, 3, 4, 3), { task: "classification" });
  assertEquals(gaps.kind === "classification" && [...gaps.codes], [2, 0, 1, 0]);
});

Deno.test("encodeTarget() reads numbers as amounts unless their only values are 0 and 1", () => {
  assertEquals(classes(encodeTarget(numbers(0, 1, 1))), ["0", "1"]);
  assertEquals(classes(encodeTarget(numbers(1, -1))), ["-1", "1"]);
  for (const amounts of [[0, 0], [1, 2], [16777216, 16777217], [0, 1, 2], [0.5, 1]]) {
    assertEquals(encodeTarget(numbers(...amounts)).kind, "regression");
  }
  assertEquals(encodeTarget(numbers(0, 1), { task: "regression" }).kind, "regression");
});

Deno.test("encodeTarget() says that few whole numbers were read as amounts", () => {
  const said: string[] = [];
  const onWarning = (message: string) => said.push(message);
  encodeTarget(numbers(1, 2, 3), { onWarning });
  assertStringIncludes(said[0], `3 distinct whole numbers`);
  encodeTarget(numbers(1, 2, 3), { onWarning, task: "regression" });
  encodeTarget(numbers(1.5, 2, 3), { onWarning });
  encodeTarget(numbers(...Array.from({ length: 30 }, (_, i) => i)), { onWarning });
  assertEquals(said.length, 1);
});

Deno.test("CASES D7: a missing target is refused with its rows", () => {
  const error = assertThrows(() => encodeTarget(numbers(NaN, 5, NaN)), DataError);
  assertEquals([error.code, error.details.rows, error.details.count], ["E_DATA_TARGET", [1, 3], 2]);
  assertStringIncludes(error.message, "rows 1, 3");
  assertThrows(() => encodeTarget(text(["a", "b"], 0, -1, 1)), DataError, "row 2");
});

Deno.test("encodeTarget() refuses infinite amounts and text as amounts", () => {
  assertThrows(() => encodeTarget(numbers(1, Infinity)), DataError, "row 2");
  const error = assertThrows(
    () => encodeTarget(text(["1", "x"], 0, 1), { task: "regression" }),
    DataError,
  );
  assertEquals(error.details, { column: "y", value: "x", row: 2 });
});

Deno.test("CASES H3: one class is an error that names it, unless it is allowed", () => {
  const error = assertThrows(() => encodeTarget(text(["a"], 0, 0)), DataError);
  assertStringIncludes(error.message, `every row is "a"`);
  assertEquals(classes(encodeTarget(text(["a"], 0, 0), { allowSingleClass: true })), ["a"]);
});

Deno.test("withTask() turns numeric classes into amounts and back without loss", () => {
  const features: Column[] = [{ kind: "numeric", name: "x", values: new Float64Array(3) }];
  const target = encodeTarget(numbers(0.1, 1e21, -0.25), { task: "classification" });
  const amounts = withTask({ numRows: 3, features, target }, "regression");
  assertEquals(amounts.target, {
    kind: "regression",
    name: "y",
    values: new Float64Array([0.1, 1e21, -0.25]),
  });
  assertEquals(withTask(amounts, "classification").target, target);
  const words = encodeTarget(text(["a", "b"], 0, 1, 1));
  assertThrows(() => withTask({ numRows: 3, features, target: words }, "regression"), DataError);
});

Deno.test("CASES I2: evaluation labels go through the model's classes", () => {
  const codes = encodeByClasses(encodeTarget(text(["c", "b"], 0, 1, 1)), ["a", "b", "c"]);
  assertEquals([...codes], [2, 1, 1]);
  const error = assertThrows(
    () => encodeByClasses(encodeTarget(text(["b", "c"], 0, 1)), ["a", "b"]),
    DataError,
  );
  assertEquals([error.code, error.details.class], ["E_DATA_TARGET", "c"]);
  assertEquals([...encodeByClasses(encodeTarget(numbers(1, 2, 1)), ["1.0", "2"])], [0, 1, 0]);
});

Deno.test("requireTarget() refuses data without one; labelsOf() gives class codes as numbers", () => {
  const features: Column[] = [{ kind: "numeric", name: "x", values: new Float64Array(2) }];
  const error = assertThrows(() => requireTarget({ numRows: 2, features }), DataError);
  assertEquals(error.code, "E_DATA_TARGET");
  const target = encodeTarget(text(["a", "b"], 1, 0));
  assertEquals(labelsOf({ numRows: 2, features, target }).values, new Float64Array([1, 0]));
});

Deno.test("balancedWeights() gives every class the same total and keeps the sum", () => {
  const weights = balancedWeights(encodeTarget(text(["a", "b"], 0, 0, 0, 1)));
  assertEquals(weights, new Float64Array([2 / 3, 2 / 3, 2 / 3, 2]));
  // A class without rows takes no share: 4 rows are still 4.
  const codes = Int32Array.of(0, 0, 0, 2);
  const gap = balancedWeights({ kind: "classification", name: "y", codes, classes: [..."abc"] });
  assertEquals(gap, weights);
});
