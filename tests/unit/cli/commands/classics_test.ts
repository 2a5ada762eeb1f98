/**
 * Every classic algorithm from the command line: train, predict, evaluate, cross-validate, tune.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import { loadModel } from "../../../../src/files/model_file.ts";
import { cli } from "../../../support/cli.ts";
import { tempFolder } from "../../../support/temp.ts";

/** Categories only, so that ID3 can read them too: a parity of two, and noise. */
const TABLE = "sky,wind,day,play\n" + Array.from({ length: 120 }, (_, i) => {
  const [sky, wind] = [i % 3, (i * 7) % 2];
  const play = (sky > 0) !== (wind > 0);
  const shown = i % 11 === 0 ? !play : play;
  return `${["rain", "sun", "fog"][sky]},${["no", "yes"][wind]},d${i % 5},${
    shown ? "go" : "stay"
  }\n`;
}).join("");

/** Flags that keep the ensembles small, and a search that the algorithm has something to draw for. */
const ALGORITHMS: { readonly [name: string]: readonly string[] } = {
  "id3": [],
  "c45": [],
  "cart": ["--max-depth", "5"],
  "bagging": ["--trees", "15", "--base", "id3"],
  "random-forest": ["--trees", "15"],
  "extra-trees": ["--trees", "15"],
  "adaboost": ["--rounds", "15", "--max-depth", "2"],
  "gbdt": ["--rounds", "15"],
  "logitboost": ["--rounds", "15", "--max-depth", "2"],
};

for (const [algorithm, flags] of Object.entries(ALGORITHMS)) {
  Deno.test(`${algorithm} trains, predicts, is cross-validated and tuned from the command line`, async () => {
    await using folder = await tempFolder();
    const data = await folder.write("d.csv", TABLE);
    const out = folder.file("m.tlm");
    const chosen = ["--algorithm", algorithm, "-t", "play"];
    const trained = await cli(["train", data, ...chosen, ...flags, "--seed", "5", "-o", out]);
    assertEquals([trained.code, trained.stderr.includes("error")], [0, false], trained.stderr);
    const model = await loadModel(out);
    assertEquals(model.info.algorithm, algorithm);
    // As from a script.
    const params = Object.fromEntries(
      Array.from({ length: flags.length / 2 }, (_, i) => {
        const [name, value] = [flags[2 * i].slice(2), flags[2 * i + 1]];
        return [name.replace("-d", "D"), Number.isNaN(Number(value)) ? value : Number(value)];
      }),
    );
    const table = parseCsv(TABLE, { target: "play" });
    const same = await train(table, { algorithm, ...params, seed: 5 });
    assertEquals(model.predictProba(table), same.predictProba(table));
    // 109 of 120 rows follow the rule.
    const evaluated = await cli(["evaluate", out, data, "--json"]);
    assert(JSON.parse(evaluated.stdout).metrics.accuracy > 0.85, evaluated.stdout);
    const predicted = await cli(["predict", out, data]);
    assertEquals(predicted.stdout.trimEnd().split("\n").length, 121);
    const folds = await cli(["evaluate", out, data, "--folds", "3", "--json"]);
    assertEquals(folds.code, 0, folds.stderr);
    assert(JSON.parse(folds.stdout).metrics.accuracy > 0.7, folds.stdout);
    const only = ["--trials", "2", "--folds", "3", "--threads", "1", "--json"];
    const tuned = await cli(["tune", data, ...chosen, ...flags, ...only]);
    assertEquals(tuned.code, 0, tuned.stderr);
    const told = JSON.parse(tuned.stdout);
    assertEquals([told.algorithm, told.trials.length], [algorithm, 2]);
  });
}
