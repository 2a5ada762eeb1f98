/**
 * Trees of an ensemble back in the shape in which they grow: on the bins of the run they came from,
 * and one by one.
 *
 * @module
 */
import { binOf, type FeatureBins } from "../binning/bins.ts";
import type { RoundTree } from "../grow/histogram/round_tree.ts";
import { addNode, createNodes } from "../grow/histogram/tree/nodes.ts";
import { createTreeBuilder, numTrees, packTrees, type TreeBuilder } from "../model/trees.ts";
import { NodeKind, type Trees } from "../model/types.ts";

/** A tree on bins; its thresholds must be cuts of `bins`, as in the run that grew it. */
export function treeOnBins(trees: Trees, t: number, bins: readonly FeatureBins[]): RoundTree {
  const start = trees.treeStart[t];
  const count = trees.treeStart[t + 1] - start;
  const nodes = createNodes(count);
  for (let i = 0; i < count; i++) addNode(nodes, -1, -Infinity, Infinity, 0);
  let numLeaves = 0;
  for (let i = 0; i < count; i++) {
    const at = start + i;
    if (trees.kind[at] === NodeKind.leaf) {
      nodes.leaf[i] = numLeaves++;
      continue;
    }
    const left = nodes.left[i] = trees.firstChild[at] - start;
    nodes.parent[left] = nodes.parent[left + 1] = i;
    nodes.gain[i] = trees.gain[at];
    nodes.missingLeft[i] = trees.missing[at] === 0 ? 1 : 0;
    nodes.feature[i] = trees.feature[at];
    const feature = bins[trees.feature[at]];
    if (feature.kind === "numeric") {
      nodes.bin[i] = binOf(feature.cuts, trees.threshold[at]);
      continue;
    }
    const goesLeft = new Uint8Array(feature.numBins);
    nodes.levels.set(i, goesLeft);
    for (let bin = 0; bin < feature.numBins; bin++) {
      const word = trees.categoryPool[trees.categoryAt[at] + (bin >>> 5)];
      goesLeft[bin] = (word >>> (bin & 31)) & 1;
    }
  }
  return {
    tree: { nodes, numLeaves },
    facts: {
      value: trees.leaf.slice(start, start + count),
      cover: trees.cover.slice(start, start + count),
    },
  };
}

/** The trees of an ensemble of leaf width 1 and binary splits, each packed alone. */
export function treesApart(trees: Trees, categories: (feature: number) => number): Trees[] {
  return Array.from(
    { length: numTrees(trees) },
    (_, t) => packTrees([builderOf(trees, t, categories)], 1),
  );
}

/** Tree `t` of such an ensemble as it was built. */
export function builderOf(
  trees: Trees,
  t: number,
  categories: (feature: number) => number,
): TreeBuilder {
  const start = trees.treeStart[t];
  const builder = createTreeBuilder(1);
  const place = new Map([[start, 0]]);
  for (let at = start; at < trees.treeStart[t + 1]; at++) {
    const node = place.get(at)!;
    builder.setValue(node, [trees.leaf[at]]);
    builder.setStats(node, trees.cover[at], trees.gain[at]);
    if (trees.kind[at] === NodeKind.leaf) continue;
    const feature = trees.feature[at];
    const words = (categories(feature) + 1 + 31) >>> 5;
    const pool = trees.categoryAt[at];
    const missing = trees.missing[at];
    const first = trees.kind[at] === NodeKind.subset
      ? builder.splitSubset(node, feature, trees.categoryPool.slice(pool, pool + words), missing)
      : trees.kind[at] === NodeKind.equal
      ? builder.splitEqual(node, feature, trees.threshold[at], missing)
      : builder.splitThreshold(node, feature, trees.threshold[at], missing);
    place.set(trees.firstChild[at], first);
    place.set(trees.firstChild[at] + 1, first + 1);
  }
  return builder;
}
