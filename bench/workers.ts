// deno-lint-ignore-file no-console -- a report
/**
 * What a further serving thread costs in memory: resident memory of `server.ts` with one thread and with
 * more, for a small model and a large one, before and after every thread has scored.
 *
 * Usage: deno run -A bench/workers.ts ROWS.json MODEL.tlm…
 * ROWS.json holds an array of rows by name.
 *
 * @module
 */
const [rowsPath, ...models] = Deno.args;
const rows = JSON.parse(await Deno.readTextFile(rowsPath)) as unknown[];
const COUNTS = [1, 2, 4];
let port = 18300;

/** Resident memory of a process in MB. */
function resident(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1000;
}

async function predict(address: string, body: string): Promise<void> {
  // A connection of its own for each request: the kernel deals connections to the threads.
  const headers = { "content-type": "application/json", connection: "close" };
  const answer = await fetch(address, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.body?.cancel();
}

/** Memory of a server before a thread has scored, after some rows and after many. */
async function measure(model: string, workers: number): Promise<number[]> {
  const at = ++port;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "server.ts", `m=${model}`],
    env: { PORT: `${at}`, HOST: "127.0.0.1", TREELINE_WORKERS: `${workers}`, TREELINE_LOG: "off" },
    stdout: "null",
  }).spawn();
  const address = `http://127.0.0.1:${at}/v1/models/m/predict`;
  for (;;) {
    try {
      await (await fetch(`http://127.0.0.1:${at}/healthz`)).body?.cancel();
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const memory = [resident(child.pid)];
  for (let i = 0; i < 8 * workers; i++) await predict(address, JSON.stringify(rows[i]));
  memory.push(resident(child.pid));
  // Past a thousand rows a thread builds its fast tables.
  const batch = JSON.stringify(rows.slice(0, 1000));
  for (let i = 0; i < 16 * workers; i++) await predict(address, batch);
  memory.push(resident(child.pid));
  child.kill("SIGKILL");
  await child.status;
  return memory;
}

for (const model of models) {
  const bytes = (await Deno.stat(model)).size;
  console.log(`${model.replace(/^.*\//, "")}, ${(bytes / 1e6).toFixed(1)} MB in the file`);
  let before: number[] = [0, 0, 0];
  let last = 0;
  for (const workers of COUNTS) {
    const memory = await measure(model, workers);
    const more = memory.map((mb, i) => ((mb - before[i]) / (workers - last)).toFixed(1));
    console.log(
      `${workers} threads: ${memory.map((mb) => mb.toFixed(1)).join(", ")} MB ` +
        `(start, some rows, many rows)` +
        (last === 0 ? "" : `; for each further thread ${more.join(", ")} MB`),
    );
    before = memory;
    last = workers;
  }
}
