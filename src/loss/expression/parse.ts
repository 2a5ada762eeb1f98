/**
 * Text → formula. The language has numbers, `y`, `raw`, + − * / ^, parentheses, the functions of
 * `ast.ts`, `square(x)`, `pow(x, n)`, `min(a, b)`, `max(a, b)`, `clip(x, low, high)` and
 * `if(a < b, then, else)`. Nothing else: it cannot loop, read or call anything.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import { nearest } from "../../util/nearest.ts";
import {
  add,
  apply,
  choose,
  type Comparison,
  divide,
  type Formula,
  multiply,
  number,
  power,
  RAW,
  subtract,
  type Unary,
  Y,
} from "./ast.ts";

const MAX_LENGTH = 2000;
const MAX_DEPTH = 100;

const UNARY: ReadonlySet<string> = new Set<Unary>([
  "exp",
  "log",
  "log1p",
  "expm1",
  "sqrt",
  "abs",
  "sign",
  "sigmoid",
  "softplus",
  "tanh",
]);

/** Functions made of others, with their number of arguments. */
const MACROS: {
  readonly [name: string]: readonly [number, (...args: Formula[]) => Formula];
} = {
  square: [1, (x) => power(x, number(2))],
  pow: [2, power],
  min: [2, (a, b) => choose("<=", a, b, a, b)],
  max: [2, (a, b) => choose(">=", a, b, a, b)],
  clip: [3, (x, low, high) => choose("<", x, low, low, choose(">", x, high, high, x))],
};

const NAMES: { readonly [name: string]: Formula } = {
  y: Y,
  raw: RAW,
  pi: number(Math.PI),
};

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|(<=|>=|==|!=|[-+*/^(),<>]))/y;

interface Token {
  readonly kind: "number" | "name" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

/** Refuses the formula with the place where it went wrong (from 1). */
function refuse(text: string, at: number, found: string, expected: string): never {
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot read loss formula ${JSON.stringify(text)} at character ${
      at + 1
    }: found ${found}, expected ${expected}`,
    { details: { param: "loss", formula: text, offset: at } },
  );
}

function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== "") {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) {
      const place = at + text.slice(at).search(/\S/);
      refuse(text, place, JSON.stringify(text[place]), "a number, a name or an operator");
    }
    const [, digits, name, sign] = match;
    const token = digits ?? name ?? sign;
    const kind = digits !== undefined ? "number" : name !== undefined ? "name" : "sign";
    tokens.push({ kind, text: token, at: TOKEN.lastIndex - token.length });
    at = TOKEN.lastIndex;
  }
  tokens.push({ kind: "end", text: "", at: text.length });
  return tokens;
}

/**
 * Parses a formula.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` with the offset of the first problem.
 */
export function parseFormula(text: string): Formula {
  if (text.length > MAX_LENGTH) {
    refuse(text.slice(0, 40) + "…", MAX_LENGTH, `${text.length} characters`, "at most 2000");
  }
  const tokens = tokenise(text);
  let next = 0;
  let depth = 0;

  const peek = () => tokens[next];
  const shown = (token: Token) => token.kind === "end" ? "the end" : JSON.stringify(token.text);
  const takes = (sign: string): boolean => {
    if (peek().kind !== "sign" || peek().text !== sign) return false;
    next++;
    return true;
  };
  const need = (sign: string): void => {
    if (!takes(sign)) refuse(text, peek().at, shown(peek()), `"${sign}"`);
  };

  function sum(): Formula {
    if (++depth > MAX_DEPTH) refuse(text, peek().at, "deep nesting", `at most ${MAX_DEPTH} levels`);
    let left = product();
    for (;;) {
      if (takes("+")) left = add(left, product());
      else if (takes("-")) left = subtract(left, product());
      else break;
    }
    depth--;
    return left;
  }

  function product(): Formula {
    let left = signed();
    for (;;) {
      if (takes("*")) left = multiply(left, signed());
      else if (takes("/")) left = divide(left, signed());
      else return left;
    }
  }

  // −x^2 is −(x^2), and x^−2 is allowed, as in written mathematics.
  function signed(): Formula {
    if (++depth > MAX_DEPTH) refuse(text, peek().at, "deep nesting", `at most ${MAX_DEPTH} levels`);
    const found = takes("-") ? subtract(number(0), signed()) : takes("+") ? signed() : raised();
    depth--;
    return found;
  }

  function raised(): Formula {
    const base = atom();
    return takes("^") ? power(base, signed()) : base;
  }

  function atom(): Formula {
    const token = peek();
    if (takes("(")) {
      const inside = sum();
      need(")");
      return inside;
    }
    if (token.kind === "number") {
      next++;
      return number(Number(token.text));
    }
    if (token.kind !== "name") refuse(text, token.at, shown(token), `a number, "y", "raw" or "("`);
    next++;
    if (takes("(")) return call(token);
    if (Object.hasOwn(NAMES, token.text)) return NAMES[token.text];
    return unknown(token, Object.keys(NAMES));
  }

  function call(token: Token): Formula {
    if (token.text === "if") {
      const left = sum();
      const sign = peek();
      if (!/^(<|<=|>|>=|==|!=)$/.test(sign.text)) {
        refuse(text, sign.at, shown(sign), "a comparison");
      }
      next++;
      const right = sum();
      need(",");
      const yes = sum();
      need(",");
      const no = sum();
      need(")");
      return choose(sign.text as Comparison, left, right, yes, no);
    }
    const args = [sum()];
    while (takes(",")) args.push(sum());
    need(")");
    const [count, make] = UNARY.has(token.text)
      ? [1, (x: Formula) => apply(token.text as Unary, x)] as const
      : Object.hasOwn(MACROS, token.text)
      ? MACROS[token.text]
      : unknown(token, [...UNARY, ...Object.keys(MACROS), "if"]);
    if (args.length !== count) {
      refuse(text, token.at, `${args.length} arguments of ${token.text}`, `${count}`);
    }
    return (make as (...args: Formula[]) => Formula)(...args);
  }

  function unknown(token: Token, known: readonly string[]): never {
    const right = nearest(token.text, known);
    refuse(
      text,
      token.at,
      JSON.stringify(token.text),
      right === undefined ? `one of ${known.join(", ")}` : `"${right}"`,
    );
  }

  const formula = sum();
  if (peek().kind !== "end") refuse(text, peek().at, shown(peek()), "an operator or the end");
  return formula;
}
