// Where the bins of a column of many distinct values close: values are counted in some thousand
// buckets, the bucket of each close is foretold from the counts, and only what lies around is sorted.
// Twin: ../../twin/binning.ts.

import { bucketOf, clearTops, countTop, spreadTops } from "./buckets";
import { begin, binsLeft, close, closes, held, hold, runEnd, share, storePair } from "./closes";
import { equalRows, frequentSlot, listFrequent, moreRows } from "./repeats";
import { mergeSort } from "./merge_sort";

/** Rows from which repeated values are looked for. */
export const REPEAT_ROWS: i32 = 65536;
/** Most rows on either side of a foretold close that are sorted for what the ones before were off. */
const MARGIN: f64 = 64;
/** Fewer where runs of equal values are short: each puts a close off by half of its rows at most. */
const MARGIN_RUNS: f64 = 16;
/** Rows from which the buckets are made; about how many buckets at most, and rows in each at least. */
const SAMPLE: i32 = 16384;
const BUCKETS: f64 = 16384;
const BUCKET_ROWS: i32 = 16;
/** Bytes of the tops of buckets; of a table with four bytes for each bucket. */
const TOPS_BYTES: usize = 16384;
const TABLE_BYTES: usize = 4 * (4096 + 2 * 16384 + 64);
/** Bytes of the foretold closes; the list of frequent values follows them. */
const RANKS_BYTES: usize = 4 * 1024;

/** Buckets that the last column was counted in (0: it was not), and what its tops began with. */
export let numBuckets: i32 = 0;
export let firstTop: u32 = 0;

/** Says that no column has been counted in buckets. */
export function forgetBuckets(): void {
  numBuckets = 0;
}

/** Where the bucket of each row is after that, and a place for something of each bucket. */
// @ts-ignore: decorator
@inline
export function rowBuckets(scratch: usize, n: i32): usize {
  return scratch + (<usize>n << 3) + (<usize>n << 2);
}

// @ts-ignore: decorator
@inline
export function bucketsAt(tables: usize): usize {
  return tables + TOPS_BYTES;
}

/** Writes about how many rows lie below each close; returns how many closes there are. */
function foretell(counts: usize, buckets: i32, n: i32, maxBins: i32, ranks: usize): i32 {
  begin(n, maxBins, n);
  let closings: i32 = 0;
  let rank: u32 = 0;
  for (let b = 0; b < buckets && binsLeft > 1; b++) {
    const count = load<u32>(counts + (<usize>b << 2));
    if (held + <f64>count < share - 0.5) {
      hold(<f64>count);
      rank += count;
      continue;
    }
    // A heavy bucket may be one value: it is taken as a whole.
    const heavy = <f64>count > share;
    let rest = count;
    while (rest > 0 && binsLeft > 1) {
      if (heavy && held > 0 && held + <f64>rest / 2 > share) {
        store<u32>(ranks + (<usize>(closings++) << 2), rank);
        close();
        continue;
      }
      const taken = heavy ? rest : min<u32>(rest, max<u32>(1, <u32>nearest(share - held)));
      hold(<f64>taken);
      rank += taken;
      rest -= taken;
      if (held >= share - 0.5) {
        store<u32>(ranks + (<usize>(closings++) << 2), rank);
        close();
      }
    }
  }
  return closings;
}

/**
 * Gives buckets near foretold closes, and those of frequent values, places in the collection, from 1,
 * others 0; returns its size. Afterwards the counts are of what is collected.
 */
function chooseBuckets(counts: usize, buckets: i32, ranks: usize, closings: i32, margin: u32, frequent: usize, places: usize): u32 {
  let next = frequent;
  let low: u32 = 0;
  let place: u32 = 1;
  let c: i32 = 0;
  for (let b = 0; b < buckets; b++) {
    const count = load<u32>(counts + (<usize>b << 2));
    const high = low + count;
    while (c < closings && load<u32>(ranks + (<usize>c << 2)) + margin < low) c++;
    let near = count != 0 && c < closings && load<u32>(ranks + (<usize>c << 2)) <= high + margin;
    let kept = count;
    while (load<f64>(next) == load<f64>(next) && load<i32>(next, 16) == b) {
      kept -= load<u32>(next, 8);
      near = true;
      next += 24;
    }
    store<u32>(counts + (<usize>b << 2), kept);
    store<u32>(places + (<usize>b << 2), near ? place : 0);
    if (near) place += kept;
    low = high;
  }
  return place - 1;
}

