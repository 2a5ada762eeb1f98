import { assertEquals } from "@std/assert";
import {
  EvaluateArgs,
  ITEM_BYTES,
  ITEM_NODES,
  ItemField,
  NODE_BYTES,
  PLAN_BYTES,
  PlanField,
  SCAN_PARAM_BYTES,
} from "../../../src/kernels/items/evaluate.ts";
import type { Memory } from "../../../src/kernels/memory.ts";
import {
  CELLS8,
  EVALUATE_WORK_BYTES,
  LEVEL_WORK_BYTES,
  STRIDE8,
} from "../../../src/kernels/types.ts";
import type { Rng } from "../../../src/util/rng.ts";
import { bothAgree, law, listRows } from "../../support/laws/kernels.ts";

/** Seven slots of one byte, padded to eight, and two features of two bytes and 300 codes. */
const [SLOTS, FEATURES8, FEATURES16, CODES16] = [7, 8, 2, 300];
const NUM_CELLS = FEATURES8 * STRIDE8 + FEATURES16 * CODES16;
const [BLOCKS, BLOCK_ROWS] = [3, 128];
const NUM_ROWS = BLOCKS * BLOCK_ROWS;
const [ENTRIES, THREADS] = [6, 3];
const HISTOGRAM = 65536;

const placeOf = (i: number) => i << 16;
const [PACKED, PLAN, HISTOGRAMS, SPACE] = [placeOf(8), placeOf(9), placeOf(10), placeOf(21)];

/** Which histogram is whose; copies of an item's follow each other. */
const Place = {
  first: 0,
  parent: 1,
  second: 2,
  striped: 3,
  other: 4,
  root: 5,
  whole: 6,
  copies: 7,
};
const histogramOf = (i: number) => HISTOGRAMS + i * HISTOGRAM;

interface Case {
  readonly wide: boolean;
  /** 0 nobody's rows are counted, 1 those of the first slots and two-byte features, 2 all. */
  readonly counted: number;
  readonly scans: boolean;
}

const words: { readonly [field in keyof typeof PlanField]: number } = {
  items: placeOf(1),
  groups: placeOf(1) + 8192,
  found: placeOf(1) + 16384,
  counter: placeOf(1) + 24576,
  args: placeOf(1) + 24640,
  stripes: placeOf(1) + 24768,
  copyBytes: HISTOGRAM,
  thread: 0,
  numThreads: THREADS,
  ranges: placeOf(1) + 32768,
  features8: FEATURES8,
  even8: (SLOTS + 1) & ~1,
  features16: FEATURES16,
  numCells: NUM_CELLS,
  starts16: placeOf(1) + 36864,
  counted: 0,
  counted8: 4,
  rows8: placeOf(2),
  stride8: FEATURES8,
  rows16: placeOf(2) + 32768,
  stride16: 2 * FEATURES16,
  numRows: NUM_ROWS,
  blockRows: BLOCK_ROWS,
  numBlocks: BLOCKS,
  segments: placeOf(3),
  first: placeOf(3) + 16384,
  second: placeOf(3) + 32768,
  gradient: placeOf(4),
  hessian: placeOf(4) + 32768,
  roots: placeOf(5),
  rootCopies: 1,
  rootBytes: 0,
  scans: 0,
  scanned: placeOf(1) + 40960,
  levels: placeOf(1) + 45056,
  levelWork: placeOf(1) + 49152,
};

/** Items: rows of two nodes in one group, stripes, a root that is there, rows of two-byte features. */
const ITEMS = [
  { entry: 0, buffer: 0, built: Place.first, sibling: Place.parent, scansBuilt: 1 },
  { entry: 1, buffer: 1, built: Place.second, sibling: -1, scansBuilt: 1 },
  { entry: 2, buffer: 0, built: Place.striped, sibling: Place.other, copies: 1, scansBuilt: 0 },
  { entry: 3, buffer: 0, built: Place.root, sibling: -1, root: 1, scansBuilt: 1 },
  { entry: 4, buffer: 1, built: Place.whole, sibling: -1, from8: FEATURES8, scansBuilt: 1 },
];
const GROUPS = [[0, 2], [2, 1], [3, 1], [4, 1]];

