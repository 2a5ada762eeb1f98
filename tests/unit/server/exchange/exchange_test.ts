import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { RequestError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import type { ServerOptions } from "../../../../src/server/options.ts";
import { withClock } from "../../../support/stand_ins/clock.ts";
import { numbersModel, textModel } from "../../../support/models/small.ts";

function start(options: Omit<ServerOptions, "models"> = {}) {
  return createApp({ models: { m: numbersModel() }, ...options });
}

function predict(
  app: ReturnType<typeof start>,
  headers: Record<string, string> = {},
  body: BodyInit = '{"a":1,"b":null}',
): Promise<Response> {
  return Promise.resolve(app.request("/v1/models/m/predict", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  }));
}

Deno.test("tokens are needed where they are set, several at a time, probes excepted", async () => {
  let tokens = ["old"];
  const app = start({ tokens: () => tokens });
  const without = await predict(app);
  assertEquals(without.status, 401);
  assertEquals(without.headers.get("www-authenticate"), "Bearer");
  assertEquals((await without.json()).code, "E_HTTP_AUTH");
  const with_ = (token: string) =>
    predict(app, { authorization: `Bearer ${token}` }).then((r) => r.status);
  assertEquals(await with_("old"), 200);
  assertEquals(await with_("new"), 401);
  tokens = ["old", "new"];
  assertEquals([await with_("old"), await with_("new")], [200, 200]);
  tokens = ["new"];
  assertEquals([await with_("old"), await with_("")], [401, 401]);
  assertEquals((await app.request("/healthz")).status, 200);
  assertEquals((await app.request("/metrics")).status, 401);
});

Deno.test("errors of the host say nothing of themselves to callers", async () => {
  const lines: string[] = [];
  const tokens = () => {
    throw new Error("secret /etc/tokens");
  };
  const response = await predict(start({ tokens, log: (line) => lines.push(line) }));
  assertEquals(response.status, 500);
  assert(!(await response.text()).includes("secret"));
  assert(lines.some((line) => line.includes("secret")), "the log tells it");
});

Deno.test("load above maxConcurrent is refused at once, not queued", async () => {
  const app = start({ maxConcurrent: 1 });
  const { readable, writable } = new TransformStream();
  const slow = predict(app, {}, readable);
  const shed = await predict(app);
  assertEquals([shed.status, shed.headers.get("retry-after")], [503, "1"]);
  assertEquals((await shed.json()).code, "E_HTTP_BUSY");
  assertEquals((await app.request("/healthz")).status, 200);
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode('{"a":1,"b":2}'));
  await writer.close();
  assertEquals((await slow).status, 200);
  assertEquals((await predict(app)).status, 200);
});

