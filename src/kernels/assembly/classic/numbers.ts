// The best cut of a numeric feature.
//
// It is first counted into buckets of neighbouring codes. Gini's gain is convex in the two class
// sums, so no cut inside a bucket gains more than the better of two corners (all of one class first):
// only buckets that might win are sorted.

import { first, second, oneOf, clear, isWhole, mayWin, consider } from "./node";

const MOST_BUCKETS: u32 = 4096;
const FEW: i32 = 20; // sorted by insertion at once

/** Ascending, by Shell's method; few are sorted by its last pass alone. */
function sortKeys(at: usize, n: i32): void {
  let gap = 1;
  while (gap < n / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    const back = <usize>gap << 3;
    for (let i = gap; i < n; i++) {
      let place = at + (<usize>i << 3);
      const key = load<u64>(place);
      const last = at + back;
      while (place >= last && load<u64>(place - back) > key) {
        store<u64>(place, load<u64>(place - back));
        place -= back;
      }
      store<u64>(place, key);
    }
  }
}

/** Cuts between the codes of sorted keys; `left` is what lies before them. */
function walk(
  keys: usize,
  n: i32,
  left: u64,
  lacking: u64,
  f: i32,
  low: u32,
  bits: u32,
  insideOnly: bool,
): void {
  const right = lacking != 0 ? 1 : -1;
  let i = 0;
  while (i < n) {
    const code = <u32>(load<u64>(keys + (<usize>i << 3)) >> 32);
    do {
      left += oneOf(load<u64>(keys + (<usize>i << 3)) << 32);
      i++;
    } while (i < n && <u32>(load<u64>(keys + (<usize>i << 3)) >> 32) == code);
    // The end of a bucket has been judged.
    if (insideOnly) {
      if (i == n || (<u32>(load<u64>(keys + (<usize>i << 3)) >> 32) - low) >> bits != (code - low) >> bits) {
        break;
      }
    }
    if (mayWin(first(left), second(left))) consider(left, f, code, right);
    if (lacking != 0) {
      const both = left + lacking;
      if (mayWin(first(both), second(both))) consider(both, f, code, 0);
    }
  }
}

/** Ends of buckets of `1 << bits` codes; cells become what lies left of their end. */
function judgeEnds(tables: usize, numBuckets: u32, f: i32, low: u32, bits: u32, numCodes: u32): void {
  const lacking = load<u64>(tables + (<usize>numBuckets << 3));
  const right = lacking != 0 ? 1 : -1;
  let left: u64 = 0;
  for (let bucket: u32 = 0; bucket < numBuckets; bucket++) {
    const cell = tables + (<usize>bucket << 3);
    const own = load<u64>(cell);
    if (own != 0) {
      left += own;
      const code = min<u32>(low + ((bucket + 1) << bits), numCodes) - 1;
      if (mayWin(first(left), second(left))) consider(left, f, code, right);
      if (lacking != 0) {
        const both = left + lacking;
        if (mayWin(first(both), second(both))) consider(both, f, code, 0);
      }
    }
    store<u64>(cell, left);
  }
}

/** Few values, many rows: a cell a code. Returns whether all rows are alike. */
function byCode(
  records: usize,
  end: usize,
  f: i32,
  column: usize,
  numCodes: u32,
  tables: usize,
): bool {
  clear(tables, <usize>(numCodes + 1) << 3);
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const code = <u32>load<u16>(column + (<usize>(<u32>record) << 1));
    const cell = tables + (<usize>code << 3);
    store<u64>(cell, load<u64>(cell) + oneOf(record));
  }
  // One value, or none: its cell has all.
  const code = <u32>load<u16>(column + (<usize>load<u32>(records) << 1));
  if (isWhole(load<u64>(tables + (<usize>code << 3)))) return true;
  judgeEnds(tables, numCodes, f, 0, 0, numCodes);
  return false;
}

