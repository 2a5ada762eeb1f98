// deno-lint-ignore-file no-console
/**
 * Classic trees beside scikit-learn and ranger: one tree on all rows, and a forest. Each contestant
 * in a fresh process, in turn, repeated; the table shows medians.
 *
 * deno task bench:classic [--sets=100k-30,adult] [--learners=tree,forest] [--threads=1,2] [--trees=500] [--repeats=1] [--contestants=treeline,sklearn,ranger]
 *
 * scikit-learn runs in the virtual environment .cache/peers (bench/peers/requirements.txt; PEERS names
 * another), ranger in the R of the system (Debian: r-cran-ranger).
 *
 * @module
 */
import { partPath, readSet, writePart } from "./data/classic.ts";

interface Result {
  readonly learner: string;
  readonly seconds: number;
  readonly cpu: number;
  readonly peakMegabytes: number;
  readonly dataMegabytes: number;
  readonly bytes: number;
  readonly leanBytes?: number;
  readonly packedBytes?: number;
  readonly nodes?: number;
  readonly accuracy: number;
}

const ROOT = new URL("../", import.meta.url).pathname;
const PYTHON = `${Deno.env.get("PEERS") ?? `${ROOT}.cache/peers`}/bin/python`;

function option(name: string, fallback: string): string[] {
  const found = Deno.args.find((arg) => arg.startsWith(`--${name}=`));
  return (found?.slice(name.length + 3) ?? fallback).split(",");
}

async function run(command: string, args: readonly string[], threads: string): Promise<Result> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    env: { OMP_NUM_THREADS: threads },
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${command} ${args[0]}: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!);
}

/** Command and arguments of each contestant. */
function commandOf(
  contestant: string,
  set: string,
  learner: string,
  threads: string,
): [string, string[]] {
  const files = [partPath(set, "train"), partPath(set, "test")];
  const rest = [learner, threads, trees];
  switch (contestant) {
    case "treeline":
      return [Deno.execPath(), [
        "run",
        "-A",
        "--no-check",
        `${ROOT}bench/runs/classic.ts`,
        set,
        ...rest,
      ]];
    case "sklearn":
      return [PYTHON, [`${ROOT}bench/peers/classic.py`, ...files, ...rest]];
    case "ranger":
      return ["Rscript", [`${ROOT}bench/peers/classic.R`, ...files, ...rest]];
  }
  throw new Error(`unknown contestant ${contestant}`);
}

const trees = option("trees", "500")[0];
const repeats = Number(option("repeats", "1")[0]);
const contestants = option("contestants", "treeline,sklearn,ranger");
for (const set of option("sets", "100k-30,adult")) {
  const { train, test } = await readSet(set);
  await writePart(set, "train", train);
  await writePart(set, "test", test);
  for (const learner of option("learners", "tree,forest")) {
    for (const threads of option("threads", "1,2")) {
      const results = new Map<string, Result[]>();
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const contestant of contestants) {
          const result = await run(...commandOf(contestant, set, learner, threads), threads);
          results.set(contestant, [...(results.get(contestant) ?? []), result]);
        }
      }
      print(`${set}, ${learner}, ${threads} thread(s)`, [...results.values()]);
    }
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function print(title: string, results: readonly Result[][]): void {
  console.log(`\n${title}\n`);
  console.log("| learner | s | CPU s | peak MB | model MB | accuracy |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
  const mega = (bytes: number) => (bytes / 1e6).toFixed(2);
  for (const list of results) {
    const of = (get: (one: Result) => number) => median(list.map(get));
    const [{ learner, bytes, packedBytes, accuracy }] = list;
    const size = mega(bytes) + (packedBytes ? ` (gzip ${mega(packedBytes)})` : "");
    console.log(
      `| ${learner} | ${of((r) => r.seconds).toFixed(4)} | ${of((r) => r.cpu).toFixed(2)} | ` +
        `${of((r) => r.peakMegabytes)} | ${size} | ${accuracy.toFixed(4)} |`,
    );
  }
}
