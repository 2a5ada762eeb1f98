/**
 * Other letters for the locals of a minified function: engines take all alike, and gzip packs some better,
 * those that make a text like another one. They stand in tools/build/letters.json, which `search_order.ts` writes.
 *
 * @module
 */
import { type Node, parse } from "acorn";

/** A function taken apart at its locals of one letter. */
export interface Lettered {
  /** Texts before, between and behind the locals. */
  readonly texts: readonly string[];
  /** The letter of each. */
  readonly locals: readonly string[];
  /** Those letters, each once, in ascending order. */
  readonly letters: readonly string[];
  /** Letters that stand for something else in the function. */
  readonly taken: ReadonlySet<string>;
}

/** A node of the syntax tree, with whatever members its type has. */
type Syntax = Node & { readonly [key: string]: unknown };

/** Names that are known somewhere, from the outermost to the innermost place. */
type Scopes = readonly ReadonlySet<string>[];

/** A name in a text. */
interface Token {
  readonly name: string;
  readonly start: number;
  readonly isLocal: boolean;
  /** It is the name of a member, too. */
  readonly isMember: boolean;
}

/** Takes a function apart, which is one statement. */
export function lettered(text: string): Lettered {
  const program = parse(text, { ecmaVersion: "latest", sourceType: "module" }) as Node as Syntax;
  const tokens = tokensOf(program.body);
  const isFree = ({ name, isLocal, isMember }: Token) => !isLocal || isMember || name.length > 1;
  const taken = new Set(tokens.filter(isFree).map(({ name }) => name));
  const locals = tokens.filter(({ name }) => !taken.has(name)).sort((a, b) => a.start - b.start);
  const ends = [0, ...locals.map(({ start }) => start + 1)];
  return {
    texts: ends.map((from, i) => text.slice(from, locals[i]?.start)),
    locals: locals.map(({ name }) => name),
    letters: [...new Set(locals.map(({ name }) => name))].sort(),
    taken,
  };
}

/**
 * The function with other letters.
 *
 * @param written One for each of `letters`; where they are too many or too few, or taken, as after a change of the
 * function, all stay as they are.
 */
export function withLetters(
  { texts, locals, letters, taken }: Lettered,
  written: string = letters.join(""),
): string {
  const fits = written.length === letters.length && new Set(written).size === written.length &&
    ![...written].some((letter) => taken.has(letter));
  const to = new Map(letters.map((letter, i) => [letter, fits ? written[i] : letter]));
  return texts.map((text, i) => text + (to.get(locals[i]) ?? "")).join("");
}

const isFunction = ({ type }: Syntax) => /^(Arrow)?Function/.test(type);

/** Names in statements, but those of members alone. */
function tokensOf(statements: unknown): Token[] {
  const tokens: Token[] = [];

  function add({ name, start }: Syntax, scopes: Scopes, isMember = false): void {
    const isLocal = scopes.some((scope) => scope.has(name as string));
    tokens.push({ name: name as string, start, isLocal, isMember });
  }

  function visit(value: unknown, scopes: Scopes): void {
    if (Array.isArray(value)) return value.forEach((item) => visit(item, scopes));
    const node = value as Syntax | null | undefined;
    if (typeof node?.type !== "string") return;
    const inner = (...names: readonly string[]) => [...scopes, new Set(names)];
    switch (node.type) {
      case "Identifier":
        return add(node, scopes);
      case "MemberExpression":
      case "Property":
      case "PropertyDefinition":
      case "MethodDefinition": {
        const { key, property, value, object, computed, shorthand } = node;
        visit(object, scopes);
        if (computed) visit(property ?? key, scopes);
        if (shorthand) add(key as Syntax, scopes, true);
        return visit(shorthand ? (value as Syntax).right : value, scopes);
      }
      case "MetaProperty":
      case "BreakStatement":
      case "ContinueStatement":
        return;
      case "LabeledStatement":
        return visit(node.body, scopes);
      case "CatchClause":
        return visit([node.param, node.body], inner(...namesIn(node.param)));
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "SwitchStatement":
      case "BlockStatement":
        return visitAll(node, inner(...declared(node)));
    }
    if (!isFunction(node)) return visitAll(node, scopes);
    const isExpression = node.type === "FunctionExpression";
    if (!isExpression) visit(node.id, scopes);
    const own = inner(...isExpression ? namesIn(node.id) : [], ...namesIn(node.params));
    if (isExpression) visit(node.id, own);
    visit(node.params, own);
    visit(node.body, [...own, new Set(declared(node.body as Syntax, true))]);
  }

  function visitAll(node: Syntax, scopes: Scopes): void {
    for (const [key, value] of Object.entries(node)) if (key !== "type") visit(value, scopes);
  }

  visit(statements, []);
  return tokens;
}

/** Names that a pattern, or several, binds. */
function namesIn(pattern: unknown): string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(namesIn);
  const node = pattern as Syntax | null | undefined;
  switch (node?.type) {
    case "Identifier":
      return [node.name as string];
    case "ObjectPattern":
      return namesIn(node.properties);
    case "ArrayPattern":
      return namesIn(node.elements);
    case "Property":
      return namesIn(node.value);
    case "AssignmentPattern":
      return namesIn(node.left);
    case "RestElement":
      return namesIn(node.argument);
  }
  return [];
}

/**
 * Names that a block, or what has the form of one, declares.
 *
 * @param isBody It is the body of a function, where `var` of all blocks within count.
 */
function declared(node: Syntax, isBody = false): string[] {
  const found: string[] = [];
  const look = (value: unknown, isInner: boolean): void => {
    if (Array.isArray(value)) return value.forEach((item) => look(item, isInner));
    const node = value as Syntax | null | undefined;
    if (typeof node?.type !== "string") return;
    if (node.type === "VariableDeclaration" && (!isInner || node.kind === "var")) {
      found.push(...(node.declarations as Syntax[]).flatMap(({ id }) => namesIn(id)));
    }
    if (/^(Function|Class)Declaration$/.test(node.type)) {
      if (!isInner) found.push(...namesIn(node.id));
    } else if (!isFunction(node) && (isBody || node.type === "SwitchCase")) {
      Object.values(node).forEach((item) => look(item, isInner || node.type !== "SwitchCase"));
    }
  };
  const { body, init, left, cases } = node;
  look([init, left, cases], false);
  look(Array.isArray(body) ? body : [], false);
  return found;
}
