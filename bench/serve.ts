// deno-lint-ignore-file no-console -- a report
/**
 * How fast the server is beside a Hono handler that only parses the same body.
 *
 * Server and wrk each have a core of their own (taskset); variants alternate; the median of the
 * repeats counts. Needs wrk and taskset.
 *
 * Usage: deno run -A bench/serve.ts MODEL.tlm ROWS.json [SECONDS] [REPEATS]
 * ROWS.json holds an array of rows by name.
 *
 * @module
 */
const [model, rowsPath, secondsText = "4", repeatsText = "3"] = Deno.args;
const seconds = Number(secondsText);
const repeats = Number(repeatsText);
const people = JSON.parse(await Deno.readTextFile(rowsPath)) as unknown[];
const rows = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, i) => people[i % people.length]));
const bodies = { "1 row": JSON.stringify(people[0]), "1000 rows": rows(1000) };
const folder = await Deno.makeTempDir();
let port = 18500;

interface Load {
  readonly rps: number;
  readonly p50: number;
  readonly p99: number;
}

async function start(kind: string): Promise<{ child: Deno.ChildProcess; url: string; ms: number }> {
  const at = ++port;
  const began = performance.now();
  const child = new Deno.Command("taskset", {
    args: ["-c", "0", Deno.execPath(), "run", "-A", "bench/serve_app.ts", kind, `${at}`, model],
    stdout: "null",
  }).spawn();
  const url = `http://127.0.0.1:${at}`;
  for (;;) {
    try {
      await (await fetch(`${url}/healthz`)).body?.cancel();
      return { child, url, ms: performance.now() - began };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

async function stop(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

async function load(url: string, body: string): Promise<Load> {
  const script = `${folder}/post.lua`;
  await Deno.writeTextFile(
    script,
    `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [==[${body}]==]\n`,
  );
  const { stdout } = await new Deno.Command("taskset", {
    args: ["-c", "1", "wrk", "-t1", "-c16", `-d${seconds}s`, "--latency", "-s", script].concat(
      `${url}/v1/models/m/predict`,
    ),
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (/Non-2xx/.test(text)) throw new Error(text);
  const time = (label: string) => {
    const [, number, unit] = new RegExp(`${label}\\s+([\\d.]+)(us|ms|s)`).exec(text)!;
    return Number(number) * { us: 0.001, ms: 1, s: 1000 }[unit]!;
  };
  return {
    rps: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    p50: time("50%"),
    p99: time("99%"),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

console.log(`${people.length} rows in ${rowsPath}, model ${model}, ${seconds} s × ${repeats}`);
for (const [name, body] of Object.entries(bodies)) {
  const found: Record<string, Load[]> = { bare: [], treeline: [] };
  for (let i = 0; i < repeats; i++) {
    for (const kind of ["bare", "treeline"]) {
      const { child, url } = await start(kind);
      await load(url, body); // warm
      found[kind].push(await load(url, body));
      await stop(child);
    }
  }
  const of = (kind: string, key: keyof Load) => median(found[kind].map((f) => f[key]));
  for (const key of ["rps", "p50", "p99"] as const) {
    const [bare, treeline] = [of("bare", key), of("treeline", key)];
    console.log(
      `${name} ${key}: bare ${bare.toFixed(2)}, treeline ${treeline.toFixed(2)}, ` +
        `ratio ${(treeline / bare).toFixed(3)}`,
    );
  }
}
const cold: Record<string, number[]> = { hello: [], treeline: [] };
for (let i = 0; i < 5; i++) {
  for (const kind of ["hello", "treeline"]) {
    const { child, ms } = await start(kind);
    cold[kind].push(ms);
    await stop(child);
  }
}
console.log(
  `cold start: hello ${median(cold.hello).toFixed(0)} ms, ` +
    `treeline ${median(cold.treeline).toFixed(0)} ms`,
);
await Deno.remove(folder, { recursive: true });
