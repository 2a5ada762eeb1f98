// From where sixteen trees are left by tops.ts to the sum of their leaves; see ../rows.ts.

import { CODES } from "./encode";
import { TESTS, tops } from "./tops";

/** Bytes of a block: the tests of sixteen trees, u32 where the exits of the first of them are. */
const BLOCK: usize = TESTS + 16;
/** Where sixteen trees are left. */
const SETS: usize = 48;

/**
 * One level down in a heap. A node is a slot's place from its low bits on, and from bit 23 on 255 less its
 * key: the code of a slot that is above the key carries into bit 31.
 */
// @ts-ignore: decorator
@inline
function down(heap: usize, i: usize): usize {
  const node = load<u32>(heap + (i << 2));
  return (i << 1) + <usize>((node + load<u32>(<usize>node & 0xffff, CODES)) >> 31);
}

/** The leaf below an exit. */
// @ts-ignore: decorator
@inline
function leafBelow<T>(heap: usize, levels: i32, from: usize): T {
  let i: usize = 1;
  if (levels > 0) i = down(heap, i);
  if (levels > 1) i = down(heap, i);
  if (levels > 2) i = down(heap, i);
  if (levels > 3) i = down(heap, i);
  return load<T>(heap + from + i * sizeof<T>());
}

// @ts-ignore: decorator
@inline
function addHeaps<T>(sum: T, block: usize, count: i32, bytes: usize, last: usize, levels: i32): T {
  const nodes = max<usize>(4 << levels, 8);
  const from = nodes - (sizeof<T>() << levels);
  const heap = nodes + (sizeof<T>() << levels);
  const t0 = v128.load(bytes);
  const t1 = v128.load(bytes, 16);
  for (; count > 0; count -= 16, block += BLOCK) {
    v128.store(SETS, tops(block, t0, t1, bytes + 32, last));
    let exits = <usize>load<u32>(block, TESTS);
    const end = SETS + <usize>min(count, 16);
    for (let at = SETS; at < end; at++, exits += heap << 4) {
      sum = <T>(sum + leafBelow<T>(exits + <usize>load<u8>(at) * heap, levels, from));
    }
  }
  return sum;
}

/**
 * Adds trees of 4 to 8 levels. An exit is a heap of nodes below it, from place 1 on, then its leaves.
 *
 * @param levels Levels below the upper four.
 */
export function even<T>(sum: T, block: usize, count: i32, bytes: usize, last: usize, levels: i32): T {
  if (levels == 0) return addHeaps<T>(sum, block, count, bytes, last, 0);
  if (levels == 1) return addHeaps<T>(sum, block, count, bytes, last, 1);
  if (levels == 2) return addHeaps<T>(sum, block, count, bytes, last, 2);
  if (levels == 3) return addHeaps<T>(sum, block, count, bytes, last, 3);
  return addHeaps<T>(sum, block, count, bytes, last, 4);
}

/**
 * One level down, or none from a leaf. A node is the place of a slot (10 bits), 255 less its key (8 bits), and
 * the distance to its left child (13 bits), next to which is the right one: the code of a slot that is above
 * the key carries into the distance. A leaf is its number and the sign.
 */
// @ts-ignore: decorator
@inline
function step(at: usize): usize {
  const node = load<u32>(at);
  const way = (node + load<u32>(<usize>node & 1020, CODES)) >> 18 & ~<u32>(<i32>node >> 31);
  return at + (<usize>way << 2);
}

/** What says in an exit that it is no leaf: the bits of a number that is none. */
const GOES_ON: u32 = 0x7fc00000;

/**
 * Adds trees of any depth. An exit is a leaf, or in its upper four bytes the place of a node among all.
 *
 * @param levels Levels below the upper four, of the deepest tree.
 * @param values Values of leaves, then nodes: `nodes` is where they begin.
 */
export function deep<T>(
  sum: T, block: usize, count: i32, bytes: usize, last: usize, levels: i32,
  ends: usize, list: usize, values: usize,
): T {
  const nodes = <usize>load<u32>(values);
  values += 16;
  const t0 = v128.load(bytes);
  const t1 = v128.load(bytes, 16);
  let end = list;
  let to = ends;
  for (let some = count; some > 0; some -= 16, block += BLOCK) {
    v128.store(SETS, tops(block, t0, t1, bytes + 32, last));
    let exits = <usize>load<u32>(block, TESTS);
    for (let i: usize = 0; i < 16; i++, exits += 16 * sizeof<T>(), to += sizeof<T>()) {
      const exit = exits + <usize>load<u8>(SETS + i) * sizeof<T>();
      store<T>(to, load<T>(exit));
      const bits = load<u32>(exit, sizeof<T>() - 4);
      store<u32>(end, <u32>to);
      store<u32>(end, <u32>nodes + ((bits & ~GOES_ON) << 2), 4);
      end += usize((bits & GOES_ON) == GOES_ON) << 3;
    }
  }
  // Nodes lie by four levels, then by three: each part is in a line of the cache or two.
  for (let steps = 4; end != list; steps = 3) {
    for (let at = list; at < end; at += 8) {
      let node = <usize>load<u32>(at, 4);
      if (steps > 3) node = step(node);
      node = step(step(step(node)));
      store<u32>(at, <u32>node, 4);
    }
    // Apart from the steps: where to write is known only after them, and reading would wait for it.
    let left = list;
    for (let at = list; at < end; at += 8) {
      const place = load<u32>(at);
      const node = load<u32>(at, 4);
      const leaf = load<i32>(<usize>node);
      store<T>(<usize>place, load<T>(values + <usize>(leaf & 0x7fffffff & (leaf >> 31)) * sizeof<T>()));
      store<u32>(left, place);
      store<u32>(left, node, 4);
      left += usize(leaf >= 0) << 3;
    }
    end = left;
  }
  for (const all = ends + <usize>count * sizeof<T>(); ends < all; ends += sizeof<T>()) {
    sum = <T>(sum + load<T>(ends));
  }
  return sum;
}
