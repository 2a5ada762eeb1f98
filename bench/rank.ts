/**
 * Mean rank of Treeline's defaults among those of XGBoost, LightGBM, scikit-learn and CatBoost over
 * all metrics of each data set: reads bench/rank_peers.json (made by bench/peers/rank.py), trains ours
 * on the same folds, writes bench/rank.md. Names as arguments measure only those again; scores of ours
 * are kept in bench/rank_ours.json.
 *
 *     deno run -A bench/rank.ts [iris adult …]
 *
 * @module
 */
import { trainBoost } from "../src/algorithms/boost/boost.ts";
import { evaluate } from "../src/evaluate/evaluate.ts";
import { encodeModel } from "../src/format/binary.ts";
import { VERSION } from "../src/util/version.ts";
import { type Part, readParts, readScores } from "./data/accuracy.ts";

/** One learner on one fold. `cpu` are processor seconds of training and scoring. */
interface Run {
  readonly metrics: { readonly [metric: string]: number };
  readonly cpu: number;
  /** Model of the processor. */
  readonly machine?: string;
  readonly rounds?: number;
  readonly byteLength?: number;
}

interface Runs {
  readonly version: string;
  readonly folds: { readonly [fold: string]: Run };
}

type Table = { [dataset: string]: { [learner: string]: Runs } };

const HIGHER = new Set(["auc", "accuracy", "macroF1", "r2"]);
const METRICS = {
  reg: ["rmse", "mae", "r2"],
  count: [],
  bin: ["logLoss", "auc", "accuracy"],
  multi: ["logLoss", "accuracy", "macroF1"],
};
const OURS = { treeline: {}, "treeline-lean": { preset: "treeline-lean@1" } } as const;
const LEARNERS = [...Object.keys(OURS), "catboost", "lightgbm", "sklearn", "xgboost"];
const OURS_FILE = new URL("rank_ours.json", import.meta.url);

async function readJson(url: URL): Promise<Table> {
  return JSON.parse(await Deno.readTextFile(url).catch(() => "{}"));
}

/** Processor seconds of this process, all threads (Linux). */
function processorSeconds(): number {
  const fields = Deno.readTextFileSync("/proc/self/stat").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const MACHINE = /model name\s*: (.*)/.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1].trim() ??
  "";

/** Whether two learners' runs were timed on one machine. */
function isTimedAlike(one: Runs, other: Runs, folds: readonly string[]): boolean {
  return folds.every((fold) => one.folds[fold].machine === other.folds[fold].machine);
}

async function measure({ train, test }: Part, params: object, names: readonly string[]) {
  const began = processorSeconds();
  const model = await trainBoost(train, params, { threads: 1 });
  const { metrics } = evaluate(model, test, names);
  const cpu = Math.round(100 * (processorSeconds() - began)) / 100;
  const byteLength = encodeModel(model).length;
  return { metrics, cpu, machine: MACHINE, rounds: model.numRounds, byteLength };
}

/** Folds that every peer was measured on. */
function commonFolds(found: { readonly [learner: string]: Runs }): string[] {
  const lists = Object.values(found).map(({ folds }) => Object.keys(folds));
  return lists[0].filter((fold) => lists.every((list) => list.includes(fold)));
}

function mean(runs: Runs, folds: readonly string[], of: (run: Run) => number): number {
  return folds.reduce((sum, fold) => sum + of(runs.folds[fold]), 0) / folds.length;
}

const peers = await readJson(new URL("rank_peers.json", import.meta.url));
const ours = await readJson(OURS_FILE);
const datasets = Object.keys(peers).toSorted();
const again = new Set(Deno.args.length === 0 ? datasets : Deno.args);
for (const dataset of datasets) {
  const folds = commonFolds(peers[dataset]);
  const entry = readScores()[dataset];
  const stored = ours[dataset] ?? {};
  const isWhole = Object.keys(OURS).every((name) => folds.every((k) => stored[name]?.folds[k]));
  if (!again.has(dataset) && isWhole) continue;
  const parts = await readParts(entry, folds.length > 1);
  ours[dataset] = {};
  for (const [name, params] of Object.entries(OURS)) {
    const runs: { [fold: string]: Run } = {};
    for (const fold of folds) {
      runs[fold] = await measure(parts[Number(fold)], params, METRICS[entry.kind]);
    }
    ours[dataset][name] = { version: VERSION, folds: runs };
    // deno-lint-ignore no-console
    console.log(dataset, name, JSON.stringify(runs[folds[0]]));
  }
  await Deno.writeTextFile(OURS_FILE, JSON.stringify(ours, undefined, 2) + "\n");
}

