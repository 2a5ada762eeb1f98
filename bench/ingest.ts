// deno-lint-ignore-file no-console
/**
 * How fast files become columns: Treeline and the readers of Python on the same files, alternated in
 * one run. Throughput is bytes of text a second; after one read that does not count, the best of the
 * repeats does, by CPU time and by wall time. Then the peak memory of reading and training, as numbers and straight into bins.
 *
 * `taskset -c 1 deno run -A bench/ingest.ts [--python path] [--repeats 5] [--rows 150000]
 * [--only text] [--memory-rows 400000]`; on one core, since the aim is one core. Peers are left out
 * where that Python has none. Memory is measured where there is /proc.
 *
 * @module
 */
import { trainBoost } from "../src/algorithms/boost/boost.ts";
import { parseTable } from "../src/data/csv/parse.ts";
import { createScanner } from "../src/data/csv/scan.ts";
import { createWasmScanner } from "../src/data/csv/wasm_scan.ts";
import { readCsvBinned } from "../src/files/read_binned.ts";
import { readCsv } from "../src/files/read_csv.ts";
import { readData } from "../src/files/read_data.ts";
import { FILES, writeRows } from "./data/ingest.ts";

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
const numRows = Number(flag("rows", "150000"));
const only = flag("only", "");

/** Best wall and CPU seconds seen. */
interface Best {
  wall: number;
  cpu: number;
}

type Reader = (best: Best) => Promise<void>;

function timed(run: () => unknown): Reader {
  return async (best) => {
    const before = process.cpuUsage();
    const start = performance.now();
    await run();
    const wall = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(before);
    best.wall = Math.min(best.wall, wall);
    best.cpu = Math.min(best.cpu, (user + system) / 1e6);
  };
}

/** A reader of Python in a process of its own, which reads the file whenever it is given a line. */
async function startPeer(name: string, path: string) {
  const child = new Deno.Command(python, {
    args: ["bench/peers/ingest.py", name, path],
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
  if (version === undefined) {
    await child.status;
    return undefined;
  }
  return {
    title: `${name} ${version}`,
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
}

/** Treeline's readers of a file. */
function ourReaders(format: string, path: string, bytes: Uint8Array): [string, Reader][] {
  if (format !== "csv") {
    return [["`readData` (file)", timed(() => readData(path, { absent: "zero" }))]];
  }
  const parse = (create: typeof createScanner) =>
    timed(() => parseTable(bytes, {}, { createScanner: create }));
  return [
    ["`readCsv` (file)", timed(() => readCsv(path))],
    ["`parseCsv` (bytes)", parse(createWasmScanner)],
    ["`parseCsv` without WebAssembly", parse(createScanner)],
    ["`readCsv` (gzip)", timed(() => readCsv(`${path}.gz`))],
  ];
}

const PEERS: { readonly [format: string]: readonly [string, string][] } = {
  csv: [["pandas", ""], ["pandas", ".gz"]],
  libsvm: [["sklearn", ""], ["xgboost", ""]],
  jsonl: [["pandas-json", ""]],
};

async function pack(path: string): Promise<void> {
  const stream = (await Deno.open(path)).readable.pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(`${path}.gz`, stream);
}

async function compareSpeed(folder: string): Promise<void> {
  console.log("| file | reader | MB/s of CPU time | MB/s of wall time | against the peer (CPU) |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const [name, kind] of Object.entries(FILES)) {
    if (!name.includes(only)) continue;
    const path = `${folder}/data.${kind.format}`;
    await writeRows(path, kind, Math.round(kind.share * numRows));
    if (kind.format === "csv") await pack(path);
    const bytes = await Deno.readFile(path);
    const ours = ourReaders(kind.format, path, bytes);
    const peers: (NonNullable<Awaited<ReturnType<typeof startPeer>>> & { ending: string })[] = [];
    for (const [peer, ending] of PEERS[kind.format]) {
      const started = await startPeer(peer, path + ending);
      if (started !== undefined) peers.push({ ...started, ending });
    }
    const readers: [string, Reader][] = [
      ...ours,
      ...peers.map(({ title, ending, read }): [string, Reader] => [
        ending === "" ? title : `${title} (gzip)`,
        read,
      ]),
    ];
    const bests: Best[] = readers.map(() => ({ wall: Infinity, cpu: Infinity }));
    // A first read of each is not counted: all compile, or set memory up.
    for (const [, read] of readers) await read({ wall: Infinity, cpu: Infinity });
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (let i = 0; i < readers.length; i++) await readers[i][1](bests[i]);
    }
    const rate = (seconds: number) => (bytes.length / 1e6 / seconds).toFixed(0);
    readers.forEach(([reader], i) => {
      const zipped = reader.includes("gzip");
      const peer = peers.findIndex(({ ending }) => (ending !== "") === zipped);
      const ratio = peer < 0 ? "" : (bests[ours.length + peer].cpu / bests[i].cpu).toFixed(2);
      console.log(
        `| ${name} | ${reader} | ${rate(bests[i].cpu)} | ${rate(bests[i].wall)} | ${ratio} |`,
      );
    });
    for (const peer of peers) await peer.close();
  }
}

/** Most memory that this process has had, in MB. */
function peak(): number {
  const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))!;
  return Number(kilobytes) / 1024;
}

/** What `--peak WAY PATH` does in a process of its own: reads, trains, and says what that took. */
async function measurePeak(way: string, path: string): Promise<void> {
  const before = peak();
  const data = way === "bins"
    ? await readCsvBinned(path, { target: "x0" })
    : await readCsv(path, { target: "x0" });
  const read = peak();
  await trainBoost(data, { rounds: 5 }, { threads: 1 });
  console.log(JSON.stringify({ before, read, trained: peak() }));
}

async function compareMemory(folder: string): Promise<void> {
  const path = `${folder}/large.csv`;
  await writeRows(path, FILES["28 numbers, 6 decimals"], Number(flag("memory-rows", "400000")));
  const size = (await Deno.stat(path)).size / 2 ** 20;
  console.log(`\nA file of ${size.toFixed(0)} MB, 28 numbers a row, 5 rounds on one thread:\n`);
  console.log("| way | process before | after reading | after training |");
  console.log("| --- | --- | --- | --- |");
  for (const way of ["numbers", "bins"]) {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "bench/ingest.ts", "--peak", way, path],
    }).output();
    const { before, read, trained } = JSON.parse(new TextDecoder().decode(stdout));
    const cells = [before, read, trained].map((value: number) => `${value.toFixed(0)} MB`);
    console.log(`| ${way} | ${cells.join(" | ")} |`);
  }
}

const asked = Deno.args.indexOf("--peak");
if (asked >= 0) await measurePeak(Deno.args[asked + 1], Deno.args[asked + 2]);
else {
  const folder = await Deno.makeTempDir();
  try {
    await compareSpeed(folder);
    if (flag("memory-rows", "400000") !== "0") await compareMemory(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
