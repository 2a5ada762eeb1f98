// AdaBoost, gradient boosting with a leaf line search, and LogitBoost on one data set.
// Run: deno run examples/boosted_classics.ts
import {
  evaluate,
  parseCsv,
  splitDataset,
  trainAdaBoost,
  trainGbdt,
  trainLogitBoost,
} from "../mod.ts";

const lines = ["a,b,ring"];
for (let i = 0; i < 400; i++) {
  const [a, b] = [((i * 37) % 101) / 50 - 1, ((i * 53) % 97) / 48 - 1];
  lines.push(`${a},${b},${a * a + b * b < 0.6 ? "inside" : "outside"}`);
}
const data = parseCsv(lines.join("\n") + "\n", { target: "ring" });
const [train, test] = splitDataset(data, { fractions: [0.75, 0.25], seed: 3 });

const models = {
  adaboost: await trainAdaBoost(train, { rounds: 100 }),
  gbdt: await trainGbdt(train, { rounds: 100 }),
  logitboost: await trainLogitBoost(train, { rounds: 100 }),
};
for (const [name, model] of Object.entries(models)) {
  // deno-lint-ignore no-console
  console.log(name, evaluate(model, test).metrics);
}
