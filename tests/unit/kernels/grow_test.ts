import { assertEquals } from "@std/assert";
import { FOUND_BYTES, ItemField } from "../../../src/kernels/items/evaluate.ts";
import {
  GROW_FEATURE_BYTES,
  GROW_WORDS,
  GrowFeature,
  GrowField,
  GrowNumber,
  NodeList,
  wordsAt,
} from "../../../src/kernels/items/grow.ts";
import { createMemory } from "../../../src/kernels/memory.ts";
import { SplitField, SplitMode } from "../../../src/kernels/items/split.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { A, B, C, D, E, SPACE } from "../../support/laws/kernels.ts";

const [PLAN, NODES, ITEMS, FOUND, SEGMENTS] = [A, B, C, D, E];
const [FEATURES, LEVELS, GROUPS, ARGS] = [A + 4096, A + 5120, A + 6144, A + 7168];
const [TABLES, POOL, COLUMN, PLACE] = [A + 8192, 1 << 20, 777, 1024];
const CAPACITY = 7;

/** Ten rows and two features of five bins, in one block; trees of two levels. */
function begin() {
  const memory = createMemory();
  memory.ensure(SPACE);
  const { u8, u32, f64 } = memory;
  u8.fill(0, A, SPACE);
  const words: { readonly [field: number]: number } = {
    [GrowField.nodes]: NODES,
    [GrowField.capacity]: CAPACITY,
    [GrowField.tables]: TABLES,
    [GrowField.features]: FEATURES,
    [GrowField.levelFirst]: LEVELS,
    [GrowField.items]: ITEMS,
    [GrowField.groups]: GROUPS,
    [GrowField.args]: ARGS,
    [GrowField.found]: FOUND,
    [GrowField.segments]: SEGMENTS,
    [GrowField.numBlocks]: 1,
    [GrowField.features8]: 4,
    [GrowField.numThreads]: 1,
    [GrowField.allRows]: 1,
    [GrowField.pool]: POOL,
    [GrowField.placeBytes]: PLACE,
    [GrowField.maxDepth]: 2,
    [GrowField.maxLeaves]: 4,
    [GrowField.rows]: 10,
  };
  for (const [field, value] of Object.entries(words)) {
    u32[((PLAN + GROW_WORDS) >>> 2) + Number(field)] = value;
  }
  f64[(PLAN >>> 3) + GrowNumber.unitG] = 1;
  f64[(PLAN >>> 3) + GrowNumber.unitH] = 1;
  f64[(PLAN >>> 3) + GrowNumber.leastRows] = 2;
  f64[(PLAN >>> 3) + GrowNumber.minGain] = 1;
  f64[(PLAN >>> 3) + GrowNumber.gradient] = 6;
  f64[(PLAN >>> 3) + GrowNumber.hessian] = 10;
  for (const feature of [0, 1]) {
    const at = (FEATURES + GROW_FEATURE_BYTES * feature) >>> 2;
    u32[at + GrowFeature.column] = COLUMN + feature;
    u32[at + GrowFeature.numBins] = 5;
  }
  const list = (which: keyof typeof NodeList, count: number) => {
    const from = wordsAt(NODES, CAPACITY, NodeList[which]) >>> 2;
    return [...memory.i32.subarray(from, from + count)];
  };
  const item = (i: number, bytes: number, fields: { readonly [name: string]: number }) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        memory.i32[((ITEMS + i * bytes) >>> 2) + field],
      ]),
    );
  /** Gain, feature, bin, kind, missing left, gradient, hessian, rows of the left. */
  const find = (item: number, which: number, split: readonly number[]) =>
    f64.set(split, (FOUND + (2 * item + which) * FOUND_BYTES) >>> 3);
  /** Rows of entries: the first of each, and how many. */
  const part = (...entries: readonly number[]) => u32.set(entries, SEGMENTS >>> 2);
  return { memory, kernels: wasmKernels(memory), list, item, find, part };
}

