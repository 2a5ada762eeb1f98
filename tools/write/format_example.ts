/**
 * Writes the annotated example of docs/format.md and the file docs/example.tlm.
 *
 * @module
 */
import { annotatedExample, exampleFile } from "../../tests/support/models/format_example.ts";

const page = new URL("../../docs/format.md", import.meta.url);
const text = await Deno.readTextFile(page);
const [before] = text.split("<!-- example -->\n");
await Deno.writeTextFile(page, `${before}<!-- example -->\n\n${annotatedExample()}`);
await Deno.writeFile(new URL("../../docs/example.tlm", import.meta.url), exampleFile());
