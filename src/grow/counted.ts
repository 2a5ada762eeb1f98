/**
 * Nodes of two classes under Gini, by the wasm kernel: whole weights are counted, so no order of
 * addition can be seen and the trees are those of the general splitters, several times faster.
 *
 * @module
 */
import { type ClassicSpace, createClassicSpace } from "../kernels/classic.ts";
import type { Frame } from "./frame.ts";
import type { GrowContext } from "./grower.ts";
import { cutCodes } from "./splitter/cut.ts";
import type { Split } from "./splitter/split.ts";
import type { ClassSource } from "./stats.ts";
import { addNode, type GrownTree } from "./tree.ts";

/** What the growth loop asks of nodes. */
export interface CountedNodes {
  /** Writes a node's sums into the tree; whether both classes are there. */
  measure(node: number): boolean;
  /** Best split of a node among the first `count` features of a list. */
  best(node: number, list: Int32Array, count: number): Split | undefined;
  /** Adds both children and writes the threshold of the node. */
  part(node: number): void;
  /** Writes the order of the rows back. */
  finish(): void;
}

/** A frame inside the kernel's memory. */
interface Loaded {
  readonly space: ClassicSpace;
  readonly columns: readonly number[];
  readonly wide: readonly boolean[];
  readonly at: {
    readonly [name in (typeof AREAS)[number]]: number;
  };
}

const AREAS = [
  "features",
  "list",
  "params",
  "tables",
  "levels",
  "sets",
  "out",
  "branches",
  "records",
  "spare",
  "work",
] as const;

/** Working memory that is not asked for: the general splitters need less. */
const MOST_BYTES = 2 ** 31;
/** Class sums in 21 bits leave room for a count of rows. */
const NARROW = 21;

const LOADED = new WeakMap<Frame, Loaded | null>();

/** Nodes by the kernel, or undefined where the general splitters must do. */
export function countNodes(
  context: GrowContext,
  tree: GrownTree,
  rows: Int32Array,
): CountedNodes | undefined {
  const { frame, source, limits } = context;
  if (source.kind !== "class" || source.numClasses !== 2 || rows.length === 0) return undefined;
  const layout = layoutOf(source, rows, limits.minRowsLeaf);
  if (layout === undefined) return undefined;
  let loaded = LOADED.get(frame);
  if (loaded === undefined) LOADED.set(frame, loaded = load(frame) ?? null);
  return loaded === null ? undefined : nodesOf(context, tree, rows, loaded, layout);
}

/** How sums are packed into 64 bits. */
interface Layout {
  /** Bits of the sum of class 0. */
  readonly shift: number;
  /** Whether rows are counted too. */
  readonly rows: boolean;
  readonly minWeight: number;
  readonly total: readonly [number, number];
}

function layoutOf(source: ClassSource, rows: Int32Array, minRows: number): Layout | undefined {
  const { codes, weight } = source;
  const total: [number, number] = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    const w = weight === undefined ? 1 : weight[rows[i]];
    if (w !== Math.floor(w)) return undefined;
    total[codes[rows[i]]] += w;
  }
  const sum = total[0] + total[1];
  if (!(sum < 2 ** 31)) return undefined;
  if (weight === undefined || minRows <= 1) {
    return { shift: 32, rows: false, minWeight: weight === undefined ? minRows : 0, total };
  }
  if (sum >= 2 ** NARROW) return undefined;
  return { shift: NARROW, rows: true, minWeight: 0, total };
}

/** Copies the codes of a frame into a memory of the kernel. */
function load(frame: Frame): Loaded | undefined {
  const { numRows, features } = frame;
  const isWide = features.map(({ numCodes }) => numCodes > 65535);
  const codeBytes = isWide.reduce((sum, wide) => sum + numRows * (wide ? 4 : 2), 0);
  if (codeBytes + 28 * numRows > MOST_BYTES) return undefined;
  const space = createClassicSpace();
  if (space === undefined) return undefined;
  const { arena, memory } = space;
  let maxLevels = 0;
  for (const { kind, numCodes } of features) {
    if (kind === "categorical") maxLevels = Math.max(maxLevels, numCodes);
  }
  const size: { [name in (typeof AREAS)[number]]: number } = {
    features: 16 * features.length,
    list: 4 * features.length,
    params: 64,
    tables: 9 * 8200,
    levels: 20 * (maxLevels + 1),
    sets: 4 * (maxLevels + 32 >>> 5),
    out: 64,
    branches: maxLevels + 1,
    records: 8 * numRows,
    spare: 8 * numRows,
    work: 12 * numRows + 16,
  };
  const at = Object.fromEntries(
    AREAS.map((name) => [name, arena.alloc(size[name])]),
  ) as Loaded["at"];
  const columns = features.map((_, f) => arena.alloc(numRows * (isWide[f] ? 4 : 2)));
  features.forEach(({ kind, codes, numCodes }, f) => {
    const flags = (isWide[f] ? 1 : 0) | (kind === "categorical" ? 2 : 0);
    memory.u32.set([columns[f], numCodes, flags, 0], (at.features >>> 2) + 4 * f);
    if (isWide[f]) memory.i32.set(codes, columns[f] >>> 2);
    else memory.u16.set(codes, columns[f] >>> 1);
  });
  return { space, columns, wide: isWide, at };
}

