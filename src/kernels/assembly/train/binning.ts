// Sorting, quantiles, bins. Twin: ../twin_binning.ts.

// @ts-ignore: decorator
@inline
function key32(x: f32): u32 {
  const bits = reinterpret<u32>(x);
  return bits ^ (<u32>(<i32>bits >> 31) | 0x80000000);
}

// @ts-ignore: decorator
@inline
function value32(key: u32): f32 {
  return reinterpret<f32>(key ^ ((key >> 31) ? 0x80000000 : 0xffffffff));
}

// @ts-ignore: decorator
@inline
function key64(x: f64): u64 {
  const bits = reinterpret<u64>(x);
  return bits ^ (<u64>(<i64>bits >> 63) | 0x8000000000000000);
}

// @ts-ignore: decorator
@inline
function value64(key: u64): f64 {
  return reinterpret<f64>(key ^ ((key >> 63) ? 0x8000000000000000 : <u64>-1));
}

// @ts-ignore: decorator
@inline
function count(table: usize, digit: usize): void {
  const at = table + (digit << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Turns counts into first places; true when all keys share one digit. */
function firstPlaces(table: usize, n: u32): bool {
  let sum: u32 = 0;
  for (let digit: usize = 0; digit < 2048; digit++) {
    const here = load<u32>(table + (digit << 2));
    if (here == n) return true;
    store<u32>(table + (digit << 2), sum);
    sum += here;
  }
  return false;
}

/** Sorts keys of 32 bits; returns false where a value is not a float32 number. */
function sort32(values: usize, n: i32, scratch: usize, tables: usize): i32 {
  let a = scratch;
  let b = scratch + (<usize>n << 2);
  memory.fill(tables, 0, 3 * 8192);
  let m: i32 = 0;
  for (let i = 0; i < n; i++) {
    const v = load<f64>(values + (<usize>i << 3));
    if (v != v) continue;
    const f = <f32>v;
    if (<f64>f != v) return -1;
    const key = key32(f);
    store<u32>(a + (<usize>m << 2), key);
    count(tables, key & 2047);
    count(tables + 8192, (key >> 11) & 2047);
    count(tables + 16384, key >> 22);
    m++;
  }
  for (let pass: u32 = 0; pass < 3; pass++) {
    const table = tables + <usize>pass * 8192;
    if (m == 0 || firstPlaces(table, m)) continue;
    const end = a + (<usize>m << 2);
    for (let p = a; p < end; p += 4) {
      const key = load<u32>(p);
      const at = table + <usize>(((key >> (11 * pass)) & 2047) << 2);
      const place = load<u32>(at);
      store<u32>(at, place + 1);
      store<u32>(b + (<usize>place << 2), key);
    }
    const held = a;
    a = b;
    b = held;
  }
  // Keys in the back half are read before their place is written; those in the front half move.
  if (a == scratch) {
    memory.copy(scratch + (<usize>n << 2), a, <usize>m << 2);
    a = scratch + (<usize>n << 2);
  }
  for (let i = 0; i < m; i++) {
    store<f64>(scratch + (<usize>i << 3), <f64>value32(load<u32>(a + (<usize>i << 2))));
  }
  return m;
}

function sort64(values: usize, n: i32, scratch: usize, tables: usize): i32 {
  let a = scratch;
  let b = scratch + (<usize>n << 3);
  memory.fill(tables, 0, 6 * 8192);
  let m: i32 = 0;
  for (let i = 0; i < n; i++) {
    const v = load<f64>(values + (<usize>i << 3));
    if (v != v) continue;
    const key = key64(v);
    store<u64>(a + (<usize>m << 3), key);
    for (let pass: usize = 0; pass < 6; pass++) {
      count(tables + pass * 8192, <usize>(key >> (11 * pass)) & 2047);
    }
    m++;
  }
  for (let pass: usize = 0; pass < 6; pass++) {
    const table = tables + pass * 8192;
    if (m == 0 || firstPlaces(table, m)) continue;
    const end = a + (<usize>m << 3);
    for (let p = a; p < end; p += 8) {
      const key = load<u64>(p);
      const at = table + ((<usize>(key >> (11 * pass)) & 2047) << 2);
      const place = load<u32>(at);
      store<u32>(at, place + 1);
      store<u64>(b + (<usize>place << 3), key);
    }
    const held = a;
    a = b;
    b = held;
  }
  for (let i = 0; i < m; i++) {
    store<f64>(scratch + (<usize>i << 3), value64(load<u64>(a + (<usize>i << 3))));
  }
  return m;
}

export function sortValues(values: usize, n: i32, scratch: usize, tables: usize): i32 {
  const present = sort32(values, n, scratch, tables);
  return present >= 0 ? present : sort64(values, n, scratch, tables);
}

/** Index after the run of equal values that begins at i. */
// @ts-ignore: decorator
@inline
function runEnd(sorted: usize, n: i32, i: i32): i32 {
  const v = load<f64>(sorted + (<usize>i << 3));
  let j = i + 1;
  while (j < n && load<f64>(sorted + (<usize>j << 3)) == v) j++;
  return j;
}

export function quantilePairs(sorted: usize, n: i32, maxBins: i32, out: usize): i32 {
  if (n == 0) return 0;
  let distinct: i32 = 1;
  for (let i = 1; i < n; i++) {
    const at = sorted + (<usize>i << 3);
    distinct += i32(load<f64>(at) != load<f64>(at - 8));
  }
  const all = distinct <= maxBins;
  let pairs: i32 = 0;
  let left = <f64>n;
  let binsLeft = <f64>maxBins;
  let held: f64 = 0;
  let begin: i32 = 0;
  let end = runEnd(sorted, n, 0);
  while (end < n && (all || binsLeft > 1)) {
    const next = runEnd(sorted, n, end);
    held += <f64>(end - begin);
    let close = all;
    if (!all) {
      const share = left / binsLeft;
      close = held >= share || held + <f64>(next - end) / 2 > share;
    }
    if (close) {
      store<f64>(out + (<usize>pairs << 4), load<f64>(sorted + (<usize>begin << 3)));
      store<f64>(out + (<usize>pairs << 4), load<f64>(sorted + (<usize>end << 3)), 8);
      pairs++;
      left -= held;
      held = 0;
      binsLeft -= 1;
    }
    begin = end;
    end = next;
  }
  return pairs;
}

// @ts-ignore: decorator
@inline
function step(cuts: usize, at: usize, half: usize, value: f64): usize {
  return load<f64>(cuts + ((at + half - 1) << 3)) < value ? half : 0;
}

export function mapValues8(values: usize, n: i32, cuts: usize, size: i32, missing: i32, out: usize): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, values += 32, out += 4) {
    const v0 = load<f64>(values);
    const v1 = load<f64>(values, 8);
    const v2 = load<f64>(values, 16);
    const v3 = load<f64>(values, 24);
    let b0: usize = 0;
    let b1: usize = 0;
    let b2: usize = 0;
    let b3: usize = 0;
    for (let half: usize = <usize>size >> 1; half > 0; half >>= 1) {
      b0 += step(cuts, b0, half, v0);
      b1 += step(cuts, b1, half, v1);
      b2 += step(cuts, b2, half, v2);
      b3 += step(cuts, b3, half, v3);
    }
    store<u8>(out, <u8>(v0 == v0 ? <i32>b0 : missing));
    store<u8>(out, <u8>(v1 == v1 ? <i32>b1 : missing), 1);
    store<u8>(out, <u8>(v2 == v2 ? <i32>b2 : missing), 2);
    store<u8>(out, <u8>(v3 == v3 ? <i32>b3 : missing), 3);
  }
  for (; i < n; i++, values += 8, out++) {
    const v = load<f64>(values);
    let b: usize = 0;
    for (let half: usize = <usize>size >> 1; half > 0; half >>= 1) b += step(cuts, b, half, v);
    store<u8>(out, <u8>(v == v ? <i32>b : missing));
  }
}