/** Returns whether all rows of the node are alike. */
export function numeric(
  records: usize,
  n: i32,
  f: i32,
  column: usize,
  wide: bool,
  numCodes: u32,
  tables: usize,
  work: usize,
): bool {
  const codes = work;
  const keys = work + (((<usize>n << 2) + 15) & ~15);
  let low: u32 = u32.MAX_VALUE;
  let high: u32 = 0;
  let lacking: u64 = 0;
  const end = records + (<usize>n << 3);
  if (n <= FEW) {
    let count = 0;
    for (let at = records; at < end; at += 8) {
      const record = load<u64>(at);
      const row = <usize>(<u32>record);
      const code = wide ? load<u32>(column + (row << 2)) : <u32>load<u16>(column + (row << 1));
      if (code == numCodes) {
        lacking += oneOf(record);
        continue;
      }
      const key = (<u64>code << 32) | (record >> 32);
      let place = keys + (<usize>(count++) << 3);
      while (place > keys && load<u64>(place - 8) > key) {
        store<u64>(place, load<u64>(place - 8));
        place -= 8;
      }
      store<u64>(place, key);
    }
    if (count == 0) return true;
    if (lacking == 0 && load<u64>(keys) >> 32 == load<u64>(keys + (<usize>(count - 1) << 3)) >> 32) {
      return true;
    }
    walk(keys, count, 0, lacking, f, 0, 0, false);
    return false;
  }
  if (!wide && numCodes <= min<u32>(MOST_BUCKETS, <u32>n)) {
    return byCode(records, end, f, column, numCodes, tables);
  }
  if (wide) {
    for (let at = records, to = codes; at < end; at += 8, to += 4) {
      const code = load<u32>(column + (<usize>load<u32>(at) << 2));
      store<u32>(to, code);
      low = min(low, code);
      high = max(high, code == numCodes ? 0 : code);
    }
  } else {
    for (let at = records, to = codes; at < end; at += 8, to += 4) {
      const code = <u32>load<u16>(column + (<usize>load<u32>(at) << 1));
      store<u32>(to, code);
      low = min(low, code);
      high = max(high, code == numCodes ? 0 : code);
    }
  }
  if (low == numCodes) return true; // all missing
  const range = high - low + 1;
  const most = min<u32>(MOST_BUCKETS, max<u32>(32, <u32>n >> 1));
  let bits: u32 = 0;
  if (range > 2 * most) {
    bits = 32 - clz(range - 1) - (31 - clz(most));
  }
  const numBuckets = ((range - 1) >> bits) + 1;
  // The cell behind the last bucket takes missing rows.
  clear(tables, <usize>(numBuckets + 1) << 3);
  {
    let from = codes;
    for (let at = records; at < end; at += 8, from += 4) {
      const code = load<u32>(from);
      const bucket = code == numCodes ? numBuckets : (code - low) >> bits;
      const cell = tables + (<usize>bucket << 3);
      store<u64>(cell, load<u64>(cell) + oneOf(load<u64>(at)));
    }
  }
  lacking = load<u64>(tables + (<usize>numBuckets << 3));
  if (numBuckets == 1 && bits == 0 && lacking == 0) return true; // one value
  judgeEnds(tables, numBuckets, f, low, bits, numCodes);
  if (bits == 0) return false;
  // Which buckets may hide a better cut.
  const flags = tables + (<usize>(2 * MOST_BUCKETS + 4) << 3);
  let some = false;
  let left: u64 = 0;
  for (let bucket: u32 = 0; bucket < numBuckets; bucket++) {
    const after = load<u64>(tables + (<usize>bucket << 3));
    let flag = false;
    if (after != left) {
      flag = mayWin(first(left), second(after)) || mayWin(first(after), second(left));
      if (lacking != 0 && !flag) {
        const a = left + lacking;
        const b = after + lacking;
        flag = mayWin(first(a), second(b)) || mayWin(first(b), second(a));
      }
      some = some || flag;
    }
    store<u8>(flags + <usize>bucket, <u8>flag);
    left = after;
  }
  if (!some) return false;
  store<u8>(flags + <usize>numBuckets, 0);
  let to = keys;
  {
    let from = codes;
    for (let at = records; at < end; at += 8, from += 4) {
      const code = load<u32>(from);
      const bucket = code == numCodes ? numBuckets : (code - low) >> bits;
      store<u64>(to, (<u64>code << 32) | (load<u64>(at) >> 32));
      to += <usize>load<u8>(flags + <usize>bucket) << 3;
    }
  }
  const count = <i32>((to - keys) >> 3);
  sortKeys(keys, count);
  let i = 0;
  while (i < count) {
    const bucket = (<u32>(load<u64>(keys + (<usize>i << 3)) >> 32) - low) >> bits;
    const begin = i;
    do {
      i++;
    } while (i < count && (<u32>(load<u64>(keys + (<usize>i << 3)) >> 32) - low) >> bits == bucket);
    const before = bucket == 0 ? <u64>0 : load<u64>(tables + (<usize>(bucket - 1) << 3));
    walk(keys + (<usize>begin << 3), i - begin, before, lacking, f, low, bits, true);
  }
  return false;
}
