/**
 * A scorer of rows by tables of leaf masks (kernels/assembly/masks.ts), for servers: it takes megabytes
 * and milliseconds to build, and then a row costs a fifth of a walk (bench/serving.md). For sums of
 * trees of at most 64 leaves and few features; it gives the bits of the other scorers.
 *
 * @module
 */
import { lazyModule } from "../../util/wasm_module.ts";
import { createEnds, weighLeaf } from "./additive.ts";
import { createPlaces, layNumbers, MOST_CUTS, openMemory } from "./grids.ts";
import { type Groups, groupTrees } from "./groups.ts";
import { WASM_BASE64 } from "./mask_bytes.ts";
import {
  featureMasks,
  groupFeatures,
  MASK_LEAVES,
  type MaskGroup,
  numCodes,
  spanNodes,
} from "./mask_tables.ts";
import type { Packed, Rules } from "../packed.ts";

/** Scores encoded rows, with all trees. */
export interface MaskScorer {
  /** Groups of features: what a tree costs grows with them. */
  readonly numGroups: number;
  /** See {@linkcode Scorer.score}. */
  score(x: Float64Array, rows: number, out: Float64Array): void;
}

/** Bounds on the tables. */
export interface MaskLimits {
  /** Largest tables in bytes. @default 16777216 */
  readonly maxBytes?: number;
  /**
   * Groups of features above which rows are walked at less cost: a tree takes 0.3 ns for each group while
   * the tables fit the second cache, 0.8 beyond it; its walk takes 6. @default 16
   */
  readonly maxGroups?: number;
}

const kernelModule = lazyModule(WASM_BASE64);

/** Trees whose masks lie together, so that lines which rows share stay in the cache. */
const CHUNK_TREES = 128;
/** Trees that the kernel takes at once. */
const STEP = 16;
/** Lines that features with few codes may make together. */
const MAX_LINES = 320;
/** Between lines, so that equal places of different lines are no rivals in the cache. */
const LINE_GAP = 64;
/** Rows of a block. */
const ROWS = 256;

/** Makes the scorer, or undefined where the ensemble, the engine or the bounds do not allow it. */
export function createMasks(
  packed: Packed,
  rules: Rules,
  limits: MaskLimits = {},
): MaskScorer | undefined {
  const { maxBytes = 1 << 24, maxGroups = 16 } = limits;
  const { numOutputs, leafWidth, profile } = rules;
  const f32 = profile.sum === "f32";
  const ends = createEnds(rules);
  if (leafWidth !== 1 || packed.size.length === 0) return undefined;
  if (packed.treeNodes.some((inner) => inner >= MASK_LEAVES)) return undefined;
  if (packed.dictSize.some((n, f) => packed.setWords[f] === 0 && n > MOST_CUTS)) return undefined;
  if (f32 && ends.start.some((value) => Math.fround(value) !== value)) return undefined;
  const module = kernelModule();
  if (module === null) return undefined;
  const trees = groupTrees(packed, rules);
  const { chunks, placeOf, numPlaces } = placeTrees(trees, numOutputs);
  const lineBytes = 8 * Math.min(CHUNK_TREES, numPlaces) + LINE_GAP;
  const groups = [groupFeatures(packed, MAX_LINES), groupFeatures(packed, 0)]
    .find((groups) => countLines(groups) * lineBytes * chunks.length <= maxBytes);
  if (groups === undefined || groups.length > maxGroups) return undefined;

  const numFeatures = packed.dictSize.length;
  const layouts = layGroups(groups, lineBytes);
  const numbers = layouts.filter(({ feature }) => packed.setWords[feature] === 0);
  const categories = layouts.filter(({ feature }) => packed.setWords[feature] > 0);
  const leafBytes = f32 ? 4 : 8;
  const places = createPlaces();
  const config = places.take(56);
  const tables = layNumbers(
    packed,
    numbers.map(({ feature, step, group }) => ({ f: feature, sides: [step, 4 * group] })),
    places,
  );
  const categoriesAt = places.take(16 * categories.length);
  const groupsAt = places.take(4 * groups.length);
  const chunksAt = places.take(16 * chunks.length);
  const xAt = places.take(8 * numFeatures * ROWS);
  const linesAt = places.take(4 * groups.length * ROWS);
  const sumsAt = places.take(8 * numOutputs * ROWS);
  const leavesAt = places.take(leafBytes * MASK_LEAVES * numPlaces);
  const tableAt = chunks.map(() => places.take(countLines(groups) * lineBytes));
  const memory = openMemory(places);
  if (memory === undefined) return undefined;
  const buffer = memory.buffer as ArrayBuffer;
  const words = new Uint32Array(buffer);
  tables.write(buffer);
  categories.forEach(({ feature, step, group }, i) =>
    words.set(
      [feature, packed.numCategories[feature], step, 4 * group],
      (categoriesAt >> 2) + 4 * i,
    )
  );
  let firstLine = 0;
  groups.forEach(({ numLines }, g) => {
    words[(groupsAt >> 2) + g] = firstLine * lineBytes;
    firstLine += numLines;
  });
  chunks.forEach(({ output, place, count }, c) =>
    words.set(
      [tableAt[c], 8 * count, leavesAt + leafBytes * MASK_LEAVES * place, leafBytes * output],
      (chunksAt >> 2) + 4 * c,
    )
  );
  words.set([
    ...[tables.at, numbers.length, categoriesAt, categories.length, groupsAt, groups.length],
    ...[xAt, 8 * numFeatures, linesAt, sumsAt, leafBytes * numOutputs, chunksAt, chunks.length],
    +f32,
  ], config >> 2);
  writeMasks(packed, groups, chunks, placeOf, numPlaces, words, tableAt, lineBytes);
  const Sums = f32 ? Float32Array : Float64Array;
  const leaves = new Sums(buffer, leavesAt, MASK_LEAVES * numPlaces).fill(-0); // adds nothing, not even a sign
  const { firstNode } = trees;
  placeOf.forEach((place, tree) => {
    for (let b = 0; b <= packed.treeNodes[tree]; b++) {
      const leaf = firstNode[tree] + tree + b;
      const value = packed.leaves[packed.leafIndex === undefined ? leaf : packed.leafIndex[leaf]];
      leaves[MASK_LEAVES * place + b] = weighLeaf(rules, tree, value);
    }
  });
  const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel;
  const xs = new Float64Array(buffer, xAt, ROWS * numFeatures);
  const sums = new Sums(buffer, sumsAt, ROWS * numOutputs);
  const round = profile.input === "f32";
  // One row of one plain sum, as servers mostly have it: calls that move many numbers cost more than it.
  const isSingle = numOutputs === 1 && !round && !ends.needsFinish;
  const start = ends.start[0];

  return {
    numGroups: groups.length,
    score(x, rows, out) {
      if (isSingle && rows === 1) {
        for (let f = 0; f < numFeatures; f++) xs[f] = x[f];
        sums[0] = start;
        kernel.score(config, 1);
        out[0] = sums[0];
        return;
      }
      for (let from = 0; from < rows; from += ROWS) {
        const block = Math.min(ROWS, rows - from);
        const first = from * numFeatures;
        const last = first + block * numFeatures;
        if (round) { for (let i = first; i < last; i++) xs[i - first] = Math.fround(x[i]); }
        else if (block === 1) { for (let i = first; i < last; i++) xs[i - first] = x[i]; }
        else xs.set(x.subarray(first, last));
        const at = from * numOutputs;
        const count = block * numOutputs;
        if (numOutputs === 1) sums.fill(ends.start[0], 0, count);
        else for (let i = 0; i < count; i++) sums[i] = ends.start[i % numOutputs];
        kernel.score(config, block);
        for (let i = 0; i < count; i++) out[at + i] = sums[i];
      }
      if (!ends.needsFinish) return;
      for (let r = 0; r < rows; r++) ends.finish(placeOf.length, out, r * numOutputs);
    },
  };
}