/** Collects the values of chosen buckets, bucket by bucket, at `sorted`, and sorts each. */
function collect(values: usize, n: i32, tops: usize, counts: usize, places: usize, buckets: i32, bucketOfRow: usize, list: usize, sorted: usize): void {
  const end = values + (<usize>n << 3);
  let to = list;
  store<u32>(places + (<usize>buckets << 2), 0); // those of missing values
  store<u32>(places + (<usize>buckets << 2), 0, 4); // further rows of frequent values
  for (let at = values; at < end; at += 8, bucketOfRow += 2) {
    store<f64>(to, load<f64>(at) + 0);
    to += <usize>(load<u32>(places + (<usize>load<u16>(bucketOfRow) << 2)) != 0) << 3;
  }
  // While values are sent there, a bucket's place is that of its next value.
  for (let at = list; at < to; at += 8) {
    const value = load<f64>(at);
    const place = places + (bucketOf(tops, value) << 2);
    const next = load<u32>(place);
    store<u32>(place, next + 1);
    store<f64>(sorted + (<usize>(next - 1) << 3), value);
  }
  for (let b = 0; b < buckets; b++) {
    const place = places + (<usize>b << 2);
    const next = load<u32>(place);
    if (next == 0) continue;
    const count = load<u32>(counts + (<usize>b << 2));
    const at = <usize>(next - count - 1) << 3;
    store<u32>(place, next - count);
    memory.copy(list + at, sorted + at, <usize>count << 3);
    mergeSort(list + at, count, sorted + at);
  }
}

/** Closes bins bucket by bucket; −1 when a bucket is needed that was not collected. */
function closeBuckets(counts: usize, places: usize, buckets: i32, sorted: usize, frequent: usize, n: i32, maxBins: i32, out: usize): i32 {
  begin(n, maxBins, n);
  if (maxBins <= 1) return 0;
  let pairs: i32 = 0;
  let next = frequent;
  let b: i32 = 0;
  while (b < buckets && load<u32>(counts + (<usize>b << 2)) == 0) b++;
  while (b < buckets) {
    const count = load<u32>(counts + (<usize>b << 2));
    let b2 = b + 1;
    while (b2 < buckets && load<u32>(counts + (<usize>b2 << 2)) == 0) b2++;
    // The first run of the next bucket: where it is known, and its length, at most its rows.
    const count2: u32 = b2 < buckets ? load<u32>(counts + (<usize>b2 << 2)) : 0;
    const place2: u32 = b2 < buckets ? load<u32>(places + (<usize>b2 << 2)) : 0;
    const first2 = sorted + (<usize>(place2 - 1) << 3);
    const run2 = place2 != 0 ? <u32>((runEnd(first2, first2 + (<usize>count2 << 3)) - first2) >> 3) : count2;
    const place = load<u32>(places + (<usize>b << 2));
    if (place == 0) {
      hold(<f64>count);
      if (closes(<f64>(run2 + (place2 != 0 ? moreRows(next, load<f64>(first2)) : 0)))) return -1;
      b = b2;
      continue;
    }
    let from = sorted + (<usize>(place - 1) << 3);
    const end = from + (<usize>count << 3);
    while (from < end) {
      const stop = runEnd(from, end);
      const more = moreRows(next, load<f64>(from));
      hold(<f64>(<u32>((stop - from) >> 3) + more));
      if (load<f64>(next) == load<f64>(from)) next += 24;
      const inside = stop < end;
      if (!inside && b2 == buckets) return pairs;
      const first = inside ? stop : first2;
      const run = inside ? <u32>((runEnd(stop, end) - stop) >> 3) : run2;
      if (closes(<f64>(run + (inside || place2 != 0 ? moreRows(next, load<f64>(first)) : 0)))) {
        if (!inside && place2 == 0) return -1;
        storePair(out, pairs++, load<f64>(from), load<f64>(first));
        close();
        if (binsLeft <= 1) return pairs;
      }
      from = stop;
    }
    b = b2;
  }
  return pairs;
}

