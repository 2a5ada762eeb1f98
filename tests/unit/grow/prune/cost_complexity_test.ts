import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { pruneSequence } from "../../../../src/grow/prune/cost_complexity.ts";
import type { GrownTree } from "../../../../src/grow/tree/tree.ts";
import { createRng, type Rng } from "../../../../src/util/rng.ts";

/** A tree of nothing but its shape: `firstChild[node]` is −1 at leaves, two children elsewhere. */
function shapeOf(firstChild: number[]): GrownTree {
  const parent = firstChild.map(() => -1);
  firstChild.forEach((child, node) => {
    if (child >= 0) parent[child] = parent[child + 1] = node;
  });
  const numBranches = firstChild.map((child) => child < 0 ? 0 : 2);
  return { numNodes: firstChild.length, firstChild, numBranches, parent } as unknown as GrownTree;
}

/** Splits a leaf, most often the newest one, so that chains come about. */
function drawShape(splits: number, rng: Rng): number[] {
  const firstChild = [-1];
  const leaves = [0];
  for (let i = 0; i < splits; i++) {
    const at = rng.nextFloat() < 0.6 ? leaves.length - 1 : rng.nextInt(leaves.length);
    const [node] = leaves.splice(at, 1);
    firstChild[node] = firstChild.length;
    leaves.push(firstChild.length, firstChild.length + 1);
    firstChild.push(-1, -1);
  }
  return firstChild;
}

/** Least R(T) + α|T| of all pruned subtrees, and the fewest leaves that reach it. */
function best(firstChild: number[], risk: Float64Array, alpha: number, node = 0): number[] {
  const asLeaf = risk[node] + alpha;
  if (firstChild[node] < 0) return [asLeaf, 1];
  const [left, right] = [0, 1].map((b) => best(firstChild, risk, alpha, firstChild[node] + b));
  return asLeaf <= left[0] + right[0] ? [asLeaf, 1] : [left[0] + right[0], left[1] + right[1]];
}

Deno.test("pruneSequence() has the smallest of the best pruned subtrees at every alpha", () => {
  const rng = createRng(8);
  let steps = 0;
  for (let round = 0; round < 200; round++) {
    const firstChild = drawShape(1 + rng.nextInt(24), rng);
    // Whole numbers, so that ties are ties.
    const risk = new Float64Array(firstChild.length);
    for (let node = risk.length - 1; node >= 0; node--) {
      risk[node] = rng.nextInt(4);
      const child = firstChild[node];
      if (child >= 0) risk[node] += risk[child] + risk[child + 1];
    }
    const sequence = pruneSequence(shapeOf(firstChild), risk).steps;
    sequence.forEach((step, i) => {
      const next = sequence[i + 1]?.alpha ?? step.alpha + 1;
      if (next === step.alpha) return;
      // α itself is of thirds and the like: a little above it.
      const alpha = step.alpha + (next - step.alpha) / 1024;
      const [cost, leaves] = best(firstChild, risk, alpha);
      assertEquals(step.leaves, leaves);
      assertAlmostEquals(step.risk + alpha * step.leaves, cost, 1e-9);
      steps++;
    });
  }
  assert(steps > 500, `${steps}`);
});

Deno.test("pruneSequence() takes a chain of 12,000 leaves apart from its end", () => {
  // Inner nodes 0, 2, 4, …; the split at depth d saves 12,000 − d: the last one is the weakest.
  const leaves = 12_000;
  const firstChild = Array.from(
    { length: 2 * leaves - 1 },
    (_, node) => node % 2 === 0 && node < 2 * leaves - 2 ? node + 1 : -1,
  );
  const risk = new Float64Array(firstChild.length);
  for (let node = 2 * leaves - 4; node >= 0; node -= 2) {
    risk[node] = risk[node + 2] + leaves - node / 2;
  }
  // An entry of the heap for every node above each link took gigabytes.
  const { steps } = pruneSequence(shapeOf(firstChild), risk);
  assertEquals(steps.map(({ alpha }) => alpha), [
    0,
    ...Array.from(steps.slice(1), (_, i) => i + 2),
  ]);
  assertEquals(steps.length, leaves);
  assertEquals(steps[leaves - 1], { alpha: leaves, risk: risk[0], leaves: 1, node: 0 });
});
