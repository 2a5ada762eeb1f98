/**
 * The wasm kernel of two-class nodes and the ranks of columns against the general TypeScript, which
 * is their specification.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { countNodes } from "../../../src/grow/counted/nodes.ts";
import { createFrame, type Frame } from "../../../src/grow/rows/frame.ts";
import { endsOf, growPacked } from "../../../src/grow/counted/pack.ts";
import { growWhole } from "../../../src/grow/counted/tree.ts";
import { drawPlainly, drawRows } from "../../../src/grow/rows/draw_rows.ts";
import { growTree } from "../../../src/grow/grower.ts";
import { packGrown, packOrder } from "../../../src/grow/tree/pack.ts";
import { contextOf, NO_LIMITS, type TreePlan } from "../../../src/grow/plan/plan.ts";
import { createRanker, rankLevelsPlainly, rankPlainly } from "../../../src/binning/rank.ts";
import type { ClassSource } from "../../../src/grow/rows/stats.ts";
import type { Column, Dataset } from "../../../src/data/types.ts";
import { leafOfRow } from "../../../src/grow/tree/tree.ts";
import { createRng, forkRng, type Rng } from "../../../src/util/rng.ts";

/** Numbers of few and many values and categories, some of them missing, with labels that depend. */
function makeData(rng: Rng, numRows: number): Dataset {
  const features: Column[] = [];
  const score = new Float64Array(numRows);
  for (let f = 0; f < 5; f++) {
    const levels = [2, 7, 300, 50, 0][f];
    const lacking = [0, 0.1, 0, 0.2, 0.05][f];
    const isCategory = f === 0 || f === 3;
    const values = Float64Array.from({ length: numRows }, () => {
      const u = rng.nextFloat();
      return levels === 0 ? u - 0.5 : Math.floor(u * levels);
    });
    for (let row = 0; row < numRows; row++) {
      score[row] += levels === 0 ? values[row] : values[row] / levels - 0.5;
      if (rng.nextFloat() < lacking) values[row] = NaN;
    }
    features.push(
      isCategory
        ? {
          kind: "categorical",
          name: `c${f}`,
          categories: Array.from({ length: levels }, (_, i) => `${i}`),
          codes: Int32Array.from(values, (v) => Number.isNaN(v) ? -1 : v),
        }
        : { kind: "numeric", name: `n${f}`, values },
    );
  }
  return {
    numRows,
    features,
    target: {
      kind: "classification",
      name: "y",
      classes: ["a", "b"],
      codes: Int32Array.from(score, (s) => s + 2 * (rng.nextFloat() - 0.5) > 0 ? 1 : 0),
    },
  };
}

const PLAN: TreePlan = {
  criterion: "gini",
  splitter: "exact",
  missing: "learn",
  order: "depth-first",
  limits: NO_LIMITS,
};

/** Trees of both ways and the order in which they leave the rows. */
function growBoth(frame: Frame, source: ClassSource, plan: TreePlan, seed: number) {
  const context = contextOf(plan, frame, source);
  assertEquals(context.counted, true);
  return [true, false].map((counted) => {
    const all = Int32Array.from({ length: frame.numRows }, (_, row) => row);
    const rows = all.filter((row) => (source.weight?.[row] ?? 1) > 0);
    const tree = growTree({ ...context, counted }, rows, forkRng(seed, 1));
    return { trees: packGrown(tree), rows, stats: tree.stats.slice(0, 3 * tree.numNodes) };
  });
}

Deno.test("growTree() by the kernel is the general tree, bit for bit", () => {
  for (let seed = 0; seed < 60; seed++) {
    const rng = createRng(seed);
    const numRows = [3, 40, 900, 9000][seed % 4];
    const frame = createFrame(makeData(rng, numRows));
    const data = makeData(createRng(seed), numRows);
    const codes = data.target!.kind === "classification" ? data.target!.codes : new Int32Array(0);
    const weighted = seed % 3 === 1;
    const source: ClassSource = {
      kind: "class",
      codes,
      numClasses: 2,
      ...(weighted && { weight: Float64Array.from(codes, () => rng.nextInt(4)) }),
    };
    const plan: TreePlan = {
      ...PLAN,
      order: (["depth-first", "breadth-first", "best-first"] as const)[seed % 3],
      limits: {
        ...NO_LIMITS,
        cut: seed % 2 === 0 ? "midpoint" : "short",
        minRowsLeaf: seed % 5 === 1 ? 4 : 1,
        minWeightLeaf: seed % 7 === 2 ? 5.5 : 0,
        maxLeaves: seed % 6 === 5 ? 20 : Infinity,
        maxDepth: seed % 5 === 3 ? 4 : Infinity,
        minGain: seed % 7 === 4 ? 3 : -Infinity,
      },
      ...(seed % 2 === 1 && { featuresPerNode: 2 }),
    };
    const [fast, slow] = growBoth(frame, source, plan, seed);
    assertEquals(fast, slow, `seed ${seed}`);
  }
});

