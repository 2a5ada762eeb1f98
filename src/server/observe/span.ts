/**
 * Names the span that Deno's own OpenTelemetry support opened for a request (`OTEL_DENO=true`):
 * it only knows the method; the route is what makes spans comparable.
 *
 * The span is reached through the global that every copy of `@opentelemetry/api` shares, so no
 * dependency is needed, and nothing happens where telemetry is off.
 *
 * @module
 */
interface Span {
  updateName(name: string): unknown;
  setAttribute(key: string, value: string | number): unknown;
}

interface OtelApi {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

const API = Symbol.for("opentelemetry.js.api.1");
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** `POST /v1/models/:name/predict`, and `http.route`, on the active span. */
export function nameSpan(method: string, route: string): void {
  const api = (globalThis as { readonly [API]?: OtelApi })[API];
  if (api?.context === undefined) return;
  const span = api.context.active().getValue(SPAN) as Span | undefined;
  if (span === undefined) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute("http.route", route);
}
