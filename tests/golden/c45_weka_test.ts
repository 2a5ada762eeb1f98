// deno-lint-ignore-file camelcase -- names of Weka's summary
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainC45 } from "../../src/algorithms/classic/c45.ts";
import { trainId3 } from "../../src/algorithms/classic/id3.ts";
import type { Dataset } from "../../src/data/types.ts";
import { addedErrors } from "../../src/grow/prune/pessimistic.ts";
import type { Model } from "../../src/model/model.ts";
import { readReference, readTable } from "../support/reference/classic_data.ts";
import { hasShared, sharedPath } from "../support/shared.ts";
import { wekaTree, wekaTreeOf } from "../support/reference/weka_text.ts";

const ignore = !hasShared("reference/c45/summary.json");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/reference is absent");

interface Run {
  readonly dataset: string;
  readonly file: string;
  readonly target: string;
  readonly dropped: readonly string[];
  readonly learner: string;
  readonly options: string;
  readonly leaves: string | null;
  readonly size: string | null;
  readonly train_correct: readonly string[];
  /** File with Weka's whole output. */
  readonly text: string;
}

const NOMINAL = new Set(["car", "nursery", "play_tennis", "mushroom"]);

function dataOf(run: Run): Dataset {
  const types = NOMINAL.has(run.dataset)
    ? Object.fromEntries(
      readTable(run.file, { target: run.target }).features.map(({ name }) =>
        [name, "categorical"] as const
      ),
    )
    : {};
  return readTable(run.file, {
    target: run.target,
    drop: run.dropped,
    task: "classification",
    types,
  });
}

function paramsOf(options: string): { [name: string]: unknown } {
  const params: { [name: string]: unknown } = {};
  const words = options.split(" ").filter((word) => word !== "");
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "-C") params.confidence = Number(words[++i]);
    if (words[i] === "-M") params.minObjects = Number(words[++i]);
    if (words[i] === "-U") params.pruning = "none";
    if (words[i] === "-S") params.raising = false;
  }
  return params;
}

/** The tree that Weka printed. */
function printed(run: Run): string[] {
  return wekaTreeOf(Deno.readTextFileSync(sharedPath(`reference/c45/${run.text}`)));
}

function rightOf(model: Model, data: Dataset): number {
  const { target } = data;
  if (target?.kind !== "classification") return 0;
  return model.predictClass(data).filter((name, row) => name === target.classes[target.codes[row]])
    .length;
}

if (!ignore) {
  for (const run of readReference("c45/summary.json").runs as Run[]) {
    if (run.learner !== "J48") continue;
    Deno.test(`trainC45() equals Weka's J48 on ${run.dataset} ${run.options}`, async () => {
      const data = dataOf(run);
      const model = await trainC45(data, paramsOf(run.options));
      const { kind } = model.ensemble.trees;
      const leaves = kind.filter((k) => k === 0).length;
      const right = rightOf(model, data);
      assertEquals(
        [leaves, kind.length, right],
        [Number(run.leaves), Number(run.size), Number(run.train_correct[0])],
      );
      assertEquals(wekaTree(model), printed(run));
    });
  }
  for (const run of readReference("c45/summary.json").runs as Run[]) {
    if (run.learner !== "Id3") continue;
    Deno.test(`trainId3() equals Weka's Id3 on ${run.dataset}`, async () => {
      const data = dataOf(run);
      const model = await trainId3(data);
      assertEquals(rightOf(model, data), Number(run.train_correct[0]));
      assertEquals(wekaTree(model, false), printed(run));
    });
  }
}

// goldens/formulas.txt: Weka's Stats.addErrs at CF 0.25
Deno.test("addedErrors() equals C4.5's addErrs", () => {
  const cases = [
    [1, 0, 0.75],
    [6, 0, 1.2377968440954012],
    [9, 0, 1.284804154322345],
    [14, 5, 1.7611198072729675],
    [16, 1, 1.4757146318372638],
    [10, 0.5, 1.3535279340241244],
    [2, 1, 0.7914930432372691],
    [100, 10, 2.7496114511898675],
  ];
  for (const [weight, errors, expected] of cases) {
    assertAlmostEquals(addedErrors(weight, errors, 0.25), expected, 1e-12 * expected * 10);
  }
});