Deno.test("growTree() by the kernel takes columns of more codes than two bytes tell", () => {
  // Two bytes tell 65,535 values and the missing ones apart, and no more.
  for (const distinct of [65_534, 65_535, 65_536, 70_000]) {
    const rng = createRng(distinct);
    // 7919 is prime, so that the order of the values is not that of the rows.
    const values = Float64Array.from({ length: 70_000 }, (_, row) => (row * 7919) % distinct);
    const codes = Int32Array.from(
      values,
      (v) => Math.floor(v / 9000) % 2 ^ +(rng.nextInt(5) === 0),
    );
    for (let row = 69_000; row < values.length; row += 7) values[row] = NaN;
    const frame = createFrame({
      numRows: values.length,
      features: [{ kind: "numeric", name: "x", values }, {
        kind: "numeric",
        name: "few",
        values: values.map((v) => v % 50),
      }],
    });
    const limits = { ...NO_LIMITS, maxDepth: 5 };
    // By depth alone the kernel grows the whole tree, else node by node.
    for (const plan of [{ ...PLAN, limits }, { ...PLAN, limits, order: "best-first" as const }]) {
      const [fast, slow] = growBoth(frame, { kind: "class", codes, numClasses: 2 }, plan, 1);
      assertEquals(fast, slow, `${distinct} values, ${plan.order}`);
    }
  }
});

Deno.test("growTree() by the kernel remembers which of many features are alike below a node", () => {
  // Fourteen times the same five kinds of feature, most of them alike in small nodes.
  const numRows = 400;
  const parts = Array.from({ length: 14 }, (_, i) => makeData(createRng(i), numRows));
  const features = parts.flatMap((part, i) =>
    part.features.map((column) => ({ ...column, name: `${column.name}-${i}` }))
  );
  const frame = createFrame({ ...parts[0], features });
  const { codes } = parts[0].target as { readonly codes: Int32Array };
  const source: ClassSource = { kind: "class", codes, numClasses: 2 };
  for (const featuresPerNode of [undefined, 2, 9]) {
    const plan = { ...PLAN, ...(featuresPerNode !== undefined && { featuresPerNode }) };
    const [fast, slow] = growBoth(frame, source, plan, 1);
    assertEquals(fast, slow);
    // Features on both sides of the 64 that have a bit are split on.
    const used = fast.trees.feature.filter((f) => f >= 0);
    assert(
      used.some((f) => f < 64) && (featuresPerNode === undefined || used.some((f) => f >= 64)),
    );
  }
});

Deno.test("growWhole() takes trees whose order nothing but depth decides", () => {
  const frame = createFrame(makeData(createRng(1), 40));
  const codes = Int32Array.from({ length: 40 }, (_, row) => row & 1);
  const source: ClassSource = { kind: "class", codes, numClasses: 2 };
  const taken = (plan: Partial<TreePlan>): boolean => {
    const context = contextOf({ ...PLAN, ...plan }, frame, source);
    const rows = Int32Array.from(codes, (_, row) => row);
    return growWhole(context, rows, createRng(1)) !== undefined;
  };
  assertEquals(taken({}), true);
  assertEquals(taken({ order: "breadth-first" }), false);
  assertEquals(taken({ order: "best-first" }), false);
  assertEquals(taken({ limits: { ...NO_LIMITS, maxLeaves: 5 } }), false);
});

