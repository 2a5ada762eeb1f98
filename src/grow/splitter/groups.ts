/**
 * Groups the rows of a node by the code of one feature, in ascending order, with the channels left
 * of each group's end. Wide nodes count by code; narrow ones sort integers. Both add the same
 * numbers in the same order, so the choice cannot be seen in the result.
 *
 * @module
 */
import type { FrameFeature } from "../rows/frame.ts";
import type { NodeView, StatSource } from "../rows/stats.ts";
import type { Scratch } from "./scratch.ts";

/** Groups of known values of one feature in a node. */
export interface Groups {
  /** Number of distinct codes among known values. */
  count: number;
  /** Number of rows whose value is known. */
  known: number;
}

/** Below this many rows an insertion sort beats the library's (bench/classic.ts). */
const INSERTION = 24;
/** Up to this many rows packed keys go to the library's sort, beyond to the radix sort. */
const PACKED = 640;

const GROUPS: Groups = { count: 0, known: 0 };

/**
 * Groups a node by a feature into `scratch.groupCode` and `scratch.left`; also `scratch.order` and
 * `scratch.groupEnd` when `ordered`.
 *
 * @returns A record that the next call overwrites.
 */
export function groupByCode(
  view: NodeView,
  feature: FrameFeature,
  source: StatSource,
  scratch: Scratch,
  ordered: boolean,
): Groups {
  const { rows, from } = view;
  const n = view.to - from;
  const { codes, numCodes } = feature;
  const { code } = scratch;
  let low = numCodes;
  let high = -1;
  let missing = 0;
  for (let i = 0; i < n; i++) {
    const c = codes[rows[from + i]];
    code[i] = c;
    if (c === numCodes) missing++;
    else {
      if (c < low) low = c;
      if (c > high) high = c;
    }
  }
  const known = n - missing;
  GROUPS.known = known;
  if (high <= low && missing === 0 || high < 0) {
    // One value or none: nothing to cut.
    GROUPS.count = high < 0 ? 0 : 1;
    scratch.groupCode[0] = low;
    return GROUPS;
  }
  const range = high - low + 1;
  if (!ordered && range <= 2 * n) countGroups(view, source, scratch, low, range, numCodes, n);
  else {
    sortPlaces(scratch, n, low, high, numCodes);
    if (source.kind === "moment") sumSortedMoments(view, scratch, known);
    else if (source.numClasses === 2) sumSortedTwo(view, scratch, known);
    else sumSortedClasses(view, source.numClasses, scratch, known);
  }
  return GROUPS;
}

/** Adds rows to a table by code, then walks the table. */
function countGroups(
  view: NodeView,
  source: StatSource,
  scratch: Scratch,
  low: number,
  range: number,
  missingCode: number,
  n: number,
): void {
  const { code, table, left, groupCode } = scratch;
  const { weights } = view;
  const channels = view.total.length;
  table.fill(0, 0, range * channels);
  if (source.kind === "class") {
    const { classes } = view;
    for (let i = 0; i < n; i++) {
      if (code[i] === missingCode) continue;
      const at = (code[i] - low) * channels;
      table[at + classes[i]] += weights[i];
      table[at + channels - 1]++;
    }
  } else {
    const { labels, seconds } = view;
    for (let i = 0; i < n; i++) {
      if (code[i] === missingCode) continue;
      const at = (code[i] - low) * 4;
      const w = weights[i];
      table[at] += w;
      table[at + 1] += w * labels[i];
      table[at + 2] += w * seconds[i];
      table[at + 3]++;
    }
  }
  if (source.kind === "class" && source.numClasses === 2) {
    return walkTwo(table, left, groupCode, low, range);
  }
  let count = 0;
  let at = 0;
  for (let c = 0; c < range; c++, at += channels) {
    if (table[at + channels - 1] === 0) continue;
    const to = count * channels;
    if (count === 0) { for (let k = 0; k < channels; k++) left[k] = table[at + k]; }
    else for (let k = 0; k < channels; k++) left[to + k] = left[to - channels + k] + table[at + k];
    groupCode[count++] = low + c;
  }
  GROUPS.count = count;
}

/**
 * Two classes: the running sums stay in registers (a single tree on 100,000 × 30 in 5.2 s of CPU
 * instead of 6.6).
 */
function walkTwo(
  table: Float64Array,
  left: Float64Array,
  groupCode: Int32Array,
  low: number,
  range: number,
): void {
  let count = 0;
  let sum0 = 0;
  let sum1 = 0;
  let rows = 0;
  let to = 0;
  for (let c = 0; c < range; c++) {
    const at = c * 3;
    const n = table[at + 2];
    if (n === 0) continue;
    left[to] = sum0 += table[at];
    left[to + 1] = sum1 += table[at + 1];
    left[to + 2] = rows += n;
    to += 3;
    groupCode[count++] = low + c;
  }
  GROUPS.count = count;
}

