/**
 * The derivative of a formula by the raw score. At kinks (`abs`, `min`, `max`, `if`) it is that of
 * the branch taken.
 *
 * @module
 */
import {
  add,
  apply,
  choose,
  dependsOnRaw,
  divide,
  type Formula,
  multiply,
  number,
  power,
  subtract,
  type Unary,
} from "./ast.ts";

const ONE = number(1);

/** f′(u) for each function of one argument. */
const SLOPES: { readonly [name in Unary]: (u: Formula) => Formula } = {
  exp: (u) => apply("exp", u),
  log: (u) => divide(ONE, u),
  log1p: (u) => divide(ONE, add(ONE, u)),
  expm1: (u) => apply("exp", u),
  sqrt: (u) => divide(number(0.5), apply("sqrt", u)),
  abs: (u) => apply("sign", u),
  sign: () => number(0),
  sigmoid: (u) => multiply(apply("sigmoid", u), subtract(ONE, apply("sigmoid", u))),
  softplus: (u) => apply("sigmoid", u),
  tanh: (u) => subtract(ONE, power(apply("tanh", u), number(2))),
};

/** d formula / d raw. */
export function derive(formula: Formula): Formula {
  switch (formula.kind) {
    case "raw":
      return ONE;
    case "number":
    case "y":
      return number(0);
    case "unary":
      return multiply(SLOPES[formula.name](formula.of), derive(formula.of));
    case "if":
      return choose(
        formula.op,
        formula.left,
        formula.right,
        derive(formula.yes),
        derive(formula.no),
      );
    case "binary":
      return deriveBinary(formula.op, formula.left, formula.right);
  }
}

function deriveBinary(op: string, left: Formula, right: Formula): Formula {
  switch (op) {
    case "+":
      return add(derive(left), derive(right));
    case "-":
      return subtract(derive(left), derive(right));
    case "*":
      return add(multiply(derive(left), right), multiply(left, derive(right)));
    case "/":
      if (!dependsOnRaw(right)) return divide(derive(left), right);
      return divide(
        subtract(multiply(derive(left), right), multiply(left, derive(right))),
        power(right, number(2)),
      );
    default: // ^
      if (!dependsOnRaw(right)) {
        return multiply(
          multiply(right, power(left, subtract(right, ONE))),
          derive(left),
        );
      }
      return multiply(
        power(left, right),
        add(
          multiply(derive(right), apply("log", left)),
          divide(multiply(right, derive(left)), left),
        ),
      );
  }
}
