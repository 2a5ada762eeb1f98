// deno-lint-ignore-file no-console
/**
 * What trials save by sharing the bins of their folds: the same settings cross-validated on the
 * same folds with bins shared and not, in turn, in one process; least seconds of each.
 *
 * deno run -A --no-check bench/tune.ts [--rows=60000] [--features=100] [--rounds=20] [--trials=6] [--repeats=3]
 *
 * @module
 */
import type { Dataset } from "../src/data/types.ts";
import { crossValidate } from "../src/evaluate/cross_validate.ts";
import { prepareFolds } from "../src/evaluate/prepared_folds.ts";
import { shareOf } from "../src/evaluate/fold.ts";
import { createRng } from "../src/util/rng.ts";

const option = (name: string, fallback: number): number => {
  const found = Deno.args.find((arg) => arg.startsWith(`--${name}=`));
  return found === undefined ? fallback : Number(found.slice(name.length + 3));
};
const numRows = option("rows", 60_000);
const numFeatures = option("features", 100);
const rounds = option("rounds", 20);
const numTrials = option("trials", 6);
const repeats = option("repeats", 3);
const FOLDS = 3;

function table(): Dataset {
  const rng = createRng(1);
  const columns = Array.from(
    { length: numFeatures },
    () => Float64Array.from({ length: numRows }, () => rng.nextFloat()),
  );
  return {
    numRows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(columns[0], (x, row) => x + columns[1][row] > 1 ? 1 : 0),
      classes: ["0", "1"],
    },
  };
}

const data = table();
const specs = Array.from({ length: numTrials }, (_, i) => ({
  rounds,
  maxDepth: 4 + i % 3,
  learningRate: 0.1 + 0.02 * i,
}));
const options = { threads: 1, metrics: ["logLoss"] };

async function search(shared: boolean): Promise<{ seconds: number; kept: number }> {
  const begin = performance.now();
  let folds = prepareFolds(data, { folds: FOLDS });
  let kept = 0;
  for (const spec of specs) {
    await crossValidate(folds, spec, options);
    kept = Math.max(kept, folds.share.byteLength);
    if (!shared) folds = { ...folds, share: shareOf(folds.parts) };
  }
  return { seconds: (performance.now() - begin) / 1000, kept };
}

const least = { shared: Infinity, apart: Infinity };
let megabytes = 0;
for (let repeat = 0; repeat < repeats; repeat++) {
  const apart = await search(false);
  const shared = await search(true);
  least.apart = Math.min(least.apart, apart.seconds);
  least.shared = Math.min(least.shared, shared.seconds);
  megabytes = shared.kept / 2 ** 20;
}
console.log(`${numRows} x ${numFeatures}, ${FOLDS} folds, ${numTrials} trials of ${rounds} rounds`);
console.log(`bins apart  ${least.apart.toFixed(2)} s`);
console.log(`bins shared ${least.shared.toFixed(2)} s, ${megabytes.toFixed(1)} MB of bins kept`);
