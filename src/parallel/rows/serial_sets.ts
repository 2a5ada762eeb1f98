/**
 * Sets of rows that the methods which repeat another library's arithmetic follow: validation sets walk
 * each new tree and metrics are computed by the threads that help to grow the trees. Rows are taken
 * block by block, and a row's score depends on no other row's.
 *
 * @module
 */
import type { Dataset, Labels } from "../../data/types.ts";
import {
  flatSpace,
  type FlatTree,
  type WalkedRows,
  walkRows,
  writeFlat,
} from "../../grow/flat_tree.ts";
import { TeamWord, TeamWork } from "../../grow/split_team.ts";
import type { TreeTerms } from "../../grow/linear_leaves.ts";
import type { Metric, MetricRecipe } from "../../metric/types.ts";
import type { TreeBuilder } from "../../model/trees.ts";
import type { Postprocess } from "../../model/types.ts";
import {
  createMeasure,
  LEAST_MEASURED,
  type Measure,
  type MeasuredSet,
  placeBytes,
  placeIn,
  sharedRecipes,
} from "./measure.ts";
import { shareLabels } from "./serial_loss.ts";
import { together, type Turns } from "./turns.ts";

/** A set that is followed. */
export interface SerialSet {
  /** What its metrics see. */
  readonly labels: Labels;
  /** Rows that walk trees; the training rows need not. */
  readonly data?: Dataset | undefined;
  /** Scores that are in shared memory already. */
  readonly raw?: Float64Array | undefined;
}

/** What all sets have in common. */
export interface SetsWork {
  readonly numOutputs: number;
  readonly postprocess: Postprocess;
  readonly metrics: readonly Metric[];
  /** Values and scores are float32. */
  readonly single: boolean;
  /** Leaves may be linear. */
  readonly linear: boolean;
}

/** A set as all threads see it: plain data and views of shared memory. */
export interface SetPlan {
  readonly rows: WalkedRows;
  readonly labels: Labels;
  readonly response: Float64Array;
  readonly place: SharedArrayBuffer;
  readonly numOutputs: number;
  readonly postprocess: Postprocess;
  readonly recipes: readonly MetricRecipe[];
}

/** All sets, and room for the tree that they walk. */
export interface SetsPlan {
  readonly sets: readonly (SetPlan | undefined)[];
  readonly tree: FlatTree;
}

/** A tree that sets walk, and the models of its leaves where they are linear. */
export interface SetTree {
  readonly tree: TreeBuilder;
  readonly terms?: TreeTerms;
}

/** Sets of a run, by number: the training rows are 0, and then come the validation sets. */
export interface SharedSets {
  /** Scores of a set, output-major; undefined where one thread sees to it. */
  raw(set: number): Float64Array | undefined;
  /** Adds a tree to the scores of a set; false where it is too large, and nothing is done. */
  walk(set: number, tree: SetTree, output: number): boolean;
  measure(set: number): { readonly [metric: string]: number };
}

/** Rows of a block; nodes, words of sets of categories and linear terms that a shared tree may have. */
const BLOCK_ROWS = 2048;
const MOST_NODES = 16_384;
const MOST_WORDS = 65_536;
const MOST_TERMS = 131_072;

const shared = (byteLength: number) => new SharedArrayBuffer(byteLength);

/** Shared memory for sets; undefined where none is large enough. */
export function setsPlan(
  sets: readonly (SerialSet | undefined)[],
  work: SetsWork,
): SetsPlan | undefined {
  const plans = sets.map((set) => set && setPlan(set, work));
  if (plans.every((plan) => plan === undefined)) return undefined;
  return {
    sets: plans,
    tree: flatSpace(MOST_NODES, MOST_WORDS, shared, work.linear ? MOST_TERMS : undefined),
  };
}

function setPlan({ data, labels, raw }: SerialSet, work: SetsWork): SetPlan | undefined {
  const { numOutputs, postprocess, metrics, single } = work;
  const numRows = labels.values.length;
  const size = numRows * numOutputs;
  if (size < LEAST_MEASURED) return undefined;
  const recipes = sharedRecipes(metrics);
  const none = new Float64Array(0);
  const predictions = { raw: none, response: none, numRows, numOutputs };
  return {
    rows: {
      columns: data === undefined ? [] : shareColumns(data),
      numRows,
      raw: raw ?? new Float64Array(shared(8 * size)),
      single,
    },
    labels: shareLabels(labels),
    response: new Float64Array(shared(8 * size)),
    place: shared(placeBytes({ labels, predictions, postprocess, recipes })),
    numOutputs,
    postprocess,
    recipes,
  };
}

function shareColumns({ features }: Dataset): WalkedRows["columns"] {
  return features.map((column) => {
    if (column.kind === "numeric") {
      const { length } = column.values;
      const values = column.values instanceof Float32Array
        ? new Float32Array(shared(4 * length))
        : new Float64Array(shared(8 * length));
      values.set(column.values);
      return { values };
    }
    const codes = new Int32Array(shared(4 * column.codes.length));
    codes.set(column.codes);
    return { codes };
  });
}

function measuredOf(plan: SetPlan): MeasuredSet {
  const { rows: { raw, numRows }, response, labels, numOutputs, postprocess, recipes } = plan;
  const predictions = { raw, response, numRows, numOutputs };
  return { labels, predictions, postprocess, recipes, place: placeIn(plan.place, 0) };
}

/** What a thread does for sets: its share of a walk, or of a step of metrics. */
interface SetsThread {
  walk(): void;
  measure(): void;
  /** The metrics of a set, made at first asking. */
  measureOf(set: number): Measure;
}

/** Makes a thread's part. */
export function setsThread({ sets, tree }: SetsPlan, control: Int32Array): SetsThread {
  const made = new Map<number, Measure>();
  const next = () => Atomics.add(control, TeamWord.next, 1);
  const measureOf = (set: number) => {
    const known = made.get(set) ?? createMeasure(measuredOf(sets[set]!));
    made.set(set, known);
    return known;
  };
  return {
    measureOf,
    walk() {
      const { rows } = sets[control[TeamWord.set]]!;
      for (let from = BLOCK_ROWS * next(); from < rows.numRows; from = BLOCK_ROWS * next()) {
        const to = Math.min(rows.numRows, from + BLOCK_ROWS);
        walkRows(tree, rows, control[TeamWord.output], from, to);
      }
    },
    measure: () => measureOf(control[TeamWord.set]).run(control[TeamWord.step], next),
  };
}

/** The thread that keeps the trees, at the head of its helpers. */
export function leadSets(
  plan: SetsPlan,
  metrics: readonly Metric[],
  control: Int32Array,
  helpers: Turns,
): SharedSets {
  const own = setsThread(plan, control);
  return {
    raw: (set) => plan.sets[set]?.rows.raw,
    walk(set, { tree, terms }, output) {
      if (!writeFlat(tree, plan.tree, terms)) return false;
      control[TeamWord.set] = set;
      control[TeamWord.output] = output;
      together(control, helpers, TeamWork.walk, own.walk);
      return true;
    },
    measure(set) {
      const { numSteps, values } = own.measureOf(set);
      control[TeamWord.set] = set;
      for (let step = 0; step < numSteps; step++) {
        control[TeamWord.step] = step;
        together(control, helpers, TeamWork.measure, own.measure);
      }
      const found = values();
      let at = 0;
      const { labels, predictions } = measuredOf(plan.sets[set]!);
      return Object.fromEntries(metrics.map((metric) => [
        metric.name,
        sharedRecipes([metric]).length > 0 ? found[at++] : metric.value(labels, predictions),
      ]));
    },
  };
}