function prepare(memory: Memory, rng: Rng, { wide, counted, scans }: Case): void {
  const { u8, u16, u32, i32, f64 } = memory;
  for (let i = 0; i < NUM_ROWS * FEATURES8; i++) u8[words.rows8 + i] = rng.nextInt(20);
  for (let i = 0; i < NUM_ROWS * FEATURES16; i++) {
    u16[(words.rows16 >>> 1) + i] = rng.nextInt(CODES16);
  }
  for (let row = 0; row < NUM_ROWS; row++) {
    f64[(words.gradient >>> 3) + row] = rng.nextInt(2000) - 1000;
    f64[(words.hessian >>> 3) + row] = 1 + rng.nextInt(100);
    u32[(PACKED >>> 2) + row] = (rng.nextInt(2000) << 16) + 1 + rng.nextInt(100);
  }
  for (let entry = 0; entry < ENTRIES; entry++) {
    for (let block = 0; block < BLOCKS; block++) {
      const n = rng.nextInt(40);
      const start = block * BLOCK_ROWS;
      u32.set([start, n], (words.segments >>> 2) + 2 * (entry * BLOCKS + block));
      for (const list of [words.first, words.second]) {
        listRows(memory, list + 2 * start, n, rng, 3, -1);
      }
    }
  }
  for (let slot = 0; slot < FEATURES8 + FEATURES16; slot++) {
    const is8 = slot < FEATURES8;
    const cell = is8 ? slot * STRIDE8 : FEATURES8 * STRIDE8 + (slot - FEATURES8) * CODES16;
    const codes = slot === SLOTS ? 0 : is8 ? CELLS8 : CODES16;
    u32.set([cell, cell + codes], (words.ranges >>> 2) + 2 * slot);
    // The first slot is a category.
    const feature = slot === 0 || slot === SLOTS ? 0xffffffff : slot;
    u32.set([cell, is8 ? 20 : CODES16 - 1, feature, 0], (words.scanned >>> 2) + 4 * slot);
    if (!is8) u32[(words.starts16 >>> 2) + slot - FEATURES8] = cell;
  }
  // Its codes are those of a number, too.
  const joint = words.levels + 1024;
  for (let code = 0; code < 20; code++) u8[joint + code] = rng.nextInt(6);
  u32.set([0, 19, 0, 0, 0, 1, 0, 5, 9, joint, 20, 0], words.levels >>> 2);
  // A parent has more in each cell than any rows take from it.
  for (let i = 0; i < 11; i++) {
    for (let cell = 0; cell < HISTOGRAM >>> 2; cell++) {
      u32[(histogramOf(i) >>> 2) + cell] = wide ? 0 : (1 << 14) + rng.nextInt(1 << 20);
    }
  }
  for (let cell = 0; cell < 8 * NUM_CELLS; cell++) {
    u32[(words.roots >>> 2) + 2 * cell] = rng.nextInt(1 << 16);
    i32[(words.roots >>> 2) + 2 * cell + 1] = rng.nextInt(1 << 16) - (1 << 15);
  }
  ITEMS.forEach(({ entry, buffer, built, sibling, scansBuilt, ...item }, i) => {
    const from8 = item.from8 ?? 0;
    const fields: { readonly [field in keyof typeof ItemField]: number } = {
      entry,
      buffer,
      built: histogramOf(built),
      sibling: sibling < 0 ? 0 : histogramOf(sibling),
      from8,
      to8: FEATURES8,
      from16: 0,
      to16: FEATURES16,
      allowedBuilt: 0,
      allowedSibling: 0,
      copies: item.copies === undefined ? 0 : histogramOf(Place.copies),
      scansBuilt,
      root: wide ? 0 : item.root ?? 0,
      fromLevel: from8 === 0 ? 0 : 2,
      toLevel: 2,
    };
    const at = words.items + i * ITEM_BYTES;
    for (const [name, field] of Object.entries(ItemField)) {
      u32[(at >>> 2) + field] = fields[name as keyof typeof ItemField];
    }
    for (let which = 0; which < 2; which++) {
      const sums = [rng.nextInt(20000) - 10000, 100000, 400, -Infinity, Infinity, 0];
      f64.set(sums, (at + ITEM_NODES + which * NODE_BYTES) >>> 3);
    }
  });
  GROUPS.forEach((group, i) => u32.set(group, (words.groups >>> 2) + 2 * i));
  u32[words.stripes >>> 2] = 2;
  const args = words.args >>> 3;
  f64[args + EvaluateArgs.numGroups] = GROUPS.length;
  f64[args + EvaluateArgs.wide] = wide ? 1 : 0;
  f64[args + EvaluateArgs.unitG] = 0.01;
  f64[args + EvaluateArgs.unitH] = 0.02;
  f64[args + EvaluateArgs.numStriped] = 1;
  f64[args + EvaluateArgs.packed] = PACKED;
  f64.set([0, 0, 0, 0, 1, 0.1, 1, 0, 100, 0, 4, 32, 10, 1, 10], PLAN >>> 3);
  const fields = { ...words, counted, scans: scans ? 1 : 0 };
  for (const [name, field] of Object.entries(PlanField)) {
    u32[((PLAN + SCAN_PARAM_BYTES) >>> 2) + field] = fields[name as keyof typeof PlanField];
  }
}

