/**
 * Tier 2: the layout of the bit-sliced wasm kernel (kernels/assembly/score.ts), which scores 128 rows
 * at once. For batches, and trees of at most 256 leaves.
 *
 * @module
 */
import { createEnds, weighLeaf } from "./additive.ts";
import { groupTrees } from "./groups.ts";
import type { Packed, Rules } from "../packed.ts";
import { createPlaces, layNumbers, type NumberTables, openMemory, type Places } from "./grids.ts";
import { scoreKernel } from "./wasm.ts";

/** Rows of a block. */
const SLICE = 128;
/** Trees whose leaves are added together. */
const CHUNK = 32;

/** Largest padding of trees to heaps, in slots for each inner node. */
const MAX_PADDING = 4;

/** Scores whole batches. */
export interface BatchScorer {
  /** See {@linkcode Scorer.score}. */
  score(x: Float64Array, rows: number, numTrees: number, out: Float64Array): void;
}

/** Makes the batch scorer, or undefined where the ensemble or the machine does not allow it. */
export function createSliced(
  packed: Packed,
  rules: Rules,
  deepest: number,
): BatchScorer | undefined {
  const { treeNodes, size, leaves, leafIndex, feat2, cut } = packed;
  const { leafWidth, numOutputs } = rules;
  const numTrees = treeNodes.length;
  const f32 = rules.profile.sum === "f32";
  const ends = createEnds(rules);
  if (treeNodes.some((n) => n > 255) || numTrees === 0 || f32 && leafWidth > 1) return undefined;
  if (f32 && ends.start.some((v) => Math.fround(v) !== v)) return undefined;
  const kernel = scoreKernel();
  if (kernel === undefined) return undefined;
  // The kernel takes the three lowest levels at once.
  const depth = Math.max(3, deepest);
  const padded = depth <= 8 && numTrees << depth <= MAX_PADDING * (size.length + numTrees);
  const width = f32 ? 0 : leafWidth;
  const leafBytes = f32 ? 4 : 8 * leafWidth;
  const span = 1 << depth;
  const groups = groupTrees(packed, rules);
  const { order, start } = groups;
  const numGroups = start.length - 1;

  const places = createPlaces();
  const laid = layTests(packed, places);
  if (laid === undefined) return undefined;
  const tests: Tests = laid;
  const numFeatures = packed.dictAt.length;
  const stride = 8 * numFeatures;
  const xAt = places.take(SLICE * stride);
  const outAt = places.take(SLICE * leafBytes);
  const chunkAt = places.take(CHUNK * (4 + SLICE));
  const masksAt = places.take(16 * (padded ? 2 * span : 512));
  const testAt = places.take(padded ? 4 * numTrees * span : 8 * size.length);
  const headerAt = padded ? 0 : places.take(16 * numTrees);
  const leavesAt = places.take(leafBytes * (padded ? numTrees * span : size.length + numTrees));
  const memory = openMemory(places);
  if (memory === undefined) return undefined;
  const buffer = memory.buffer as ArrayBuffer;
  const u32 = new Uint32Array(buffer);
  const u16 = new Uint16Array(buffer);
  const xs = new Float64Array(buffer, xAt, SLICE * numFeatures);
  const Reals = f32 ? Float32Array : Float64Array;
  const sums = new Reals(buffer, outAt, SLICE * leafWidth);
  const values = new Reals(buffer, leavesAt);
  tests.write(buffer);
  const run = kernel(memory);

  /** Writes leaf `b` of a tree to place `to` of the leaves, `count` times. */
  function putLeaf(tree: number, b: number, to: number, count: number): void {
    const from = (leafIndex === undefined ? b : leafIndex[b]) * leafWidth;
    for (let k = 0; k < leafWidth; k++) {
      const value = weighLeaf(rules, tree, leaves[from + k]);
      for (let i = 0; i < count; i++) values[(to + i) * leafWidth + k] = value;
    }
  }

  function layHeap(p: number): void {
    const tree = order[p];
    let j = groups.firstNode[tree];
    let b = j + tree;
    const base = (testAt >> 2) + p * span;
    // Padding tests whatever mask is first: its rows are all below one leaf.
    u32.fill(tests.any, base, base + span);
    const stack = [1, treeNodes[tree]];
    while (stack.length > 0) {
      const n = stack.pop()!;
      const h = stack.pop()!;
      if (n > 0) {
        u32[base + h] = tests.maskOf(feat2[j], cut[j]);
        const s = size[j++];
        stack.push(2 * h + 1, n - s, 2 * h, s - 1);
      } else {
        const up = depth - (31 - Math.clz32(h));
        putLeaf(tree, b++, p * span + (h << up) - span, 1 << up);
      }
    }
  }

  function layTree(p: number, node: number, leaf: number): void {
    const tree = order[p];
    const n = treeNodes[tree];
    const first = groups.firstNode[tree];
    u32.set(
      [testAt + 8 * node, n, leavesAt + leafBytes * leaf, 32 - Math.clz32(n)],
      (headerAt >> 2) + 4 * p,
    );
    // Places of masks: leaves from 0 on, inner nodes from 256 on.
    const stack = [0, n, 0];
    while (stack.length > 0) {
      const b = stack.pop()!;
      const inner = stack.pop()!;
      const j = stack.pop()!;
      if (inner === 0) continue;
      const s = size[first + j];
      const at = testAt + 8 * (node + j);
      u32[at >> 2] = tests.maskOf(feat2[first + j], cut[first + j]);
      u16[(at >> 1) + 2] = s === 1 ? b : 256 + j + 1;
      u16[(at >> 1) + 3] = inner === s ? b + s : 256 + j + s;
      stack.push(j + s, inner - s, b + s, j + 1, s - 1, b);
    }
    for (let b = 0; b <= n; b++) putLeaf(tree, first + tree + b, leaf + b, 1);
  }

  let node = 0;
  for (let p = 0; p < numTrees; p++) {
    if (padded) layHeap(p);
    else layTree(p, node, node + p);
    node += treeNodes[order[p]];
  }

  function runTrees(from: number, to: number): void {
    run.c(
      padded ? testAt + 4 * span * from : headerAt + 16 * from,
      leavesAt + leafBytes * span * from,
      padded ? depth : 0,
      to - from,
      width,
      masksAt,
      chunkAt,
      outAt,
    );
  }

  return {
    score(x, rows, count, out) {
      for (let from = 0; from < rows; from += SLICE) {
        const block = Math.min(SLICE, rows - from);
        xs.set(x.subarray(from * numFeatures, (from + block) * numFeatures));
        tests.run(run, xAt, stride);
        for (let g = 0; g < numGroups; g++) {
          if (leafWidth === 1) sums.fill(ends.start[g]);
          else for (let i = 0; i < sums.length; i++) sums[i] = ends.start[i % leafWidth];
          runTrees(start[g], groups.end(g, count));
          // The kernel adds leaves of every eighth row at a time.
          for (let r = 0; r < block; r++) {
            const at = ((r & 7) * 16 + (r >> 3)) * leafWidth;
            const to = (from + r) * numOutputs + g;
            for (let k = 0; k < leafWidth; k++) out[to + k] = sums[at + k];
          }
        }
      }
      if (!ends.needsFinish) return;
      for (let r = 0; r < rows; r++) ends.finish(count, out, r * numOutputs);
    },
  };
}

