/**
 * Random trees as they are grown: no node tests what the splits above it have settled.
 *
 * @module
 */
import { createTreeBuilder, packTrees, type TreeBuilder } from "../../../src/model/trees.ts";
import type { ModelParts } from "../../../src/model/types.ts";
import { createRng } from "../../../src/util/rng.ts";
import { type RandomModel, randomParts } from "./random.ts";

/**
 * The parts of a random model like {@linkcode randomParts}'s, with thresholds from `cuts`, ascending,
 * that are still open where they are used.
 *
 * @param cuts Thresholds of every numeric feature.
 * @param distinct Different leaves; with none all of them differ.
 */
export function openCutParts(
  spec: RandomModel,
  cuts: readonly number[],
  distinct = 0,
): ModelParts {
  const parts = randomParts({ ...spec, trees: 0 });
  const { features } = parts.schema;
  const { trees = 10, depth = 4, leafWidth = 1, outputs = 1 } = spec;
  const rng = createRng(spec.seed);
  const builders = Array.from({ length: trees }, () => {
    const tree = createTreeBuilder(leafWidth);
    const low = features.map(() => 0);
    const high = features.map(() => cuts.length);
    const grow = (node: number, level: number): number => {
      const share = distinct === 0 ? rng.nextFloat() : rng.nextInt(distinct) / distinct;
      tree.setValue(node, Array.from({ length: leafWidth }, (_, k) => k === 0 ? share : 1 - share));
      const f = rng.nextInt(features.length);
      const input = features[f];
      const isLeaf = level >= depth || rng.nextFloat() < 0.1;
      if (isLeaf || input.kind === "numeric" && low[f] === high[f]) {
        const cover = 1 + rng.nextInt(20);
        tree.setStats(node, cover, 0);
        return cover;
      }
      let sides = [0, 0];
      if (input.kind === "categorical") {
        const words = new Uint32Array((input.categories.length >>> 5) + 1);
        for (let k = 0; k <= input.categories.length; k++) {
          words[k >>> 5] |= rng.nextInt(2) << (k & 31);
        }
        const first = tree.splitSubset(node, f, words, rng.nextInt(2));
        sides = [grow(first, level + 1), grow(first + 1, level + 1)];
      } else {
        const [from, to] = [low[f], high[f]];
        const entry = from + rng.nextInt(to - from);
        const first = tree.splitThreshold(node, f, cuts[entry], rng.nextInt(2));
        high[f] = entry;
        sides[0] = grow(first, level + 1);
        [low[f], high[f]] = [entry + 1, to];
        sides[1] = grow(first + 1, level + 1);
        low[f] = from;
      }
      tree.setStats(node, sides[0] + sides[1], Math.fround(rng.nextFloat()));
      return sides[0] + sides[1];
    };
    grow(0, 0);
    return tree;
  });
  return {
    ...parts,
    ensemble: {
      ...parts.ensemble,
      trees: packTrees(builders, leafWidth),
      treeOutput: Int32Array.from(builders, (_, t) => leafWidth > 1 ? 0 : t % outputs),
      treeWeight: new Float64Array(trees).fill(1),
    },
  };
}

/** The parts of a model of equal trees that only go on to the right, over 7 numbers. */
export function chainParts(levels: number, trees = 1): ModelParts {
  const parts = randomParts({ seed: 1, trees: 0, numeric: 7 });
  const tree = createTreeBuilder();
  let node = 0;
  for (let i = 0; i < levels; i++) node = tree.splitThreshold(node, i % 7, i, 0) + 1;
  for (node = 0; node < tree.numNodes; node++) tree.setValue(node, [node % 2]);
  return withTrees(parts, Array.from({ length: trees }, () => tree));
}

/** The parts with other trees, of one output. */
export function withTrees(parts: ModelParts, builders: readonly TreeBuilder[]): ModelParts {
  return {
    ...parts,
    ensemble: {
      ...parts.ensemble,
      trees: packTrees(builders, 1),
      treeOutput: new Int32Array(builders.length),
      treeWeight: new Float64Array(builders.length).fill(1),
    },
  };
}
