import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import { varianceCriterion } from "../../../../src/grow/criterion/variance.ts";
import {
  type CpRow,
  cpTable,
  rpartComplexity,
  validateCpTable,
} from "../../../../src/grow/prune/cp_table.ts";
import { addNode, createGrownTree, type GrownTree } from "../../../../src/grow/tree/tree.ts";
import { NodeKind } from "../../../../src/model/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

const NUM_ROWS = 512;
const rng = createRng(11);
const VALUES = Float64Array.from({ length: NUM_ROWS }, () => rng.nextFloat());

/** Halves the given rows, whose one feature is their number, down to single ones. */
function halved(rows: Int32Array): GrownTree {
  const codes = Int32Array.from(VALUES, (_, row) => row);
  const feature = { kind: "numeric", numCodes: NUM_ROWS, codes, values: Float64Array.from(codes) };
  const tree = createGrownTree(
    { numRows: NUM_ROWS, features: [feature] } as unknown as GrownTree["frame"],
    { kind: "moment", values: VALUES },
    varianceCriterion(),
    3,
  );
  addNode(tree, -1, rows, 0, rows.length, undefined);
  for (let node = 0; node < tree.numNodes; node++) {
    const [from, to] = [tree.from[node], tree.to[node]];
    if (to - from < 2) continue;
    const middle = (from + to) >> 1;
    tree.kind[node] = NodeKind.threshold;
    tree.feature[node] = 0;
    tree.code[node] = rows[middle - 1];
    tree.firstChild[node] = addNode(tree, node, rows, from, middle, undefined);
    addNode(tree, node, rows, middle, to, undefined);
    tree.numBranches[node] = 2;
  }
  return tree;
}

/** Where a row stops in the tree pruned at α. */
function runDown(tree: GrownTree, complexity: Float64Array, alpha: number, row: number): number {
  let node = 0;
  while (tree.numBranches[node] > 0 && complexity[node] > alpha) {
    node = tree.firstChild[node] + (row <= tree.code[node] ? 0 : 1);
  }
  return node;
}

function meanAt(tree: GrownTree, node: number): number {
  let sum = 0;
  for (let i = tree.from[node]; i < tree.to[node]; i++) sum += VALUES[tree.rows[node][i]];
  return sum / (tree.to[node] - tree.from[node]);
}

const lossOf = (tree: GrownTree, node: number, row: number) =>
  (VALUES[row] - meanAt(tree, node)) ** 2;

function riskOf(tree: GrownTree): Float64Array {
  return Float64Array.from({ length: tree.numNodes }, (_, node) => {
    let sum = 0;
    for (let i = tree.from[node]; i < tree.to[node]; i++) {
      sum += lossOf(tree, node, tree.rows[node][i]);
    }
    return sum;
  });
}

const ALL = Int32Array.from(VALUES, (_, row) => row);

Deno.test("cpTable() gives the leaves at each α, in one walk through the tree", () => {
  const tree = halved(ALL);
  const risk = riskOf(tree);
  let reads = 0;
  const numBranches = new Proxy(tree.numBranches, {
    get(target, key) {
      reads++;
      return Reflect.get(target, key);
    },
  });
  const table = cpTable({ ...tree, numBranches }, risk, 0);
  assert(table.length > 200, "there are many rows");
  assert(reads < 30 * tree.numNodes, `${reads} reads of ${tree.numNodes} nodes`);
  const complexity = rpartComplexity(tree, risk, 0);
  table.forEach((row, k) => {
    // Between this row's α and the one before it the tree is the same.
    const alpha = k === 0 ? 2 * row.cp : (row.cp + table[k - 1].cp) / 2;
    const leaves = new Set(
      Array.from(ALL, (at) => runDown(tree, complexity, alpha * risk[0], at)),
    );
    assertEquals(row.splits, leaves.size - 1);
    let sum = 0;
    for (const leaf of leaves) sum += risk[leaf];
    assertAlmostEquals(row.relativeError, sum / risk[0], 1e-13); // another order of 512 terms
  });
});

Deno.test("validateCpTable() asks for the losses of a path, not of every row of the table", async () => {
  const whole = halved(ALL);
  const risk = riskOf(whole);
  const table = cpTable(whole, risk, 0);
  const foldOfRow = Int32Array.from(VALUES, (_, row) => row % 2);
  let asked = 0;
  const checked = await validateCpTable(table, risk[0], {
    numRows: NUM_ROWS,
    foldOfRow,
    numFolds: 2,
    grow: (rows) => Promise.resolve(halved(rows)),
    riskOf,
    lossesOf: (tree) => (node, row) => {
      asked++;
      return lossOf(tree, node, row);
    },
  });
  // 9 levels, each of which comes once and goes once.
  assert(asked <= NUM_ROWS * 2 * 9, `${asked} losses of ${NUM_ROWS} rows`);
  slowErrors(table, risk[0], foldOfRow).forEach(([xerror, xstd], k) => {
    assertAlmostEquals(checked[k].xerror!, xerror, 1e-12); // another order of 512 terms
    assertAlmostEquals(checked[k].xstd!, xstd, 1e-9); // and a root of a difference
  });
});

Deno.test("validateCpTable() has errors of the same bits for labels in other powers of two", async () => {
  // 2^280: losses are near 2^560, and their squares beyond 2^1024.
  const x = VALUES.slice(0, 60);
  const values = x.map((v) => (v > 0.5 ? 3 : 1) + rng.nextFloat());
  const of = async (scale: number) => {
    const model = await trainCart({
      numRows: 60,
      features: [{ kind: "numeric", name: "x", values: x }],
      target: { kind: "regression", name: "y", values: values.map((y) => y * scale) },
    }, { pruning: "cv", pruneRule: "1se" });
    return [model.info.cpTable, model.info.chosenRow];
  };
  assertEquals(await of(2 ** 280), await of(1));
});

/** Each row of the table by itself. */
function slowErrors(table: readonly CpRow[], root: number, foldOfRow: Int32Array) {
  return table.map((row, k) => {
    const alpha = root * (k === 0 ? 10 * row.cp : Math.sqrt(row.cp * table[k - 1].cp)) / 2;
    let [sum, squares] = [0, 0];
    for (let fold = 0; fold < 2; fold++) {
      const tree = halved(ALL.filter((at) => foldOfRow[at] !== fold));
      const complexity = rpartComplexity(tree, riskOf(tree), 0);
      for (const at of ALL) {
        if (foldOfRow[at] !== fold) continue;
        const loss = lossOf(tree, runDown(tree, complexity, alpha, at), at);
        sum += loss;
        squares += loss * loss;
      }
    }
    return [sum / root, Math.sqrt(squares - sum * sum / NUM_ROWS) / root];
  });
}
