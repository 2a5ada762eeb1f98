/**
 * What several threads have read of one table → its columns: vocabularies become one, lines of rows
 * one map.
 *
 * @module
 */
import { compareCodePoints, isNumberText, labelOrder } from "../labels.ts";
import type { LateRows, PartLevels, PartRows, Span } from "./segments.ts";
import type { BadRows } from "./bad_rows.ts";
import { createLineMap, type LineMap } from "./lines.ts";

/** One vocabulary of all threads. */
export interface MergedLevels {
  /** In the order that one thread gives them. */
  readonly texts: readonly string[];
  /** Of each thread, the place of each of its codes. */
  readonly ranks: readonly Int32Array[];
}

/** Makes one vocabulary of those of several threads; one that has none of it gets no ranks. */
export function mergeLevels(parts: readonly (PartLevels | undefined)[]): MergedLevels {
  let all: readonly string[] = [];
  for (const part of parts) all = part === undefined ? all : union(all, part.texts);
  const place = new Int32Array(all.length);
  const order = all.every(isNumberText) ? labelOrder(all) : undefined;
  for (let i = 0; i < all.length; i++) place[order?.[i] ?? i] = i;
  const ranks = parts.map((part) => {
    const { texts, codes } = part ?? { texts: [], codes: new Int32Array(0) };
    const rank = new Int32Array(codes.reduce((most, code) => Math.max(most, code + 1), 0));
    for (let i = 0, at = 0; i < texts.length; i++, at++) {
      while (all[at] !== texts[i]) at++;
      rank[codes[i]] = place[at];
    }
    return rank;
  });
  return { texts: order?.map((i) => all[i]) ?? all, ranks };
}

/** All texts of two lists without repeats, each sorted by code point. */
function union(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length === 0) return b;
  const all: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const side = a[i] === b[j] ? 0 : compareCodePoints(a[i], b[j]);
    all.push(side <= 0 ? a[i] : b[j]);
    if (side <= 0) i++;
    if (side >= 0) j++;
  }
  while (i < a.length) all.push(a[i++]);
  while (j < b.length) all.push(b[j++]);
  return all;
}

/** Codes of a thread that become places in the vocabulary of all. */
export interface RankTask {
  readonly spans: readonly Span[];
  /** Codes of all rows in shared memory, by column; those without ranks are left out. */
  readonly columns: readonly (SharedArrayBuffer | undefined)[];
  readonly ranks: readonly (Int32Array | undefined)[];
}

/** Rewrites the codes of a thread's rows. */
export function rankCodes({ spans, columns, ranks }: RankTask): void {
  columns.forEach((buffer, at) => {
    const rank = ranks[at];
    if (buffer === undefined || rank === undefined) return;
    const codes = new Int32Array(buffer);
    for (const { row, count } of spans) rankPart(codes, row, row + count, rank);
  });
}

function rankPart(codes: Int32Array, from: number, to: number, rank: Int32Array): void {
  for (let row = from; row < to; row++) if (codes[row] >= 0) codes[row] = rank[codes[row]];
}

/** Rows without room in shared memory, and the ranks of the thread that has read them. */
export interface RankedRows {
  readonly rows: LateRows;
  readonly ranks: readonly (Int32Array | undefined)[];
}

/** A column of all rows, given what fitted into shared memory and what did not. */
export function wholeColumn<T extends Float64Array | Int32Array>(
  shared: T,
  at: number,
  numRows: number,
  late: readonly RankedRows[],
): T {
  if (late.length === 0) return shared.subarray(0, numRows) as T;
  const isCodes = shared instanceof Int32Array;
  const whole = (isCodes ? new Int32Array(numRows) : new Float64Array(numRows)) as T;
  whole.set(shared.subarray(0, numRows));
  for (const { rows: { row, count, columns }, ranks } of late) {
    whole.set(columns[at]!, row);
    const rank = ranks[at];
    if (isCodes && rank !== undefined) rankPart(whole as Int32Array, row, row + count, rank);
  }
  return whole;
}

/** Tells of the rows of all threads that were left out, from the first line on. */
export function joinBad(reports: readonly Pick<PartRows, "bad">[], bad: BadRows): void {
  for (const line of reports.flatMap((one) => one.bad).sort((a, b) => a - b)) bad.add(line, "");
}

/** The lines of all rows. */
export function joinLines(reports: readonly Pick<PartRows, "lines">[]): LineMap {
  const map = createLineMap();
  const all = reports.flatMap(({ lines }) => lines).sort((a, b) => a.row - b.row);
  for (const { row, line } of all) map.add(row, line);
  return map;
}
