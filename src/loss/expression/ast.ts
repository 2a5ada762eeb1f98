/**
 * Formulas of a label `y` and a raw score `raw` as trees, built through functions that fold
 * constants, so that derivatives stay short.
 *
 * @module
 */

/** Functions of one argument. */
export type Unary =
  | "exp"
  | "log"
  | "log1p"
  | "expm1"
  | "sqrt"
  | "abs"
  | "sign"
  | "sigmoid"
  | "softplus"
  | "tanh";

/** Operators of two arguments. */
export type Binary = "+" | "-" | "*" | "/" | "^";

/** Comparisons, only as the condition of `if`. */
export type Comparison = "<" | "<=" | ">" | ">=" | "==" | "!=";

/** One node of a formula. */
export type Formula =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "y" }
  | { readonly kind: "raw" }
  | { readonly kind: "unary"; readonly name: Unary; readonly of: Formula }
  | {
    readonly kind: "binary";
    readonly op: Binary;
    readonly left: Formula;
    readonly right: Formula;
  }
  | {
    readonly kind: "if";
    readonly op: Comparison;
    readonly left: Formula;
    readonly right: Formula;
    readonly yes: Formula;
    readonly no: Formula;
  };

/** The label. */
export const Y: Formula = { kind: "y" };
/** The raw score. */
export const RAW: Formula = { kind: "raw" };

/** A constant. */
export function number(value: number): Formula {
  return { kind: "number", value };
}

/** Whether a formula is this constant. */
export function isNumber(formula: Formula, value?: number): boolean {
  return formula.kind === "number" && (value === undefined || formula.value === value);
}

function constant(formula: Formula): number | undefined {
  return formula.kind === "number" ? formula.value : undefined;
}

/** left + right */
export function add(left: Formula, right: Formula): Formula {
  if (isNumber(left, 0)) return right;
  if (isNumber(right, 0)) return left;
  return fold("+", left, right, (a, b) => a + b);
}

/** left − right */
export function subtract(left: Formula, right: Formula): Formula {
  if (isNumber(right, 0)) return left;
  if (isNumber(left, 0)) return multiply(number(-1), right);
  return fold("-", left, right, (a, b) => a - b);
}

/** left · right */
export function multiply(left: Formula, right: Formula): Formula {
  if (isNumber(left, 0) || isNumber(right, 0)) return number(0);
  if (isNumber(left, 1)) return right;
  if (isNumber(right, 1)) return left;
  return fold("*", left, right, (a, b) => a * b);
}

/** left / right */
export function divide(left: Formula, right: Formula): Formula {
  if (isNumber(left, 0)) return number(0);
  if (isNumber(right, 1)) return left;
  return fold("/", left, right, (a, b) => a / b);
}

/** base ^ exponent */
export function power(base: Formula, exponent: Formula): Formula {
  if (isNumber(exponent, 0)) return number(1);
  if (isNumber(exponent, 1)) return base;
  return { kind: "binary", op: "^", left: base, right: exponent };
}

/** A function of one argument. */
export function apply(name: Unary, of: Formula): Formula {
  return { kind: "unary", name, of };
}

/** `yes` where the comparison holds, else `no`. */
export function choose(
  op: Comparison,
  left: Formula,
  right: Formula,
  yes: Formula,
  no: Formula,
): Formula {
  if (yes.kind === "number" && no.kind === "number" && yes.value === no.value) return yes;
  return { kind: "if", op, left, right, yes, no };
}

function fold(
  op: Binary,
  left: Formula,
  right: Formula,
  compute: (a: number, b: number) => number,
): Formula {
  const [a, b] = [constant(left), constant(right)];
  return a !== undefined && b !== undefined
    ? number(compute(a, b))
    : { kind: "binary", op, left, right };
}

/** Number of nodes. */
export function sizeOf(formula: Formula): number {
  switch (formula.kind) {
    case "unary":
      return 1 + sizeOf(formula.of);
    case "binary":
      return 1 + sizeOf(formula.left) + sizeOf(formula.right);
    case "if":
      return 1 + sizeOf(formula.left) + sizeOf(formula.right) + sizeOf(formula.yes) +
        sizeOf(formula.no);
    default:
      return 1;
  }
}

/** Whether the raw score occurs. */
export function dependsOnRaw(formula: Formula): boolean {
  switch (formula.kind) {
    case "raw":
      return true;
    case "unary":
      return dependsOnRaw(formula.of);
    case "binary":
      return dependsOnRaw(formula.left) || dependsOnRaw(formula.right);
    case "if":
      return [formula.left, formula.right, formula.yes, formula.no].some(dependsOnRaw);
    default:
      return false;
  }
}