export function mapValues16(values: usize, n: i32, cuts: usize, size: i32, missing: i32, out: usize): void {
  for (let i = 0; i < n; i++, values += 8, out += 2) {
    const v = load<f64>(values);
    let b: usize = 0;
    for (let half: usize = <usize>size >> 1; half > 0; half >>= 1) b += step(cuts, b, half, v);
    store<u16>(out, <u16>(v == v ? <i32>b : missing));
  }
}

export function rowsOf8(
  columns: usize,
  shifts: usize,
  features: i32,
  from: i32,
  n: i32,
  stride: usize,
  out: usize,
): void {
  for (let f: usize = 0; f < <usize>features; f++) {
    const shift = load<u8>(shifts + f);
    let column = <usize>load<u32>(columns + (f << 2)) + <usize>from;
    let at = out + f;
    for (let i = 0; i < n; i++, column++, at += stride) store<u8>(at, load<u8>(column) + shift);
  }
  for (let f = <usize>features; f < stride; f++) {
    let at = out + f;
    for (let i = 0; i < n; i++, at += stride) store<u8>(at, 0);
  }
}

export function rowsOf16(columns: usize, features: i32, from: i32, n: i32, stride: usize, out: usize): void {
  for (let f: usize = 0; f < <usize>features; f++) {
    let column = <usize>load<u32>(columns + (f << 2)) + (<usize>from << 1);
    let at = out + (f << 1);
    for (let i = 0; i < n; i++, column += 2, at += stride) store<u16>(at, load<u16>(column));
  }
}
