/**
 * Leaves of a grown tree by the loss's own best constants (`parallel/histogram/refit_leaves.ts` finds them).
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { nodesOfLeaves } from "../../grow/histogram/round_tree.ts";
import { smoothed } from "../../grow/histogram/split/score.ts";
import type { GrownTree, NodeFacts } from "../../grow/histogram/tree/tree.ts";
import { Op } from "../../grow/histogram/workspace/op.ts";
import {
  RefitArgs,
  type RefitArrays,
  refitArrays,
  refitLeaves,
  RefitStep,
} from "../../parallel/histogram/refit_leaves.ts";
import { ascendingOrder } from "../../util/ascending_order.ts";
import type { Engine } from "../engine/engine.ts";
import type { BoostPlan } from "../plan.ts";

/**
 * Sets leaves to the loss's own best constants; inner nodes to the mean of their children. The
 * penalties `lambda` and `alpha` have shaped the splits and do not touch these constants, as in
 * XGBoost up to 3.3 and LightGBM; `maxDeltaStep` and `pathSmooth` do, as in any other leaf.
 */
export function refitTree(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  tree: GrownTree,
  facts: NodeFacts,
  output: number,
): void {
  const { nodes } = tree;
  const { count, feature, left } = nodes;
  const { maxDeltaStep, pathSmooth = 0 } = plan;
  const runStep = stepRunner(engine, plan, labels);
  const arrays = refitArrays(engine.team.context, tree.numLeaves);
  const spans = listLeaves(engine, tree, arrays, runStep);
  // Smoothing goes from the root down, so that inner nodes need constants of their own.
  const wanted = spans.nodes.filter((node) =>
    (pathSmooth > 0 || feature[node] < 0) && spans.to[node] > spans.from[node]
  );
  const found = fitNodes(wanted, spans, arrays, (numParts) => {
    runStep(RefitStep.fit, tree.numLeaves, output, numParts);
  });
  const most = maxDeltaStep || Infinity; // 0 means no limit
  const smooth = new Float64Array(count);
  for (const node of spans.nodes) {
    const parent = nodes.parent[node];
    const from = pathSmooth > 0 && parent >= 0 ? smooth[parent] : undefined;
    const numRows = spans.to[node] - spans.from[node];
    if (numRows === 0) {
      smooth[node] = from ?? 0;
      continue;
    }
    const bounded = Math.max(-most, Math.min(most, found[node]));
    const value = from === undefined ? bounded : smoothed(bounded, numRows, from, pathSmooth);
    smooth[node] = Math.max(nodes.lower[node], Math.min(nodes.upper[node], value));
  }
  for (let i = count - 1; i >= 0; i--) {
    if (feature[i] >= 0) {
      const right = left[i] + 1;
      const total = facts.cover[left[i]] + facts.cover[right];
      const share = total > 0 ? facts.cover[left[i]] / total : 0.5;
      facts.value[i] = share * facts.value[left[i]] + (1 - share) * facts.value[right];
    } else if (spans.to[i] > spans.from[i]) {
      facts.value[i] = smooth[i];
    }
  }
}

/** Has all threads perform a step, or this one where the others do not know the loss. */
function stepRunner({ team }: Engine, { loss }: BoostPlan, labels: Labels) {
  const { context } = team;
  const { layout, memory } = context;
  return (step: number, numLeaves: number, output = 0, numParts = 0): void => {
    const args = layout.args >>> 3;
    memory.f64[args + RefitArgs.step] = step;
    memory.f64[args + RefitArgs.output] = output;
    memory.f64[args + RefitArgs.numLeaves] = numLeaves;
    memory.f64[args + RefitArgs.numParts] = numParts;
    if (layout.loss !== undefined && layout.numThreads > 1) {
      team.run(Op.refitLeaves);
      return;
    }
    memory.i32[layout.counter >>> 2] = 0;
    refitLeaves(context, { loss, labels });
  };
}

/** Nodes that are left after pruning, parents first, and where their rows are in the list. */
export interface Spans {
  readonly nodes: readonly number[];
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Lists the rows of all leaves, from left to right, so that those of inner nodes are together too. */
export function listLeaves(
  { team }: Engine,
  tree: GrownTree,
  { slotOf, starts }: RefitArrays,
  runStep: (step: number, numLeaves: number) => void,
): Spans {
  const { numLeaves, nodes: { count, feature, left } } = tree;
  const { numBlocks } = team.context.layout.sets[0];
  const kept: number[] = [];
  const slot = new Int32Array(count);
  let numSlots = 0;
  for (const open = [0]; open.length > 0;) {
    const node = open.pop()!;
    kept.push(node);
    slot[node] = numSlots;
    if (feature[node] < 0) numSlots++;
    else open.push(left[node] + 1, left[node]);
  }
  nodesOfLeaves(tree).forEach((node, leaf) => slotOf[leaf] = slot[node]);
  runStep(RefitStep.count, numLeaves);
  const first = new Int32Array(numSlots + 1);
  let place = 0;
  for (let s = 0; s < numSlots; s++) {
    first[s] = place;
    for (let at = s; at < numBlocks * numLeaves; at += numLeaves) {
      const here = starts[at];
      starts[at] = place;
      place += here;
    }
  }
  first[numSlots] = place;
  runStep(RefitStep.list, numLeaves);
  const from = new Int32Array(count);
  const to = new Int32Array(count);
  for (const node of kept.toReversed()) {
    from[node] = first[slot[node]];
    to[node] = feature[node] < 0 ? first[slot[node] + 1] : to[left[node] + 1];
  }
  return { nodes: kept, from, to };
}

/** Constants of some nodes; those of many rows are taken first, which evens out what threads do. */
function fitNodes(
  wanted: readonly number[],
  { from, to }: Spans,
  { parts, values }: RefitArrays,
  run: (numParts: number) => void,
): Float64Array {
  const order = ascendingOrder(Float64Array.from(wanted, (node) => from[node] - to[node]));
  order.forEach((at, part) => parts.set([from[wanted[at]], to[wanted[at]]], 2 * part));
  run(order.length);
  const found = new Float64Array(from.length);
  order.forEach((at, part) => found[wanted[at]] = values[part]);
  return found;
}