function sumSortedTwo(view: NodeView, scratch: Scratch, known: number): void {
  const { order, code, left, groupCode, groupEnd } = scratch;
  const { classes, weights } = view;
  let count = 0;
  let sum0 = 0;
  let sum1 = 0;
  let to = 0;
  let i = 0;
  while (i < known) {
    const current = code[i];
    let own0 = 0;
    let own1 = 0;
    do {
      const place = order[i++];
      if (classes[place] === 0) own0 += weights[place];
      else own1 += weights[place];
    } while (i < known && code[i] === current);
    left[to] = sum0 += own0;
    left[to + 1] = sum1 += own1;
    left[to + 2] = i;
    to += 3;
    groupCode[count] = current;
    groupEnd[count++] = i;
  }
  GROUPS.count = count;
}

function sumSortedClasses(
  view: NodeView,
  numClasses: number,
  scratch: Scratch,
  known: number,
): void {
  const { order, code, left, groupCode, groupEnd } = scratch;
  const { classes, weights } = view;
  const channels = numClasses + 1;
  let count = 0;
  let i = 0;
  while (i < known) {
    const current = code[i];
    const to = count * channels;
    // Zero first and add the running sum last, as counting by code does.
    for (let k = 0; k < channels; k++) left[to + k] = 0;
    const begin = i;
    while (i < known && code[i] === current) {
      const place = order[i++];
      left[to + classes[place]] += weights[place];
    }
    left[to + numClasses] = i - begin;
    if (count > 0) { for (let k = 0; k < channels; k++) left[to + k] += left[to - channels + k]; }
    groupCode[count] = current;
    groupEnd[count++] = i;
  }
  GROUPS.count = count;
}

function sumSortedMoments(view: NodeView, scratch: Scratch, known: number): void {
  const { order, code, left, groupCode, groupEnd } = scratch;
  const { labels, seconds, weights } = view;
  let count = 0;
  let i = 0;
  while (i < known) {
    const current = code[i];
    const begin = i;
    let w = 0;
    let y = 0;
    let s = 0;
    while (i < known && code[i] === current) {
      const place = order[i++];
      w += weights[place];
      y += weights[place] * labels[place];
      s += weights[place] * seconds[place];
    }
    const to = count * 4;
    if (count === 0) {
      left[0] = w;
      left[1] = y;
      left[2] = s;
      left[3] = i - begin;
    } else {
      left[to] = left[to - 4] + w;
      left[to + 1] = left[to - 3] + y;
      left[to + 2] = left[to - 2] + s;
      left[to + 3] = left[to - 1] + i - begin;
    }
    groupCode[count] = current;
    groupEnd[count++] = i;
  }
  GROUPS.count = count;
}

/**
 * Sorts places 0 … n − 1 by `scratch.code`, stable; missing codes come last. Leaves the sorted codes
 * in `scratch.code` and the places in `scratch.order`.
 */
function sortPlaces(
  scratch: Scratch,
  n: number,
  low: number,
  high: number,
  missingCode: number,
): void {
  const { code, order } = scratch;
  if (n <= INSERTION) {
    for (let i = 0; i < n; i++) {
      const c = code[i];
      let j = i - 1;
      while (j >= 0 && code[j] > c) {
        code[j + 1] = code[j];
        order[j + 1] = order[j];
        j--;
      }
      code[j + 1] = c;
      order[j + 1] = i;
    }
    return;
  }
  // Missing becomes one above the highest known code, so that keys stay narrow.
  const top = high - low + 1;
  const bits = 32 - Math.clz32(n - 1);
  if (n <= PACKED && top < 2 ** (32 - bits)) {
    const keys = scratch.keys.subarray(0, n);
    for (let i = 0; i < n; i++) {
      const c = code[i] === missingCode ? top : code[i] - low;
      keys[i] = (c << bits | i) >>> 0;
    }
    keys.sort();
    const mask = (1 << bits) - 1;
    for (let i = 0; i < n; i++) {
      order[i] = keys[i] & mask;
      const c = keys[i] >>> bits;
      code[i] = c === top ? missingCode : c + low;
    }
    return;
  }
  radixSort(scratch, n, low, top, missingCode);
}

/** Least significant digit first, 11 bits a pass. */
function radixSort(
  scratch: Scratch,
  n: number,
  low: number,
  top: number,
  missingCode: number,
): void {
  const { code, counts } = scratch;
  let order = scratch.order;
  let spare = scratch.spare;
  for (let i = 0; i < n; i++) {
    order[i] = i;
    code[i] = code[i] === missingCode ? top : code[i] - low;
  }
  const width = 32 - Math.clz32(top);
  const passes = Math.max(1, Math.ceil(width / 11));
  const digit = Math.ceil(width / passes);
  const mask = (1 << digit) - 1;
  for (let pass = 0; pass < passes; pass++) {
    const shift = pass * digit;
    counts.fill(0, 0, mask + 1);
    for (let i = 0; i < n; i++) counts[code[i] >>> shift & mask]++;
    let sum = 0;
    for (let d = 0; d <= mask; d++) {
      const held = counts[d];
      counts[d] = sum;
      sum += held;
    }
    for (let i = 0; i < n; i++) spare[counts[code[order[i]] >>> shift & mask]++] = order[i];
    const held = order;
    order = spare;
    spare = held;
  }
  for (let i = 0; i < n; i++) {
    const c = code[order[i]];
    spare[i] = c === top ? missingCode : c + low;
  }
  // `spare` holds the sorted codes: the three buffers change roles.
  scratch.spare = code;
  scratch.code = spare;
  scratch.order = order;
}
