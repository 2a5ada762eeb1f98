// Where the bins of a column close, and the code of each of its values. Twin: ../../twin/binning.ts.
//
// Most buckets that the column was counted in hold no end of a bin: all their values have one code.

import { mapValues8 } from "./binning";
import { bucketOf } from "./buckets";
import { bucketsAt, firstTop, numBuckets, rowBuckets } from "./bucket_closes";
import { quantilePairs } from "./quantiles";

/** Set where the code is to be looked for. */
const MIXED: u32 = 256;
/** Bytes of 256 cuts. */
const CUTS_BYTES: usize = 2048;

export function quantileCodes(
  values: usize,
  n: i32,
  maxBins: i32,
  scratch: usize,
  tables: usize,
  out: usize,
  codes: usize,
): i32 {
  const pairs = quantilePairs(values, n, maxBins, scratch, tables, out);
  if (numBuckets == 0) {
    codesByCuts(values, n, out, pairs, scratch, codes);
    return pairs;
  }
  const missing = load<u32>(tables);
  store<u32>(tables, firstTop);
  codesByBuckets(values, n, out, pairs, tables, rowBuckets(scratch, n), bucketsAt(tables), codes);
  store<u32>(tables, missing);
  return pairs;
}

/** Codes of values by the lower ones of the pairs. */
function codesByCuts(values: usize, n: i32, pairs: usize, numPairs: i32, scratch: usize, codes: usize): void {
  let size: i32 = 2;
  while (size <= numPairs) size <<= 1;
  for (let c = 0; c < size; c++) {
    const cut = c < numPairs ? load<f64>(pairs + (<usize>c << 4)) : Infinity;
    store<f64>(scratch + (<usize>c << 3), cut);
  }
  mapValues8(values, n, scratch, size, numPairs + 1, scratch + CUTS_BYTES, codes);
}

/** Writes how many bins close below each bucket, and whether any closes in it, two bytes a bucket. */
function codeBuckets(pairs: usize, numPairs: i32, tops: usize, table: usize): void {
  let next: usize = 0;
  for (let c = 0; c < numPairs; c++) {
    const bucket = bucketOf(tops, load<f64>(pairs + (<usize>c << 4)));
    if (bucket < next) continue;
    for (; next < bucket; next++) store<u16>(table + (next << 1), <u16>c);
    store<u16>(table + (next++ << 1), <u16>(<u32>c | MIXED));
  }
  for (; next < <usize>numBuckets; next++) store<u16>(table + (next << 1), <u16>numPairs);
  // Of missing values, and of further rows of frequent ones.
  store<u16>(table + (next << 1), <u16>(numPairs + 1));
  store<u16>(table + (next << 1), <u16>MIXED, 2);
}

// @ts-ignore: decorator
@inline
function entryOf(table: usize, bucket: u64): u32 {
  return <u32>load<u16>(table + (<usize>(bucket & 0xffff) << 1));
}

/** The code of a value whose bucket may hold the end of a bin. */
function codeOf(value: f64, bucket: usize, pairs: usize, numPairs: i32, tops: usize, table: usize): u32 {
  const entry = entryOf(table, bucket);
  if ((entry & MIXED) == 0) return entry;
  const own = bucket > <usize>numBuckets ? bucketOf(tops, value) : bucket;
  let code = entryOf(table, own) & 255;
  while (code < <u32>numPairs && load<f64>(pairs + (<usize>code << 4)) < value) code++;
  return code;
}

function codesByBuckets(values: usize, n: i32, pairs: usize, numPairs: i32, tops: usize, rows: usize, table: usize, codes: usize): void {
  codeBuckets(pairs, numPairs, tops, table);
  let i: usize = 0;
  for (; i + 4 <= <usize>n; i += 4, rows += 8) {
    const buckets = load<u64>(rows);
    const a = entryOf(table, buckets);
    const b = entryOf(table, buckets >> 16);
    const c = entryOf(table, buckets >> 32);
    const d = entryOf(table, buckets >> 48);
    if (((a | b | c | d) & MIXED) == 0) {
      store<u32>(codes + i, a | (b << 8) | (c << 16) | (d << 24));
      continue;
    }
    for (let k: usize = 0; k < 4; k++) {
      const value = load<f64>(values + ((i + k) << 3));
      const bucket = <usize>load<u16>(rows + (k << 1));
      store<u8>(codes + i + k, <u8>codeOf(value, bucket, pairs, numPairs, tops, table));
    }
  }
  for (; i < <usize>n; i++, rows += 2) {
    const value = load<f64>(values + (i << 3));
    store<u8>(codes + i, <u8>codeOf(value, <usize>load<u16>(rows), pairs, numPairs, tops, table));
  }
}
