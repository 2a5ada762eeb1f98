// deno-lint-ignore-file no-console -- a report
/**
 * Whether the server's memory grows: a million mixed requests (single rows, rows with holes and
 * unknown names, small batches, CSV, refused bodies, wrong paths, metrics), and the memory after a
 * collection before and after. A bare Hono application gets the same requests in turn: what grows
 * there is Deno's, its allocator's and its HTTP server's. Needs wrk.
 *
 * Resident memory moves by some megabytes between two looks, so the growth told is that between the
 * medians of the first and of the last quarter of the looks.
 *
 * Under load V8 lets its young generation double each time that as much as it holds has survived in
 * it, up to some ten megabytes: `heapTotal`, which is beside the heap in use. When a process has had
 * nothing to do for some seconds V8 may give that back. So memory is told twice: under load, after
 * forced collections, and at rest. A look is no part of a load: its collections throw away what the
 * server has built to be fast, wrk opens its connections anew, and the 125 kB that survive of both
 * are as many as those of 60,000 requests. So there is one for each 25th of the requests.
 *
 * Each FLAGS is a setting of V8 that both servers are run with, after one without; by default
 * `--max-semi-space-size=2`, which docs/http.md recommends.
 *
 * Usage: deno run -A bench/soak.ts MODEL.tlm ROWS.json [REQUESTS] [FLAGS…]
 * ROWS.json holds an array of rows by name. `SOAK_ONLY=rows` sends nothing but single rows;
 * `SOAK_ONLY=late` too, filled up with blanks to 1000 bytes: head and body are then longer than the
 * first read of Deno's HTTP server, and the body comes later than the head, as over a network.
 *
 * @module
 */
const [model, rowsPath, requestsText = "1000000", ...given] = Deno.args;
const requests = Number(requestsText);
const settings = ["", ...(given.length > 0 ? given : ["--max-semi-space-size=2"])];
/** Requests from one look to the next. */
const STRETCH = requests / 25;
const rows = JSON.parse(await Deno.readTextFile(rowsPath)) as { [name: string]: unknown }[];
const folder = await Deno.makeTempDir();
const port = 18470;

interface Memory {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
}

const names = Object.keys(rows[0]);
const csv = [names, ...rows.slice(0, 20).map((row) => names.map((name) => row[name] ?? ""))]
  .map((cells) => cells.join(",")).join("\n");
const json = "application/json";
const predict = "/v1/models/m/predict";
type Sent = readonly [method: string, path: string, type: string, body: string];
const single = rows.slice(0, 60).map((row): Sent => ["POST", predict, json, JSON.stringify(row)]);
const mixed: readonly Sent[] = [
  ...single,
  ...rows.slice(60, 75).map((row, i) =>
    ["POST", predict, json, JSON.stringify({ ...row, [names[i % names.length]]: null })] as const
  ),
  ...rows.slice(75, 85).map((row, i) =>
    ["POST", predict, json, JSON.stringify({ ...row, [`extra${i}`]: i, sex: `?${i}` })] as const
  ),
  ...[1, 2, 3, 4].map((i) =>
    ["POST", predict, json, JSON.stringify(rows.slice(20 * i, 20 * i + 20))] as const
  ),
  ["POST", `${predict}?kind=proba&reasons=2`, json, JSON.stringify(rows[1])],
  ["POST", predict, "text/csv", csv],
  ["POST", predict, json, '{"age":'],
  ["POST", predict, json, '[{"age":"old"}]'],
  ["POST", "/invocations", json, JSON.stringify({ dataframe_records: rows.slice(0, 3) })],
  ["POST", "/v1/models/none/predict", json, "{}"],
  ["GET", "/nothing", json, ""],
  ["GET", "/metrics", json, ""],
];
const late = single.map((
  [method, path, type, body],
): Sent => [method, path, type, body.padEnd(1000)]);
const mix = { rows: single, late }[Deno.env.get("SOAK_ONLY") ?? ""] ?? mixed;
const script = `${folder}/mix.lua`;
const heads = mix.map(([method, path, type, body]) =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Content-Type: ${type}`,
    `Content-Length: ${new TextEncoder().encode(body).length}`,
  ].join("\\r\\n")
);
await Deno.writeTextFile(
  script,
  `local requests = {}\n${
    mix.map(([, , , body], i) =>
      `requests[${i + 1}] = "${heads[i]}\\r\\n\\r\\n" .. [==[${body}]==]`
    ).join("\n")
  }
local at = 0
request = function() at = at % ${mix.length} + 1; return requests[at] end
`,
);

interface Soaked {
  readonly kind: string;
  readonly url: string;
  readonly child: Deno.ChildProcess;
  readonly looks: Memory[];
  sent: number;
}

function start(kind: string, flags: string, port: number): Soaked {
  const v8 = `--v8-flags=${["--expose-gc", flags].filter((flag) => flag !== "").join()}`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", v8, "bench/runs/serve_app.ts", kind, `${port}`, model],
    stdout: "null",
  }).spawn();
  return {
    kind: `${kind}${flags && ` ${flags}`}`,
    url: `http://127.0.0.1:${port}`,
    child,
    looks: [],
    sent: 0,
  };
}

