import { assertEquals } from "@std/assert";
import { concatTrees } from "../../../../src/model/trees.ts";
import type { Trees } from "../../../../src/model/types.ts";
import { createTreeJoiner } from "../../../../src/parallel/bagging/join_trees.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** A chain of splits, each by a set of categories or a number; not a sensible tree. */
function chain(splits: number, width: number, seed: number): Trees {
  const rng = createRng(seed);
  const size = 2 * splits + 1;
  const numbers = (count: number) => Float64Array.from({ length: count }, () => rng.nextFloat());
  const bySet = (node: number) => node % 4 === 0 && node < size - 1;
  const words = Array.from({ length: size }, (_, node) => node).filter(bySet).length;
  return {
    treeStart: new Int32Array([0, size]),
    kind: Uint8Array.from({ length: size }, (_, node) => node % 2 === 0 && node < size - 1 ? 1 : 0),
    feature: Int32Array.from({ length: size }, () => rng.nextInt(5)),
    threshold: numbers(size),
    firstChild: Int32Array.from(
      { length: size },
      (_, node) => node % 2 === 0 && node < size - 1 ? node + 1 : -1,
    ),
    missing: Uint8Array.from({ length: size }, () => rng.nextInt(2)),
    categoryAt: Int32Array.from({ length: size }, (_, node) => bySet(node) ? node / 4 : -1),
    categoryPool: Uint32Array.from({ length: words }, () => rng.nextInt(1 << 20)),
    leaf: numbers(size * width),
    cover: numbers(size),
    gain: numbers(size),
  };
}

Deno.test("createTreeJoiner() joins as concatTrees() does, also beyond the room of its first guess", () => {
  for (const width of [1, 3]) {
    // The second tree is far larger than the first: room is made twice.
    const parts = [1, 40, 0, 7, 200, 2].map((splits, i) => chain(splits, width, i));
    const expected = concatTrees(parts);
    const joiner = createTreeJoiner(parts.length);
    assertEquals(joiner.joined().treeStart, new Int32Array([0]));
    for (const part of parts.slice(0, 3)) joiner.add(part);
    assertEquals(joiner.joined(), concatTrees([1, 40, 0].map((s, i) => chain(s, width, i))));
    for (const part of parts.slice(3)) joiner.add(part);
    assertEquals(joiner.joined(), expected);
    // Its trees are freed.
    assertEquals(parts[4].leaf.length, 0);
  }
});
