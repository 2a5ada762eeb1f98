/**
 * The loop that grows a classic tree: every algorithm on exact data (ID3, C4.5, CART, forests,
 * boosted stumps) is this loop with other pieces in its context.
 *
 * @module
 */
import { MissingBranch, NodeKind } from "../model/types.ts";
import { forkRng, type Rng } from "../util/rng.ts";
import { countNodes } from "./counted/nodes.ts";
import { featuresOf, growWhole } from "./counted/tree.ts";
import type { GrowContext } from "./plan/context.ts";
import { createFeatureDraw } from "./feature_draw.ts";
import { createQueue } from "./plan/queue.ts";
import { lacksSome, partByShare, partInPlace } from "./tree/part_rows.ts";
import { codesOfRows, cutAtValue } from "./splitter/c45.ts";
import { createScratch } from "./splitter/scratch.ts";
import type { Split, SplitContext } from "./splitter/split.ts";
import { findSurrogates } from "./splitter/surrogate.ts";
import { channelsOf, createNodeView, fillNodeView, weightOf } from "./rows/stats.ts";
import { addNode, branchOfRow, createGrownTree, type GrownTree } from "./tree/tree.ts";

/**
 * Grows a tree.
 *
 * @param rows Rows of positive weight; the array is permuted, each node's rows staying adjacent.
 * @param rng Stream of this tree; each node has its own child stream.
 */
export function growTree(context: GrowContext, rows: Int32Array, rng: Rng): GrownTree {
  const { tree, step } = beginTree(context, rows, rng);
  while (step());
  return tree;
}

/**
 * {@linkcode growTree} that others can stop: it gives way between nodes. A tree that the kernel of two
 * classes grows is one step.
 *
 * @param breathe Called before each node; what it throws ends growth.
 */
export async function growTreeInSteps(
  context: GrowContext,
  rows: Int32Array,
  rng: Rng,
  breathe: () => Promise<void> | void,
): Promise<GrownTree> {
  await breathe();
  const { tree, step } = beginTree(context, rows, rng);
  do {
    const pause = breathe();
    if (pause !== undefined) await pause;
  } while (step());
  return tree;
}

/** A tree that grows. */
interface Growth {
  readonly tree: GrownTree;
  /** Splits one more node; false when there is none. */
  step(): boolean;
}

