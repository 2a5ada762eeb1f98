/**
 * Elements of the page, rendered by Hono's JSX. They are written as calls, not as tags: how Deno
 * compiles tags is up to the options of the project that links Treeline, and these may name another
 * library.
 *
 * @module
 */
import { jsx } from "hono/jsx";
import type { HtmlEscapedString } from "hono/utils/html";
import { visible } from "../../util/visible.ts";

/** HTML whose text has been escaped. */
export type Element = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What stands in an element; `null`, `undefined` and booleans write nothing. */
export type Child = Element | string | number | boolean | null | undefined | readonly Child[];

/** Attributes by name; `undefined` and `false` leave one out, `true` writes its name alone. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined;
}

/**
 * An element: `h("p", { class: "soft" }, "text", other)`. Marks that would turn the order of the text
 * around them are shown as JSON's escapes, as they are in drawings of trees and on the command line.
 */
export function h(tag: string, attributes: Attributes | null, ...children: Child[]): Element {
  const label = attributes?.["aria-label"];
  const own = { ...attributes, ...typeof label === "string" && { "aria-label": inOrder(label) } };
  // The types of `jsx` know strings only; it writes all of `Child`.
  return jsx(tag, own, ...children.map(inOrderAll) as string[]) as unknown as Element;
}

/**
 * A name of the model, or words of it. It is read in its own direction, and its letters move none of the
 * text around it: a Hebrew name would draw the number behind it to its left.
 */
export function isolated(...children: Child[]): Element {
  return h("bdi", null, ...children);
}

/** Text, and the names that stand in it. */
export type Words = readonly (string | { readonly name: string })[];

/** Words with their names isolated. */
export function inWords(words: Words): Child[] {
  return words.map((word) => typeof word === "string" ? word : isolated(word.name));
}

/** Words as plain text, for what is heard and not seen. */
export function spoken(words: Words): string {
  return words.map((word) => typeof word === "string" ? word : word.name).join("");
}

/** Marks of the Unicode Bidirectional Algorithm (UAX 9, 2), which cannot be seen. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function inOrder(text: string): string {
  return text.replaceAll(TURNS, visible);
}

function inOrderAll(child: Child): Child {
  if (typeof child === "string") return inOrder(child);
  return Array.isArray(child) ? child.map(inOrderAll) : child;
}
