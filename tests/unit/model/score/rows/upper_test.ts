/** Which tests of a tree rows most likely come to, worked by hand. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { sharesOf } from "../../../../../src/model/score/rows/shares.ts";
import { upperOf } from "../../../../../src/model/score/rows/upper.ts";
import { createTreeBuilder, packTrees } from "../../../../../src/model/trees.ts";
import { packedOf } from "../../../../support/laws/row_scorer.ts";
import { randomParts } from "../../../../support/models/random.ts";

/** Cuts 10 to 80 of one feature; the deepest way goes right at 10, 20, … , 70, and 80 is asked left of 50. */
function chain() {
  const { ensemble, ...rest } = randomParts({ seed: 1, trees: 1, depth: 1, numeric: 1 });
  const tree = createTreeBuilder(1);
  let at = 0;
  for (let cut = 10; cut <= 70; cut += 10) {
    const left = tree.splitThreshold(at, 0, cut, 0);
    tree.setValue(left, [cut]);
    if (cut === 50) {
      const below = tree.splitThreshold(left, 0, 80, 0);
      tree.setValue(below, [51]);
      tree.setValue(below + 1, [52]);
    }
    tree.setValue(at = left + 1, [80]);
  }
  return packedOf({ ...rest, ensemble: { ...ensemble, trees: packTrees([tree], 1) } });
}

Deno.test("sharesOf() takes cuts for quantiles of what the tests above left", () => {
  // Of eight cuts the first one has half a cell of eight below it, and so on; none is below 80 and above 50.
  const shares = sharesOf(chain(), Int32Array.of(0));
  const expected = [8, 7.5, 6.5, 5.5, 4.5, 1, 3.5, 2.5].map((cells) => cells / 8);
  assertEquals(shares.length, expected.length);
  shares.forEach((share, j) => assertAlmostEquals(share, expected[j], 1e-12));
});

Deno.test("upperOf() takes five tests, those that most rows come to, of those it may take", () => {
  const packed = chain();
  const shares = sharesOf(packed, Int32Array.of(0));
  const tree = [0, 8, 0] as const;
  const upper = upperOf(packed, shares, () => true, tree);
  assertEquals(upper.tests, [0, 1, 2, 3, 4]);
  // Right at all five: the last two tests. Left at the fifth: the one of 80. Left at the first: a leaf.
  const exitOf = (set: number) => upper.exits.filter(({ sets }) => sets >>> set & 1);
  for (const [set, nodes] of [[0b11111, 2], [0b11110, 1], [0b01111, 0]]) {
    assertEquals(exitOf(set).map(({ subtree }) => subtree[1]), [nodes]);
  }
  assertEquals(upperOf(packed, shares, (j) => j !== 3, tree).tests, [0, 1, 2]);
});
