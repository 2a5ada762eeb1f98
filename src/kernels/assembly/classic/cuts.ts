// The best cut of a node of two classes with whole weights, by Gini; see ../../classic.ts.
//
// Sums are whole numbers, packed into one u64 (class 0, class 1, rows), so the order of addition
// cannot be seen. A numeric feature is first counted into buckets of neighbouring codes. Gini's gain
// is convex in the two class sums, so no cut inside a bucket gains more than the better of two
// corners (all of one class first): only buckets that might win are sorted.

const MOST_BUCKETS: u32 = 4096;
const FEW: i32 = 20; // sorted by insertion at once

// The node.
let total: u64 = 0;
let t0: f64 = 0;
let t1: f64 = 0;
let weight: f64 = 0;
let parent: f64 = 0;
let shift: u64 = 0;
let mask: u64 = 0;
let step: u64 = 0;
let minWeight: f64 = 0;
let minRows: u64 = 0;
let checked: bool = false;

// The best cut so far.
let gain: f64 = 0;
let feature: i32 = 0;
let limit: u32 = 0;
let missing: i32 = 0;
/** A·r + B·l of a cut that gains as much must reach floor·l·r. */
let floor: f64 = 0;

// @ts-ignore: decorator
@inline
function first(sum: u64): f64 {
  return <f64>(<i64>(sum & mask));
}

// @ts-ignore: decorator
@inline
function second(sum: u64): f64 {
  return <f64>(<i64>((sum >> shift) & mask));
}

// @ts-ignore: decorator
@inline
function oneOf(record: u64): u64 {
  const word = <u32>(record >> 32);
  return (<u64>(word >> 1) << (<u64>(word & 1) * shift)) + step;
}

/** A call of memory.fill costs more than a few words. */
// @ts-ignore: decorator
@inline
function clear(at: usize, bytes: usize): void {
  if (bytes > 512) memory.fill(at, 0, bytes);
  else for (const end = at + bytes; at < end; at += 8) store<u64>(at, 0);
}

/** Whether a cut with these sums on the left may gain as much as the best one. */
// @ts-ignore: decorator
@inline
function mayWin(l0: f64, l1: f64): bool {
  const l = l0 + l1;
  const r = weight - l;
  const r0 = t0 - l0;
  const r1 = t1 - l1;
  return (l0 * l0 + l1 * l1) * r + (r0 * r0 + r1 * r1) * l >= floor * l * r;
}

/** The gain by the same operations as criterion/gini.ts; −∞ where a limit is broken. */
function gainOf(left: u64): f64 {
  const l0 = first(left);
  const l1 = second(left);
  const r0 = t0 - l0;
  const r1 = t1 - l1;
  const l = l0 + l1;
  const r = weight - l;
  if (!(l > 0 && r > 0)) return -Infinity;
  if (checked) {
    if (l < minWeight || r < minWeight) return -Infinity;
    if (step != 0) {
      const rows = left >> 42;
      if (rows < minRows || (total >> 42) - rows < minRows) return -Infinity;
    }
  }
  return (l0 * l0 + l1 * l1) / l + (r0 * r0 + r1 * r1) / r - parent;
}

/** Takes a cut that is better: more gain, then the lower feature, then as the TypeScript scans. */
function consider(left: u64, f: i32, code: u32, side: i32): bool {
  const own = gainOf(left);
  if (!(own >= gain) || own == -Infinity) return false;
  if (own == gain) {
    if (f > feature) return false;
    // Missing right before missing left, then ascending codes.
    if (f == feature && !(side > missing || (side == missing && code < limit))) return false;
  }
  gain = own;
  feature = f;
  limit = code;
  missing = side;
  floor = own + parent - 1e-11 * (own + parent);
  return true;
}

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

function numeric(
  records: usize,
  n: i32,
  f: i32,
  column: usize,
  wide: bool,
  numCodes: u32,
  tables: usize,
  work: usize,
): void {
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
    if (count == 0) return;
    if (lacking == 0 && load<u64>(keys) >> 32 == load<u64>(keys + (<usize>(count - 1) << 3)) >> 32) return;
    walk(keys, count, 0, lacking, f, 0, 0, false);
    return;
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
  if (low == numCodes) return; // all missing
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
  if (numBuckets == 1 && bits == 0 && lacking == 0) return; // one value
  const right = lacking != 0 ? 1 : -1;
  // Ends of buckets; cells become what lies left of their end.
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
  if (bits == 0) return;
  // Which buckets may hide a better cut.
  const flags = tables + (<usize>(2 * MOST_BUCKETS + 4) << 3);
  let some = false;
  left = 0;
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
  if (!some) return;
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
}

