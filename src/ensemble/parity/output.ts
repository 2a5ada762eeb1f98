/**
 * One tree of a method that repeats another library's arithmetic: derivatives as it stores them, the
 * tree, leaves that the loss sets, and the scores of the training rows.
 *
 * @module
 */
import { TrainingError } from "../../errors.ts";
import { leafOutput } from "../../grow/linear_leaves.ts";
import { leafRows } from "../../parallel/rows/serial_leaves.ts";
import { requireFiniteLeaves } from "../finite_values.ts";
import type { SerialTree } from "../linear_leaves.ts";
import type { BoostPlan } from "../plan.ts";
import type { GrownSerial, SerialMethod } from "./method.ts";
import type { Watched } from "./rows.ts";
import { ownBuffer } from "../../util/buffers.ts";

/** Grows the tree of one output, refits its leaves where the loss says so, moves the scores. */
export function growOutput(
  output: number,
  gradient: Float64Array,
  hessian: Float64Array,
  train: Watched,
  plan: BoostPlan,
  round: number,
  method: SerialMethod,
): SerialTree {
  const { labels } = train;
  const { loss } = plan;
  const { numRows } = train.data;
  const at = output * numRows;
  const g = new Float32Array(numRows);
  const h = new Float32Array(numRows);
  const weight = loss.weighted === true ? undefined : labels.weight;
  for (let row = 0; row < numRows; row++) {
    const w = weight === undefined ? 1 : Math.fround(weight[row]);
    g[row] = method.weigh(gradient[at + row], w);
    h[row] = method.weigh(hessian[at + row], w);
    if (!Number.isFinite(g[row]) || !Number.isFinite(h[row])) {
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot continue in round ${round}: the gradient of row ${row + 1} is ${
          g[row]
        }, expected a ` +
          `finite number (another baseScore, a smaller learningRate, a larger lambda, or maxDeltaStep)`,
        { details: { round, row: row + 1 } },
      );
    }
  }
  const grown = method.grow(g, h, round + (plan.roundsBefore ?? 0));
  const { tree, leafOf, terms } = grown;
  if (loss.refitLeaf !== undefined && !(method.endsWithoutSplit && tree.numNodes === 1)) {
    refit(grown, output, train, plan, method);
  }
  requireFiniteLeaves(tree.value.map(([value]) => value), round);
  for (let row = 0; row < numRows; row++) {
    const leaf = leafOf[row];
    if (leaf < 0) continue;
    train.raw[at + row] = method.round(
      train.raw[at + row] + leafOutput(tree.value[leaf][0], terms?.[leaf], train.columns, row),
    );
  }
  return terms === undefined ? { tree } : { tree, terms };
}

/** Sets each leaf to the loss's own best constant, times the learning rate. */
function refit(
  { tree, leafOf }: GrownSerial,
  output: number,
  { labels, raw }: Watched,
  plan: BoostPlan,
  { round, gradients }: SerialMethod,
): void {
  const shared = gradients?.leaves;
  const { rows, parts, values } = shared ??
    leafRows(leafOf.length, tree.numNodes, ownBuffer);
  const leaves = listByLeaf(leafOf, tree.numNodes, rows, parts);
  if (shared !== undefined) shared.fit(leaves.length, output);
  leaves.forEach((leaf, i) => {
    const value = shared === undefined
      ? plan.loss.refitLeaf!(labels, raw, rows.subarray(parts[2 * i], parts[2 * i + 1]), output)
      : values[i];
    tree.setValue(leaf, [round(value * plan.learningRate)]);
  });
}

/** Lists rows leaf by leaf; returns the leaves that have any. */
function listByLeaf(
  leafOf: Int32Array,
  numNodes: number,
  rows: Int32Array,
  parts: Int32Array,
): readonly number[] {
  const next = new Int32Array(numNodes);
  for (let row = 0; row < leafOf.length; row++) if (leafOf[row] >= 0) next[leafOf[row]]++;
  const leaves: number[] = [];
  let place = 0;
  for (let node = 0; node < numNodes; node++) {
    const count = next[node];
    next[node] = place;
    if (count === 0) continue;
    parts[2 * leaves.length] = place;
    place += count;
    parts[2 * leaves.length + 1] = place;
    leaves.push(node);
  }
  for (let row = 0; row < leafOf.length; row++) {
    if (leafOf[row] >= 0) rows[next[leafOf[row]]++] = row;
  }
  return leaves;
}