for (const counted of [0, 1, 2]) {
  for (const wide of [false, true]) {
    law(`groups of nodes, counted ${counted}, wide ${wide}`, (_, seed, k) => {
      bothAgree(
        seed,
        (memory, rng) => prepare(memory, rng, { wide, counted, scans: k > 1 }),
        (kernels, memory) => {
          const { i32, u32, u8 } = memory;
          const parent = i32.slice(histogramOf(Place.parent) >>> 2).subarray(0, HISTOGRAM >>> 2);
          const thread = ((PLAN + SCAN_PARAM_BYTES) >>> 2) + PlanField.thread;
          for (let t = THREADS - 1; t >= 0; t--) {
            // The last stripes are the first thread's.
            i32[words.counter >>> 2] = Math.max(0, t === 0 ? 2 : 2 * BLOCKS - t);
            u32[thread] = t;
            kernels.fillStripes(PLAN);
          }
          i32[words.counter >>> 2] = 0;
          kernels.evaluateGroups(PLAN);
          kernels.evaluateGroup(PLAN, 3);
          // What is left in the working space is nobody's.
          u8.fill(0, PLAN + PLAN_BYTES, PLAN + PLAN_BYTES + EVALUATE_WORK_BYTES);
          u8.fill(0, words.levelWork, words.levelWork + LEVEL_WORK_BYTES);
          if (!wide) checkSums(memory, parent);
        },
        SPACE,
      );
    });
  }
}

/** The first item's histogram is the sums of its rows, and its sibling's what the parent has besides. */
function checkSums({ u8, u16, u32, i32 }: Memory, parent: Int32Array): void {
  const sums = new Int32Array(2 * NUM_CELLS);
  for (let block = 0; block < BLOCKS; block++) {
    const [start, n] = u32.subarray((words.segments >>> 2) + 2 * block);
    for (let i = 0; i < n; i++) {
      const row = block * BLOCK_ROWS + u16[(words.first >>> 1) + start + i];
      const value = i32[(PACKED >>> 2) + row];
      for (let f = 0; f < FEATURES8 + FEATURES16; f++) {
        if (f === SLOTS) continue;
        const cell = f < FEATURES8
          ? f * STRIDE8 + u8[words.rows8 + row * FEATURES8 + f]
          : FEATURES8 * STRIDE8 + (f - FEATURES8) * CODES16 +
            u16[(words.rows16 >>> 1) + row * FEATURES16 + f - FEATURES8];
        sums[2 * cell] += value & 0xffff;
        sums[2 * cell + 1] += value >> 16;
      }
    }
  }
  const built = i32.subarray(histogramOf(Place.first) >>> 2);
  const sibling = i32.subarray(histogramOf(Place.parent) >>> 2);
  for (let slot = 0; slot < FEATURES8 + FEATURES16; slot++) {
    const [from, to] = u32.subarray((words.ranges >>> 2) + 2 * slot);
    const own = sums.subarray(2 * from, 2 * to);
    assertEquals(built.subarray(2 * from, 2 * to), own);
    assertEquals(
      sibling.subarray(2 * from, 2 * to),
      own.map((sum, i) => parent[2 * from + i] - sum),
    );
  }
}
