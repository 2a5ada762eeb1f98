// deno-lint-ignore-file no-console
/**
 * What a second thread is worth when a file is read: each read in a process of its own, as a command
 * line is, by one thread and by several in turn. Time of the read alone, in ms.
 *
 * `deno run -A bench/ingest_threads.ts [--sizes 160,320,640] [--threads 2] [--repeats 5] [--only JSON]
 * [--binned]` (straight into bins)
 *
 * @module
 */
import { readBinned } from "../src/files/read_binned.ts";
import { readData } from "../src/files/read_data.ts";
import { FILES, writeRows } from "./data/ingest.ts";

const flag = (name: string, or: string) => {
  const at = Deno.args.indexOf(`--${name}`);
  return at < 0 ? or : Deno.args[at + 1];
};

const KINDS = [
  "28 numbers, 6 decimals",
  "Adult-like",
  "5 texts of 20,000 levels",
  "JSON lines, 14 numbers",
  "JSON lines, 6 numbers, 8 texts",
  "LIBSVM, 28 decimals",
  "LIBSVM, 22 of 126 ones",
];

/** Most MB of files whose columns are many more than what rows name: 2 GB of values are the limit. */
const MOST_MB: { readonly [name: string]: number } = { "LIBSVM, 22 of 126 ones": 230 };

const binned = Deno.args.includes("--binned");

/** What `--read PATH THREADS` does in a process of its own. */
async function readOnce(path: string, threads: number): Promise<void> {
  const read = binned ? readBinned : readData;
  const start = performance.now();
  await read(path, { absent: "zero", ...(threads > 1 && { threads }) });
  console.log(performance.now() - start);
}

/** Time of a read in a new process. */
async function timeOf(path: string, threads: number): Promise<number> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", import.meta.url, "--read", path, String(threads)],
      ...(binned ? ["--binned"] : []),
    ],
  }).output();
  return Number(new TextDecoder().decode(stdout));
}

async function compare(folder: string): Promise<void> {
  const threads = Number(flag("threads", "2"));
  const repeats = Number(flag("repeats", "5"));
  console.log(`| file | MB | one thread, ms | ${threads} threads, ms | times faster |`);
  console.log("| --- | --- | --- | --- | --- |");
  for (const name of KINDS.filter((kind) => kind.includes(flag("only", "")))) {
    const sample = `${folder}/sample.${FILES[name].format}`;
    await writeRows(sample, FILES[name], 1000);
    const perRow = (await Deno.stat(sample)).size / 1000;
    for (const size of flag("sizes", "160,320,640").split(",").map(Number)) {
      if (size > (MOST_MB[name] ?? Infinity)) continue;
      const path = `${folder}/data.${FILES[name].format}`;
      await writeRows(path, FILES[name], Math.ceil(size * 1e6 / perRow));
      const times: [number[], number[]] = [[], []];
      for (let repeat = 0; repeat < repeats; repeat++) {
        times[0].push(await timeOf(path, 1));
        times[1].push(await timeOf(path, threads));
      }
      const [one, more] = times.map((all) => all.sort((a, b) => a - b)[repeats >> 1]);
      const cells = [name, size, one.toFixed(0), more.toFixed(0), (one / more).toFixed(2)];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
}

if (Deno.args[0] === "--read") await readOnce(Deno.args[1], Number(Deno.args[2]));
else {
  const folder = await Deno.makeTempDir();
  try {
    await compare(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
