/**
 * The inner loop of reading CSV: bytes of plain records → numbers and cell spans.
 *
 * The rules are those of src/data/csv/scan.ts, its specification. On top of them decimals of up to
 * 19 digits are rounded here by the method of D. Lemire, "Number Parsing at a Gigabyte per Second",
 * Software: Practice and Experience 51 (2021), so that full-precision floats need no slow path.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/data/csv/wasm_scan.ts.
 * Compiled by tools/build_kernels.ts.
 */

import { nearest, smallPower } from "./csv/decimal";
import { ANY, FEW, FULL, LF, NUMBER, scanRows, SHORT, TINY } from "./csv/rows";
import { readShort } from "./csv/short";

export { findCodes, keepCode } from "./csv/cells";
export { findCode, takeCodes, writeLevels } from "./csv/levels";
export { scanLines } from "./csv/lines";

/** How many number columns follow one another from each column on, at most 255. */
function countRuns(kinds: usize, numColumns: i32, runs: usize): void {
  let run = 0;
  for (let column = numColumns - 1; column >= 0; column--) {
    run = load<u8>(kinds + <usize>column) === NUMBER ? min(run + 1, 255) : 0;
    store<u8>(runs + <usize>column, <u8>run);
  }
}

/**
 * The float64 nearest to (head · 10^n + tail) · 10^power, NaN where the method cannot tell. Together
 * the digits are at most 19, those of the tail n ≤ 8.
 */
export function roundDecimal(
  head: f64,
  tail: f64,
  n: i32,
  power: i32,
): f64 {
  return nearest(<u64>head * smallPower(n) + <u64>tail, power);
}

/** What most cells are: whole numbers of a few digits, beside those that rows.ts knows. */
const WHOLE: i32 = 4;

/** Bytes that are looked at to see what most cells are. */
const PROBE: i32 = 2048;

/** What most cells of these bytes are. */
function lookAt(from: usize, to: usize, delimiter: v128, decimal: v128): i32 {
  let cells = 1;
  let points = 0;
  let empty = 0;
  let ones = 0;
  let long = 0;
  for (let p = from; p < to; p += 16) {
    const bytes = v128.load(p);
    const ends = i8x16.bitmask(
      v128.or(i8x16.eq(bytes, delimiter), i8x16.eq(bytes, i8x16.splat(<i8>LF))),
    );
    cells += popcnt(ends);
    points += popcnt(i8x16.bitmask(i8x16.eq(bytes, decimal)));
    empty += popcnt(ends & ends >> 1);
    ones += popcnt(ends & ~(ends >> 1) & ends >> 2);
    // Cells of more than three bytes that begin in the first twelve.
    long += popcnt(ends & ~(ends >> 1 | ends >> 2 | ends >> 3 | ends >> 4) & 0xfff);
  }
  const size = <i32>(to - from);
  if (points << 2 >= cells) return size < 14 * cells ? SHORT : ANY;
  if (3 * ones > 2 * cells || 3 * empty > 2 * cells) return TINY;
  if (8 * long < cells && 8 * empty < cells) return FEW;
  return size < 9 * cells ? WHOLE : ANY;
}

/**
 * Scans records from `from` up to `to` (offsets into the input).
 *
 * `config`: u32 input, kinds, values, slow, result, numColumns, delimiter, decimal, emptyIsMissing,
 * rowCapacity, slowCells, runs (a byte a column, written here).
 * Behind the last column of `values` there is room for seven more.
 */
export function scan(config: usize, from: i32, to: i32, maxRows: i32): void {
  const first = <usize>load<u32>(config) + <usize>from;
  const result = <usize>load<u32>(config, 16);
  const delimiter = load<u32>(config, 24);
  const decimal = load<u32>(config, 28);
  const emptyIsMissing = load<u32>(config, 32) !== 0;
  const lastRow = min(maxRows, load<i32>(config, 36));
  countRuns(<usize>load<u32>(config, 4), load<i32>(config, 20), <usize>load<u32>(config, 44));
  store<i32>(result, 0);
  store<i32>(result, from, 4);
  store<i32>(result, 0, 8);
  const probed = first + <usize>min(to - from, PROBE);
  const most = lookAt(first, probed, i8x16.splat(<i8>delimiter), i8x16.splat(<i8>decimal));
  // Digits, points and signs between cells are left to the loop that asks for delimiters first.
  const isUsual = emptyIsMissing && delimiter - 45 > 12 && delimiter !== decimal;
  // Each has a loop of its own: in one for all, registers are too few.
  if (most === TINY) scanTiny(config, to, lastRow);
  else if (most === FEW && isUsual) scanFew(config, to, lastRow);
  else if (most === ANY || !isUsual) scanAny(config, to, lastRow);
  else scanInTurns(config, to, lastRow, most);
}

/** Rows that are not simple are read by the other loop, in ever longer runs. */
function scanInTurns(config: usize, to: i32, lastRow: i32, most: i32): void {
  const result = <usize>load<u32>(config, 16);
  store<u8>(<usize>load<u32>(config) + <usize>to, <u8>LF);
  let run = 1;
  let stop = FULL;
  let before = 0;
  let rows = 0;
  do {
    if (most === WHOLE) readWholes(config, to, lastRow);
    else readDecimals(config, to, lastRow);
    rows = load<i32>(result);
    if (rows === lastRow) break;
    if (rows - before > run) run = 1;
    const until = min(rows + run, lastRow);
    scanShort(config, to, until);
    rows = load<i32>(result);
    stop = load<i32>(result, 12);
    // It stops before where its room for slow cells is used up.
    if (stop !== FULL || rows < until) break;
    before = rows;
    run <<= 1;
  } while (rows < lastRow);
  store<i32>(result, stop, 12);
}

function readWholes(config: usize, to: i32, lastRow: i32): void {
  readShort(config, to, lastRow, true);
}

function readDecimals(config: usize, to: i32, lastRow: i32): void {
  readShort(config, to, lastRow, false);
}

function scanTiny(config: usize, to: i32, lastRow: i32): void {
  scanRows(config, to, lastRow, TINY);
}

function scanFew(config: usize, to: i32, lastRow: i32): void {
  scanRows(config, to, lastRow, FEW);
}

function scanShort(config: usize, to: i32, lastRow: i32): void {
  scanRows(config, to, lastRow, SHORT);
}

function scanAny(config: usize, to: i32, lastRow: i32): void {
  scanRows(config, to, lastRow, ANY);
}
