import { assertAlmostEquals, assertEquals } from "@std/assert";
import { sizeOf } from "../../../../src/loss/expression/ast.ts";
import { compile } from "../../../../src/loss/expression/compile.ts";
import { derive } from "../../../../src/loss/expression/derive.ts";
import { parseFormula } from "../../../../src/loss/expression/parse.ts";

Deno.test("derive() folds constants: the second derivative of a square is a number", () => {
  const second = derive(derive(parseFormula("(raw - y)^2 / 2")));
  assertEquals(sizeOf(second) <= 3, true);
  assertEquals(compile(second)(1, 5), 1);
});

Deno.test("derive() of raw^raw is raw^raw (ln raw + 1)", () => {
  const slope = compile(derive(parseFormula("raw^raw")));
  assertAlmostEquals(slope(0, 2), 4 * (Math.log(2) + 1), 1e-12);
});
