// deno-lint-ignore-file no-console
/**
 * Treeline's training beside XGBoost, LightGBM, CatBoost and scikit-learn: each contestant in a fresh
 * process, in turn, repeated; the table shows medians of total seconds, seconds of the rounds, peak
 * memory and held-out log loss.
 *
 * deno task bench:train [--shapes=1m-28,100k-100,adult-10,cover-7,letter-7] [--threads=1,2] [--rounds=100] [--repeats=3] [--learners=…]
 *
 * Peers run in the virtual environment .cache/peers, made from bench/peers/requirements.txt if it is
 * not there (python3 -m venv; pip install -r).
 *
 * @module
 */
import { ADULT_CATEGORIES, pathsOf, SHAPES, writeShape } from "./data/train.ts";

interface Result {
  readonly learner: string;
  readonly version: string;
  readonly threads: number;
  readonly seconds: number;
  readonly rounds: number | null;
  /** Processor seconds of all threads: what remains comparable on a busy machine. */
  readonly cpu: number;
  readonly cpuRounds: number | null;
  readonly peakMegabytes: number;
  readonly logLoss: number;
}

const ROOT = new URL("../", import.meta.url).pathname;
const PYTHON = `${ROOT}.cache/peers/bin/python`;

function option(name: string, fallback: string): string[] {
  const found = Deno.args.find((arg) => arg.startsWith(`--${name}=`));
  return (found?.slice(name.length + 3) ?? fallback).split(",");
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${command} ${args[0]}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}

async function preparePeers(): Promise<void> {
  try {
    await Deno.stat(PYTHON);
  } catch {
    await run("python3", ["-m", "venv", `${ROOT}.cache/peers`]);
    await run(PYTHON, ["-m", "pip", "install", "-q", "-r", `${ROOT}bench/peers/requirements.txt`]);
  }
}

/** `treeline-lightgbm` takes LightGBM's second derivatives of several classes. */
const LEARNERS = "treeline,treeline-lightgbm,xgboost,lightgbm,lightgbm-quantised,catboost,sklearn";
const rounds = option("rounds", "100")[0];
const repeats = Number(option("repeats", "3")[0]);
const learners = option("learners", LEARNERS);
await preparePeers();
for (const name of option("shapes", "1m-28,100k-100,adult-10,cover-7,letter-7")) {
  const shape = SHAPES.find((one) => one.name === name);
  if (shape === undefined) throw new Error(`unknown shape ${name}`);
  await writeShape(shape);
  const train = pathsOf(shape, "train");
  const test = pathsOf(shape, "test");
  for (const threads of option("threads", "1,2")) {
    const results = new Map<string, Result[]>();
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const learner of learners) {
        if (learner === "treeline-lightgbm" && shape.classes === 2) continue;
        const line = learner.startsWith("treeline")
          ? await run(Deno.execPath(), [
            "run",
            "-A",
            "--no-check",
            `${ROOT}bench/runs/train.ts`,
            name,
            threads,
            rounds,
            "depth",
            "wasm",
            ...(learner === "treeline-lightgbm" ? ["lightgbm"] : []),
          ])
          : await run(PYTHON, [
            `${ROOT}bench/peers/train.py`,
            learner,
            train.x,
            train.y,
            test.x,
            test.y,
            `${shape.features}`,
            `${shape.classes}`,
            threads,
            rounds,
            shape.adultCopies === undefined ? "" : ADULT_CATEGORIES.join(","),
          ]);
        const result = JSON.parse(line.split("\n").at(-1)!) as Result;
        results.set(learner, [...(results.get(learner) ?? []), result]);
      }
    }
    print(name, threads, results);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function print(name: string, threads: string, results: ReadonlyMap<string, Result[]>): void {
  console.log(`\n${name}, ${threads} thread(s), ${rounds} rounds, median of ${repeats}\n`);
  console.log("| learner | total s | rounds s | CPU s | CPU s, rounds | peak MB | log loss |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const [learner, list] of results) {
    const total = median(list.map(({ seconds }) => seconds));
    const middle = (of: (one: Result) => number | null) =>
      list.every((one) => of(one) !== null) ? median(list.map((one) => of(one)!)).toFixed(2) : "–";
    const inner = `${middle(({ rounds }) => rounds)} | ${middle(({ cpu }) => cpu)} | ${
      middle(({ cpuRounds }) => cpuRounds)
    }`;
    const peak = median(list.map(({ peakMegabytes }) => peakMegabytes));
    const label = learner.startsWith("treeline")
      ? `**${learner}**`
      : `${learner} ${list[0].version}`;
    console.log(
      `| ${label} | ${total.toFixed(2)} | ${inner} | ${peak} | ${list[0].logLoss.toFixed(4)} |`,
    );
  }
}
