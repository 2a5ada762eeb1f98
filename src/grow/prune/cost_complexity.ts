/**
 * Weakest-link pruning: the nested sequence of trees that minimise R(T) + α|T|.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, chapter 3.
 *
 * @module
 */
import { collapseNode, type GrownTree, reachableNodes } from "../tree/tree.ts";

/** One tree of the sequence. */
export interface PruneStep {
  /** α from which this tree is the best one. */
  readonly alpha: number;
  /** Sum of the risks of its leaves. */
  readonly risk: number;
  readonly leaves: number;
  /** Node that became a leaf; −1 for the tree as grown. */
  readonly node: number;
}

/** The sequence from the grown tree to the root, and when each node goes. */
export interface PruneSequence {
  readonly steps: readonly PruneStep[];
  /** α at which each inner node becomes a leaf or vanishes; −∞ at leaves. */
  readonly complexity: Float64Array;
}

/**
 * The whole sequence, one link a step (equal α may repeat); ties go to the node nearer the root
 * of the earlier branch.
 *
 * @param risk Risk of each node as a leaf.
 */
export function pruneSequence(tree: GrownTree, risk: Float64Array): PruneSequence {
  const nodes = reachableNodes(tree);
  const subtree = new Float64Array(tree.numNodes);
  const leaves = new Int32Array(tree.numNodes);
  const alive = new Uint8Array(tree.numNodes);
  const stale = new Uint8Array(tree.numNodes);
  const complexity = new Float64Array(tree.numNodes).fill(-Infinity);
  const place = new Int32Array(tree.numNodes);
  preorder(tree).forEach((node, i) => place[node] = i);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    const branches = tree.numBranches[node];
    if (branches === 0) {
      subtree[node] = risk[node];
      leaves[node] = 1;
      continue;
    }
    alive[node] = 1;
    for (let b = 0; b < branches; b++) {
      subtree[node] += subtree[tree.firstChild[node] + b];
      leaves[node] += leaves[tree.firstChild[node] + b];
    }
  }
  const heap = createHeap();
  const link = (node: number) =>
    heap.push((risk[node] - subtree[node]) / (leaves[node] - 1), place[node], node);
  for (const node of nodes) if (alive[node]) link(node);
  const steps: PruneStep[] = [{ alpha: 0, risk: subtree[0], leaves: leaves[0], node: -1 }];
  let alpha = 0;
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
    const { node } = top;
    if (!alive[node]) continue;
    if (stale[node]) {
      stale[node] = 0;
      link(node);
      continue;
    }
    // Rounding may put a link a little below the one before it.
    alpha = Math.max(alpha, top.alpha);
    const saved = leaves[node] - 1;
    const lost = risk[node] - subtree[node];
    const below = [node];
    for (let i = 0; i < below.length; i++) {
      const at = below[i];
      if (!alive[at]) continue;
      alive[at] = 0;
      complexity[at] = alpha;
      for (let b = 0; b < tree.numBranches[at]; b++) below.push(tree.firstChild[at] + b);
    }
    subtree[node] = risk[node];
    leaves[node] = 1;
    for (let up = tree.parent[node]; up >= 0; up = tree.parent[up]) {
      subtree[up] += lost;
      leaves[up] -= saved;
      // A link only grows dearer when the weakest below it goes: it is priced again at its turn. At
      // once, chains of 8,000 leaves held 32 million prices.
      stale[up] = 1;
    }
    steps.push({ alpha, risk: subtree[0], leaves: leaves[0], node });
  }
  return { steps, complexity };
}

/** Collapses every link up to `alpha` (in the units of the risks). */
export function pruneCostComplexity(tree: GrownTree, risk: Float64Array, alpha: number): void {
  const { steps } = pruneSequence(tree, risk);
  // An α that was printed and read again may lie a rounding below its link.
  const limit = alpha * (1 + 1e-12);
  for (const step of steps) {
    if (step.node >= 0 && step.alpha <= limit) collapseNode(tree, step.node);
  }
}

/** Nodes in preorder, first branch first: scikit-learn's numbering. */
function preorder(tree: GrownTree): number[] {
  const nodes: number[] = [];
  const stack = [0];
  while (stack.length > 0) {
    const node = stack.pop()!;
    nodes.push(node);
    for (let b = tree.numBranches[node] - 1; b >= 0; b--) stack.push(tree.firstChild[node] + b);
  }
  return nodes;
}

interface Link {
  readonly alpha: number;
  readonly place: number;
  readonly node: number;
}

/** Smallest α first, then the earlier node. */
function createHeap() {
  const items: Link[] = [];
  const before = (a: Link, b: Link) =>
    a.alpha < b.alpha || a.alpha === b.alpha && a.place < b.place;
  return {
    push(alpha: number, place: number, node: number): void {
      let at = items.push({ alpha, place, node }) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!before(items[at], items[parent])) break;
        [items[at], items[parent]] = [items[parent], items[at]];
        at = parent;
      }
    },
    pop(): Link | undefined {
      if (items.length === 0) return undefined;
      const top = items[0];
      const last = items.pop()!;
      if (items.length === 0) return top;
      items[0] = last;
      for (let at = 0;;) {
        let next = 2 * at + 1;
        if (next >= items.length) break;
        if (next + 1 < items.length && before(items[next + 1], items[next])) next++;
        if (!before(items[next], items[at])) break;
        [items[at], items[next]] = [items[next], items[at]];
        at = next;
      }
      return top;
    },
  };
}
