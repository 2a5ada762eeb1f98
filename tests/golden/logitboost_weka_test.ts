import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainLogitBoost } from "../../src/algorithms/classic/logitboost.ts";
import { readTable } from "../support/reference/classic_data.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("datasets/iris.csv");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/datasets is absent");

/** One run of logitboost/recipe.java. */
interface Run {
  readonly dataset: string;
  readonly target: string;
  readonly shrinkage: number;
  readonly rounds: number;
  readonly zMax: number;
  /** In the order of the probabilities. */
  readonly classes: readonly string[];
  readonly logLoss: number;
  /** Of every `rowStep`-th row. */
  readonly probabilities: readonly (readonly number[])[];
}

const golden: { readonly rowStep: number; readonly runs: readonly Run[] } = JSON.parse(
  Deno.readTextFileSync(new URL("logitboost/weka.json", import.meta.url)),
);
const [first] = golden.runs;
const most = Math.max(...golden.runs.map(({ rounds }) => rounds));
const groups = golden.runs.filter(({ rounds }) => rounds === first.rounds);

for (const { dataset, target, shrinkage, zMax } of groups) {
  Deno.test({
    name: `trainLogitBoost() equals Weka's LogitBoost on ${dataset}, shrinkage ${shrinkage}`,
    ignore,
    async fn() {
      const data = readTable(`${dataset}.csv`, { target, task: "classification" });
      const { codes, classes } = data.target as {
        readonly codes: Int32Array;
        readonly classes: readonly string[];
      };
      const model = await trainLogitBoost(data, {
        weka: true,
        zMax,
        rounds: most,
        learningRate: shrinkage,
        maxDepth: 1,
      });
      const runs = golden.runs.filter((run) => run.dataset === dataset && run.shrinkage === shrinkage);
      assertEquals(runs.length, 6);
      for (const run of runs) {
        const { data: p, cols } = model.predictProba(data, { rounds: run.rounds });
        const where = `${run.rounds} rounds`;
        let loss = 0;
        for (let row = 0; row < data.numRows; row++) loss -= Math.log(p[row * cols + codes[row]]);
        assertAlmostEquals(loss / data.numRows, run.logLoss, 1e-12, where);
        run.probabilities.forEach((expected, i) =>
          expected.forEach((share, k) => {
            const found = p[i * golden.rowStep * cols + classes.indexOf(run.classes[k])];
            assertAlmostEquals(found, share, 1e-12, `${where}, row ${i * golden.rowStep}`);
          })
        );
      }
    },
  });
}
