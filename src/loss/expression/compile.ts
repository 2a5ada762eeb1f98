/**
 * Formula → function, by closures: no code is made from text, so it runs where `eval` may not.
 *
 * @module
 */
import { exp, expm1, log, log1p, pow, sigmoid, softplus } from "../../util/math.ts";
import type { Comparison, Formula, Unary } from "./ast.ts";

/** A compiled formula. */
export type Compiled = (y: number, raw: number) => number;

const FUNCTIONS: { readonly [name in Unary]: (x: number) => number } = {
  exp,
  log,
  log1p,
  expm1,
  sqrt: Math.sqrt,
  abs: Math.abs,
  sign: Math.sign,
  sigmoid,
  softplus,
  tanh: (x) => {
    const e = expm1(-2 * Math.abs(x)); // −(1 − e^−2|x|): exact near zero, no overflow far away
    return Math.sign(x) * -e / (2 + e);
  },
};

const TESTS: { readonly [op in Comparison]: (a: number, b: number) => boolean } = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

/** Makes a function of the label and the raw score. */
export function compile(formula: Formula): Compiled {
  switch (formula.kind) {
    case "number": {
      const { value } = formula;
      return () => value;
    }
    case "y":
      return (y) => y;
    case "raw":
      return (_, raw) => raw;
    case "unary": {
      const run = FUNCTIONS[formula.name];
      const of = compile(formula.of);
      return (y, raw) => run(of(y, raw));
    }
    case "if": {
      const test = TESTS[formula.op];
      const left = compile(formula.left);
      const right = compile(formula.right);
      const yes = compile(formula.yes);
      const no = compile(formula.no);
      return (y, raw) => test(left(y, raw), right(y, raw)) ? yes(y, raw) : no(y, raw);
    }
    case "binary": {
      const left = compile(formula.left);
      const right = compile(formula.right);
      switch (formula.op) {
        case "+":
          return (y, raw) => left(y, raw) + right(y, raw);
        case "-":
          return (y, raw) => left(y, raw) - right(y, raw);
        case "*":
          return (y, raw) => left(y, raw) * right(y, raw);
        case "/":
          return (y, raw) => left(y, raw) / right(y, raw);
        case "^":
          return (y, raw) => pow(left(y, raw), right(y, raw));
      }
    }
  }
}
