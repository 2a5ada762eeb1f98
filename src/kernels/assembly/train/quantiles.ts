// Where the bins of a column close. Twin: ../../twin_binning.ts.
//
// Columns of few distinct values are counted in a hash table. Of others only what lies around the
// places where bins close is sorted: values are counted in some thousand buckets, the bucket of each
// close is foretold from the counts, and its values and its neighbours' are collected and sorted. Bins
// then close exactly, by runs of equal values; where that needs a bucket that was not foretold, the
// whole column is sorted instead.

import { bucketOf, clearTops, countTop, spreadTops } from "./buckets";
import { mergeSort } from "./merge_sort";
import { sortValues } from "./sort";

/** Columns with fewer rows are sorted as a whole. */
const LEAST_ROWS: i32 = 16384;
/** So many bins close nearly everywhere. */
const MOST_BINS: i32 = 1024;
/** Distinct values that are counted; slots of the hash table are a power of two. */
const MOST_COUNTED: i32 = 4096;
const SLOT_BITS: usize = 13;
const SLOTS: usize = 1 << 13;
/** Rows from which the buckets are made, and about how many buckets. */
const SAMPLE: i32 = 16384;
const BUCKETS: f64 = 16384;
/** Bytes of the tops of buckets; of a table with four bytes for each bucket. */
const TOPS_BYTES: usize = 16384;
const TABLE_BYTES: usize = 4 * (4096 + 2 * 16384 + 64);

/** Decides one after the other where bins close. */
let left: f64 = 0;
let held: f64 = 0;
let binsLeft: f64 = 0;
let everyRun: bool = false;

function begin(n: i32, maxBins: i32, distinct: i32): void {
  left = <f64>n;
  held = 0;
  binsLeft = <f64>maxBins;
  everyRun = distinct <= maxBins;
}

/** Whether the bin closes after the rows that it holds, before a run of `next` rows. */
// @ts-ignore: decorator
@inline
function closes(next: f64): bool {
  if (everyRun) return true;
  const share = left / binsLeft;
  return held >= share || held + next / 2 > share;
}

// @ts-ignore: decorator
@inline
function close(): void {
  left -= held;
  held = 0;
  binsLeft -= 1;
}

// @ts-ignore: decorator
@inline
function storePair(out: usize, pairs: i32, low: f64, high: f64): void {
  store<f64>(out + (<usize>pairs << 4), low + 0);
  store<f64>(out + (<usize>pairs << 4), high + 0, 8);
}

/** End of the run of equal values that begins at an address. */
// @ts-ignore: decorator
@inline
function runEnd(at: usize, end: usize): usize {
  const value = load<f64>(at);
  do at += 8; while (at < end && load<f64>(at) == value);
  return at;
}

function closeSorted(sorted: usize, n: i32, maxBins: i32, out: usize): i32 {
  if (n == 0) return 0;
  const last = sorted + (<usize>n << 3);
  let distinct: i32 = 1;
  for (let at = sorted + 8; at < last; at += 8) {
    distinct += i32(load<f64>(at) != load<f64>(at - 8));
  }
  begin(n, maxBins, distinct);
  let pairs: i32 = 0;
  let from = sorted;
  let end = runEnd(sorted, last);
  while (end < last && (everyRun || binsLeft > 1)) {
    const next = runEnd(end, last);
    held += <f64>((end - from) >> 3);
    if (closes(<f64>((next - end) >> 3))) {
      storePair(out, pairs++, load<f64>(from), load<f64>(end));
      close();
    }
    from = end;
    end = next;
  }
  return pairs;
}

// ---- few distinct values ----

// @ts-ignore: decorator
@inline
function slotOf(table: usize, value: f64): usize {
  const bits = reinterpret<u64>(value);
  const mask: usize = SLOTS - 1;
  let slot = <usize>((bits * 0x9e3779b97f4a7c15) >> (64 - <u64>SLOT_BITS));
  while (true) {
    const at = table + (slot << 4);
    if (load<u32>(at, 8) == 0 || load<f64>(at) == value) return at;
    slot = (slot + 1) & mask;
  }
}

