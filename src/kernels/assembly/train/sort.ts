// Sorting a whole column by radix.

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
export function key64(x: f64): u64 {
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