/** Levels by the share of class 1, and the best prefix of them (Breiman et al. 1984, theorem 4.5). */
function subset(
  records: usize,
  n: i32,
  f: i32,
  column: usize,
  wide: bool,
  numCodes: u32,
  levels: usize,
  sets: usize,
): void {
  const cells = levels;
  clear(cells, <usize>(numCodes + 1) << 3);
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const row = <usize>(<u32>record);
    const code = wide ? load<u32>(column + (row << 2)) : <u32>load<u16>(column + (row << 1));
    const cell = cells + (<usize>code << 3);
    store<u64>(cell, load<u64>(cell) + oneOf(record));
  }
  const lacking = load<u64>(cells + (<usize>numCodes << 3));
  const scores = cells + (<usize>(numCodes + 1) << 3);
  const order = scores + (<usize>(numCodes + 1) << 3);
  let count = 0;
  for (let code: u32 = 0; code < numCodes; code++) {
    const own = load<u64>(cells + (<usize>code << 3));
    if (own == 0) continue;
    store<f64>(scores + (<usize>code << 3), second(own) / (first(own) + second(own)));
    store<u32>(order + (<usize>(count++) << 2), code);
  }
  if (count == 0 || count == 1 && lacking == 0) return;
  // Stable, by Shell's gaps and the code among equals.
  let gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < count; i++) {
      const code = load<u32>(order + (<usize>i << 2));
      const score = load<f64>(scores + (<usize>code << 3));
      let j = i;
      while (j >= gap) {
        const other = load<u32>(order + (<usize>(j - gap) << 2));
        const theirs = load<f64>(scores + (<usize>other << 3));
        if (!(theirs > score || theirs == score && other > code)) break;
        store<u32>(order + (<usize>j << 2), other);
        j -= gap;
      }
      store<u32>(order + (<usize>j << 2), code);
    }
  }
  let left: u64 = 0;
  let best = -1;
  for (let i = 0; i < count; i++) {
    left += load<u64>(cells + (<usize>load<u32>(order + (<usize>i << 2)) << 3));
    // All levels: known from missing.
    if (i < count - 1 || lacking != 0) {
      if (mayWin(first(left), second(left)) && consider(left, f, <u32>i, lacking != 0 ? 1 : -1)) best = i;
    }
    if (i < count - 1 && lacking != 0) {
      const both = left + lacking;
      if (mayWin(first(both), second(both)) && consider(both, f, <u32>i, 0)) best = i;
    }
  }
  if (best < 0) return;
  // The set: levels on the left, and levels that the node has not seen with the heavier side.
  const words = (numCodes + 31) >> 5;
  for (let word: u32 = 0; word < words; word++) store<u32>(sets + (<usize>word << 2), 0);
  let balance: f64 = 0;
  for (let i = 0; i < count; i++) {
    const code = load<u32>(order + (<usize>i << 2));
    const own = load<u64>(cells + (<usize>code << 3));
    const w = first(own) + second(own);
    balance += i <= best ? w : -w;
    if (i <= best) mark(sets, code);
  }
  if (balance >= 0) {
    for (let code: u32 = 0; code < numCodes; code++) {
      if (load<u64>(cells + (<usize>code << 3)) == 0) mark(sets, code);
    }
  }
}

function mark(sets: usize, code: u32): void {
  const word = sets + ((<usize>code >> 5) << 2);
  store<u32>(word, load<u32>(word) | (<u32>1 << (code & 31)));
}

/**
 * `features`: 16 bytes each: u32 column, u32 codes, u32 flags (1 two words a code, 2 categories).
 * `params`: u64 sums of the node, u64 shift of class 1, u64 what a row adds besides its weight,
 * f64 least weight and u64 fewest rows of a child. `tables`: 8 · 8200 + 8200 bytes; `levels`: 20
 * bytes a code of the widest categorical feature, and one; `work`: 12 n + 16 bytes; `sets`: a bit a
 * code. `out`: f64 gain, i32 feature, u32 last code on the left, i32 branch of missing (−1 none).
 *
 * Returns whether there is a cut.
 */
export function bestCut(
  records: usize,
  n: i32,
  features: usize,
  list: usize,
  count: i32,
  params: usize,
  tables: usize,
  levels: usize,
  work: usize,
  sets: usize,
  out: usize,
): i32 {
  total = load<u64>(params);
  shift = load<u64>(params, 8);
  step = load<u64>(params, 16);
  minWeight = load<f64>(params, 24);
  minRows = load<u64>(params, 32);
  mask = (<u64>1 << shift) - 1;
  checked = minWeight > 0 || minRows > 1;
  t0 = first(total);
  t1 = second(total);
  weight = t0 + t1;
  parent = (t0 * t0 + t1 * t1) / weight;
  gain = -Infinity;
  floor = -Infinity;
  feature = i32.MAX_VALUE;
  limit = 0;
  missing = -2;
  for (let i = 0; i < count; i++) {
    const f = load<i32>(list + (<usize>i << 2));
    const at = features + (<usize>f << 4);
    const column = <usize>load<u32>(at);
    const numCodes = load<u32>(at, 4);
    const flags = load<u32>(at, 8);
    const wide = (flags & 1) != 0;
    if (flags & 2) subset(records, n, f, column, wide, numCodes, levels, sets);
    else numeric(records, n, f, column, wide, numCodes, tables, work);
  }
  store<f64>(out, gain);
  store<i32>(out, feature, 8);
  store<u32>(out, limit, 12);
  store<i32>(out, missing, 16);
  return gain > -Infinity ? 1 : 0;
}
