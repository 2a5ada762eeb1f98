/**
 * Training data inside the memory of the kernels that count nodes of two classes, and how sums of
 * the classes are packed there.
 *
 * @module
 */
import { type ClassicSpace, createClassicSpace } from "../../kernels/classic.ts";
import type { Frame } from "../rows/frame.ts";
import type { GrowContext, GrowLimits } from "../plan/context.ts";
import type { ClassSource } from "../rows/stats.ts";

/** A frame inside the kernel's memory. */
export interface Loaded {
  readonly space: ClassicSpace;
  readonly columns: readonly number[];
  readonly wide: readonly boolean[];
  /** Words of the widest set of categories, and room for such words of a whole tree. */
  readonly setWords: number;
  readonly mostWords: number;
  readonly at: {
    readonly [name in (typeof AREAS)[number]]: number;
  };
}

const AREAS = [
  "features",
  "list",
  "pool",
  "swaps",
  "limits",
  "params",
  "tables",
  "levels",
  "sets",
  "out",
  "records",
  "spare",
  "work",
  "nodes",
  "stack",
  "grownSets",
] as const;

/** Working memory that is not asked for: the general splitters need less. */
const MOST_BYTES = 2 ** 31;
/** Class sums in 21 bits leave room for a count of rows. */
const NARROW = 21;
/** Bytes of a node of a whole tree. */
export const NODE_BYTES = 72;
/** Room for categories of a whole tree, in words; larger trees are grown node by node. */
const MOST_WORDS = 2 ** 22;

const LOADED = new WeakMap<Frame, Loaded | null>();

/** What a counted tree starts from. */
export interface CountedStart {
  readonly loaded: Loaded;
  readonly layout: Layout;
  /** Sums of the root as the kernel has them: low and high half. */
  readonly root: readonly [number, number];
}

/**
 * Writes rows and parameters of a tree into the kernel's memory; undefined where the general
 * splitters must do.
 */
export function openCounted(context: GrowContext, rows: Int32Array): CountedStart | undefined {
  const { frame, source, limits } = context;
  if (source.kind !== "class" || source.numClasses !== 2 || rows.length === 0) return undefined;
  const layout = layoutOf(source, rows, limits.minRowsLeaf);
  if (layout === undefined) return undefined;
  const loaded = loadFrame(frame);
  if (loaded === null) return undefined;
  return { loaded, layout, root: writeStart(loaded, layout, source, rows, limits) };
}

/** A frame in the kernel's memory, where it stays; null where it does not fit. */
export function loadFrame(frame: Frame): Loaded | null {
  let loaded = LOADED.get(frame);
  if (loaded === undefined) LOADED.set(frame, loaded = load(frame) ?? null);
  return loaded;
}

function writeStart(
  { space: { memory: { u32, f64 } }, at }: Loaded,
  layout: Layout,
  source: ClassSource,
  rows: Int32Array,
  limits: GrowLimits,
): readonly [number, number] {
  const [first, second] = layout.total;
  const params = at.params >>> 2;
  u32.fill(0, params, params + 16);
  u32[params + 2] = layout.shift;
  u32[params + 5] = layout.rows ? 1 << 42 - 32 : 0;
  f64[(at.params >>> 3) + 3] = Math.max(limits.minWeightLeaf, layout.minWeight);
  u32[params + 8] = layout.rows ? limits.minRowsLeaf : 0;
  const records = at.records >>> 2;
  const { codes, weight } = source;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    u32[records + 2 * i] = row;
    u32[records + 2 * i + 1] = (weight === undefined ? 1 : weight[row]) << 1 | codes[row];
  }
  return layout.shift === 32 ? [first, second] : [
    (first | second << NARROW) >>> 0,
    (second >>> 32 - NARROW | rows.length << 42 - 32) >>> 0,
  ];
}

/** Writes the order of the rows back. */
export function closeCounted({ loaded }: CountedStart, rows: Int32Array): void {
  const { space: { memory: { u32 } }, at } = loaded;
  const records = at.records >>> 2;
  for (let i = 0; i < rows.length; i++) rows[i] = u32[records + 2 * i];
}

const MASK = 2 ** NARROW - 1;

/** Weight of class 0 in packed sums. */
export function firstOf({ shift }: Layout, low: number): number {
  return shift === 32 ? low : low & MASK;
}

/** Weight of class 1 in packed sums. */
export function secondOf({ shift }: Layout, low: number, high: number): number {
  return shift === 32 ? high : (low >>> NARROW | high << 32 - NARROW) & MASK;
}

/** How sums are packed into 64 bits. */
export interface Layout {
  /** Bits of the sum of class 0. */
  readonly shift: number;
  /** Whether rows are counted too. */
  readonly rows: boolean;
  readonly minWeight: number;
  readonly total: readonly [number, number];
}

function layoutOf(
  source: ClassSource,
  rows: Int32Array,
  minRows: number,
): Layout | undefined {
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
  if (codeBytes + (28 + 2 * NODE_BYTES + 8) * numRows > MOST_BYTES) return undefined;
  const space = createClassicSpace();
  if (space === undefined) return undefined;
  const { arena, memory } = space;
  let maxLevels = 0;
  for (const { kind, numCodes } of features) {
    if (kind === "categorical") maxLevels = Math.max(maxLevels, numCodes);
  }
  const setWords = maxLevels + 31 >>> 5;
  const mostWords = Math.min(MOST_WORDS, Math.max(1, numRows) * setWords);
  const size: { [name in (typeof AREAS)[number]]: number } = {
    features: 16 * features.length,
    list: 4 * features.length,
    pool: 4 * features.length,
    swaps: 4 * features.length,
    limits: 48,
    params: 64,
    tables: 9 * 8200,
    levels: 8 + 20 * (maxLevels + 1),
    sets: 4 * (maxLevels + 32 >>> 5),
    out: 64,
    records: 8 * numRows,
    spare: 8 * numRows,
    work: 12 * numRows + 16,
    nodes: 2 * NODE_BYTES * numRows,
    stack: 8 * numRows,
    grownSets: 4 * mostWords,
  };
  const at = Object.fromEntries(
    AREAS.map((name) => [name, arena.alloc(size[name])]),
  ) as Loaded["at"];
  memory.u32[at.levels >>> 2] = maxLevels + 1;
  const columns = features.map((_, f) => arena.alloc(numRows * (isWide[f] ? 4 : 2)));
  features.forEach(({ kind, codes, numCodes }, f) => {
    const flags = (isWide[f] ? 1 : 0) | (kind === "categorical" ? 2 : 0);
    memory.u32.set([columns[f], numCodes, flags, 0], (at.features >>> 2) + 4 * f);
    if (isWide[f]) memory.i32.set(codes, columns[f] >>> 2);
    else memory.u16.set(codes, columns[f] >>> 1);
  });
  return { space, columns, wide: isWide, setWords, mostWords, at };
}

/** A plain loop: `slice` of a few words costs more. */
export function copyWords(from: Uint32Array, at: number, count: number): Uint32Array {
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) words[i] = from[at + i];
  return words;
}
