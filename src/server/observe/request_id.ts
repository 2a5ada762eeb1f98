/**
 * Request ids: the caller's where it is a plain one, else a new one, made when somebody asks for it.
 *
 * @module
 */
let lastId = 0;
const prefix = Math.floor(performance.timeOrigin).toString(36) + "-";

/** The id that a request came with; "" where it has none, or one that could break a line. */
export function givenId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : "";
}

/** The id of a request. */
export function idOf(exchange: { requestId: string }): string {
  if (exchange.requestId === "") exchange.requestId = prefix + (++lastId).toString(36);
  return exchange.requestId;
}
