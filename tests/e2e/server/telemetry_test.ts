/**
 * Spans of Deno's own OpenTelemetry support, as a collector gets them: named by route, within the
 * caller's trace, without values.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { saveModel } from "../../../src/files/model_file.ts";
import { serving } from "../../support/processes/process.ts";
import { numbersModel } from "../../support/models/small.ts";
import { tempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";

const root = new URL("../../../", import.meta.url).pathname;

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** Spans within an OTLP/JSON export. */
function spansOf(body: string): Span[] {
  const { resourceSpans = [] } = JSON.parse(body);
  return resourceSpans.flatMap((r: { scopeSpans: { spans: Span[] }[] }) =>
    r.scopeSpans.flatMap(({ spans }) => spans)
  );
}

Deno.test("a request is a span named by its route, in the trace of its caller", async () => {
  await using folder = await tempFolder();
  await saveModel(numbersModel(), folder.file("m.tlm"));
  const spans: Span[] = [];
  const bodies: string[] = [];
  await using collector = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const body = await request.text();
      bodies.push(body);
      if (request.url.endsWith("/v1/traces")) spans.push(...spansOf(body));
      return Response.json({});
    },
  );
  await using server = await serving(
    Deno.execPath(),
    ["run", "-A", "--no-check", `${root}server.ts`],
    root,
    {
      TREELINE_MODELS: folder.path,
      PORT: "0",
      HOST: "127.0.0.1",
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    },
  );
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const ask = async (path: string, body: string) => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body,
    });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await ask("/v1/models/m/predict", '{"a":1234567,"b":2}'), 200);
  assertEquals(await ask("/v1/models/m/predict", '{"a":1234567,"b":2}'), 200); // the short way
  assertEquals(await ask("/v2/models/m/infer", "{}"), 422);
  const wanted = ["POST /v1/models/:name/predict", "POST /v2/models/:name/infer"];
  const isThere = () => wanted.every((name) => spans.some((span) => span.name === name));
  await until(isThere, () => JSON.stringify(spans.map(({ name }) => name)));
  for (const name of wanted) {
    const span = spans.find((span) => span.name === name);
    assert(span !== undefined);
    assertEquals(span.traceId, traceId);
    const route = span.attributes.find(({ key }) => key === "http.route");
    assertEquals(route?.value, { stringValue: name.slice("POST ".length) });
  }
  assert(!bodies.some((body) => body.includes("1234567")));
  assertEquals(await server.stop(), 0);
});