async function memory({ url }: Soaked, gc = "?gc"): Promise<Memory> {
  for (;;) {
    try {
      return await (await fetch(`${url}/memory${gc}`)).json();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Seconds without a request after which V8 has reduced its heap (it begins after 8). */
const REST = 25;

/** Memory of servers that had nothing to do for a while, without a collection that we asked for. */
async function atRest(servers: readonly Soaked[]): Promise<Memory[]> {
  await new Promise((resolve) => setTimeout(resolve, 1000 * REST));
  return await Promise.all(servers.map((server) => memory(server, "")));
}

/** Sends for some seconds; says how many requests were answered. */
async function send({ url }: Soaked, seconds: number): Promise<number> {
  const { stdout } = await new Deno.Command("wrk", {
    args: ["-t1", "-c16", `-d${seconds}s`, "-s", script, url],
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (/Socket errors: (?!connect 0, read 0, write 0)/.test(text)) throw new Error(text);
  return Number(/(\d+) requests in/.exec(text)![1]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

const mb = (bytes: number) => (bytes / 1e6).toFixed(1);

/** Growth of one kind of memory from the first quarter of the looks to the last. */
function growth(looks: readonly Memory[], key: keyof Memory): string {
  const quarter = Math.max(1, looks.length >> 2);
  const values = looks.map((look) => look[key]);
  return mb(median(values.slice(-quarter)) - median(values.slice(0, quarter)));
}

/** Sends at least so many; says how many were answered. */
async function sendStretch(server: Soaked, count: number): Promise<number> {
  let sent = 0;
  while (sent < count) sent += await send(server, 2);
  return sent;
}

const servers = settings.flatMap((flags, i) => [
  start("soak", flags, port + 2 * i),
  start("soak-bare", flags, port + 2 * i + 1),
]);
try {
  for (const server of servers) {
    await memory(server);
    const warm = await sendStretch(server, requests / 2);
    const { rss, heapUsed } = await memory(server);
    console.log(
      `${server.kind}: ${warm} requests to warm up: rss ${mb(rss)}, heap ${mb(heapUsed)} MB`,
    );
  }
  const before = await atRest(servers);
  while (servers.some(({ sent }) => sent < requests)) {
    for (const server of servers) {
      if (server.sent >= requests) continue;
      server.sent += await sendStretch(server, STRETCH);
      const look = await memory(server);
      server.looks.push(look);
      console.log(`${server.kind} ${server.sent}: rss ${mb(look.rss)}, heap ${mb(look.heapTotal)}`);
    }
  }
  const after = await atRest(servers);
  for (const [i, { kind, sent, looks }] of servers.entries()) {
    console.log(
      `${kind}: at rest rss ${mb(before[i].rss)} before, ${
        mb(after[i].rss)
      } MB after ${sent} requests`,
    );
    const rss = looks.map((look) => look.rss);
    console.log(
      `${kind}: growth over ${sent} requests, ${looks.length} looks: rss ${growth(looks, "rss")} ` +
        `(between ${mb(Math.min(...rss))} and ${mb(Math.max(...rss))}), ` +
        `heap ${growth(looks, "heapUsed")} of ${growth(looks, "heapTotal")}, external ${
          growth(looks, "external")
        } MB`,
    );
  }
} finally {
  for (const { child } of servers) {
    child.kill("SIGKILL");
    await child.status;
  }
  await Deno.remove(folder, { recursive: true });
}
