import { assertEquals } from "@std/assert";
import type { Frame } from "../../../../src/grow/rows/frame.ts";
import type { Surrogate } from "../../../../src/grow/splitter/surrogate.ts";
import {
  addNode,
  createGrownTree,
  type GrownTree,
  leafOfRow,
} from "../../../../src/grow/tree/tree.ts";
import { NodeKind } from "../../../../src/model/types.ts";

const MISSING = 40;
const ALL_BRANCHES = 255;

/** A root that splits on its first feature after code 1; `codes[feature][row]`, 40 is missing. */
function split(codes: number[][], covers: number[], missing: number, kind: number): GrownTree {
  const features = codes.map((one) => ({ codes: Int32Array.from(one), numCodes: MISSING }));
  const tree = createGrownTree(
    { numRows: codes[0].length, features } as unknown as Frame,
    {} as GrownTree["source"],
    {} as GrownTree["criterion"],
    1,
  );
  const rows = new Int32Array(0);
  for (const parent of [-1, ...covers.map(() => 0)]) addNode(tree, parent, rows, 0, 0, undefined);
  covers.forEach((cover, branch) => tree.cover[1 + branch] = cover);
  tree.kind[0] = kind;
  tree.feature[0] = 0;
  tree.code[0] = 1;
  tree.firstChild[0] = 1;
  tree.numBranches[0] = covers.length;
  tree.missing[0] = missing;
  return tree;
}

const numeric = (feature: number, code: number, below: number) =>
  ({ feature, code, below, branches: undefined }) as Surrogate;

const byCategory = (feature: number, branches: number[]) =>
  ({ feature, code: -1, below: 0, branches: Int8Array.from(branches) }) as Surrogate;

const leavesOf = (tree: GrownTree) =>
  Array.from(tree.frame.features[0].codes, (_, row) => leafOfRow(tree, row));

Deno.test("leafOfRow() asks surrogates in turn, the first that can say decides", () => {
  const tree = split(
    [
      [0, 1, 2, MISSING, MISSING, MISSING, MISSING, MISSING, MISSING],
      [0, 0, 0, 0, 1, 2, MISSING, 2, MISSING],
      [3, 3, 3, 0, 3, 3, 2, 1, MISSING],
    ],
    [5, 5],
    1,
    NodeKind.threshold,
  );
  // The first says left, right or nothing by category; the second right up to code 1, then left.
  tree.surrogates[0] = [byCategory(1, [0, 1, -1, 0]), numeric(2, 1, 1)];
  assertEquals(leavesOf(tree), [
    ...[1, 1, 2], // by the split itself
    1, // the first says left, the second would say right
    2, // the first says right, the second would say left
    1, // the first cannot say: the second says left
    1, // the first is missing: the second says left
    2, // the first cannot say: the second says right
    2, // both are missing: the branch of missing values
  ]);
});

Deno.test("leafOfRow() follows the heaviest child without a branch, the first of equals", () => {
  const leaf = (covers: number[]) => {
    const tree = split([[MISSING]], covers, ALL_BRANCHES, NodeKind.multiway);
    // A node of another family.
    tree.cover[addNode(tree, 1, tree.rows[0], 0, 0, undefined)] = 9;
    tree.categories[0] = Uint32Array.from([0, 1, 2, 3]);
    return leavesOf(tree)[0];
  };
  assertEquals(leaf([3, 2, 1]), 1);
  assertEquals(leaf([1, 2, 3]), 3);
  assertEquals(leaf([1, 3, 2]), 2);
  assertEquals(leaf([3, 3, 3]), 1);
  assertEquals(leaf([1, 3, 3]), 2);
});

Deno.test("leafOfRow() sends the categories of a set left, and each category down its own branch", () => {
  const subset = split([[0, 1, 2, 3, 33, 34]], [5, 5], 1, NodeKind.subset);
  // 32 categories a word: the set holds 1, 3 and 33.
  subset.categories[0] = Uint32Array.of(0b1010, 0b10);
  assertEquals(leavesOf(subset), [2, 1, 2, 1, 1, 2]);
  const multiway = split([[0, 1, 2, 3]], [5, 5, 5], 1, NodeKind.multiway);
  multiway.categories[0] = Uint32Array.of(2, 0, 1, 0);
  assertEquals(leavesOf(multiway), [3, 1, 2, 1]);
});
