// A random forest, extra trees and bagging with their out-of-bag scores.
// Run: deno run examples/forest.ts
import { outOfBag, parseCsv, trainBagging, trainExtraTrees, trainRandomForest } from "../mod.ts";

const lines = ["width,height,noise,shape"];
for (let i = 0; i < 300; i++) {
  const [width, height] = [(i * 37) % 101, (i * 53) % 97];
  lines.push(`${width},${height},${(i * 71) % 89},${width > height ? "wide" : "tall"}`);
}
const data = parseCsv(lines.join("\n") + "\n", { target: "shape" });

// deno-lint-ignore no-console
const print = console.log;
const forest = await trainRandomForest(data, { trees: 100, seed: 1, importance: "permutation" });
print("forest", outOfBag(forest)?.metrics);
print("importance", forest.info.importance);
const extra = await trainExtraTrees(data, { trees: 100, replace: true });
print("extra trees", outOfBag(extra)?.metrics);
const bagged = await trainBagging(data, { base: "c45", trees: 25, aggregate: "vote" });
print("bagged C4.5", outOfBag(bagged)?.metrics);
