// Codes of a row: what its numbers and categories are among all that a group of trees asks; see ../rows.ts.

import { rank, WHOLE } from "../score/rank";

/** Where the codes of the row that is walked are, before a group of trees numbers them: 32 words. */
export const PLACES: usize = 64;

/** Bytes of the descriptor of four numbers, of each field four words. */
const FOUR: usize = 128;
/** Bytes of the descriptor of a slot of categories. */
const CATEGORY: usize = 16;

/**
 * Writes where a row's values stand, a word a slot: the place of its code among those of a group.
 *
 * `config` is words: fours of numbers and how many, slots of categories and how many.
 * Descriptors, u32 where nothing else is said:
 * - four numbers, whose slots come first: place in the row (bytes), f32 low, f32 scale, f32 last cell, cuts, grid
 *   (rank.ts), bytes of the first search step, place of the codes, which begin with that of a missing value;
 * - slots of categories: place in the row (bytes), slot (bytes), place of the codes, of a missing one.
 */
export function encode(config: usize, x: usize, to: usize): void {
  let four = <usize>load<u32>(config);
  const lastFour = four + <usize>load<u32>(config, 4) * FOUR;
  for (let slot = to; four < lastFour; four += FOUR, slot += 16) {
    const at0 = x + <usize>load<u32>(four);
    const at1 = x + <usize>load<u32>(four, 4);
    const at2 = x + <usize>load<u32>(four, 8);
    const at3 = x + <usize>load<u32>(four, 12);
    const v01 = v128.load64_lane(at1, v128.load64_zero(at0), 1);
    const v23 = v128.load64_lane(at3, v128.load64_zero(at2), 1);
    const v = i32x4.shuffle(f32x4.demote_f64x2_zero(v01), f32x4.demote_f64x2_zero(v23), 0, 1, 4, 5);
    const place = f32x4.mul(f32x4.sub(v, v128.load(four, 16)), v128.load(four, 32));
    const inside = f32x4.pmin(v128.load(four, 48), f32x4.pmax(f32x4.splat(0), place));
    const cell = v128.and(f32x4.add(inside, f32x4.splat(8388608)), i32x4.splat(WHOLE));
    // A missing number is in the first cell and above no cut; codes begin with its own.
    const none = f32x4.ne(v, v);
    const r0 = rankIn(four, i32x4.extract_lane(cell, 0), f64x2.extract_lane(v01, 0));
    const r1 = rankIn(four + 4, i32x4.extract_lane(cell, 1), f64x2.extract_lane(v01, 1));
    const r2 = rankIn(four + 8, i32x4.extract_lane(cell, 2), f64x2.extract_lane(v23, 0));
    const r3 = rankIn(four + 12, i32x4.extract_lane(cell, 3), f64x2.extract_lane(v23, 1));
    let ranks = i32x4.splat(r0);
    ranks = i32x4.replace_lane(ranks, 1, r1);
    ranks = i32x4.replace_lane(ranks, 2, r2);
    ranks = i32x4.replace_lane(ranks, 3, r3);
    ranks = i32x4.add(i32x4.add(ranks, i32x4.splat(1)), none);
    v128.store(slot, i32x4.add(ranks, v128.load(four, 112)));
  }
  let at = <usize>load<u32>(config, 8);
  for (const end = at + <usize>load<u32>(config, 12) * CATEGORY; at < end; at += CATEGORY) {
    const value = load<f64>(x + <usize>load<u32>(at));
    const absent = load<u32>(at, 12);
    const code = value == value ? min<u32>(<u32>value, absent) : absent;
    store<u32>(to + <usize>load<u32>(at, 4), load<u32>(at, 8) + code);
  }
}

// @ts-ignore: decorator
@inline
function rankIn(field: usize, cell: u32, value: f64): u32 {
  return <u32>(rank(<usize>load<u32>(field, 64), <usize>load<u32>(field, 80), <usize>load<u32>(field, 96), cell, value) >> 4);
}

/** The codes of sixteen slots, of the row at `PLACES`, as a group of trees numbers them. */
// @ts-ignore: decorator
@inline
export function codesOf(codes: usize, half: usize): v128 {
  let t = i64x2.splat(0);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 0), t, 0);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 4), t, 1);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 8), t, 2);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 12), t, 3);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 16), t, 4);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 20), t, 5);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 24), t, 6);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 28), t, 7);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 32), t, 8);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 36), t, 9);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 40), t, 10);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 44), t, 11);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 48), t, 12);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 52), t, 13);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 56), t, 14);
  t = v128.load8_lane(codes + <usize>load<u32>(PLACES + half + 60), t, 15);
  return t;
}
