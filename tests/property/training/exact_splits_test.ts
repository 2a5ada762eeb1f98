import { assert, assertEquals } from "@std/assert";
import type { FloatArray } from "../../../src/data/types.ts";
import { nodeLists, sortColumn } from "../../../src/grow/exact/lists.ts";
import { aloneExact, type ExactOptions, growExactNewton } from "../../../src/grow/exact/newton.ts";
import type { TreeBuilder } from "../../../src/model/trees.ts";
import { createRng } from "../../../src/util/rng.ts";

interface Rows {
  readonly values: readonly FloatArray[];
  readonly gradient: Float32Array;
  readonly hessian: Float32Array;
}

/** Size of the gradients. */
const sizeOf = (seed: number) => [1, 1e-9, 1e6][seed % 3];

/** Columns of all kinds: ties, gaps, neighbours, one value, none. */
function makeRows(seed: number): Rows {
  const rng = createRng(seed);
  const numRows = 2 + rng.nextInt(120);
  const column = (f: number) =>
    Float64Array.from({ length: numRows }, () => {
      if (f % 2 === 1 && rng.nextInt(6) === 0) return NaN;
      // Neighbours among float32 numbers have no middle.
      if (f === 0) return 1 + rng.nextInt(6) * 2 ** -23;
      return f === 4 ? 7 : f === 5 ? NaN : f === 1 ? rng.nextInt(6) : Math.fround(rng.nextFloat());
    });
  const size = sizeOf(seed);
  return {
    values: Array.from({ length: 6 }, (_, f) => column(f)),
    gradient: Float32Array.from({ length: numRows }, () => size * (rng.nextFloat() - 0.5)),
    hessian: Float32Array.from({ length: numRows }, () => 0.01 + rng.nextFloat()),
  };
}

function grow({ values, gradient, hessian }: Rows, options: ExactOptions) {
  const columns = values.map(sortColumn);
  const team = aloneExact({
    columns,
    lists: nodeLists(columns, (bytes) => new ArrayBuffer(bytes)),
    leafOf: new Int32Array(gradient.length),
    pairs: new Float32Array(2 * gradient.length),
  }, options);
  // The second tree finds the lists as the first has left them.
  growExactNewton(values, { gradient: gradient.map((g) => -g), hessian }, options, team);
  return growExactNewton(values, { gradient, hessian }, options, team);
}

/**
 * gain(left) + gain(right) − gain(parent) of a division in doubles, each sum of gradients nearer to 0
 * by `alpha`; undefined where limits forbid it.
 */
function lossChange(
  { gradient, hessian }: Rows,
  parent: readonly number[],
  isLeft: (row: number) => boolean,
  { lambda, alpha, minChildWeight, minRowsPerLeaf }: ExactOptions,
): number | undefined {
  const gain = (rows: readonly number[]) => {
    const g = Math.max(0, Math.abs(rows.reduce((sum, row) => sum + gradient[row], 0)) - alpha);
    return g * g / (rows.reduce((sum, row) => sum + hessian[row], 0) + lambda);
  };
  const sides = [parent.filter(isLeft), parent.filter((row) => !isLeft(row))];
  const isAllowed = sides.every((rows) =>
    rows.length >= minRowsPerLeaf &&
    rows.reduce((sum, row) => sum + hessian[row], 0) >= minChildWeight
  );
  return isAllowed ? gain(sides[0]) + gain(sides[1]) - gain(parent) : undefined;
}

/** The best of all divisions: every threshold of every feature, missing rows on either side. */
function bestOf(rows: Rows, parent: readonly number[], options: ExactOptions): number {
  let best = 0;
  for (const column of rows.values) {
    for (const cut of new Set(parent.map((row) => column[row]).filter((v) => v === v))) {
      for (const missing of [false, true]) {
        const isLeft = (row: number) => column[row] === column[row] ? column[row] < cut : missing;
        best = Math.max(best, lossChange(rows, parent, isLeft, options) ?? 0);
      }
      // All that is there against what is missing.
      const isThere = (row: number) => column[row] === column[row];
      best = Math.max(best, lossChange(rows, parent, isThere, options) ?? 0);
    }
  }
  return best;
}

