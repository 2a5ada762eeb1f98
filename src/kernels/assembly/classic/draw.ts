// Features drawn without replacement at a node, from the node's own stream: PCG32 of
// ../../../util/rng.ts and the draw of ../../../grow/feature_draw.ts, number by number.

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
  b = mix(b + a + key * 0x9e3779b1);
  increment = ((((<u64>mix(a + b)) << 32) | <u64>mix(b ^ 0x03707344)) << 1) | 1;
  state = increment + ((<u64>mix(a ^ 0x13198a2e) << 32) | <u64>mix(b));
  step();
}

export function left(): u32 {
  return size - drawn;
}

/** The next feature; there must be one. */
export function draw(): i32 {
  const n = <u64>(size - drawn);
  // Rejects the incomplete last span, so that every value is equally likely.
  const limit = <u64>0x100000000 - <u64>0x100000000 % n;
  let value = <u64>next();
  while (value >= limit) value = <u64>next();
  const other = drawn + <u32>(value % n);
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
