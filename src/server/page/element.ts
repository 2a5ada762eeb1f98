/**
 * Elements of the page, rendered by Hono's JSX. They are written as calls, not as tags: how Deno
 * compiles tags is up to the options of the project that links Treeline, and these may name another
 * library.
 *
 * @module
 */
import { jsx } from "hono/jsx";
import type { HtmlEscapedString } from "hono/utils/html";

/** HTML whose text has been escaped. */
export type Element = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What stands in an element; `null`, `undefined` and booleans write nothing. */
export type Child = Element | string | number | boolean | null | undefined | readonly Child[];

/** Attributes by name; `undefined` and `false` leave one out, `true` writes its name alone. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined;
}

/** An element: `h("p", { class: "soft" }, "text", other)`. */
export function h(tag: string, attributes: Attributes | null, ...children: Child[]): Element {
  // The types of `jsx` know strings only; it writes all of `Child`.
  return jsx(tag, { ...attributes }, ...children as string[]) as unknown as Element;
}
