/**
 * Mean rank of Treeline's defaults among those of XGBoost, LightGBM, scikit-learn and CatBoost over
 * all metrics of each data set: reads bench/rank_peers.json (made by bench/rank_peers.py), trains ours
 * on the same folds, writes bench/rank.md.
 *
 *     deno run -A bench/rank.ts
 *
 * @module
 */
import { trainBoost } from "../src/algorithms/boost.ts";
import { evaluate } from "../src/evaluate/evaluate.ts";
import { readParts, readScores } from "./accuracy_data.ts";

interface Score {
  readonly metrics: { readonly [metric: string]: number };
  readonly seconds: number;
  readonly folds: number;
}

const HIGHER = new Set(["auc", "accuracy", "macroF1", "r2"]);
const METRICS = {
  reg: ["rmse", "mae", "r2"],
  count: [],
  bin: ["logLoss", "auc", "accuracy"],
  multi: ["logLoss", "accuracy", "macroF1"],
};

const peers: { readonly [dataset: string]: { readonly [learner: string]: Score } } = JSON.parse(
  await Deno.readTextFile(new URL("rank_peers.json", import.meta.url)),
);

async function ours(dataset: string, folds: number): Promise<Score> {
  const entry = readScores()[dataset];
  const parts = (await readParts(entry)).slice(0, folds);
  const metrics: { [metric: string]: number } = {};
  let seconds = 0;
  for (const { train, test } of parts) {
    const began = performance.now();
    const model = await trainBoost(train, {}, { threads: 1 });
    seconds += (performance.now() - began) / 1000;
    const found = evaluate(model, test, METRICS[entry.kind]).metrics;
    for (const [name, value] of Object.entries(found)) {
      metrics[name] = (metrics[name] ?? 0) + value / parts.length;
    }
  }
  return { metrics, seconds, folds: parts.length };
}

const learners = ["treeline", "catboost", "lightgbm", "sklearn", "xgboost"];
const ranks = new Map(learners.map((name) => [name, [] as number[]]));
const rows: string[] = [];
for (const [dataset, found] of Object.entries(peers)) {
  const all: { readonly [learner: string]: Score } = {
    ...found,
    treeline: await ours(dataset, Object.values(found)[0].folds),
  };
  for (const metric of Object.keys(all.treeline.metrics)) {
    const sign = HIGHER.has(metric) ? -1 : 1;
    const values = Object.entries(all).map(([name, score]) =>
      [name, sign * score.metrics[metric]] as const
    );
    for (const [name, value] of values) {
      const better = values.filter(([, other]) => other < value).length;
      const equal = values.filter(([, other]) => other === value).length;
      ranks.get(name)!.push(better + (equal + 1) / 2);
    }
    rows.push(
      `| ${dataset} | ${metric} | ${
        learners.map((name) => all[name]?.metrics[metric].toPrecision(5) ?? "–").join(" | ")
      } |`,
    );
  }
  rows.push(
    `| ${dataset} | seconds | ${
      learners.map((name) => all[name]?.seconds.toFixed(1) ?? "–").join(" | ")
    } |`,
  );
}
const means = learners.map((name) => {
  const list = ranks.get(name)!;
  return (list.reduce((a, b) => a + b, 0) / list.length).toFixed(2);
});
const rule = `| --- | --- | ${learners.map(() => "---").join(" | ")} |`;
await Deno.writeTextFile(
  new URL("rank.md", import.meta.url),
  [
    "# Rank of the defaults\n",
    "<!-- Written by bench/rank.ts; the others' scores by bench/rank_peers.py -->\n",
    "Nothing but defaults, one thread, the folds of `../shared/reference/scores.json` (the first fold " +
    "only above 2000 rows). XGBoost 3.2.0, LightGBM 4.7.0, scikit-learn 1.9.1 (histogram boosting), " +
    "CatBoost 1.2.10. A dash is a run that was not made: CatBoost's 1000 rounds did not fit the time " +
    "on some sets. Seconds were taken on a busy machine.\n",
    `| data | metric | ${learners.join(" | ")} |`,
    rule,
    ...rows,
    `| **mean rank** | ${ranks.get("treeline")!.length} tables | ${means.join(" | ")} |`,
    "",
  ].join("\n"),
);
