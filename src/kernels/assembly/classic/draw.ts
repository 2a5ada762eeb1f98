// Random draws: features of a node without replacement, from the node's own stream, and rows of a bag
// with it. PCG32 of ../../../util/rng.ts and the draw of ../../../grow/feature_draw.ts, number by number.

let state: u64 = 0;
let increment: u64 = 0;
let pool: usize = 0;
let swaps: usize = 0;
let size: u32 = 0;
let drawn: u32 = 0;

// @ts-ignore: decorator
@inline
function mix(h: u32): u32 {
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}

// @ts-ignore: decorator
@inline
function step(): void {
  state = state * 6364136223846793005 + increment;
}

function next(): u32 {
  const old = state;
  step();
  return rotr<u32>(<u32>(((old >> 18) ^ old) >> 27), <u32>(old >> 59));
}

/** The list to draw from (i32), and room for as many swaps (u32). */
export function openPool(list: usize, room: usize, count: u32): void {
  pool = list;
  swaps = room;
  size = count;
  drawn = 0;
}

/** The stream of a node: that of the path mixed into `a` and `b`, and its key. */
export function openStream(a: u32, b: u32, key: u32): void {
  a = mix(a * 31 + key);
  openPath(a, mix(b + a + key * 0x9e3779b1));
}

/** The stream of the path mixed into `a` and `b`. */
function openPath(a: u32, b: u32): void {
  increment = ((((<u64>mix(a + b)) << 32) | <u64>mix(b ^ 0x03707344)) << 1) | 1;
  state = increment + ((<u64>mix(a ^ 0x13198a2e) << 32) | <u64>mix(b));
  step();
}

/** Uniform on 0 … n − 1; rejects the incomplete last span, so that every value is equally likely. */
// @ts-ignore: decorator
@inline
function nextBelow(n: u32, last: u32): u32 {
  let value = next();
  while (value > last) value = next();
  return value % n;
}

/** The last number of the last whole span: 2³² − 1 − 2³² mod n. */
// @ts-ignore: decorator
@inline
function lastOf(n: u32): u32 {
  return u32.MAX_VALUE - (0 - n) % n;
}

/** Draws rows with replacement and counts them, `counts`: n u32; `a` and `b` as above. */
export function drawRows(a: u32, b: u32, draws: u32, n: u32, counts: usize): void {
  memory.fill(counts, 0, <usize>n << 2);
  openPath(a, b);
  const last = lastOf(n);
  for (let i: u32 = 0; i < draws; i++) {
    const at = counts + (<usize>nextBelow(n, last) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

export function left(): u32 {
  return size - drawn;
}

/** The next feature; there must be one. */
export function draw(): i32 {
  const n = size - drawn;
  const other = drawn + nextBelow(n, lastOf(n));
  const there = pool + (<usize>other << 2);
  const here = pool + (<usize>drawn << 2);
  const feature = load<i32>(there);
  store<i32>(there, load<i32>(here));
  store<i32>(here, feature);
  store<u32>(swaps + (<usize>drawn << 2), other);
  drawn++;
  return feature;
}

/** Puts all back. */
export function undo(): void {
  while (drawn > 0) {
    drawn--;
    const there = pool + (<usize>load<u32>(swaps + (<usize>drawn << 2)) << 2);
    const here = pool + (<usize>drawn << 2);
    const held = load<i32>(there);
    store<i32>(there, load<i32>(here));
    store<i32>(here, held);
  }
}
