// Large trees of even depth, node by node below their upper levels; see ../rows.ts.

import { PLACES } from "./encode";
import { HALF, PLACE, ZERO } from "./even";
import { TESTS4, tops4 } from "./tops";

/** Where 64 words of codes are: an address in the instruction saves another one. Behind them are 192 of 0. */
const CODES: usize = 37376;

/**
 * Words of codes of the row at `PLACES`: the rank of each number among its cuts, at most 256, once where missing
 * values are below every rank and once where they are above, as far to the left as keys in nodes.
 *
 * @param bases Places of the codes of missing numbers, u32.
 */
export function words(bases: usize, count: usize): void {
  for (let at: usize = 0; at < count << 2; at += 4) {
    const code = load<u32>(PLACES + at) - load<u32>(bases + at);
    const missing = u32(code == 0);
    const rank = code - 1 + missing;
    store<u64>(CODES + (at << 1), (<u64>rank | <u64>(rank | missing << 8) << 32) << 10);
  }
}

/**
 * One step down: how many bytes to go on. A node is, from its low bits on: the place of a slot (10 bits), 255 less its
 * key (8 bits), and the distance to its left child (14 bits), next to which is the right one. A code above the key
 * carries into the distance. Leaves ask a slot whose code is 0, at no distance: they stay where they are. They have
 * bit 8, and their number in those below and above it.
 */
// @ts-ignore: decorator
@inline
function down(at: usize): usize {
  const node = load<u32>(at);
  return at + (<usize>((node + load<u32>(<usize>node & 1020, CODES)) >> 18) << 2);
}

/** Where tree `k` of a block goes on. */
// @ts-ignore: decorator
@inline
function exitOf(exits: usize, taken: usize, k: usize): usize {
  return <usize>load<u32>(exits + (k << 6) + (<usize>load<u8>(taken + k) >> 2));
}

/**
 * Adds trees.
 *
 * `block` is words: places of nodes by exits of upper levels, room for a byte a tree, levels below, room for sixteen
 * places, where the values of the leaves of each tree are; and 32 bytes further the tests of upper levels by sixteen
 * trees.
 */
export function forest<T>(sum: T, block: usize, count: i32, t0: v128, t1: v128): T {
  let exits = <usize>load<u32>(block);
  let taken = <usize>load<u32>(block, 4);
  const levels = load<i32>(block, 8);
  const ends = <usize>load<u32>(block, 12);
  let values = <usize>load<u32>(block, 16);
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  for (let k = 0, tests = block + 32; k < count; k += 16, tests += TESTS4) {
    v128.store(taken + k, tops4(tests, t0, t1, place, half, zero));
  }
  // Sixteen ways in step: what they wait for is memory.
  for (; count > 0; count -= 16, exits += 1024, taken += 16) {
    let a = exitOf(exits, taken, 0);
    let b = exitOf(exits, taken, 1);
    let c = exitOf(exits, taken, 2);
    let d = exitOf(exits, taken, 3);
    let e = exitOf(exits, taken, 4);
    let f = exitOf(exits, taken, 5);
    let g = exitOf(exits, taken, 6);
    let h = exitOf(exits, taken, 7);
    let i = exitOf(exits, taken, 8);
    let j = exitOf(exits, taken, 9);
    let k = exitOf(exits, taken, 10);
    let l = exitOf(exits, taken, 11);
    let m = exitOf(exits, taken, 12);
    let n = exitOf(exits, taken, 13);
    let o = exitOf(exits, taken, 14);
    let p = exitOf(exits, taken, 15);
    for (let level = levels; level > 0; level--) {
      a = down(a);
      b = down(b);
      c = down(c);
      d = down(d);
      e = down(e);
      f = down(f);
      g = down(g);
      h = down(h);
      i = down(i);
      j = down(j);
      k = down(k);
      l = down(l);
      m = down(m);
      n = down(n);
      o = down(o);
      p = down(p);
    }
    store<u32>(ends, <u32>a);
    store<u32>(ends, <u32>b, 4);
    store<u32>(ends, <u32>c, 8);
    store<u32>(ends, <u32>d, 12);
    store<u32>(ends, <u32>e, 16);
    store<u32>(ends, <u32>f, 20);
    store<u32>(ends, <u32>g, 24);
    store<u32>(ends, <u32>h, 28);
    store<u32>(ends, <u32>i, 32);
    store<u32>(ends, <u32>j, 36);
    store<u32>(ends, <u32>k, 40);
    store<u32>(ends, <u32>l, 44);
    store<u32>(ends, <u32>m, 48);
    store<u32>(ends, <u32>n, 52);
    store<u32>(ends, <u32>o, 56);
    store<u32>(ends, <u32>p, 60);
    const last = ends + (<usize>min(count, 16) << 2);
    for (let at = ends; at < last; at += 4, values += 4) {
      const node = load<u32>(<usize>load<u32>(at));
      const leaf = <usize>(node >> 9 << 8 | node & 255);
      sum = <T>(sum + load<T>(<usize>load<u32>(values) + leaf * sizeof<T>()));
    }
  }
  return sum;
}
