// deno-lint-ignore-file no-console
/**
 * Trees of XGBoost's exact method by Treeline and by XGBoost: the same rows and settings, one after
 * the other, at 1 and 2 threads; the training loss shows that the trees are the same. Time of a round
 * is the least of all but the first, which sorts the columns.
 *
 *     PEERS=.cache/peers deno run -A --no-check bench/exact.ts [rows=200000] [columns=20]
 *
 * @module
 */
import { train } from "../src/algorithms/train.ts";
import { evaluate } from "../src/evaluate/evaluate.ts";
import { createRng } from "../src/util/rng.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const PYTHON = `${Deno.env.get("PEERS") ?? `${ROOT}.cache/peers`}/bin/python`;
const [numRows = 200_000, numColumns = 20] = Deno.args.map(Number);
const ROUNDS = 5;

const rng = createRng(1);
const columns = Array.from(
  { length: numColumns },
  () => Float64Array.from({ length: numRows }, () => rng.nextFloat()),
);
const codes = Int32Array.from(
  columns[0],
  (a, row) => a + columns[1][row] / 2 + 0.5 * rng.nextFloat() > 1 ? 1 : 0,
);
const data = {
  numRows,
  features: columns.map((values, f) => ({ kind: "numeric" as const, name: `x${f}`, values })),
  target: { kind: "classification" as const, name: "y", codes, classes: ["0", "1"] },
};

interface Run {
  readonly version?: string;
  readonly total: number;
  readonly seconds: readonly number[];
  readonly loss: number;
}

async function ours(maxDepth: number, threads: number): Promise<Run> {
  const seconds: number[] = [];
  const start = performance.now();
  let last = start;
  const params = { preset: "xgboost@2", treeMethod: "exact", rounds: ROUNDS, maxDepth };
  const model = await train(data, params, {
    threads,
    onRound() {
      const now = performance.now();
      seconds.push((now - last) / 1000);
      last = now;
    },
  });
  const total = (performance.now() - start) / 1000;
  return { total, seconds, loss: evaluate(model, data, ["logLoss"]).metrics["logLoss"] };
}

async function theirs(path: string, maxDepth: number, threads: number): Promise<Run> {
  const args = [`${ROOT}bench/peers/exact.py`, path];
  const { stdout, stderr, success } = await new Deno.Command(PYTHON, {
    args: [...args, ...[numColumns, maxDepth, ROUNDS, threads].map(String)],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

const path = await Deno.makeTempFile();
const rows = new Float64Array(numRows * (numColumns + 1));
for (let row = 0; row < numRows; row++) {
  columns.forEach((column, f) => rows[row * (numColumns + 1) + f] = column[row]);
  rows[row * (numColumns + 1) + numColumns] = codes[row];
}
await Deno.writeFile(path, new Uint8Array(rows.buffer));
try {
  console.log(
    "| depth | threads | Treeline, a round | XGBoost | ratio | in all | XGBoost | ratio |",
  );
  console.log("| --: | --: | --: | --: | --: | --: | --: | --: |");
  for (const depth of [6, 10]) {
    for (const threads of [1, 2]) {
      const [a, b] = [await ours(depth, threads), await theirs(path, depth, threads)];
      const [round, peer] = [a, b].map(({ seconds }) => Math.min(...seconds.slice(1)));
      const cells = [round, peer, round / peer, a.total, b.total, a.total / b.total];
      console.log(`| ${depth} | ${threads} | ${cells.map((x) => x.toFixed(2)).join(" | ")} |`);
      console.log(`<!-- XGBoost ${b.version}; log loss ${a.loss} and ${b.loss} -->`);
    }
  }
} finally {
  await Deno.remove(path);
}
