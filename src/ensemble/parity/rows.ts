/**
 * Sets of rows whose scores follow the trees of a method that repeats another library's arithmetic.
 *
 * @module
 */
import type { Dataset, Labels } from "../../data/types.ts";
import { flatTree, walkRows } from "../../grow/flat_tree.ts";
import type { LinearColumns } from "../../grow/linear_leaves.ts";
import { predictionsOf } from "../../metric/response.ts";
import type { SerialTree } from "../linear_leaves.ts";
import type { BoostPlan } from "../plan.ts";
import type { SerialMethod } from "./method.ts";

/** A set whose scores follow the trees. */
export interface Watched {
  readonly name: string;
  /** Its number among the shared sets. */
  readonly number: number;
  readonly data: Dataset;
  readonly labels: Labels;
  /** Output-major. */
  readonly raw: Float64Array;
  /** Values that linear leaves see. */
  readonly columns: LinearColumns;
}

/** Starts a set at the base score plus its own offset. */
export function watch(
  name: string,
  number: number,
  data: Dataset,
  labels: Labels,
  base: Float64Array,
  { round }: SerialMethod,
  columns: LinearColumns = [],
  raw: Float64Array = new Float64Array(data.numRows * base.length),
): Watched {
  const { numRows, offset } = data;
  for (let k = 0; k < base.length; k++) {
    for (let row = 0; row < numRows; row++) {
      raw[k * numRows + row] = round(base[k] + (offset?.[row * base.length + k] ?? 0));
    }
  }
  return { name, number, data, labels, raw, columns };
}

/** Adds a tree to the scores of a set. */
export function addTree(
  grown: SerialTree,
  { number, data: { features, numRows }, raw }: Watched,
  output: number,
  { round, sets }: SerialMethod,
): void {
  if (sets?.raw(number) !== undefined && sets.walk(number, grown, output)) return;
  const rows = { columns: features, numRows, raw, single: round === Math.fround };
  walkRows(flatTree(grown.tree, grown.terms), rows, output, 0, numRows);
}

/** Metrics of the scores as they are. */
export function measure(
  set: Watched,
  plan: BoostPlan,
  { sets }: SerialMethod,
): { readonly [metric: string]: number } {
  if (sets?.raw(set.number) !== undefined) return sets.measure(set.number);
  const { loss, metrics = [] } = plan;
  const found = predictionsOf(set.raw, set.data.numRows, loss.numOutputs, loss.postprocess);
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value(set.labels, found)]));
}
