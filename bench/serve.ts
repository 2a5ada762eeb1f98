// deno-lint-ignore-file no-console -- a report
/**
 * How fast the server is beside a Hono handler that only parses the same body.
 *
 * Server and wrk each have a core of their own (taskset). Both servers live at the same time and are
 * asked in turn, since a shared machine changes its speed within seconds; and there are several pairs of
 * processes, since equal ones differ by some percent for as long as they live (what V8 compiles when,
 * where pages lie). A turn in which the server did not have its core to itself says nothing and is done
 * again. A ratio is the median of the ratios of neighbouring turns; those of each pair are told too.
 * Needs wrk and taskset. Cold starts: cold_app.ts.
 *
 * Usage: deno run -A bench/serve.ts MODEL.tlm ROWS.json [SECONDS] [PAIRS] ["1 row"|"1000 rows"]
 * ROWS.json holds an array of rows by name.
 *
 * @module
 */
const [model, rowsPath, secondsText = "1", pairsText = "4", only] = Deno.args;
const seconds = Number(secondsText);
const pairs = Number(pairsText);
/** What a server must have had of its core, and how often a turn is done until it had. */
const LEAST_SHARE = 0.93;
const MOST_TRIES = 10;
/** Turns of a pair of processes that are measured, and as many before them that are not. */
const TURNS = 3;
const people = JSON.parse(await Deno.readTextFile(rowsPath)) as unknown[];
const rows = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, i) => people[i % people.length]));
const bodies = { "1 row": JSON.stringify(people[0]), "1000 rows": rows(1000) };
const folder = await Deno.makeTempDir();
let port = 18500;
let disturbed = 0;

interface Load {
  readonly rps: number;
  /** Microseconds of CPU that the server took for a request: others on the machine disturb it less. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

async function start(kind: string): Promise<{ child: Deno.ChildProcess; url: string }> {
  const at = ++port;
  const entry = "bench/runs/serve_app.ts";
  const child = new Deno.Command("taskset", {
    args: ["-c", "0", Deno.execPath(), "run", "-A", "--no-check", entry, kind, `${at}`, model],
    stdout: "null",
  }).spawn();
  const url = `http://127.0.0.1:${at}`;
  const headers = { "content-type": "application/json" };
  for (;;) {
    try {
      const address = `${url}/v1/models/m/predict`;
      await (await fetch(address, { method: "POST", headers, body: "{}" })).body?.cancel();
      return { child, url };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

async function stop(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

/**
 * Microseconds that all threads of a process have run.
 * A thread that ends while they are read counts nothing, which makes the turn one that is done again.
 */
function cpuOf({ pid }: Deno.ChildProcess): number {
  let nanoseconds = 0;
  for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(
        Deno.readTextFileSync(`/proc/${pid}/task/${name}/schedstat`).split(" ")[0],
      );
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return nanoseconds / 1000;
}

/** Asks until the server had its core to itself, in vain at most so many times. */
async function load(child: Deno.ChildProcess, url: string, body: string): Promise<Load> {
  for (let tries = 1;; tries++) {
    const found = await loadOnce(child, url, body);
    if (found.rps * found.cpu >= 1e6 * LEAST_SHARE) return found;
    disturbed++;
    if (tries >= MOST_TRIES) return found;
  }
}

async function loadOnce(child: Deno.ChildProcess, url: string, body: string): Promise<Load> {
  const script = `${folder}/post.lua`;
  await Deno.writeTextFile(
    script,
    `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [==[${body}]==]\n`,
  );
  const before = cpuOf(child);
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
    cpu: (cpuOf(child) - before) / Number(/(\d+) requests in/.exec(text)![1]),
    rps: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    p50: time("50%"),
    p99: time("99%"),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

console.log(
  `${people.length} rows in ${rowsPath}, model ${model}, ${seconds} s × ${TURNS} × ${pairs}`,
);
for (const [name, body] of Object.entries(bodies)) {
  if (only !== undefined && name !== only) continue;
  const found: Load[][] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    const servers = await Promise.all(["bare", "treeline"].map((kind) => start(kind)));
    for (let turn = -TURNS; turn < TURNS; turn++) {
      // In another order each time: what disturbs at even distances would else always hit the same one.
      const order = [...servers.entries()];
      if (turn % 2 !== 0) order.reverse();
      for (const [k, { child, url }] of order) {
        if (turn < 0) await loadOnce(child, url, body);
        else found[k].push(await load(child, url, body));
      }
    }
    for (const { child } of servers) await stop(child);
  }
  for (const key of ["rps", "cpu", "p50", "p99"] as const) {
    const [bare, treeline] = found.map((loads) => median(loads.map((f) => f[key])));
    const ratios = found[1].map((f, i) => f[key] / found[0][i][key]);
    const ofPairs = Array.from(
      { length: pairs },
      (_, pair) => median(ratios.slice(pair * TURNS, (pair + 1) * TURNS)).toFixed(3),
    );
    console.log(
      `${name} ${key}: bare ${bare.toFixed(2)}, treeline ${treeline.toFixed(2)}, ` +
        `ratio ${median(ratios).toFixed(3)} (pairs: ${ofPairs.join(", ")})`,
    );
  }
}
console.log(`${disturbed} turns were disturbed and done again`);
await Deno.remove(folder, { recursive: true });
