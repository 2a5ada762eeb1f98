import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../src/algorithms/classic/cart.ts";
import { parseCsv } from "../../src/data/csv/parse.ts";
import type { Dataset } from "../../src/data/types.ts";
import type { CpRow } from "../../src/grow/prune/cp_table.ts";
import type { Model } from "../../src/model/model.ts";
import { readTable } from "../support/reference/classic_data.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("datasets/titanic.csv");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/datasets is absent");

/** One run of rpart/recipe.R. */
interface Run {
  readonly set: string;
  readonly target: string;
  readonly cp: number;
  readonly folds: number;
  readonly split: "information" | null;
  readonly prior: readonly number[] | null;
  readonly loss: readonly (readonly number[])[] | null;
  readonly weights: boolean;
  readonly classes: readonly string[] | null;
  /** Complexity, splits, relative error and, where rpart has them right, xerror and its deviation. */
  readonly table: readonly (readonly number[])[];
  /** Depth first, left before right. */
  readonly splitVariables: readonly string[];
  /** Of every `rowStep`-th row. */
  readonly labels: readonly string[] | null;
  readonly predictions: readonly (number | readonly number[])[];
}

const golden: { readonly rowStep: number; readonly runs: readonly Run[] } = JSON.parse(
  Deno.readTextFileSync(new URL("rpart/runs.json", import.meta.url)),
);

const DROPPED: { readonly [set: string]: readonly string[] } = {
  titanic: ["alive", "class", "who", "adult_male", "embark_town", "alone", "deck"],
  "auto_mpg": ["name"],
};

function dataOf({ set, target, classes, weights }: Run): Dataset {
  const task = classes === null ? "regression" : "classification";
  const options = { target, task, missing: ["", "?", "NA"], drop: DROPPED[set] ?? [] } as const;
  const data = set === "kyphosis"
    ? parseCsv(Deno.readTextFileSync(new URL("rpart/kyphosis.csv", import.meta.url)), options)
    : readTable(`${set}.csv`, options);
  if (!weights) return data;
  const sampleWeight = Float64Array.from({ length: data.numRows }, (_, row) => 1 + row % 3 / 2);
  return { ...data, sampleWeight };
}

/** Parameters of a run; rpart's classes are in alphabetical order. */
function paramsOf(run: Run, data: Dataset): { [name: string]: unknown } {
  const { target } = data;
  const order = target?.kind === "classification"
    ? target.classes.map((name) => run.classes!.indexOf(name))
    : [];
  return {
    missing: "surrogate",
    maxDepth: 30,
    minRowsSplit: 20,
    minRowsPerLeaf: 7,
    maxExhaustiveLevels: 16,
    cp: run.cp,
    ...(run.split === "information" && { criterion: "entropy" }),
    ...(run.prior && {
      priors: Object.fromEntries(run.classes!.map((name, k) => [name, run.prior![k]])),
    }),
    ...(run.loss && { loss: order.map((i) => order.map((j) => run.loss![i][j])) }),
  };
}

/** Features of the inner nodes, depth first. */
function splitsOf({ schema, ensemble: { trees } }: Model): string[] {
  const names: string[] = [];
  const visit = (node: number): void => {
    const isLeaf = trees.kind[node] === 0;
    names.push(isLeaf ? "<leaf>" : schema.features[trees.feature[node]].name);
    if (isLeaf) return;
    visit(trees.firstChild[node]);
    visit(trees.firstChild[node] + 1);
  };
  visit(0);
  return names;
}

golden.runs.forEach((run, at) => {
  const told = [
    run.split,
    run.prior && `priors ${run.prior}`,
    run.loss && `loss ${run.loss.join("; ")}`,
    run.weights && "weights",
  ].filter(Boolean).join(", ");
  Deno.test({
    name: `trainCart() equals rpart's run ${at + 1}: ${run.set} ${told}`,
    ignore,
    async fn() {
      const data = dataOf(run);
      const params = paramsOf(run, data);
      const model = await trainCart(data, params);
      const foldOfRow = Array.from({ length: data.numRows }, (_, row) => row % run.folds);
      const validated = await trainCart(data, { ...params, pruning: "cv", foldOfRow });
      const table = validated.info.cpTable as unknown as readonly CpRow[];
      const rows = table.map((row) => [row.cp, row.splits, row.relativeError, row.xerror!, row.xstd!]);
      assertEquals(rows.map((row) => row[1]), run.table.map((row) => row[1]));
      rows.forEach((row, i) =>
        run.table[i].forEach((expected, k) =>
          assertAlmostEquals(row[k], expected, 1e-11, `row ${i + 1}, column ${k + 1}`)
        )
      );
      assertEquals(splitsOf(model).sort(), [...run.splitVariables].sort());
      const { target } = data;
      const found = target?.kind === "classification"
        ? model.predictProba(data).data
        : model.predictValue(data);
      const labels = target?.kind === "classification" ? model.predictClass(data) : [];
      run.predictions.forEach((expected, i) => {
        const row = i * golden.rowStep;
        if (target?.kind !== "classification") {
          assertAlmostEquals(found[row], expected as number, 1e-11 * (expected as number));
          return;
        }
        const width = target.classes.length;
        target.classes.forEach((name, k) => {
          const share = (expected as readonly number[])[run.classes!.indexOf(name)];
          assertAlmostEquals(found[row * width + k], share, 1e-12, `row ${row} ${name}`);
        });
        assertEquals(labels[row], run.labels![i], `row ${row}`);
      });
    },
  });
});