/** Counts values; returns how many are distinct, or −1 when they are many. */
function countDistinct(values: usize, n: i32, table: usize): i32 {
  memory.fill(table, 0, SLOTS << 4);
  const end = values + (<usize>n << 3);
  let distinct: i32 = 0;
  for (let at = values; at < end; at += 8) {
    const value = load<f64>(at) + 0;
    if (value != value) continue;
    const slot = slotOf(table, value);
    const before = load<u32>(slot, 8);
    if (before == 0) {
      if (distinct == MOST_COUNTED) return -1;
      distinct++;
      store<f64>(slot, value);
    }
    store<u32>(slot, before + 1, 8);
  }
  return distinct;
}

function closeCounted(table: usize, distinct: i32, n: i32, maxBins: i32, scratch: usize, out: usize): i32 {
  const sorted = scratch + (<usize>MOST_COUNTED << 3);
  let m: usize = 0;
  for (let slot: usize = 0; slot < SLOTS; slot++) {
    const at = table + (slot << 4);
    if (load<u32>(at, 8) != 0) store<f64>(scratch + (m++ << 3), load<f64>(at));
  }
  mergeSort(scratch, distinct, sorted);
  begin(n, maxBins, distinct);
  let pairs: i32 = 0;
  for (let i = 0; i + 1 < distinct && (everyRun || binsLeft > 1); i++) {
    const low = load<f64>(sorted + (<usize>i << 3));
    const high = load<f64>(sorted + (<usize>i << 3), 8);
    held += <f64>load<u32>(slotOf(table, low), 8);
    if (closes(<f64>load<u32>(slotOf(table, high), 8))) {
      storePair(out, pairs++, low, high);
      close();
    }
  }
  return pairs;
}

// ---- many distinct values ----

/** Writes about how many rows lie below each close; returns how many closes there are. */
function foretell(counts: usize, buckets: i32, n: i32, maxBins: i32, ranks: usize): i32 {
  begin(n, maxBins, n);
  let closings: i32 = 0;
  let rank: u32 = 0;
  for (let b = 0; b < buckets && binsLeft > 1; b++) {
    const count = load<u32>(counts + (<usize>b << 2));
    if (count == 0) continue;
    // A heavy bucket may be one value: it is taken as a whole.
    const heavy = <f64>count > left / binsLeft;
    let rest = count;
    while (rest > 0 && binsLeft > 1) {
      const share = left / binsLeft;
      if (heavy && held > 0 && held + <f64>rest / 2 > share) {
        store<u32>(ranks + (<usize>(closings++) << 2), rank);
        close();
        continue;
      }
      const taken = heavy ? rest : min<u32>(rest, max<u32>(1, <u32>nearest(share - held)));
      held += <f64>taken;
      rank += taken;
      rest -= taken;
      if (held >= left / binsLeft - 0.5) {
        store<u32>(ranks + (<usize>(closings++) << 2), rank);
        close();
      }
    }
  }
  return closings;
}

/** Gives buckets near foretold closes places in the collection, from 1, others 0; returns its size. */
function chooseBuckets(counts: usize, buckets: i32, ranks: usize, closings: i32, margin: u32, places: usize): u32 {
  let low: u32 = 0;
  let place: u32 = 1;
  let c: i32 = 0;
  for (let b = 0; b < buckets; b++) {
    const count = load<u32>(counts + (<usize>b << 2));
    const high = low + count;
    while (c < closings && load<u32>(ranks + (<usize>c << 2)) + margin < low) c++;
    const near = count != 0 && c < closings && load<u32>(ranks + (<usize>c << 2)) <= high + margin;
    store<u32>(places + (<usize>b << 2), near ? place : 0);
    if (near) place += count;
    low = high;
  }
  return place - 1;
}

