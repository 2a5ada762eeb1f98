// deno-lint-ignore-file no-console
// Train until held-out rows stop improving; the model is the best round, not the last.
import { readCsv, splitDataset, trainBoost } from "../mod.ts";

const people = await readCsv(new URL("data/adult.csv.gz", import.meta.url), { target: "income" });
const [learn, valid] = splitDataset(people, { fractions: [0.8, 0.2], seed: 3, stratify: true });
const model = await trainBoost(
  learn,
  { rounds: 500, learningRate: 0.3, earlyStoppingRounds: 10 },
  {
    valid,
    onRound: ({ round, metrics }) => {
      if (round % 20 === 0) console.log(round, metrics.valid.logLoss);
    },
  },
);
console.log(model.info.best, "rounds kept:", model.numRounds);
