// Every classic algorithm by name, cross-validated on a parity (which stumps cannot see); one tuned.
// Run: deno run examples/compare_classics.ts
import { crossValidate, parseCsv, searchSpace, tune } from "../mod.ts";

const lines = ["sky,wind,day,play"];
for (let i = 0; i < 240; i++) {
  const [sky, wind] = [i % 3, (i * 7) % 2];
  const play = (sky > 0) !== (wind > 0) !== (i % 11 === 0);
  lines.push(`${["rain", "sun", "fog"][sky]},${wind > 0},d${i % 5},${play ? "go" : "stay"}`);
}
const data = parseCsv(lines.join("\n") + "\n", { target: "play" });

const ALGORITHMS = [
  "id3",
  "c45",
  "cart",
  "bagging",
  "random-forest",
  "extra-trees",
  "adaboost",
  "gbdt",
  "logitboost",
];
// deno-lint-ignore no-console
const print = console.log;
for (const algorithm of ALGORITHMS) {
  const { mean } = await crossValidate(data, { algorithm }, { folds: 3 });
  print(algorithm.padEnd(14), mean.accuracy.toFixed(3));
}
const space = searchSpace("gbdt", { rounds: 20 });
const { best } = await tune(data, space, { trials: 5, folds: 3, metric: "logLoss" });
print("tuned gbdt", best.params, best.value);