Deno.test("growPacked() gives the packed tree of the general splitters, and runs rows down it", () => {
  for (let seed = 0; seed < 12; seed++) {
    const rng = createRng(seed + 100);
    const numRows = [5, 60, 700][seed % 3];
    const data = makeData(rng, numRows);
    const frame = createFrame(data);
    const { codes } = data.target as { readonly codes: Int32Array };
    const weight = drawRows(forkRng(seed, 1), numRows, numRows);
    const source: ClassSource = { kind: "class", codes, numClasses: 2, weight };
    const context = contextOf(
      { ...PLAN, ...(seed % 2 === 1 && { featuresPerNode: 2 }) },
      frame,
      source,
    );
    const all = Int32Array.from(codes, (_, row) => row);
    const rows = all.filter((row) => weight[row] > 0);
    for (const innerValues of [true, false]) {
      const tree = growTree({ ...context, counted: false }, rows.slice(), forkRng(seed, 2));
      const grow = (codes: boolean) =>
        growPacked(context, rows.slice(), forkRng(seed, 2), { innerValues, codes })!;
      const packed = grow(true);
      const expected = packGrown(tree, { innerValues });
      assertEquals(packed.trees, expected, `seed ${seed}`);
      assertEquals(grow(false), { trees: expected, code: new Int32Array(0) });
      const { order } = packOrder(tree);
      const ends = all.map((row) => order.indexOf(leafOfRow(tree, row)));
      assertEquals(endsOf(packed, context, all), ends);
    }
  }
});

Deno.test("drawRows() by the kernel draws the numbers of TypeScript", () => {
  for (const [draws, numRows] of [[0, 5], [1, 1], [700, 7], [5000, 3001], [100, 65536]]) {
    for (const seed of [0, 1, 123456789]) {
      const rng = () => forkRng(seed, draws, 3);
      const counts = drawRows(rng(), draws, numRows);
      assertEquals(counts, drawPlainly(rng(), draws, numRows));
      assertEquals(counts.reduce((sum, count) => sum + count, 0), draws);
    }
  }
});

Deno.test("countNodes() leaves broken weights and more classes to the general splitters", () => {
  const frame = createFrame(makeData(createRng(1), 40));
  const rows = Int32Array.from({ length: 40 }, (_, row) => row);
  const codes = new Int32Array(40);
  const ask = (source: ClassSource, minRowsLeaf = 1) => {
    const context = contextOf(
      { ...PLAN, limits: { ...NO_LIMITS, minRowsLeaf } },
      frame,
      source,
    );
    return countNodes(context, growTree({ ...context, counted: false }, rows, createRng(1)), rows);
  };
  const weight = new Float64Array(40).fill(1);
  assert(ask({ kind: "class", codes, numClasses: 2, weight }) !== undefined);
  assertEquals(ask({ kind: "class", codes, numClasses: 3 }), undefined);
  assertEquals(ask({ kind: "class", codes, numClasses: 2, weight: weight.fill(0.5) }), undefined);
  // Sums of 2²¹ leave no bits to count rows with.
  const heavy = new Float64Array(40).fill(2 ** 16);
  assert(ask({ kind: "class", codes, numClasses: 2, weight: heavy }) !== undefined);
  assertEquals(ask({ kind: "class", codes, numClasses: 2, weight: heavy }, 3), undefined);
});

Deno.test("createRanker() by the kernel ranks as TypeScript does", () => {
  const rng = createRng(5);
  const n = 5000;
  const odd = [NaN, -0, 0, Infinity, -Infinity, 1e-310, -1e-310, Number.MAX_VALUE, 1e300, 1e301];
  const columns = [
    Float64Array.from({ length: n }, () => rng.nextFloat() - 0.5),
    Float64Array.from({ length: n }, () => odd[rng.nextInt(odd.length)]),
    Float64Array.from({ length: n }, () => 1 + rng.nextInt(40) * 2 ** -52),
    // Neighbours of one float32, few enough at each for the kernel to mend.
    Float64Array.from({ length: n }, () => rng.nextInt(2000) + rng.nextInt(3) * 1e-9),
    // Too many: the kernel gives up.
    Float64Array.from({ length: n }, () => 7 + rng.nextFloat() * 1e-9),
    Float32Array.from({ length: n }, () => Math.round(rng.nextFloat() * 20) / 7),
    new Float64Array(n).fill(NaN),
    new Float64Array(n).fill(3),
  ];
  const rank = createRanker(n);
  for (const column of columns) {
    const fast = rank.values(column);
    const plain = rankPlainly(column);
    assertEquals(fast, plain);
    assert(fast.values.every((value) => !Object.is(value, -0)));
  }
});

Deno.test("createRanker() by the kernel ranks categories as TypeScript does", () => {
  const rng = createRng(6);
  for (const n of [4096, 4099, 9001]) {
    const rank = createRanker(n);
    for (const [least, most] of [[0, 7], [-1, 7], [-3, 20], [5, 5]]) {
      const codes = Int32Array.from({ length: n }, () => least + rng.nextInt(most - least + 1));
      const before = codes.slice();
      assertEquals(rank.levels(codes, 7), rankLevelsPlainly(codes, 7));
      assertEquals(codes, before);
    }
  }
});
