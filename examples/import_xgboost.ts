// deno-lint-ignore-file no-console
// A model trained elsewhere: the file XGBoost saved, scored here as XGBoost scores it.
import { explainShap, importModel } from "../mod.ts";

const file = await Deno.readFile(new URL("data/mushrooms.ubj", import.meta.url));
const model = importModel(file, { classes: ["edible", "poisonous"], target: "class" });
console.log(model.info.origin, `${model.numTrees} trees`);

// Columns of the LIBSVM file are 0 to 126; those that a row does not name are missing.
const row = Object.fromEntries([3, 10, 11, 21, 30, 34, 36, 40, 41, 53].map((at) => [`f${at}`, 1]));
const { data } = model.predictProba(row);
console.log(`poisonous: ${(100 * data[1]).toFixed(2)} %`);

const { values, features, bias } = explainShap(model, row);
const reasons = features.map((name, f) => ({ name, adds: values[f] }));
reasons.sort((a, b) => Math.abs(b.adds) - Math.abs(a.adds));
console.log("raw score:", bias[0], "and above all", reasons.slice(0, 3));
