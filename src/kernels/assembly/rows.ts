/**
 * Scores few rows: a row becomes codes of a byte each, of which two vectors hold 32; the upper levels of sixteen
 * trees are left at once, a tree in each byte of a vector (rows/tops.ts); below them, all tests of seven or
 * fifteen nodes of a tree are made at once.
 *
 * What counts is how many words are read: Deno's engine asks of each whether it is within the memory, and
 * not where addresses are constants.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/score/rows/rows.ts. Compiled by
 * tools/build_kernels.ts.
 */

import { deep } from "./rows/deep";
import { codesOf, encode, PLACES } from "./rows/encode";
import { even } from "./rows/even";
import { forest } from "./rows/forest";

/** Bytes of the descriptor of a piece: u32 first block, trees (less than 1 for none), output (bytes), codes. */
const PIECE: usize = 16;
/** Bytes of the places of a row's codes. */
const ROOM: usize = 128;

/** Puts a row's places where codes are read. */
// @ts-ignore: decorator
@inline
function copyPlaces(places: usize): void {
  for (let at: usize = 0; at < ROOM; at += 16) v128.store(PLACES + at, v128.load(places + at));
}

/** Writes the codes of the row at `PLACES` in two groups. */
function writeCodes(to: usize, first: usize, second: usize): void {
  v128.store(to, codesOf(first, 0));
  v128.store(to, codesOf(first, 64), 16);
  v128.store(to, codesOf(second, 0), 32);
  v128.store(to, codesOf(second, 64), 48);
}

/**
 * Adds all trees to the sums of some rows.
 *
 * `config` is words: rows and the bytes of one, room for the places of codes of more rows than one, sums and the
 * bytes of those of a row, pieces and how many, levels (0 for any, less than 0 for forests), 1 where sums are float32; then what
 * encode.ts reads; codes of lines of forests and of other ones, and room
 * for both of each row.
 */
export function score(config: usize, rows: i32): void {
  const placesAt = rows > 1 ? <usize>load<u32>(config, 8) : PLACES;
  let x = <usize>load<u32>(config);
  let places = placesAt;
  for (let r = rows; r > 0; r--, x += <usize>load<u32>(config, 4), places += ROOM) {
    encode(config + 36, x, places);
  }
  const levels = load<i32>(config, 28);
  const isF32 = load<u32>(config, 32);
  if (levels < 0) {
    const codesAt = <usize>load<u32>(config, 60);
    let codes = codesAt;
    places = placesAt;
    for (let r = rows; r > 0; r--, places += ROOM, codes += 64) {
      if (rows > 1) copyPlaces(places);
      writeCodes(codes, <usize>load<u32>(config, 52), <usize>load<u32>(config, 56));
    }
    if (isF32) forest<f32>(config, rows, codesAt);
    else forest<f64>(config, rows, codesAt);
    return;
  }
  const pieces = <usize>load<u32>(config, 20);
  let piece = pieces;
  // A single row takes all trees in turn; many take those of a piece before the next ones.
  for (const end = pieces + <usize>load<u32>(config, 24) * PIECE; piece < end; piece += PIECE) {
    const block = <usize>load<u32>(piece);
    const count = load<i32>(piece, 4);
    let sum = <usize>load<u32>(config, 12) + <usize>load<u32>(piece, 8);
    const codes = <usize>load<u32>(piece, 12);
    places = placesAt;
    for (let r = rows; r > 0; r--, sum += <usize>load<u32>(config, 16), places += ROOM) {
      if (rows > 1) copyPlaces(places);
      const t0 = codesOf(codes, 0);
      const t1 = codesOf(codes, 64);
      const before = load<f64>(sum);
      let after: f64;
      if (levels > 0) {
        after = isF32
          ? <f64>even<f32>(<f32>before, block, count, levels, t0, t1)
          : even<f64>(before, block, count, levels, t0, t1);
      } else {
        after = isF32
          ? <f64>deep<f32>(<f32>before, block, count, t0, t1)
          : deep<f64>(before, block, count, t0, t1);
      }
      store<f64>(sum, after);
    }
  }
}