/** Adds the ranks of some learners by one metric; equal values share a rank. */
function addRanks(values: readonly (readonly [string, number])[], to: Map<string, number[]>) {
  for (const [name, value] of values) {
    const better = values.filter(([, other]) => other < value).length;
    const equal = values.filter(([, other]) => other === value).length;
    to.set(name, [...(to.get(name) ?? []), better + (equal + 1) / 2]);
  }
}

const ranks = new Map<string, number[]>();
const leanRanks = new Map<string, number[]>();
const rows: string[] = [];
const slower: string[] = [];
/** Sets whose slowest peer was timed on another machine. */
const elsewhere: string[] = [];
for (const dataset of datasets) {
  const all = { ...ours[dataset], ...peers[dataset] };
  const folds = commonFolds(all);
  const row = (label: string, show: (runs: Runs) => string) =>
    `| ${dataset} | ${label} | ${
      LEARNERS.map((name) => all[name] === undefined ? "–" : show(all[name])).join(" | ")
    } |`;
  for (const metric of METRICS[readScores()[dataset].kind]) {
    const sign = HIGHER.has(metric) ? -1 : 1;
    // A learner whose defaults refuse the data is the last.
    const values = Object.entries(all).map(([name, runs]) => {
      const value = sign * mean(runs, folds, ({ metrics }) => metrics[metric]);
      return [name, Number.isNaN(value) ? Infinity : value] as const;
    });
    addRanks(values.filter(([name]) => name !== "treeline-lean"), ranks);
    addRanks(values.filter(([name]) => name !== "treeline"), leanRanks);
    rows.push(
      row(metric, (runs) => {
        const value = mean(runs, folds, (run) => run.metrics[metric]);
        return Number.isNaN(value) ? "refused" : value.toPrecision(5);
      }),
    );
  }
  const seconds = (runs: Runs) => mean(runs, folds, ({ cpu }) => cpu);
  const alike = Object.values(peers[dataset])
    .filter((runs) => isTimedAlike(runs, all.treeline, folds));
  if (!alike.includes(peers[dataset].catboost)) elsewhere.push(dataset);
  else if (seconds(all.treeline) > Math.max(...alike.map(seconds))) slower.push(dataset);
  rows.push(
    row(
      `seconds, ${folds.length} ${folds.length > 1 ? "folds" : "fold"}`,
      (runs) => seconds(runs).toFixed(2),
    ),
  );
  rows.push(row("rounds; kB", (runs) => {
    const { rounds, byteLength = 0 } = Object.values(runs.folds)[0];
    return rounds === undefined ? "" : `${rounds}; ${(byteLength / 1000).toFixed(0)}`;
  }));
}
const meanOf = (list: readonly number[] | undefined) =>
  list === undefined ? "–" : (list.reduce((a, b) => a + b, 0) / list.length).toFixed(2);
const versions = LEARNERS.slice(2).map((name) => `${name} ${peers.iris[name].version}`).join(", ");
await Deno.writeTextFile(
  new URL("rank.md", import.meta.url),
  [
    "# Rank of the defaults\n",
    "<!-- Written by bench/rank.ts; the others' scores by bench/peers/rank.py -->\n",
    `All libraries with their defaults, on one thread, on the folds of ` +
    `\`../shared/reference/scores.json\` (the line of seconds has their number). Treeline ` +
    `${VERSION}: \`treeline@1\` (a committee of five below 100,000 rows × classes) and ` +
    `\`treeline-lean@1\` (one model). ${versions}. Seconds are processor seconds of one fold, for ` +
    `training and (Treeline only) scoring, on a busy machine (${MACHINE}, ` +
    `${new Date().toISOString().slice(0, 10)}). Ranks are among five: each of the two presets is ` +
    "ranked separately with the four other libraries. Scores of catboost, lightgbm and xgboost " +
    "repeat to the last bit; sklearn draws its validation rows without a seed above 10,000 rows.\n",
    `| data | metric | ${LEARNERS.join(" | ")} |`,
    `| --- | --- | ${LEARNERS.map(() => "---").join(" | ")} |`,
    ...rows,
    `| **mean rank** | ${ranks.get("treeline")!.length} comparisons | ${
      LEARNERS.map((name) => meanOf((name === "treeline-lean" ? leanRanks : ranks).get(name)))
        .join(" | ")
    } |`,
    "",
    slower.length === 0
      ? "On no data set does `treeline@1` take longer than the slowest of the others."
      : `\`treeline@1\` takes longer than the slowest of the others on ${slower.join(", ")}.`,
    ...(elsewhere.length === 0 ? [] : [
      `\nOn ${
        elsewhere.join(", ")
      }, CatBoost ran on another machine; its seconds are not compared.`,
    ]),
    "",
  ].join("\n"),
);
