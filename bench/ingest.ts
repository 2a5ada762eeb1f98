// deno-lint-ignore-file no-console
/**
 * How fast CSV becomes columns: Treeline (WebAssembly and twin), `@std/csv` and pandas' C parser on
 * the same files, alternated in one run. Throughput is bytes of text a second; the best of the
 * repeats counts, by CPU time (one core) and by wall time.
 *
 * `deno run -A bench/ingest.ts [--python path] [--repeats 5] [--rows 300000]`; pandas is left out
 * where that Python has none.
 *
 * @module
 */
import { parseTable } from "../src/data/csv.ts";
import { createScanner } from "../src/data/csv/scan.ts";
import { createWasmScanner } from "../src/data/csv/wasm_scan.ts";
import { readCsv } from "../src/files/read_csv.ts";
import { createRng, type Rng } from "../src/util/rng.ts";

/** The part of Node's `process` that is used; Deno has it as a global. */
const { process } = globalThis as unknown as {
  process: { cpuUsage(since?: CpuUsage): CpuUsage };
};

/** Microseconds of CPU time. */
interface CpuUsage {
  readonly user: number;
  readonly system: number;
}

const flag = (name: string, or: string) => {
  const at = Deno.args.indexOf(`--${name}`);
  return at < 0 ? or : Deno.args[at + 1];
};
const python = flag("python", ".cache/venv/bin/python");
const repeats = Number(flag("repeats", "5"));
const numRows = Number(flag("rows", "300000"));

/** What the files hold, one row at a time. */
const FILES: { readonly [name: string]: (rng: Rng) => string } = {
  "28 numbers, 6 decimals": (rng) => list(28, () => normal(rng).toFixed(6)),
  "28 numbers, full precision": (rng) => list(28, () => String(normal(rng))),
  "12 whole numbers": (rng) => list(12, () => String(rng.nextInt(100000))),
  "6 numbers, 8 texts": (rng) =>
    list(6, () => String(rng.nextInt(1000))) + "," +
    list(8, () => `level ${rng.nextInt(20)}`),
};

function list(count: number, make: () => string): string {
  return Array.from({ length: count }, make).join(",");
}

/** Roughly normal: the sum of four uniform numbers. */
function normal(rng: Rng): number {
  return rng.nextFloat() + rng.nextFloat() + rng.nextFloat() + rng.nextFloat() - 2;
}

async function write(path: string, row: (rng: Rng) => string): Promise<void> {
  const rng = createRng(1);
  const encoder = new TextEncoder();
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const width = row(createRng(1)).split(",").length;
  await file.write(
    encoder.encode(Array.from({ length: width }, (_, i) => `x${i}`).join(",") + "\n"),
  );
  for (let from = 0; from < numRows; from += 2000) {
    const rows = Array.from({ length: Math.min(2000, numRows - from) }, () => row(rng));
    const bytes = encoder.encode(rows.join("\n") + "\n");
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  }
}

/** Best wall and CPU seconds seen. */
interface Best {
  wall: number;
  cpu: number;
}

async function timed(best: Best, run: () => unknown): Promise<void> {
  const before = process.cpuUsage();
  const start = performance.now();
  await run();
  const wall = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  best.wall = Math.min(best.wall, wall);
  best.cpu = Math.min(best.cpu, (user + system) / 1e6);
}

/** pandas in a process of its own, which reads the file whenever it is given a line. */
async function startPandas(path: string) {
  try {
    const child = new Deno.Command(python, {
      args: ["bench/ingest_pandas.py", path],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const writer = child.stdin.getWriter();
    let text = "";
    const line = async () => {
      while (!text.includes("\n")) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
      const end = text.indexOf("\n");
      const first = text.slice(0, end);
      text = text.slice(end + 1);
      return first;
    };
    const version = await line();
    if (version === undefined) return undefined;
    return {
      version,
      async read(best: Best) {
        await writer.write(new TextEncoder().encode("\n"));
        const [wall, cpu] = (await line() ?? "").split(" ").map(Number);
        best.wall = Math.min(best.wall, wall);
        best.cpu = Math.min(best.cpu, cpu);
      },
      async close() {
        await writer.close();
        await child.status;
      },
    };
  } catch {
    return undefined;
  }
}

const folder = await Deno.makeTempDir();
console.log("| file | reader | MB/s of CPU time | MB/s of wall time | against pandas (CPU) |");
console.log("| --- | --- | --- | --- | --- |");
for (const [name, row] of Object.entries(FILES)) {
  const path = `${folder}/data.csv`;
  await write(path, row);
  const bytes = await Deno.readFile(path);
  const pandas = await startPandas(path);
  const readers: [string, (best: Best) => Promise<void>][] = [
    ["`readCsv` (file)", (best) => timed(best, () => readCsv(path))],
    [
      "`parseCsv`, WebAssembly",
      (best) => timed(best, () => parseTable(bytes, {}, { createScanner: createWasmScanner })),
    ],
    ["`parseCsv`, twin", (best) => timed(best, () => parseTable(bytes, {}, { createScanner }))],
  ];
  if (pandas !== undefined) readers.push([`pandas ${pandas.version}, C parser`, pandas.read]);
  const bests: Best[] = readers.map(() => ({ wall: Infinity, cpu: Infinity }));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (let i = 0; i < readers.length; i++) await readers[i][1](bests[i]);
  }
  const rate = (seconds: number) => (bytes.length / 1e6 / seconds).toFixed(0);
  readers.forEach(([reader], i) => {
    const ratio = pandas === undefined
      ? ""
      : (bests[bests.length - 1].cpu / bests[i].cpu).toFixed(2);
    console.log(
      `| ${name} | ${reader} | ${rate(bests[i].cpu)} | ${rate(bests[i].wall)} | ${ratio} |`,
    );
  });
  await pandas?.close();
}
await Deno.remove(folder, { recursive: true });
