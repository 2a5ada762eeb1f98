import { assert, assertEquals } from "@std/assert";
import { trainC45 } from "../../../../src/algorithms/classic/c45.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { addedErrors } from "../../../../src/grow/prune/pessimistic.ts";
import type { Model } from "../../../../src/model/model.ts";
import { createRng, type Rng } from "../../../../src/util/rng.ts";

/** A node of C4.5's tree and the training rows that it holds. */
interface Plain {
  feature: number;
  threshold: number;
  /** Empty at leaves. */
  branches: Plain[];
  rows: number[];
}

const NUM_CLASSES = 3;

/** Three classes by chance, over two numbers and a category; every other set is weighted. */
function noise(rng: Rng, weighted: boolean): Dataset {
  const numRows = 60 + rng.nextInt(120);
  const values = (levels: number) =>
    Float64Array.from({ length: numRows }, () => rng.nextInt(levels));
  const codes = (levels: number) => Int32Array.from({ length: numRows }, () => rng.nextInt(levels));
  return {
    numRows,
    features: [
      { kind: "numeric", name: "x", values: values(200) },
      { kind: "categorical", name: "c", codes: codes(3), categories: ["p", "q", "r"] },
      { kind: "numeric", name: "z", values: values(8) },
    ],
    target: {
      kind: "classification",
      name: "y",
      codes: codes(NUM_CLASSES),
      classes: ["k", "l", "m"],
    },
    ...(weighted && {
      sampleWeight: Float64Array.from({ length: numRows }, () => (1 + rng.nextInt(8)) / 3),
    }),
  };
}

function branchOf({ features }: Dataset, { feature, threshold }: Plain, row: number): number {
  const column = features[feature];
  return column.kind === "categorical"
    ? column.codes[row]
    : column.values[row] <= threshold
    ? 0
    : 1;
}

/** The tree of a model, without rows. */
function plainTree({ ensemble: { trees }, schema }: Model, node = 0): Plain {
  const feature = trees.feature[node];
  const column = schema.features[feature];
  const count = feature < 0 ? 0 : column.kind === "categorical" ? column.categories.length : 2;
  const branches = Array.from({ length: count }, (_, b) => trees.firstChild[node] + b);
  return {
    feature,
    threshold: trees.threshold[node],
    branches: branches.map((child) =>
      plainTree({ ensemble: { trees }, schema } as unknown as Model, child)
    ),
    rows: [],
  };
}

function sendDown(data: Dataset, node: Plain, rows: number[]): void {
  node.rows = rows;
  node.branches.forEach((branch, b) =>
    sendDown(data, branch, rows.filter((row) => branchOf(data, node, row) === b))
  );
}

function weightsOf({ target, sampleWeight }: Dataset, rows: readonly number[]): number[] {
  const sums = new Array<number>(NUM_CLASSES).fill(0);
  for (const row of rows) {
    if (target!.kind === "classification") sums[target!.codes[row]] += sampleWeight?.[row] ?? 1;
  }
  return sums;
}

function asLeaf(data: Dataset, rows: readonly number[]): number {
  const sums = weightsOf(data, rows);
  const weight = sums.reduce((a, b) => a + b);
  const errors = weight - Math.max(...sums);
  return weight < 1e-6 ? 0 : errors + addedErrors(weight, errors, 0.25);
}

/** Estimated errors of a tree that these rows are sent down. */
function estimate(data: Dataset, node: Plain, rows: readonly number[]): number {
  if (node.branches.length === 0) return asLeaf(data, rows);
  return node.branches.reduce(
    (sum, branch, b) =>
      sum + estimate(data, branch, rows.filter((row) => branchOf(data, node, row) === b)),
    0,
  );
}

/** How often a branch took its parent's place. */
let raised = 0;

/** `C45PruneableClassifierTree.prune` of Weka 3.8.6, line by line. */
function prune(data: Dataset, node: Plain): void {
  if (node.branches.length === 0) return;
  node.branches.forEach((branch) => prune(data, branch));
  const cover = ({ rows }: Plain) => weightsOf(data, rows).reduce((a, b) => a + b);
  let largest = node.branches[0];
  for (const branch of node.branches) if (cover(branch) > cover(largest) - 1e-6) largest = branch;
  const ofBranch = estimate(data, largest, node.rows);
  const ofLeaf = asLeaf(data, node.rows);
  const ofTree = estimate(data, node, node.rows);
  if (ofLeaf <= ofTree + 0.1 + 1e-6 && ofLeaf <= ofBranch + 0.1 + 1e-6) {
    node.branches = [];
  } else if (ofBranch <= ofTree + 0.1 + 1e-6) {
    raised++;
    const { rows } = node;
    Object.assign(node, largest);
    sendDown(data, node, rows);
    prune(data, node);
  }
}

/** What a tree tests, in order, and the class weights of its leaves. */
function told(data: Dataset, node: Plain): unknown[] {
  const { feature, threshold, branches, rows } = node;
  if (branches.length === 0) return weightsOf(data, rows).map((sum) => sum.toFixed(6));
  return [feature, threshold, ...branches.map((branch) => told(data, branch))];
}

Deno.test("trainC45() raises and cuts branches as all rows of a node sent down each branch say", async () => {
  const rng = createRng(11);
  let cut = 0;
  for (let round = 0; round < 60; round++) {
    const data = noise(rng, round % 2 === 1);
    const rows = Array.from({ length: data.numRows }, (_, row) => row);
    const grown = { minObjects: 1 + round % 3, mdl: false, collapse: false };
    const plain = plainTree(await trainC45(data, { ...grown, pruning: "none" }));
    sendDown(data, plain, rows);
    const before = JSON.stringify(told(data, plain)).length;
    prune(data, plain);
    const model = plainTree(await trainC45(data, grown));
    sendDown(data, model, rows);
    assertEquals(told(data, model), told(data, plain), `round ${round}`);
    if (JSON.stringify(told(data, plain)).length < before) cut++;
  }
  assert(raised > 40 && cut > 50, `${raised} branches were raised, ${cut} trees cut`);
});
