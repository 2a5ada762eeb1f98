/**
 * The data sets of ../shared with the splits and roles that reference/scores.json describes.
 *
 * @module
 */
import { createDataset, selectRows } from "../../src/data/dataset/dataset.ts";
import { withTask } from "../../src/data/dataset/target.ts";
import type { Dataset } from "../../src/data/types.ts";
import { readCsv } from "../../src/files/read_csv.ts";

const SHARED = new URL("../../../shared/", import.meta.url);

/** One data set of scores.json. */
export interface Entry {
  readonly dataset: string;
  readonly file: string;
  readonly target: string;
  readonly kind: "reg" | "bin" | "multi" | "count";
  readonly split: string;
  /** Absent where the split is made in another way. */
  readonly rows?: number;
  readonly dropped: readonly string[];
  readonly learners: {
    readonly [name: string]: {
      readonly learner: string;
      readonly mean: { readonly [metric: string]: number };
      readonly folds?: { readonly [metric: string]: readonly number[] };
    };
  };
}

/** A part to train on and a part to score. */
export interface Part {
  readonly fold: number;
  readonly train: Dataset;
  readonly test: Dataset;
}

/** Data sets of the reference scores by name. */
export function readScores(): { readonly [name: string]: Entry } {
  const text = Deno.readTextFileSync(new URL("reference/scores.json", SHARED));
  return JSON.parse(text).datasets;
}

/** Whole data of an entry, in the task of its kind. */
async function readWhole(entry: Entry, file: string): Promise<Dataset> {
  const task = entry.kind === "reg" || entry.kind === "count" ? "regression" : "classification";
  const data = await readCsv(new URL(`datasets/${file}`, SHARED), {
    target: entry.target,
    missing: ["", "?"],
    drop: entry.dropped,
    task,
  });
  return withTask(data, task);
}

/** Rows of each fold in the file that lists a fold number a row. */
function readFolds(name: string): Int32Array {
  const text = Deno.readTextFileSync(new URL(`reference/splits/${name}.csv`, SHARED));
  const lines = text.trim().split(/\r?\n/);
  const numbers = lines.map((line) => Number(line.split(",").at(-1)));
  return Int32Array.from(Number.isNaN(numbers[0]) ? numbers.slice(1) : numbers);
}

/** The parts that the reference scores are means over, or all five folds. */
export async function readParts(entry: Entry, all = false): Promise<readonly Part[]> {
  if (entry.split.startsWith("train = ")) {
    const [, train, test] = /train = (\S+), test = (\S+)/.exec(entry.split)!;
    return [{
      fold: 0,
      train: await readWhole(entry, train),
      test: await readWhole(entry, test),
    }];
  }
  const data = await readWhole(entry, entry.file);
  const folds = readFolds(entry.dataset);
  const numFolds = all || entry.split.startsWith("5-fold") ? 5 : 1;
  return Array.from({ length: numFolds }, (_, fold) => {
    const rows = (inside: boolean) =>
      Int32Array.from(folds.keys().filter((row) => (folds[row] === fold) === inside));
    const take = (inside: boolean) => {
      const part = selectRows(data, rows(inside));
      return createDataset(part.features, part.target);
    };
    return { fold, train: take(false), test: take(true) };
  });
}