/** Rows of each node, by the tests of the tree. */
function rowsOf(tree: TreeBuilder, { values, gradient }: Rows): number[][] {
  const rows = Array.from({ length: tree.numNodes }, (): number[] => []);
  for (let row = 0; row < gradient.length; row++) {
    let node = 0;
    for (;;) {
      rows[node].push(row);
      const children = tree.children[node];
      if (children.length === 0) break;
      const value = values[tree.feature[node]][row];
      node = children[value !== value ? tree.missing[node] : value <= tree.threshold[node] ? 0 : 1];
    }
  }
  return rows;
}

Deno.test("every split of an exact tree is the best of all divisions", () => {
  let splits = 0;
  for (let seed = 1; seed <= 90; seed++) {
    const rows = makeRows(seed);
    const options = {
      learningRate: 1,
      maxDepth: 3,
      lambda: seed % 2,
      alpha: seed % 4 === 1 ? 0.8 * sizeOf(seed) : 0,
      gamma: 0,
      minChildWeight: seed % 4 === 0 ? 2 : 0,
      minRowsPerLeaf: 1 + seed % 3,
      maxDeltaStep: 0,
    };
    const { tree, leafOf } = grow(rows, options);
    const nodes = rowsOf(tree, rows);
    nodes.forEach((parent, node) => {
      const children = tree.children[node];
      if (children.length === 0) {
        assert(parent.every((row) => leafOf[row] === node));
        return;
      }
      splits++;
      const left = new Set(nodes[children[0]]);
      const found = lossChange(rows, parent, (row) => left.has(row), options)!;
      const best = bestOf(rows, parent, options);
      // Gains are float32: three roundings of numbers of the size of the children's gains.
      const scale = best + parent.reduce((sum, row) => sum + rows.gradient[row], 0) ** 2 /
          (parent.reduce((sum, row) => sum + rows.hessian[row], 0) + options.lambda);
      assert(found >= best - 4 * 2 ** -24 * scale, `seed ${seed}, node ${node}: ${found} ${best}`);
    });
    // The root of a table with a split worth taking is split (XGBoost's least change is 1e-6).
    const all = Array.from(rows.gradient, (_, row) => row);
    assertEquals(tree.numNodes > 1, bestOf(rows, all, options) > 1e-6, `seed ${seed}`);
  }
  assert(splits > 150, `${splits}`);
});

const OPTIONS: ExactOptions = {
  learningRate: 1,
  maxDepth: 0,
  lambda: 0,
  alpha: 0,
  gamma: 0,
  minChildWeight: 0,
  minRowsPerLeaf: 1,
  maxDeltaStep: 0,
};

Deno.test("an exact tree without a limit of depth parts rows until nothing is gained", () => {
  const values = [Float64Array.from({ length: 8 }, (_, row) => row)];
  const gradient = Float32Array.from(values[0], (x) => x * x);
  const hessian = new Float32Array(8).fill(1);
  const nodes = (maxDepth: number) =>
    grow({ values, gradient, hessian }, { ...OPTIONS, maxDepth }).tree.numNodes;
  assertEquals([nodes(0), nodes(1), nodes(2)], [15, 3, 7]);
});

Deno.test("rows without curvature come to a leaf, rows of negative curvature to none", () => {
  const values = [Float64Array.of(0, 1, 2, 3)];
  const gradient = Float32Array.of(-1, 0, 1, 0);
  const hessian = Float32Array.of(1, 0, 1, -1);
  const { leafOf } = grow({ values, gradient, hessian }, OPTIONS);
  assertEquals([leafOf[0], leafOf[2], leafOf[3]], [1, 2, -1]);
  assert(leafOf[1] === 1 || leafOf[1] === 2); // both thresholds gain as much
});
