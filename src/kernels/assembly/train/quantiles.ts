// Where the bins of a column close. Twin: ../../twin/binning.ts.
//
// Columns of few distinct values are counted in a hash table, and so are those of many that repeat.
// Of others only what lies around the places where bins close is sorted: values are counted in some
// thousand buckets, the bucket of each close is foretold from the counts, and its values and its
// neighbours' are collected and sorted; a frequent value (the zeros of a column that is mostly zero)
// is collected once and its rows are counted. Bins then close exactly, by runs of equal values; where
// that needs a bucket that was not foretold, the whole column is sorted instead.

import { closeByBuckets, forgetBuckets, frequentAt, REPEAT_ROWS } from "./bucket_closes";
import { begin, binsLeft, close, closes, everyRun, hold, runEnd, storePair } from "./closes";
import { countDistinct, findFrequent, slotOf } from "./repeats";
import { mergeSort } from "./merge_sort";
import { sortValues } from "./sort";

/** Columns with fewer rows are sorted as a whole. */
const LEAST_ROWS: i32 = 16384;
/** So many bins close nearly everywhere. */
const MOST_BINS: i32 = 1024;
/** Distinct values that are counted; slots of the hash table are a power of two. */
const MOST_COUNTED: i32 = 4096;
const SLOT_BITS: u64 = 13;
/** Most bits of the table that counts repeated values. */
const REPEAT_BITS: u64 = 18;

/** Pairs of a column that is sorted. */
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
    hold(<f64>((end - from) >> 3));
    if (closes(<f64>((next - end) >> 3))) {
      storePair(out, pairs++, load<f64>(from), load<f64>(end));
      close();
    }
    from = end;
    end = next;
  }
  return pairs;
}

// ---- values that repeat ----

/** Pairs of a column whose values are counted; `work` has 16 bytes for each. */
function closeCounted(table: usize, bits: u64, distinct: i32, n: i32, maxBins: i32, work: usize, out: usize): i32 {
  const sorted = work + (<usize>distinct << 3);
  let m: usize = 0;
  for (let slot: usize = 0; slot < 1 << <usize>bits; slot++) {
    const at = table + (slot << 4);
    if (load<u32>(at, 8) != 0) store<f64>(work + (m++ << 3), load<f64>(at));
  }
  mergeSort(work, distinct, sorted);
  begin(n, maxBins, distinct);
  let pairs: i32 = 0;
  for (let i = 0; i + 1 < distinct && (everyRun || binsLeft > 1); i++) {
    const low = load<f64>(sorted + (<usize>i << 3));
    const high = load<f64>(sorted + (<usize>i << 3), 8);
    hold(<f64>load<u32>(slotOf(table, bits, low), 8));
    if (closes(<f64>load<u32>(slotOf(table, bits, high), 8))) {
      storePair(out, pairs++, low, high);
      close();
    }
  }
  return pairs;
}

/** Number of rows that a table has counted. */
function countedRows(table: usize, bits: u64): u32 {
  let rows: u32 = 0;
  for (let slot: usize = 0; slot < 1 << <usize>bits; slot++) rows += load<u32>(table + (slot << 4), 8);
  return rows;
}

/** Pairs of a column with up to `most` distinct values, or −1. */
function closeByCounts(values: usize, n: i32, maxBins: i32, table: usize, bits: u64, most: i32, work: usize, tables: usize, out: usize): i32 {
  const distinct = countDistinct(values, n, table, bits, most);
  if (distinct < 0) return -1;
  const present = countedRows(table, bits);
  const pairs = closeCounted(table, bits, distinct, present, maxBins, work, out);
  store<u32>(tables, n - present);
  return pairs;
}

export function quantilePairs(values: usize, n: i32, maxBins: i32, scratch: usize, tables: usize, out: usize): i32 {
  forgetBuckets();
  if (n >= LEAST_ROWS && maxBins <= MOST_BINS) {
    const few = closeByCounts(values, n, maxBins, tables, SLOT_BITS, MOST_COUNTED, scratch, tables, out);
    if (few >= 0) return few;
    let frequent: i32 = -1;
    if (n >= REPEAT_ROWS) {
      frequent = findFrequent(values, n, scratch, frequentAt(scratch, n));
      if (frequent >= 0) {
        // Slots take half of the working space at most; values and their order the rest.
        const bits = min<u64>(REPEAT_BITS, 30 - <u64>clz<i32>(n));
        const work = scratch + (16 << <usize>bits);
        const repeated = closeByCounts(values, n, maxBins, scratch, bits, 1 << <i32>(bits - 1), work, tables, out);
        if (repeated >= 0) return repeated;
        frequent = findFrequent(values, n, scratch, frequentAt(scratch, n));
      }
      frequent = frequent < 0 ? -1 - frequent : frequent;
    } else frequent = 0;
    const pairs = closeByBuckets(values, n, maxBins, frequent, scratch, tables, out);
    if (pairs >= 0) return pairs;
  }
  const present = sortValues(values, n, scratch, tables);
  const pairs = closeSorted(scratch, present, maxBins, out);
  store<u32>(tables, n - present);
  return pairs;
}
