// Ranks of one column of numbers; what ../../../binning/rank.ts does in TypeScript.

const BITS: i32 = 11;
const MASK: u32 = 2047;
const TABLE: usize = 8192; // 2048 counts

/** Runs of numbers that are one float32 are sorted by insertion up to this length. */
const LONGEST_RUN: i32 = 64;

/**
 * Codes of a column of categories in place: `missing` for those below 0, at most `missing` − 1 for
 * the others. `codes`: n i32. Returns 1 where one was below 0, else 0.
 */
export function rankLevels(codes: usize, n: i32, missing: i32): i32 {
  let any = 0;
  for (let i = 0; i < n; i++) {
    const at = codes + (<usize>i << 2);
    const code = load<i32>(at);
    const below = i32(code < 0);
    any |= below;
    store<i32>(at, below ? missing : min(code, missing - 1));
  }
  return any;
}

/** Bits whose order as u32 is the order of the float32. */
// @ts-ignore: decorator
@inline
function keyOf(value: f64): u32 {
  const bits = reinterpret<i32>(<f32>value);
  return <u32>(bits ^ ((bits >> 31) | i32.MIN_VALUE));
}

/**
 * Sorts by float32 (three passes of 11 bits), then mends runs of doubles that share a float32.
 * `values`: n float64, NaN is missing; −0 becomes 0. `codes`: n u32, rank of each row, or the number
 * of distinct values where missing. `distinct`: the values, ascending. `records`, `spare`: 8 n bytes
 * each; `tables`: 24 KiB.
 *
 * Returns the number of distinct values; −1 where a run is too long and nothing was ranked.
 */
export function rankValues(
  values: usize,
  n: i32,
  codes: usize,
  distinct: usize,
  records: usize,
  spare: usize,
  tables: usize,
): i32 {
  memory.fill(tables, 0, 3 * TABLE);
  let known = 0;
  for (let i = 0; i < n; i++) {
    const value = load<f64>(values + (<usize>i << 3));
    if (value != value) continue;
    const key = keyOf(value + 0);
    store<u64>(records + (<usize>(known++) << 3), (<u64>key << 32) | <u64>i);
    const a = tables + (<usize>(key & MASK) << 2);
    const b = tables + TABLE + (<usize>((key >> BITS) & MASK) << 2);
    const c = tables + 2 * TABLE + (<usize>(key >> (2 * BITS)) << 2);
    store<u32>(a, load<u32>(a) + 1);
    store<u32>(b, load<u32>(b) + 1);
    store<u32>(c, load<u32>(c) + 1);
  }
  if (known == 0) {
    for (let i = 0; i < n; i++) store<u32>(codes + (<usize>i << 2), 0);
    return 0;
  }
  let from = records;
  let to = spare;
  for (let pass = 0; pass < 3; pass++) {
    const table = tables + <usize>pass * TABLE;
    const shift = <u64>(32 + pass * BITS);
    const first = <usize>((load<u64>(from) >> shift) & <u64>MASK);
    if (load<u32>(table + (first << 2)) == <u32>known) continue; // all alike
    let sum: u32 = 0;
    for (let d: usize = 0; d < TABLE; d += 4) {
      const held = load<u32>(table + d);
      store<u32>(table + d, sum);
      sum += held;
    }
    const end = from + (<usize>known << 3);
    for (let at = from; at < end; at += 8) {
      const record = load<u64>(at);
      const cell = table + (<usize>((record >> shift) & <u64>MASK) << 2);
      const place = load<u32>(cell);
      store<u32>(cell, place + 1);
      store<u64>(to + (<usize>place << 3), record);
    }
    const held = from;
    from = to;
    to = held;
  }
  let count = 0;
  let i = 0;
  while (i < known) {
    const key = <u32>(load<u64>(from + (<usize>i << 3)) >> 32);
    const begin = i;
    let alike = true;
    const value = load<f64>(values + (<usize>(<u32>load<u64>(from + (<usize>i << 3))) << 3)) + 0;
    do {
      const row = <u32>load<u64>(from + (<usize>i << 3));
      if (load<f64>(values + (<usize>row << 3)) + 0 != value) alike = false;
      i++;
    } while (i < known && <u32>(load<u64>(from + (<usize>i << 3)) >> 32) == key);
    if (alike) {
      store<f64>(distinct + (<usize>count << 3), value);
      for (let j = begin; j < i; j++) {
        const row = <u32>load<u64>(from + (<usize>j << 3));
        store<u32>(codes + (<usize>row << 2), <u32>count);
      }
      count++;
      continue;
    }
    if (i - begin > LONGEST_RUN) return -1;
    for (let j = begin + 1; j < i; j++) {
      const record = load<u64>(from + (<usize>j << 3));
      const own = load<f64>(values + (<usize>(<u32>record) << 3));
      let k = j;
      while (k > begin) {
        const other = load<u64>(from + (<usize>(k - 1) << 3));
        if (!(load<f64>(values + (<usize>(<u32>other) << 3)) > own)) break;
        store<u64>(from + (<usize>k << 3), other);
        k--;
      }
      store<u64>(from + (<usize>k << 3), record);
    }
    let last: f64 = 0;
    for (let j = begin; j < i; j++) {
      const row = <u32>load<u64>(from + (<usize>j << 3));
      const own = load<f64>(values + (<usize>row << 3)) + 0;
      if (j == begin || own != last) {
        store<f64>(distinct + (<usize>count << 3), own);
        count++;
        last = own;
      }
      store<u32>(codes + (<usize>row << 2), <u32>(count - 1));
    }
  }
  if (known < n) {
    for (let i = 0; i < n; i++) {
      const value = load<f64>(values + (<usize>i << 3));
      if (value != value) store<u32>(codes + (<usize>i << 2), <u32>count);
    }
  }
  return count;
}
