/**
 * The inner loop of reading LIBSVM: lines `label index:value …` with rising indices → labels and
 * entries. The rules are those of `readPlain` in src/data/libsvm/parse.ts, its specification.
 */

import { decimalRead, readDecimal, readInline } from "./decimal";

const END: i32 = 0;
const FULL: i32 = 1;
const ODD: i32 = 2;

const LF: u32 = 0x0a;
const CR: u32 = 0x0d;
const SPACE: u32 = 0x20;
const TAB: u32 = 0x09;
const POINT: u32 = 0x2e;
const COLON: u32 = 0x3a;
/** A colon taken for a digit. */
const COLON_DIGIT: u32 = COLON - 48;

/** `:1 ` and `:1` with a newline behind. */
const ONE_SPACE: u32 = 0x20313a;
const ONE_LF: u32 = 0x0a313a;

/**
 * Scans lines from `from` up to `to` (offsets into the input). A line that is not whole or not plain
 * is left where it is.
 *
 * `config`: u32 input, labels (f64 a row), ends (u32 a row: entries up to its end), indices (u32 an
 * entry), values (f64 an entry), result, columnLimit, most rows, most entries.
 * `result`: rows, position behind the last, 1 + the largest index, why it stopped, whether all values
 * are 1.
 */
export function scanLines(config: usize, from: i32, to: i32): void {
  const input = <usize>load<u32>(config);
  const labels = <usize>load<u32>(config, 4);
  const ends = <usize>load<u32>(config, 8);
  const indices = <usize>load<u32>(config, 12);
  const values = <usize>load<u32>(config, 16);
  const result = <usize>load<u32>(config, 20);
  const columnLimit = load<u32>(config, 24);
  const maxRows = load<i32>(config, 28);
  const maxEntries = load<u32>(config, 32);

  const last = input + <usize>to;
  // A newline behind the input ends every loop; a line that consumes it is not whole.
  store<u8>(last, <u8>LF);
  let position = input + <usize>from;
  let rows = 0;
  let entries: u32 = 0;
  let columns: u32 = 0;
  // Whether the last value was 1, and whether all were.
  let isOnes = false;
  let allOnes = true;
  let stop = FULL;
  while (rows < maxRows) {
    if (position >= last) {
      stop = END;
      break;
    }
    stop = ODD;
    let p = position;
    if (load<u8>(p) === 0x2b && load<u8>(p, 1) !== 0x2d) p++;
    p = readDecimal(p, POINT);
    const label = decimalRead;
    if (label !== label) break;
    let used = entries;
    // Indices are below 2^31, so that none is taken for one that is lower.
    let least: u32 = 0;
    let ch = <u32>load<u8>(p);
    let whole = false;
    while (true) {
      if (isOnes) {
        // Indicators, ` 7:1`: eight bytes hold one, and each access asks for its bounds.
        while (ch === SPACE && used < maxEntries) {
          let bytes = load<u64>(p, 1);
          let index = (<u32>bytes & 0xff) - 48;
          if (index > 9) break;
          let behind = p + 2;
          bytes >>= 8;
          for (let digit = (<u32>bytes & 0xff) - 48; digit < 10;) {
            index = index * 10 + digit;
            behind++;
            bytes >>= 8;
            digit = (<u32>bytes & 0xff) - 48;
          }
          const rest = <u32>bytes & 0xffffff;
          if (rest !== ONE_SPACE && rest !== ONE_LF) break;
          if (index < least || index >= columnLimit) break;
          store<u32>(indices + (<usize>used << 2), index);
          store<f64>(values + (<usize>used << 3), 1);
          used++;
          least = index + 1;
          p = behind + 2;
          ch = rest >> 16;
        }
      }
      if (ch !== SPACE && ch !== TAB) {
        whole = ch === LF || ch === CR;
        break;
      }
      let index: u32 = 0;
      let behind: usize = 0;
      if (used < maxEntries) {
        // One space and an index of one to three digits: four bytes hold it, with its colon.
        const bytes = load<u32>(p, 1);
        const one = (bytes & 0xff) - 48;
        const two = ((bytes >> 8) & 0xff) - 48;
        const three = ((bytes >> 16) & 0xff) - 48;
        if (one < 10) {
          if (two === COLON_DIGIT) {
            index = one;
            behind = p + 3;
          } else if (two < 10) {
            index = one * 10 + two;
            if (three === COLON_DIGIT) behind = p + 4;
            else if (three < 10 && bytes >> 24 === COLON) {
              index = index * 10 + three;
              behind = p + 5;
            }
          }
        }
      }
      if (behind === 0) {
        do ch = <u32>load<u8>(++p); while (ch === SPACE || ch === TAB);
        if (ch === LF || ch === CR) continue;
        if (used === maxEntries) {
          stop = FULL;
          break;
        }
        const first = p;
        index = 0;
        while (ch - 48 < 10) {
          index = index * 10 + ch - 48;
          ch = <u32>load<u8>(++p);
        }
        if (p - first - 1 > 8 || ch !== COLON) break;
        behind = p + 1;
      }
      if (index < least || index >= columnLimit) break;
      store<u32>(indices + (<usize>used << 2), index);
      p = readInline(behind, POINT);
      const value = decimalRead;
      if (value !== value) break;
      store<f64>(values + (<usize>used << 3), value);
      ch = <u32>load<u8>(p);
      used++;
      least = index + 1;
      isOnes = value === 1;
      allOnes = allOnes && isOnes;
    }
    if (!whole) break;
    if (p >= last) {
      stop = END;
      break;
    }
    p++;
    if (ch === CR) {
      // The byte behind may still come.
      if (p >= last) {
        stop = END;
        break;
      }
      p += <usize>(<u32>load<u8>(p) === LF);
    }
    store<f64>(labels + (<usize>rows << 3), label);
    store<u32>(ends + (<usize>rows << 2), used);
    rows++;
    entries = used;
    columns = max(columns, least);
    position = p;
    stop = FULL;
  }
  store<i32>(result, rows);
  store<i32>(result, <i32>(position - input), 4);
  store<u32>(result, columns, 8);
  store<i32>(result, stop, 12);
  store<i32>(result, <i32>allOnes, 16);
}
