// deno-lint-ignore-file no-console -- a report
/**
 * How fast the server is beside a Hono handler that only parses the same body.
 *
 * Server and wrk each have a core of their own (taskset). Both servers live at the same time and are
 * asked in turn, since a shared machine changes its speed within seconds; a ratio is the median of
 * the ratios of neighbouring turns. Needs wrk and taskset.
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

function start(kind: string): ReturnType<typeof startEntry> {
  return startEntry("bench/serve_app.ts", [kind], "{}");
}

/** Starts a program that takes a port and the model after its own arguments. */
async function startEntry(
  entry: string,
  args: readonly string[],
  body: string,
): Promise<{ child: Deno.ChildProcess; url: string; ms: number }> {
  const at = ++port;
  const began = performance.now();
  const child = new Deno.Command("taskset", {
    args: ["-c", "0", Deno.execPath(), "run", "-A", "--no-check", entry, ...args, `${at}`, model],
    stdout: "null",
  }).spawn();
  const url = `http://127.0.0.1:${at}`;
  const headers = { "content-type": "application/json" };
  for (;;) {
    try {
      const address = `${url}/v1/models/m/predict`;
      await (await fetch(address, { method: "POST", headers, body })).body?.cancel();
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
  const kinds = ["bare", "treeline"];
  const servers = await Promise.all(kinds.map((kind) => start(kind)));
  for (const { url } of servers) await load(url, body); // warm
  const found: Load[][] = [[], []];
  for (let i = 0; i < repeats; i++) {
    for (const k of [0, 1]) found[k].push(await load(servers[k].url, body));
  }
  for (const { child } of servers) await stop(child);
  for (const key of ["rps", "p50", "p99"] as const) {
    const [bare, treeline] = found.map((loads) => median(loads.map((f) => f[key])));
    const ratio = median(found[1].map((f, i) => f[key] / found[0][i][key]));
    console.log(
      `${name} ${key}: bare ${bare.toFixed(2)}, treeline ${treeline.toFixed(2)}, ` +
        `ratio ${ratio.toFixed(3)}`,
    );
  }
}
// Cold start: from the start of the process to the answer of a first prediction, as one file each, as
// deployed, and as modules. Starts take turns; others on the machine only ever make one longer, so
// the shortest of each says most.
async function bundled(entry: string): Promise<string> {
  const out = `${folder}/${entry.replace("bench/", "").replace(".ts", ".js")}`;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "-q", "--minify", "--platform", "deno", "-o", out, entry],
  }).output();
  if (!success) throw new Error(`cannot bundle ${entry}`);
  return out;
}
const [hono, ours] = ["bench/cold_hono.ts", "bench/cold_serve.ts"];
const starts = [
  ["bare, bundled", await bundled(hono)],
  ["treeline, bundled", await bundled(ours)],
  ["bare, modules", hono],
  ["treeline, modules", ours],
];
const cold: number[][] = starts.map(() => []);
for (let i = -1; i < 15; i++) {
  for (const [v, [, entry]] of starts.entries()) {
    const { child, ms } = await startEntry(entry, [], bodies["1 row"]);
    if (i >= 0) cold[v].push(ms); // the first filled Deno's caches
    await stop(child);
  }
}
for (const [v, [name]] of starts.entries()) {
  const least = Math.min(...cold[v]).toFixed(1);
  console.log(`cold start, ${name}: ${least} ms at least, median ${median(cold[v]).toFixed(1)} ms`);
}
await Deno.remove(folder, { recursive: true });
