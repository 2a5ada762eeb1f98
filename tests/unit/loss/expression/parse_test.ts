import { assertAlmostEquals, assertEquals } from "@std/assert";
import { compile } from "../../../../src/loss/expression/compile.ts";
import { parseFormula } from "../../../../src/loss/expression/parse.ts";

function value(text: string, y = 2, raw = 3): number {
  return compile(parseFormula(text))(y, raw);
}

Deno.test("parseFormula() binds as written mathematics does", () => {
  assertEquals(value("1 + 2 * 3 ^ 2"), 19);
  assertEquals(value("-raw^2"), -9);
  assertEquals(value("2^3^2"), 512);
  assertEquals(value("(1 - 2) - 3"), -4);
  assertEquals(value("1 - 2 - 3"), -4);
  assertEquals(value("8 / 4 / 2"), 1);
  assertEquals(value("raw^-1 * 3"), 1);
  assertEquals(value("1.5e2 + .5"), 150.5);
});

Deno.test("parseFormula() knows functions and conditions", () => {
  assertEquals(value("max(y, raw) - min(y, raw)"), 1);
  assertEquals(value("clip(raw, 0, 1) + clip(-raw, 0, 1)"), 1);
  assertEquals(value("if(raw >= y, 10, 20)"), 10);
  assertEquals(value("if(raw == y, 10, 20)"), 20);
  assertEquals(value("pow(raw, 2) + square(y)"), 13);
  assertAlmostEquals(value("tanh(0.5)"), Math.tanh(0.5), 1e-15);
  assertAlmostEquals(value("tanh(-800)"), -1, 0);
  assertAlmostEquals(value("log(exp(raw))"), 3, 1e-15);
  assertAlmostEquals(value("softplus(0) - log(2)"), 0, 1e-15);
});
