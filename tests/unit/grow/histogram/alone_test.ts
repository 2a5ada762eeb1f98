import { assert, assertEquals } from "@std/assert";
import { readTree, treeBytes, writeTree } from "../../../../src/grow/histogram/alone.ts";
import type { RoundTree } from "../../../../src/grow/histogram/round_tree.ts";
import { addNode, createNodes } from "../../../../src/grow/histogram/tree/nodes.ts";
import type { HistContext } from "../../../../src/grow/histogram/workspace/context.ts";
import { createMemory } from "../../../../src/kernels/memory.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** A tree of so many leaves, every field of whose nodes is another number; every split has levels. */
function treeOf(numLeaves: number, numLevels: number, seed: number): RoundTree {
  const rng = createRng(seed);
  const count = 2 * numLeaves - 1;
  const nodes = createNodes(count);
  for (let node = 0; node < count; node++) {
    const any = () => rng.nextInt(1 << 30);
    addNode(nodes, any(), rng.nextFloat(), rng.nextFloat(), any());
    for (const field of ["feature", "bin", "left", "leaf"] as const) nodes[field][node] = -any();
    nodes.missingLeft[node] = rng.nextInt(2);
    nodes.gain[node] = rng.nextFloat();
    if (numLevels === 0 || node >= numLeaves - 1) continue;
    nodes.levels.set(node, Uint8Array.from({ length: numLevels }, () => rng.nextInt(2)));
  }
  const numbers = () => Float64Array.from({ length: count }, () => rng.nextFloat());
  return { tree: { nodes, numLeaves }, facts: { value: numbers(), cover: numbers() } };
}

for (const [numLeaves, numLevels] of [[1, 0], [1, 5], [2, 0], [7, 1], [8, 2], [8, 3], [31, 300]]) {
  Deno.test(`trees of ${numLeaves} leaves and ${numLevels} levels come back as they were, and fit`, () => {
    const memory = createMemory();
    const bytes = (treeBytes(numLeaves, numLevels) + 7) & ~7;
    memory.ensure(4096 + 3 * bytes);
    const context = {
      memory,
      layout: { alone: { trees: 4096, treeBytes: bytes } },
    } as unknown as HistContext;
    const trees = [1, 2, 3].map((seed) => treeOf(numLeaves, numLevels, seed));
    memory.u8.fill(255);
    // The last first: none writes over those behind it.
    for (const i of [2, 1, 0]) writeTree(context, i, trees[i]);
    trees.forEach((tree, i) => assertEquals(readTree(context, i), tree));
    assert(memory.u8.subarray(4096 + 3 * bytes).every((byte) => byte === 255));
  });
}
