/**
 * What `Deno.serve` has of a request when it calls its handler, without what the web's `Request` adds
 * to it: who asks `Request` for headers pays for a list of all of them, and who asks it for the body
 * waits for promises although mostly all of it is there. That is a fifth of a request (bench/serving.md).
 *
 * The parts are those that Deno's own `Request.json()` and `Headers.get()` use (ext/fetch/23_request.js,
 * ext/http/00_serve.ts), found by the symbol that they are under, as @hono/node-server finds those of
 * Node's `Response`. They are no promise of Deno: where any is not there, in older versions and other
 * runtimes, or a request was made by `new Request`, there is nothing to be had, and the public way
 * serves as well, only slower. tests/unit/runtime/arrived_test.ts holds that both say the same.
 *
 * @module
 */

/** A request as it came. */
export interface Arrived {
  /** As `headers.get`. */
  header(name: string): string | null;
  /**
   * Takes the body as `text()` would, with U+FFFD for bytes that are not UTF-8, but leaves a byte
   * order mark where it is.
   *
   * @returns null where it is not all there yet or was taken: `text()` and `bytes()` are then as they were.
   */
  consumeTextBody(): string | null;
}

/** Where requests have it; null until it was looked for. */
let key: symbol | undefined | null = null;

function findKey(): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(new Request("http://localhost/"));
  return symbols.find(({ description }) => description === "request");
}

/** A request as it came, if there is more of it than every `Request` has. */
export function arrivedOf(request: Request): Arrived | undefined {
  if (key === null) key = findKey();
  if (key === undefined) return undefined;
  const found = (request as unknown as { readonly [key]?: Partial<Arrived> })[key];
  return typeof found?.header === "function" && typeof found.consumeTextBody === "function"
    ? found as Arrived
    : undefined;
}

/** Takes the body as `consumeTextBody` does; undefined where that has to be waited for. */
export function takeText(arrived: Arrived): string | undefined {
  const text = arrived.consumeTextBody();
  return typeof text === "string" ? text : undefined;
}