/** Exports of the kernel. */
interface Kernel {
  score(config: number, rows: number): void;
}

/** Trees of one output whose masks lie together. */
interface Chunk {
  readonly output: number;
  /** Place of its first tree. */
  readonly place: number;
  /** Places, a multiple of `STEP`; those behind the last tree stay empty. */
  readonly count: number;
}

/** Deals trees to chunks; says where each tree is. */
function placeTrees(
  { order, start }: Groups,
  numOutputs: number,
): { chunks: Chunk[]; placeOf: Int32Array; numPlaces: number } {
  const chunks: Chunk[] = [];
  const placeOf = new Int32Array(order.length);
  let numPlaces = 0;
  for (let output = 0; output < numOutputs; output++) {
    for (let from = start[output]; from < start[output + 1]; from += CHUNK_TREES) {
      const to = Math.min(start[output + 1], from + CHUNK_TREES);
      for (let p = from; p < to; p++) placeOf[order[p]] = numPlaces + p - from;
      const count = Math.ceil((to - from) / STEP) * STEP;
      chunks.push({ output, place: numPlaces, count });
      numPlaces += count;
    }
  }
  return { chunks, placeOf, numPlaces };
}

function countLines(groups: readonly MaskGroup[]): number {
  return groups.reduce((sum, { numLines }) => sum + numLines, 0);
}

/** Each feature's group, and the bytes that its codes are apart. */
function layGroups(
  groups: readonly MaskGroup[],
  lineBytes: number,
): { feature: number; group: number; step: number }[] {
  return groups.flatMap(({ features, steps }, group) =>
    features.map((feature, i) => ({ feature, group, step: lineBytes * steps[i] }))
  );
}

/** Writes the lines of all chunks: each the masks of its codes, joined. */
function writeMasks(
  packed: Packed,
  groups: readonly MaskGroup[],
  chunks: readonly Chunk[],
  placeOf: Int32Array,
  numPlaces: number,
  words: Uint32Array,
  tableAt: readonly number[],
  lineBytes: number,
): void {
  const nodes = spanNodes(packed, placeOf);
  let firstLine = 0;
  for (const { features, steps, numLines } of groups) {
    features.forEach((feature, i) => {
      const masks = featureMasks(packed, feature, nodes, numPlaces);
      const codes = numCodes(packed, feature);
      for (let line = 0; line < numLines; line++) {
        const from = 2 * numPlaces * (Math.floor(line / steps[i]) % codes);
        chunks.forEach(({ place, count }, c) => {
          const to = (tableAt[c] + (firstLine + line) * lineBytes) >> 2;
          const first = from + 2 * place;
          if (i === 0) words.set(masks.subarray(first, first + 2 * count), to);
          else for (let w = 0; w < 2 * count; w++) words[to + w] &= masks[first + w];
        });
      }
    });
    firstLine += numLines;
  }
}