/** Lets go on what is there to be done. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

Deno.test("bodies that do not arrive give up their places once the server is full", () =>
  withClock(async (pass) => {
    const app = start({ maxConcurrent: 2, maxBodyMillis: 50 });
    const slow = (type: string) => {
      const pipe = new TransformStream<Uint8Array, Uint8Array>();
      const writer = pipe.writable.getWriter();
      writer.write(new TextEncoder().encode('{"a":')).catch(() => {});
      return { writer, answer: predict(app, { "content-type": type }, pipe.readable) };
    };
    // The model is loaded, and what answers lines.
    await (await predict(app, { "content-type": "application/x-ndjson" })).text();
    const first = slow("application/json");
    const lines = slow("application/x-ndjson");
    const shed = await predict(app);
    assertEquals([shed.status, (await shed.json()).code], [503, "E_HTTP_BUSY"]); // both have just come
    await settle();
    pass(200);
    lines.writer.write(new Uint8Array(20).fill(32)).catch(() => {}); // a few bytes are no progress
    assertEquals((await predict(app)).status, 200);
    const gone = await first.answer;
    assertEquals([gone.status, (await gone.json()).code], [408, "E_HTTP_SLOW"]);
    const third = slow("text/csv");
    assertEquals((await predict(app)).status, 200);
    assertMatch(await (await lines.answer).text(), /"E_HTTP_SLOW"/);
    third.writer.abort().catch(() => {});
    assertEquals((await third.answer).status, 400);
    assertEquals(/^treeline_in_flight (.*)$/m.exec(app.metrics())?.[1], "0");
  }));

Deno.test("answers that nobody reads give up their places once the server is full", () =>
  withClock(async (pass) => {
    const app = start({ maxConcurrent: 2, maxBodyMillis: 50 });
    const lines = () =>
      predict(
        app,
        { "content-type": "application/x-ndjson" },
        new ReadableStream({
          pull: (controller) => controller.enqueue(new TextEncoder().encode('{"a":1,"b":2}\n')),
        }),
      );
    const [unread, read] = [await lines(), await lines()];
    const reader = read.body!.getReader();
    const shed = await predict(app);
    assertEquals([shed.status, (await shed.json()).code], [503, "E_HTTP_BUSY"]); // both have just come
    await settle();
    pass(200);
    for (let i = 0; i < 3; i++) await reader.read();
    assertEquals((await predict(app)).status, 200);
    const error = await assertRejects(() => unread.text(), RequestError);
    assertEquals(error.code, "E_HTTP_SLOW");
    // Who reads on keeps its place, and nobody is counted twice.
    assertEquals((await reader.read()).done, false);
    assertEquals(/^treeline_in_flight (.*)$/m.exec(app.metrics())?.[1], "1");
    await reader.cancel();
    assertEquals(/^treeline_in_flight (.*)$/m.exec(app.metrics())?.[1], "0");
    assertEquals((await predict(app)).status, 200);
  }));

Deno.test("who waited too long behind others is refused, and the load is told", async () => {
  const app = start({ maxWaitMillis: 0 });
  // All are there before the first is worked on; each then waits for those before it.
  const answers = await Promise.all(Array.from({ length: 50 }, () => predict(app)));
  const statuses = answers.map(({ status }) => status);
  assertEquals(statuses[0], 200);
  const shed = statuses.filter((status) => status === 503).length;
  assert(shed > 0 && statuses.every((status) => status === 200 || status === 503), `${statuses}`);
  const refused = answers.find(({ status }) => status === 503)!;
  assertEquals(refused.headers.get("retry-after"), "1");
  assertEquals((await refused.json()).code, "E_HTTP_BUSY");
  const text = await (await app.request("/metrics")).text();
  assert(text.includes(`\ntreeline_shed_total ${shed}\n`), text);
});

Deno.test("lines in flight are counted off once, also where they are refused before they stream", async () => {
  const app = start();
  const inFlight = () => /^treeline_in_flight (.*)$/m.exec(app.metrics())?.[1];
  const lines = { "content-type": "application/x-ndjson" };
  for (const body of ["", '{"a":1}\n', "\n".repeat(70_000)]) { // the last is streamed
    const answer = await predict(app, lines, body);
    await answer.text();
    assertEquals([answer.status, inFlight()], [200, "0"]);
  }
  const refused = await predict(app, { ...lines, "content-encoding": "br" });
  await refused.text();
  assertEquals([refused.status, inFlight()], [415, "0"]);
  const pieces = ReadableStream.from(
    ['{"a":1}\n', '{"a":2}\n'].map((line) => new TextEncoder().encode(line)),
  );
  const left = await predict(app, lines, pieces);
  await left.body!.cancel();
  assertEquals(inFlight(), "0");
});

Deno.test("drain() fails readiness and waits for what is in flight", async () => {
  const app = start();
  const { readable, writable } = new TransformStream();
  const slow = predict(app, {}, readable);
  let drained = false;
  const draining = app.drain(5000).then(() => drained = true);
  assertEquals((await app.request("/readyz")).status, 503);
  assertEquals((await app.request("/livez")).status, 200);
  assert(!drained);
  await writable.getWriter().close();
  assertEquals((await slow).status, 422);
  await draining;
});

Deno.test("bodies are bounded with and without a declared length", async () => {
  const app = start({ maxBytes: 100 });
  const long = new Uint8Array(200).fill(32);
  assertEquals((await predict(app, { "content-length": "200" }, long)).status, 413);
  const chunks = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(60).fill(32));
    },
  });
  assertEquals((await predict(app, {}, chunks)).status, 413);
});

Deno.test("texts, columns and rows are bounded by the options", async () => {
  const models = { m: textModel() };
  const ask = async (limits: object, body: string, type = "application/json") => {
    const response = await createApp({ models, ...limits }).request("/v1/models/m/predict", {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    const { code, details } = await response.json();
    return response.status === 200 ? 200 : `${response.status} ${code} ${details.limit}`;
  };
  const cases: readonly (readonly [string, number, (size: number) => string, string?])[] = [
    ["maxString", 20, (size) => `{"job":"${"x".repeat(size)}"}`],
    ["maxString", 20, (size) => `job\n${"x".repeat(size)}\n`, "text/csv"],
    ["maxRows", 3, (size) => `[${new Array(size).fill('{"job":"a"}')}]`],
    ["maxRows", 3, (size) => `job\n${"a\n".repeat(size)}`, "text/csv"],
    [
      "maxColumns",
      4,
      (size) => `{"job":"a"${Array.from({ length: size }, (_, i) => `,"x${i}":1`).join("")}}`,
    ],
  ];
  for (const [limit, most, body, type] of cases) {
    assertEquals(await ask({ [limit]: most }, body(most), type), 200, `${limit} ${type}`);
    assertEquals(
      await ask({ [limit]: most }, body(most + 1), type),
      `413 E_DATA_LIMIT ${limit}`,
      `${limit} ${type}`,
    );
  }
});

Deno.test("the time budget ends scoring between blocks of rows", async () => {
  const app = start({ maxMillis: -1 });
  const a = new Array(600).fill(1);
  const answer = await predict(app, {}, JSON.stringify({ a, b: a }));
  assertEquals([answer.status, (await answer.json()).code], [503, "E_HTTP_BUSY"]);
});

Deno.test("the time budget ends explanations between trees", async () => {
  const explain = async (maxMillis: number) =>
    await start({ maxMillis }).request("/v1/models/m/explain", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"a":1,"b":2}',
    });
  assertEquals((await explain(10_000)).status, 200);
  const late = await explain(-1);
  assertEquals([late.status, (await late.json()).code], [503, "E_HTTP_BUSY"]);
});

Deno.test("bodies that are nested too deep are refused before they are parsed", async () => {
  const app = start({ maxDepth: 3 });
  const nested = (depth: number, value = "1") => "[".repeat(depth) + value + "]".repeat(depth);
  const cases: [string, string, number, string][] = [
    ["/v1/models/m/predict", nested(3), 422, "E_DATA_SHAPE"],
    ["/v1/models/m/predict", nested(4), 413, "E_DATA_LIMIT"],
    ["/v1/models/m/predict", "[".repeat(1_000_000), 413, "E_DATA_LIMIT"],
    ["/v1/models/m/predict", nested(3, '"[[[[{{{\\"["'), 422, "E_DATA_SHAPE"],
    ["/v1/models/m:predict", `{"instances":${nested(3)}}`, 413, "E_DATA_LIMIT"],
    ["/v2/models/m/infer", `{"inputs":${nested(3)}}`, 413, "E_DATA_LIMIT"],
    ["/invocations", `{"inputs":${nested(3)}}`, 413, "E_DATA_LIMIT"],
  ];
  for (const [path, body, status, code] of cases) {
    const answer = await app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    assertEquals([path, answer.status, (await answer.json()).code], [path, status, code]);
  }
  const lines = await app.request("/v1/models/m/predict", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: `${nested(4)}\n{"a":1,"b":1}\n`,
  });
  const [first, second] = (await lines.text()).split("\n");
  assertEquals([JSON.parse(first).error.code, second], ["E_DATA_LIMIT", '{"prediction":10}']);
});

Deno.test("log lines are JSON with a request id and without feature values", async () => {
  const lines: string[] = [];
  const app = start({ log: (line) => lines.push(line) });
  await predict(app, { "x-request-id": "abc-1" }, '{"a":123456,"b":1}');
  const refused = await predict(app, { "x-request-id": "a\u00e9 b" }, '{"a":"secret-value"}');
  const [first, second] = lines.map((line) => JSON.parse(line));
  assertEquals([first.requestId, first.status, first.model, first.rows], ["abc-1", 200, "m", 1]);
  assertEquals(first.route, "/v1/models/:name/predict");
  assert(!lines[0].includes("123456"));
  assertEquals([second.level, second.code], ["warn", "E_DATA_PARSE"]);
  assert(!lines[1].includes("secret-value"));
  assertMatch(refused.headers.get("x-request-id")!, /^[\w-]+$/);
  const [whole, long] = ["i".repeat(128), "i".repeat(129)];
  for (const id of [whole, long]) await predict(app, { "x-request-id": id }, '{"a":1,"b":1}');
  const ids = lines.slice(2).map((line) => JSON.parse(line).requestId);
  assertEquals([ids[0], ids[1].includes("i".repeat(20))], [whole, false]);
});

Deno.test("feature values are logged when the owner asks", async () => {
  const lines: string[] = [];
  await predict(start({ log: (line) => lines.push(line), logFeatures: true }));
  assertEquals(JSON.parse(lines[0]).features, [[["a", 1], ["b", null]]]);
});

Deno.test("a failure of the server is logged and answers 500 without detail", async () => {
  const lines: string[] = [];
  const app = createApp({
    models: {
      m: () => {
        throw new Error("path /srv/secret");
      },
    },
    log: (line) => lines.push(line),
  });
  const answer = await predict(app);
  const body = await answer.json();
  assertEquals([answer.status, body.code], [500, "E_INTERNAL"]);
  assert(!JSON.stringify(body).includes("secret"));
  assert(lines[0].includes("/srv/secret"));
});

Deno.test("/metrics counts requests, latency, rows, errors, missing values and scores", async () => {
  const app = start();
  for (let i = 0; i < 101; i++) await predict(app);
  await predict(app, {}, "{");
  const text = await (await app.request("/metrics")).text();
  const value = (line: string) => {
    const found = text.split("\n").find((l) => l.startsWith(line + " "));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };
  const route = 'route="/v1/models/:name/predict"';
  assertEquals(value(`treeline_requests_total{${route},status="200"}`), 101);
  assertEquals(value(`treeline_requests_total{${route},status="422"}`), 1);
  assertEquals(value(`treeline_request_seconds_count{${route}}`), 102);
  assertEquals(value('treeline_errors_total{code="E_DATA_PARSE"}'), 1);
  const model = /treeline_rows_total{(.*)} 101/.exec(text)![1];
  assertEquals(value(`treeline_missing_total{${model},feature="b"}`), 101);
  assertEquals(value(`treeline_missing_total{${model},feature="a"}`), 0);
  assertEquals(value(`treeline_score_bucket{${model},le="10"}`), 101);
  assertEquals(value(`treeline_score_sum{${model}}`), 1010);
  // The model has no statistics of training: the covers of its leaves say nothing about drift.
  assertEquals(value(`treeline_training_statistics{${model}}`), 0);
  assert(!/^treeline_(feature_)?psi\{/m.test(text), text);
  for (const line of text.trim().split("\n")) {
    assertMatch(line, /^(#.*|[a-z_]+(\{.*\})? (-?[\d.e+-]+|NaN|\+Inf))$/);
  }
});

Deno.test("/metrics adds up what requests had", async () => {
  const app = createApp({ models: { m: textModel() } });
  const ask = (body: string) =>
    app.request("/v1/models/m/predict", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  await ask('[{"job":"z"},{"job":"y"},{"job":null}]');
  await ask('[{"job":"z"},{"job":"b"},{"job":null}]');
  const text = app.metrics();
  const value = (name: string) =>
    Number(new RegExp(`^treeline_${name}{.*} (.*)$`, "m").exec(text)![1]);
  const names = ["rows_total", "unknown_total", "missing_total", "score_sum"];
  // Scores of 2, but 1 for b.
  assertEquals(names.map(value), [6, 3, 2, 11]);
  assert(value("request_seconds_sum") > 0);
});

Deno.test("CORS headers are sent to the origins that are allowed", async () => {
  const app = start({ cors: ["https://a.example"] });
  const ask = (origin: string) => predict(app, { origin });
  assertEquals(
    (await ask("https://a.example")).headers.get("access-control-allow-origin"),
    "https://a.example",
  );
  assertEquals((await ask("https://b.example")).headers.get("access-control-allow-origin"), null);
  // Which version scored is in headers where the answer has no place for it.
  const exposed = (await ask("https://a.example")).headers.get("access-control-expose-headers");
  assertStringIncludes(`${exposed}`.toLowerCase(), "treeline-version");
  assertEquals((await predict(start(), { origin: "x" })).headers.get("vary"), null);
});

Deno.test("a browser may ask without a token which methods there are", async () => {
  const app = start({ cors: ["https://a.example"], tokens: ["secret"] });
  const { status, headers } = await app.request("/v1/models/numbers/predict", {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": "POST" },
  });
  assertEquals([status, headers.get("access-control-allow-methods")], [204, "GET,HEAD,POST"]);
});
