import { assert, assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { listenHttp } from "../../../../src/runtime/listen.ts";
import { numbersModel } from "../../../support/models/small.ts";

/** Status line, headers in lower case, and body of what a server answers to some bytes. */
async function ask(port: number, text: string) {
  using socket = await Deno.connect({ hostname: "127.0.0.1", port });
  await socket.write(new TextEncoder().encode(text));
  const [head, ...body] = (await new Response(socket.readable).text()).split("\r\n\r\n");
  const headers = new Headers(
    head.split("\r\n").slice(1).map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
  return { status: Number(head.split(" ")[1]), headers, body: body.join("\r\n\r\n") };
}

async function serving() {
  const log: string[] = [];
  const app = createApp({ models: { m: numbersModel() }, log: (line) => log.push(line) });
  const listener = await listenHttp(app.fetch, { port: 0, hostname: "127.0.0.1" });
  const { port } = listener;
  return {
    app,
    log,
    send: (method: string, path: string, host = "x", more = "") =>
      ask(port, `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${more}connection: close\r\n\r\n`),
    [Symbol.asyncDispose]: () => listener.stop(1000),
  };
}

Deno.test("a host that is none is no failure of the server", async () => {
  await using server = await serving();
  for (const host of ["[", "a:99999", "a<b", "a/b"]) {
    const page = await server.send("GET", "/?f0=5", host);
    const document = await server.send("GET", "/openapi.json", host);
    if (host !== "a/b") assertEquals([page.status, document.status], [200, 200], host);
    else assertEquals([page.status, document.status], [404, 404]); // its path is /b/
    if (host === "[") {
      assert(page.body.includes('action="/"') && page.body.includes('value="5"'));
      assertEquals(JSON.parse(document.body).servers[0].url, "/");
    }
  }
});

Deno.test("HEAD tells the length of what GET answers, errors included", async () => {
  await using server = await serving();
  for (const path of ["/v1/models", "/v1/models/m", "/v1/models/none", "/none", "/healthz", "/"]) {
    const id = "x-request-id: q\r\n";
    const got = await server.send("GET", path, "x", id);
    const head = await server.send("HEAD", path, "x", id);
    assertEquals([head.status, head.body], [got.status, ""], path);
    // A page holds a nonce, which is as long as the last.
    assertEquals(head.headers.get("content-length"), got.headers.get("content-length"), path);
    assertEquals(
      got.headers.get("content-length"),
      String(new TextEncoder().encode(got.body).length),
    );
  }
});

Deno.test("405 allows what a path answers, `:predict` included", async () => {
  await using server = await serving();
  for (
    const [path, allow] of [
      ["/v1/models/m:predict", "GET, HEAD, POST"], // GET of a model of that name
      ["/v1/models/m", "GET, HEAD"],
      ["/v1/models/m/versions/1:predict", "POST"],
      ["/v1/models/m/predict", "POST"],
      ["/", "GET, HEAD, POST"],
    ]
  ) {
    const { status, headers, body } = await server.send("PATCH", path);
    assertEquals([status, headers.get("allow")], [405, allow], path);
    assertEquals(JSON.parse(body).code, "E_HTTP_METHOD");
  }
});

Deno.test("requests that no route is for are named, counted and logged as others", async () => {
  await using server = await serving();
  const { status, headers, body } = await server.send("GET", "/none", "x", "x-request-id: q-1\r\n");
  assertEquals([status, headers.get("x-request-id")], [404, "q-1"]);
  const { code, requestId } = JSON.parse(body);
  assertEquals([code, requestId], ["E_HTTP_ROUTE", "q-1"]);
  const line = JSON.parse(server.log.at(-1)!);
  assertEquals([line.route, line.status, line.requestId], ["(none)", 404, "q-1"]);
  const metrics = server.app.metrics();
  assert(metrics.includes('treeline_errors_total{code="E_HTTP_ROUTE"} 1'), metrics);
});