function beginTree(context: GrowContext, rows: Int32Array, rng: Rng): Growth {
  const { frame, source, criterion, limits, order } = context;
  const whole = growWhole(context, rows, rng);
  if (whole !== undefined) return { tree: whole, step: () => false };
  const channels = channelsOf(source);
  const tree = createGrownTree(frame, source, criterion, channels);
  const { features, perNode } = featuresOf(context);
  const counted = context.counted === true ? countNodes(context, tree, rows) : undefined;
  // The general splitters' memory, which counted nodes do without.
  const most = counted === undefined ? rows.length : 0;
  let maxCodes = 0;
  for (const feature of frame.features) maxCodes = Math.max(maxCodes, feature.numCodes);
  const team = counted === undefined && context.random !== true ? context.team : undefined;
  const view = team?.view ?? createNodeView(source, most);
  const split: SplitContext = {
    frame,
    source,
    criterion,
    limits,
    missing: context.missing,
    scratch: createScratch(most, maxCodes, channels),
    maxExhaustive: context.maxExhaustive ?? 10,
  };
  const draw = perNode < features.length ? createFeatureDraw(features) : undefined;
  const list = new Int32Array(perNode);
  const needsRng = draw !== undefined || context.random === true;
  const pending: (Split | undefined)[] = [];
  const there: (Uint8Array | undefined)[] = [];
  const keys: number[] = [1];
  const queue = createQueue(order);
  const spare = new Int32Array(most);
  let leaves = 1;

  /** Writes a node's statistics into the tree; whether its rows differ in label. */
  function measure(node: number): boolean {
    view.rows = tree.rows[node];
    view.from = tree.from[node];
    view.to = tree.to[node];
    view.share = tree.share[node];
    view.depth = tree.depth[node];
    const mixed = fillNodeView(view, source);
    criterion.finish?.(view, view.total);
    tree.stats.set(view.total, node * channels);
    tree.cover[node] = weightOf(source, view.total);
    return mixed;
  }

  /** Fills a node's statistics and, where it can be split, queues it. */
  function visit(node: number): void {
    const mixed = counted !== undefined ? counted.measure(node) : measure(node);
    const weight = tree.cover[node];
    const numRows = tree.to[node] - tree.from[node];
    if (
      !mixed || tree.depth[node] >= limits.maxDepth || numRows < limits.minRowsSplit ||
      numRows < 2 * limits.minRowsLeaf || weight < limits.minWeightSplit ||
      weight < 2 * limits.minWeightLeaf
    ) return;
    const found = bestOf(node);
    if (found === undefined) return;
    const gain = context.unitGain === true ? found.gain * weight : found.gain;
    if (gain < limits.minGain) return;
    if (context.stop?.(view, found, context) === true) return;
    tree.gain[node] = gain;
    pending[node] = found;
    queue.push(node, gain);
  }

  function findIn(feature: number, nodeRng: Rng | undefined): Split | undefined {
    return frame.features[feature].kind === "numeric"
      ? context.numeric(view, feature, split, nodeRng)
      : context.categorical(view, feature, split, nodeRng);
  }

  /** Best of all features, or of a draw; on while nothing can be split, as scikit-learn does. */
  function bestOf(node: number): Split | undefined {
    const nodeRng = needsRng ? forkRng(rng, keys[node]) : undefined;
    if (counted !== undefined) {
      if (draw === undefined) return counted.best(node, features, features.length);
      for (let i = 0; i < perNode; i++) list[i] = draw.next(nodeRng!);
      let found = counted.best(node, list, perNode);
      while (found === undefined && draw.drawn() < draw.size) {
        list[0] = draw.next(nodeRng!);
        found = counted.best(node, list, 1);
      }
      draw.undo();
      return found;
    }
    const candidates: Split[] = [];
    const look = (feature: number) => {
      const found = findIn(feature, nodeRng);
      if (found !== undefined) candidates.push(found);
    };
    const lookAtAll = (all: Int32Array, count: number) => {
      if (team?.pays(view.to - view.from, count) === true) {
        candidates.push(...team.find(all, count, (feature) => findIn(feature, nodeRng)));
      } else for (let i = 0; i < count; i++) look(all[i]);
    };
    if (draw === undefined) lookAtAll(features, features.length);
    else if (team === undefined) {
      while (draw.drawn() < draw.size && (draw.drawn() < perNode || candidates.length === 0)) {
        look(draw.next(nodeRng!));
      }
      draw.undo();
    } else {
      // The splitters draw nothing, so that drawing first changes no draw.
      for (let i = 0; i < perNode; i++) list[i] = draw.next(nodeRng!);
      lookAtAll(list, perNode);
      while (candidates.length === 0 && draw.drawn() < draw.size) look(draw.next(nodeRng!));
      draw.undo();
    }
    return context.choose(candidates);
  }

  /** Writes a split into the tree and parts the rows. */
  function expand(node: number): number {
    const found = pending[node]!;
    pending[node] = undefined;
    tree.kind[node] = NodeKind[found.kind];
    tree.feature[node] = found.feature;
    const cut = context.cutsAtValues === true && found.kind === "threshold"
      ? cutAtValue(frame.features[found.feature].values, found, codesThere(found.feature))
      : found;
    tree.code[node] = cut.code;
    tree.threshold[node] = cut.threshold;
    tree.categories[node] = found.categories;
    tree.missing[node] = context.missing === "fractional"
      ? MissingBranch.fractional
      : Math.max(0, found.missing);
    const first = tree.numNodes;
    if (context.missing === "surrogate") addSurrogates(node);
    const fractional = context.missing === "fractional" && lacksSome(tree, node);
    tree.numBranches[node] = found.numBranches;
    if (counted !== undefined) counted.part(node);
    else if (fractional) partByShare(tree, node);
    else partInPlace(tree, node, spare);
    tree.firstChild[node] = first;
    for (let b = 0; b < found.numBranches; b++) {
      keys[first + b] = (Math.imul(keys[node], 0x9e3779b1) + b + 1) >>> 0;
    }
    return first;
  }

  /** Which codes of a feature the tree's rows have; undefined where these are all rows there are. */
  function codesThere(feature: number): Uint8Array | undefined {
    if (rows.length === frame.numRows) return undefined;
    return there[feature] ??= codesOfRows(frame.features[feature], rows);
  }

  /** Sets the surrogates and the last resort: the branch that took more of the known weight. */
  function addSurrogates(node: number): void {
    const from = tree.from[node];
    const to = tree.to[node];
    const weight = context.caseWeight ?? source.weight;
    const branch = new Int8Array(to - from);
    const column = frame.features[tree.feature[node]];
    const weights = [0, 0];
    for (let i = from; i < to; i++) {
      const row = tree.rows[node][i];
      const missing = column.codes[row] === column.numCodes;
      branch[i - from] = missing ? -1 : branchOfRow(tree, node, row);
      if (!missing) weights[branch[i - from]] += weight?.[row] ?? 1;
    }
    tree.missing[node] = weights[0] >= weights[1] ? 0 : 1;
    if ((context.maxSurrogates ?? 0) === 0) return;
    tree.surrogates[node] = findSurrogates(
      frame,
      tree.feature[node],
      { rows: tree.rows[node], from, to, branch, weight },
      context.maxSurrogates!,
    );
  }

  /** Splits a node and looks at its children. */
  function branch(node: number): void {
    const more = pending[node]!.numBranches - 1;
    const learnt = pending[node]!.missing >= 0;
    if (leaves + more > limits.maxLeaves) {
      tree.gain[node] = 0;
      return;
    }
    leaves += more;
    const first = expand(node);
    const numBranches = tree.numBranches[node];
    // A stack takes the last branch first: push in reverse, so that the first is next.
    for (let b = numBranches - 1; b >= 0; b--) visit(first + b);
    if (context.missing !== "learn" || learnt) return;
    let heaviest = 0;
    for (let b = 1; b < numBranches; b++) {
      if (tree.cover[first + b] > tree.cover[first + heaviest]) heaviest = b;
    }
    tree.missing[node] = heaviest;
  }

  visit(addNode(tree, -1, rows, 0, rows.length, undefined));
  return {
    tree,
    step() {
      const node = queue.pop();
      if (node === undefined) {
        counted?.finish();
        return false;
      }
      branch(node);
      return true;
    },
  };
}