/** Rows on either side of a foretold close, by the rows of a bin; of fewer rows nobody counts equal ones. */
function marginOf(n: i32, binRows: u32): u32 {
  const runs = n < REPEAT_ROWS ? <f64>(binRows / 6) : MARGIN_RUNS * (1 + equalRows(n));
  return max<u32>(<u32>min<f64>(MARGIN, runs), binRows >> 6);
}

/** Pairs by buckets, or −1. `numFrequent` values have a table behind the rows' buckets. */
export function closeByBuckets(values: usize, n: i32, maxBins: i32, numFrequent: i32, scratch: usize, tables: usize, out: usize): i32 {
  const counts = bucketsAt(tables);
  const places = counts + TABLE_BYTES;
  const ranks = places + TABLE_BYTES;
  const list = ranks + RANKS_BYTES;
  const table = frequentAt(scratch, n);
  clearTops(tables);
  const stride = n / SAMPLE;
  let seen: i32 = 0;
  for (let i = 0; i < n; i += stride) {
    const value = load<f64>(values + (<usize>i << 3));
    if (value != value || (numFrequent > 0 && frequentSlot(table, value + 0) != 0)) continue;
    countTop(tables, value);
    seen++;
  }
  const buckets = spreadTops(tables, min<f64>(BUCKETS, <f64>(n / BUCKET_ROWS)) / <f64>max<i32>(seen, 1));
  memory.fill(counts, 0, (<usize>buckets + 2) << 2);
  const rows = rowBuckets(scratch, n);
  if (numFrequent > 0) countFrequent(values, n, tables, counts, buckets, table, list, rows);
  else {
    store<f64>(list, NaN);
    // Missing values go to a bucket after the last.
    const end = values + (<usize>n << 3);
    for (let at = values, row = rows; at < end; at += 8, row += 2) {
      const value = load<f64>(at);
      const bucket = select<usize>(bucketOf(tables, value), <usize>buckets, value == value);
      const count = counts + (bucket << 2);
      store<u32>(count, load<u32>(count) + 1);
      store<u16>(row, <u16>bucket);
    }
  }
  const missing = load<u32>(counts + (<usize>buckets << 2));
  const present = n - <i32>missing;
  const closings = foretell(counts, buckets, present, maxBins, ranks);
  const margin = marginOf(n, present / maxBins);
  const chosen = chooseBuckets(counts, buckets, ranks, closings, margin, list, places);
  if (chosen > <u32>present >> 1) return -1;
  const sorted = scratch + (<usize>n << 3); // at most half of the rows, before the buckets of rows
  collect(values, n, tables, counts, places, buckets, rows, scratch, sorted);
  const pairs = closeBuckets(counts, places, buckets, sorted, list, present, maxBins, out);
  if (pairs >= 0) numBuckets = buckets;
  firstTop = load<u32>(tables);
  store<u32>(tables, missing);
  return pairs;
}

/** Where the table of frequent values is: behind what buckets need of the working space. */
// @ts-ignore: decorator
@inline
export function frequentAt(scratch: usize, n: i32): usize {
  return (scratch + 14 * <usize>n + 15) & ~15;
}

/**
 * Counts rows in their buckets. Of a frequent value the first row goes to its bucket, the others to
 * one behind that of missing values, though the counts of its bucket have them all.
 */
function countFrequent(values: usize, n: i32, tops: usize, counts: usize, buckets: i32, table: usize, list: usize, rows: usize): void {
  const end = values + (<usize>n << 3);
  for (let at = values, row = rows; at < end; at += 8, row += 2) {
    const value = load<f64>(at) + 0;
    let bucket = select<usize>(bucketOf(tops, value), <usize>buckets, value == value);
    const slot = frequentSlot(table, value);
    if (slot != 0) {
      const count = load<u32>(slot, 8);
      store<u32>(slot, count + 1, 8);
      if (count > 1) {
        store<u16>(row, <u16>(buckets + 1));
        continue;
      }
    }
    const count = counts + (bucket << 2);
    store<u32>(count, load<u32>(count) + 1);
    store<u16>(row, <u16>bucket);
  }
  listFrequent(table, list);
  for (let at = list; load<f64>(at) == load<f64>(at); at += 24) {
    const bucket = bucketOf(tops, load<f64>(at));
    store<u32>(at, <u32>bucket, 16);
    const count = counts + (bucket << 2);
    store<u32>(count, load<u32>(count) + load<u32>(at, 8));
  }
}