function nodesOf(
  context: GrowContext,
  tree: GrownTree,
  rows: Int32Array,
  { space, columns, wide, at }: Loaded,
  layout: Layout,
): CountedNodes {
  const { kernels, memory } = space;
  const { frame, limits } = context;
  const source = context.source as ClassSource;
  const { u32, f64, i32 } = memory;
  const { shift } = layout;
  // Sums of every node, packed as the kernel has them.
  const low: number[] = [];
  const high: number[] = [];
  const [first, second] = layout.total;
  if (shift === 32) {
    low[0] = first;
    high[0] = second;
  } else {
    low[0] = (first | second << NARROW) >>> 0;
    high[0] = (second >>> 32 - NARROW | rows.length << 42 - 32) >>> 0;
  }
  const params = at.params >>> 2;
  u32.fill(0, params, params + 16);
  u32[params + 2] = shift;
  u32[params + 5] = layout.rows ? 1 << 42 - 32 : 0;
  f64[(at.params >>> 3) + 3] = Math.max(limits.minWeightLeaf, layout.minWeight);
  u32[params + 8] = layout.rows ? limits.minRowsLeaf : 0;
  const records = at.records >>> 2;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const weight = source.weight === undefined ? 1 : source.weight[row];
    u32[records + 2 * i] = row;
    u32[records + 2 * i + 1] = weight << 1 | source.codes[row];
  }
  const out = at.out >>> 2;
  const mask = 2 ** NARROW - 1;

  return {
    measure(node) {
      const begin = 3 * node;
      const sum0 = shift === 32 ? low[node] : low[node] & mask;
      const sum1 = shift === 32
        ? high[node]
        : (low[node] >>> NARROW | high[node] << 32 - NARROW) & mask;
      tree.stats[begin] = sum0;
      tree.stats[begin + 1] = sum1;
      tree.stats[begin + 2] = tree.to[node] - tree.from[node];
      tree.cover[node] = sum0 + sum1;
      return sum0 > 0 && sum1 > 0;
    },

    best(node, list, count) {
      for (let i = 0; i < count; i++) u32[(at.list >>> 2) + i] = list[i];
      u32[params] = low[node];
      u32[params + 1] = high[node];
      const from = tree.from[node];
      const found = kernels.bestCut(
        at.records + 8 * from,
        tree.to[node] - from,
        at.features,
        at.list,
        count,
        at.params,
        at.tables,
        at.levels,
        at.work,
        at.sets,
        at.out,
      );
      if (found === 0) return undefined;
      const gain = f64[at.out >>> 3];
      const feature = i32[out + 2];
      const { kind, numCodes } = frame.features[feature];
      const isSubset = kind === "categorical";
      const sets = at.sets >>> 2;
      return {
        feature,
        kind: isSubset ? "subset" : "threshold",
        code: isSubset ? -1 : i32[out + 3],
        // Written when the rows are parted and its neighbours are known.
        threshold: 0,
        categories: isSubset ? copyWords(u32, sets, numCodes + 31 >>> 5) : undefined,
        numBranches: 2,
        missing: i32[out + 4],
        gain,
        score: gain,
      };
    },

    part(node) {
      const feature = tree.feature[node];
      const { numCodes, values } = frame.features[feature];
      const categories = tree.categories[node];
      const missingLeft = tree.missing[node] === 0;
      if (categories !== undefined) {
        for (let code = 0; code < numCodes; code++) {
          memory.u8[at.branches + code] = categories[code >>> 5] >>> (code & 31) & 1;
        }
        memory.u8[at.branches + numCodes] = missingLeft ? 1 : 0;
      }
      const from = tree.from[node];
      const to = tree.to[node];
      const onLeft = kernels.partRows(
        at.records + 8 * from,
        to - from,
        columns[feature],
        wide[feature] ? 1 : 0,
        tree.code[node],
        numCodes,
        missingLeft ? 1 : 0,
        categories === undefined ? 0 : at.branches,
        at.params,
        at.spare,
        at.out,
      );
      const left = addNode(tree, node, rows, from, from + onLeft, undefined);
      const right = addNode(tree, node, rows, from + onLeft, to, undefined);
      low[left] = u32[out];
      high[left] = u32[out + 1];
      // Fields never borrow: the difference of the packed sums is exact, with a carry by hand.
      low[right] = (low[node] - low[left]) >>> 0;
      high[right] = high[node] - high[left] - (low[left] > low[node] ? 1 : 0);
      if (categories !== undefined) return;
      const last = u32[out + 2];
      const next = u32[out + 3];
      // Where no known value is on the right, the cut parts known from missing.
      const { code, threshold } = next === numCodes
        ? { code: numCodes - 1, threshold: Infinity }
        : cutCodes(values, last, next, limits.cut);
      tree.code[node] = code;
      tree.threshold[node] = threshold;
    },

    finish() {
      for (let i = 0; i < rows.length; i++) rows[i] = u32[records + 2 * i];
    },
  };
}

/** A plain loop: `slice` of a few words costs more. */
function copyWords(from: Uint32Array, at: number, count: number): Uint32Array {
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) words[i] = from[at + i];
  return words;
}