/** Collects the values of chosen buckets, bucket by bucket, at `sorted`, and sorts each. */
function collect(values: usize, n: i32, tops: usize, counts: usize, places: usize, buckets: i32, bucketOfRow: usize, list: usize, sorted: usize): void {
  const end = values + (<usize>n << 3);
  let to = list;
  store<u32>(places + (<usize>buckets << 2), 0); // those of missing values
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
function closeBuckets(counts: usize, places: usize, buckets: i32, sorted: usize, n: i32, maxBins: i32, out: usize): i32 {
  begin(n, maxBins, n);
  if (maxBins <= 1) return 0;
  let pairs: i32 = 0;
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
    const length2 = place2 != 0
      ? <f64>((runEnd(first2, first2 + (<usize>count2 << 3)) - first2) >> 3)
      : <f64>count2;
    const place = load<u32>(places + (<usize>b << 2));
    if (place == 0) {
      held += <f64>count;
      if (closes(length2)) return -1;
      b = b2;
      continue;
    }
    let from = sorted + (<usize>(place - 1) << 3);
    const end = from + (<usize>count << 3);
    while (from < end) {
      const stop = runEnd(from, end);
      held += <f64>((stop - from) >> 3);
      const inside = stop < end;
      if (!inside && b2 == buckets) return pairs;
      const length = inside ? <f64>((runEnd(stop, end) - stop) >> 3) : length2;
      if (closes(length)) {
        if (!inside && place2 == 0) return -1;
        storePair(out, pairs++, load<f64>(from), load<f64>(inside ? stop : first2));
        close();
        if (binsLeft <= 1) return pairs;
      }
      from = stop;
    }
    b = b2;
  }
  return pairs;
}

/** Pairs by buckets, or −1. */
function closeByBuckets(values: usize, n: i32, maxBins: i32, scratch: usize, tables: usize, out: usize): i32 {
  const counts = tables + TOPS_BYTES;
  const places = counts + TABLE_BYTES;
  const ranks = places + TABLE_BYTES;
  clearTops(tables);
  const stride = n / SAMPLE;
  let seen: i32 = 0;
  for (let i = 0; i < n; i += stride) {
    const value = load<f64>(values + (<usize>i << 3));
    if (value != value) continue;
    countTop(tables, value);
    seen++;
  }
  const buckets = spreadTops(tables, BUCKETS / <f64>max<i32>(seen, 1));
  memory.fill(counts, 0, (<usize>buckets + 1) << 2);
  // Missing values go to a bucket after the last.
  const end = values + (<usize>n << 3);
  const rows = scratch + (<usize>n << 3) + (<usize>n << 2);
  for (let at = values, row = rows; at < end; at += 8, row += 2) {
    const value = load<f64>(at);
    const bucket = select<usize>(bucketOf(tables, value), <usize>buckets, value == value);
    const count = counts + (bucket << 2);
    store<u32>(count, load<u32>(count) + 1);
    store<u16>(row, <u16>bucket);
  }
  const missing = load<u32>(counts + (<usize>buckets << 2));
  const present = n - <i32>missing;
  const closings = foretell(counts, buckets, present, maxBins, ranks);
  const margin = max<u32>(64, <u32>(present / maxBins) >> 6);
  const chosen = chooseBuckets(counts, buckets, ranks, closings, margin, places);
  if (chosen > <u32>present >> 1) return -1;
  const sorted = scratch + (<usize>n << 3); // at most half of the rows, before the buckets of rows
  collect(values, n, tables, counts, places, buckets, rows, scratch, sorted);
  const pairs = closeBuckets(counts, places, buckets, sorted, present, maxBins, out);
  store<u32>(tables, missing);
  return pairs;
}

export function quantilePairs(values: usize, n: i32, maxBins: i32, scratch: usize, tables: usize, out: usize): i32 {
  if (n >= LEAST_ROWS && maxBins <= MOST_BINS) {
    const distinct = countDistinct(values, n, tables);
    if (distinct >= 0) {
      let present: u32 = 0;
      for (let slot: usize = 0; slot < SLOTS; slot++) {
        present += load<u32>(tables + (slot << 4), 8);
      }
      const pairs = closeCounted(tables, distinct, present, maxBins, scratch, out);
      store<u32>(tables, n - present);
      return pairs;
    }
    const pairs = closeByBuckets(values, n, maxBins, scratch, tables, out);
    if (pairs >= 0) return pairs;
  }
  const present = sortValues(values, n, scratch, tables);
  const pairs = closeSorted(scratch, present, maxBins, out);
  store<u32>(tables, n - present);
  return pairs;
}
