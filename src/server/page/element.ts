/**
 * What a piece of the page is once it is written.
 *
 * @module
 */
import type { HtmlEscapedString } from "hono/utils/html";

/** HTML whose text has been escaped. */
export type Element = HtmlEscapedString | Promise<HtmlEscapedString>;
