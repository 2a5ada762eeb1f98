/**
 * Treeline's defaults beside the reference scores of ../shared/reference/scores.json, on its splits:
 * writes bench/accuracy.md. Names as arguments limit the data sets; `--write` writes the page.
 *
 *     deno run -A bench/accuracy.ts [--write] [iris adult …]
 *
 * @module
 */
import { trainBoost } from "../src/algorithms/boost/boost.ts";
import { evaluate } from "../src/evaluate/evaluate.ts";
import { VERSION } from "../src/util/version.ts";
import { readParts, readScores } from "./data/accuracy.ts";

/** One line of the table. */
interface Line {
  readonly dataset: string;
  readonly metric: string;
  readonly ours: number;
  readonly xgboost: number;
  readonly others: readonly number[];
  readonly folds: number;
  readonly seconds: number;
}

const OTHERS = ["lightgbm_100", "hist_gradient_boosting_100"];

async function measure(dataset: string): Promise<Line> {
  const entry = readScores()[dataset];
  const [metric, key] = entry.kind === "reg" ? ["rmse", "rmse"] : ["logLoss", "logloss"];
  const parts = await readParts(entry);
  let total = 0;
  let seconds = 0;
  for (const { train, test } of parts) {
    const began = performance.now();
    const model = await trainBoost(train);
    seconds += (performance.now() - began) / 1000;
    total += evaluate(model, test, [metric]).metrics[metric];
  }
  return {
    dataset,
    metric,
    ours: total / parts.length,
    xgboost: entry.learners.xgboost_100.mean[key],
    others: OTHERS.map((name) => entry.learners[name]?.mean[key] ?? NaN),
    folds: parts.length,
    seconds,
  };
}

function show(value: number): string {
  return Number.isNaN(value) ? "–" : value.toPrecision(5);
}

/** One row of the table. */
function rowOf(line: Line): string {
  const change = 100 * (line.ours / line.xgboost - 1);
  const sign = change > 0 ? "+" : "";
  return `| ${line.dataset} | ${line.metric} | ${show(line.ours)} | ${
    show(line.xgboost)
  } | ${sign}${change.toFixed(1)} % | ${line.others.map(show).join(" | ")} | ${line.folds} | ${
    line.seconds.toFixed(1)
  } |`;
}

/** The page with new rows, and the rows of data sets that were not measured now kept. */
function page(lines: readonly Line[], before: string): string {
  const rows = new Map<string, string>();
  for (const row of before.match(/^\| \w+ +\| (rmse|logLoss) .*$/gm) ?? []) {
    rows.set(row.split(" ")[1], row);
  }
  for (const line of lines) rows.set(line.dataset, rowOf(line));
  const sorted = [...rows.keys()].toSorted();
  const worse = sorted.filter((name) => Number(/([-+.\d]+) %/.exec(rows.get(name)!)![1]) > 2);
  return [
    "# Accuracy of the defaults\n",
    "<!-- Written by bench/accuracy.ts --write -->\n",
    `Treeline ${VERSION} with preset \`treeline@1\` and no other setting, compared with ` +
    "`xgboost_100` of `../shared/reference/scores.json` (XGBoost 1.7.4 with its defaults, 100 " +
    "rounds), on the splits described there. Smaller is better. Seconds are those of Treeline's " +
    "training, over all folds, on a busy machine with two cores: an upper bound, not a " +
    "benchmark.\n",
    "| data | metric | Treeline | XGBoost | change | LightGBM | scikit-learn | folds | seconds |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...sorted.map((name) => rows.get(name)!),
    "",
    worse.length === 0
      ? `Of ${sorted.length} sets none is worse than XGBoost by more than 2 %.`
      : `Of ${sorted.length} sets these are worse than XGBoost by more than 2 %: ${
        worse.join(", ")
      }.`,
    "",
  ].join("\n");
}

const names = Deno.args.filter((argument) => !argument.startsWith("--"));
const lines: Line[] = [];
for (const [name, { kind, rows }] of Object.entries(readScores())) {
  // Ranking, survival and the demos of other libraries have no folds of their own there.
  const isPlain = ["reg", "bin", "multi"].includes(kind) && rows !== undefined;
  if (!isPlain || (names.length > 0 && !names.includes(name))) continue;
  lines.push(await measure(name));
  // deno-lint-ignore no-console
  console.log(JSON.stringify(lines.at(-1)));
}
if (Deno.args.includes("--write")) {
  const path = new URL("accuracy.md", import.meta.url);
  const before = await Deno.readTextFile(path).catch(() => "");
  await Deno.writeTextFile(path, page(lines, before));
}