Deno.test("a tree of two levels grows as worked by hand", () => {
  const { memory, kernels, list, item, find, part } = begin();
  assertEquals(kernels.plantRoot!(PLAN), 1);
  const root = item(0, 192, ItemField);
  assertEquals([root.entry, root.built, root.sibling, root.from8, root.to8], [0, POOL, 0, 0, 4]);
  assertEquals([...memory.f64.subarray((ITEMS + 64) >>> 3, (ITEMS + 88) >>> 3)], [6, 10, 10]);

  // Bins up to 2 of feature 1 go left, missing values too: six rows there, four on the right.
  find(0, 0, [9, 1, 2, 0, 1, -1, 6, 6]);
  assertEquals(kernels.splitLevel!(PLAN), 1);
  const split = item(0, 48, SplitField);
  assertEquals([split.mode, split.column], [SplitMode.partitionAll, COLUMN + 1]);
  assertEquals([split.entry, split.rightEntry, split.last, split.other], [0, 1, 2, 5]);
  assertEquals([...memory.u8.subarray(TABLES, TABLES + 6)], [1, 1, 1, 0, 0, 1]);
  part(0, 6, 6, 4);
  assertEquals(kernels.queueLevel!(PLAN), 1);
  // The right child has fewer rows, so that it is built; the left one takes the root's histogram.
  const pair = item(0, 192, ItemField);
  assertEquals([pair.entry, pair.buffer, pair.scansBuilt], [1, 1, 1]);
  assertEquals([pair.built, pair.sibling], [POOL + PLACE, POOL]);
  assertEquals([...memory.f64.subarray((ITEMS + 64) >>> 3, (ITEMS + 88) >>> 3)], [7, 4, 4]);
  assertEquals([...memory.f64.subarray((ITEMS + 128) >>> 3, (ITEMS + 152) >>> 3)], [-1, 6, 6]);

  // The left child's gain is not worth a split; the right one's just is: at bin 0 of feature 0.
  find(0, 1, [0.5, 0, 1, 0, 0, -1, 3, 3]);
  find(0, 0, [1, 0, 0, 0, 0, 2, 1, 1]);
  assertEquals(kernels.splitLevel!(PLAN), 2);
  const [leaf, last] = [item(0, 48, SplitField), item(1, 48, SplitField)];
  assertEquals([leaf.mode, leaf.entry, leaf.buffer, leaf.left], [SplitMode.fillLeaf, 0, 1, 0]);
  assertEquals([last.mode, last.entry, last.left, last.right], [SplitMode.splitLeaf, 1, 1, 2]);
  assertEquals([last.column, last.last, last.other], [COLUMN, 0, 0]);
  assertEquals(kernels.queueLevel!(PLAN), 0);
  assertEquals(kernels.splitLevel!(PLAN), 0);
  assertEquals(kernels.queueLevel!(PLAN), -1);

  assertEquals(list("feature", 5), [1, -1, 0, -1, -1]);
  assertEquals(list("left", 5), [1, -1, 3, -1, -1]);
  assertEquals(list("parent", 5), [-1, 0, 0, 2, 2]);
  assertEquals(list("leaf", 5), [-1, 0, -1, 1, 2]);
  assertEquals(list("rows", 5), [10, 6, 4, 1, 3]);
  // Both histograms have been given back.
  assertEquals(list("histogram", 5), [0, 0, 0, 0, 0]);
});

Deno.test("of parts of one node the larger gain is taken, else the lower feature", () => {
  for (const [second, chosen] of [[9, 0], [10, 1], [8, 0]]) {
    const { memory, kernels, list, find } = begin();
    const words = (PLAN + GROW_WORDS) >>> 2;
    memory.u32[words + GrowField.numThreads] = 2;
    memory.u32[words + GrowField.features8] = 8;
    assertEquals(kernels.plantRoot!(PLAN), 2);
    find(0, 0, [9, 0, 1, 0, 0, 1, 5, 5]);
    find(1, 0, [second, 1, 1, 0, 0, 1, 5, 5]);
    kernels.splitLevel!(PLAN);
    assertEquals(list("feature", 1), [chosen]);
  }
});

Deno.test("a child that alone may be split takes the place of its parent's histogram", () => {
  const { memory, kernels, item, list, find, part } = begin();
  memory.f64[(PLAN >>> 3) + GrowNumber.leastHessian] = 7;
  kernels.plantRoot!(PLAN);
  find(0, 0, [9, 0, 2, 0, 0, 1, 3, 6]);
  kernels.splitLevel!(PLAN);
  part(0, 6, 6, 4);
  assertEquals(kernels.queueLevel!(PLAN), 1);
  const { entry, built, sibling } = item(0, 192, ItemField);
  assertEquals([entry, built, sibling], [1, POOL, 0]);
  assertEquals(list("mayBeSplit", 3), [1, 0, 1]);
  assertEquals(list("histogram", 3), [0, 0, POOL]);
});

Deno.test("the histogram of a node whose children are leaves is given back", () => {
  const { memory, kernels, list, find, part } = begin();
  memory.f64[(PLAN >>> 3) + GrowNumber.leastHessian] = 8;
  kernels.plantRoot!(PLAN);
  assertEquals(list("histogram", 1), [POOL]);
  find(0, 0, [9, 0, 2, 0, 0, 1, 5, 6]);
  kernels.splitLevel!(PLAN);
  part(0, 6, 6, 4);
  assertEquals(kernels.queueLevel!(PLAN), 0);
  assertEquals([list("histogram", 3), list("free", 1)], [[0, 0, 0], [POOL]]);
});

Deno.test("the histogram of a node that is built for its sibling only is given back", () => {
  const { memory, kernels, item, list, find, part } = begin();
  const words = (PLAN + GROW_WORDS) >>> 2;
  memory.u32[words + GrowField.maxDepth] = 3;
  memory.f64[(PLAN >>> 3) + GrowNumber.leastHessian] = 5;
  kernels.plantRoot!(PLAN);
  find(0, 0, [9, 0, 2, 0, 0, 1, 6, 6]);
  kernels.splitLevel!(PLAN);
  part(0, 6, 6, 4);
  kernels.queueLevel!(PLAN);
  const { built, sibling, scansBuilt } = item(0, 192, ItemField);
  assertEquals([built, sibling, scansBuilt], [POOL + PLACE, POOL, 0]);
  find(0, 1, [9, 0, 2, 0, 0, 1, 5.5, 5]);
  kernels.splitLevel!(PLAN);
  assertEquals(list("histogram", 3), [0, POOL, 0]);
  part(0, 5, 6, 4, 5, 1);
  kernels.queueLevel!(PLAN);
  // The smaller child of the next pair gets the place that has become free.
  assertEquals(list("mayBeSplit", 5).slice(3), [1, 0]);
  assertEquals(item(0, 192, ItemField).built, POOL + PLACE);
});