type Run = ReturnType<NonNullable<ReturnType<typeof scoreKernel>>>;

/** Masks of all tests of an ensemble: where they are and how they are computed. */
interface Tests {
  /** A mask that is always there. */
  readonly any: number;
  /** Address of the mask of rows that a node sends right. */
  maskOf(feat2: number, cut: number): number;
  /** Writes the tables of the kernel. */
  write(buffer: ArrayBuffer): void;
  /** Computes all masks for the rows at `x`. */
  run(run: Run, x: number, stride: number): void;
}

interface Feature {
  readonly f: number;
  /** Masks of either side of missing values; 0 for none. Entry i + 1 is that of test i. */
  readonly sides: readonly [number, number];
  /** Cuts or sets. */
  readonly table: number;
}

function layTests(packed: Packed, places: Places): Tests | undefined {
  const { feat2, dictSize, setWords, numCategories } = packed;
  const numFeatures = dictSize.length;
  const used = new Uint8Array(2 * numFeatures);
  for (let j = 0; j < feat2.length; j++) used[feat2[j]] = 1;
  const any = places.take(16);
  const missing = places.take(16);
  const features: Feature[] = [];
  const numbers: Omit<Feature, "table">[] = [];
  const sidesOf: (Feature["sides"] | undefined)[] = [];
  let codes = 0;
  let most = 0;
  for (let f = 0; f < numFeatures; f++) {
    if (used[2 * f] + used[2 * f + 1] === 0) continue;
    const count = dictSize[f];
    if (count > 65535) return undefined;
    most = Math.max(most, count);
    const side = (k: number) => used[2 * f + k] ? places.take(16 * (count + 1)) : 0;
    const sides = sidesOf[f] = [side(0), side(1)] as const;
    if (setWords[f] > 0) {
      features.push({ f, sides, table: places.take(4 * setWords[f] * count) });
      codes = Math.max(codes, numCategories[f] + 1);
    } else numbers.push({ f, sides });
  }
  const tables: NumberTables = layNumbers(packed, numbers, places);
  const ranks = places.take(16 * (most + 1));
  const slots = places.take(codes);
  const found = places.take(260 * SLICE);

  return {
    any,
    maskOf: (f2, cut) => sidesOf[f2 >>> 1]![f2 & 1] + 16 * (cut + 1),
    write(buffer) {
      const u32 = new Uint32Array(buffer);
      tables.write(buffer);
      for (const { f, table } of features) {
        const from = packed.dictAt[f];
        u32.set(packed.sets.subarray(from, from + dictSize[f] * setWords[f]), table >> 2);
      }
    },
    run(run, x, stride) {
      run.a(x, stride, tables.at, numbers.length, missing, ranks);
      for (const { f, sides, table } of features) {
        run.b(x + 8 * f, stride, table, setWords[f], dictSize[f], ...sides, slots, found);
      }
    },
  };
}
