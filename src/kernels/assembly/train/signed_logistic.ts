// Two classes with one number a row. Twin: ../../twin/signed.ts.
//
// As in signed.ts; the sign of the number is the label, which is therefore read nowhere else.

import { loadLeaf } from "./rows";
import { addFour, firstLanes, float4, hessianOf, powers, storeSome, TILE, twoLeaves } from "./signed";

export function logisticSigned(
  raw: usize,
  signed: usize,
  n: i32,
  stats: usize,
  leafOf: usize,
  leafSize: i32,
  values: usize,
): void {
  const one = float4(6);
  let maxG = f32x4.splat(0);
  let maxH = f32x4.splat(0);
  let sumsG = f64x2.splat(0);
  let sumsH = f64x2.splat(0);
  for (let from: i32 = 0; from < n; from += TILE) {
    const end = min<i32>(from + TILE, n);
    let sumG = f32x4.splat(0);
    let sumH = f32x4.splat(0);
    for (let i = from; i < end; i += 4) {
      const row = <usize>i;
      const at = raw + (row << 3);
      const left = n - i;
      if (leafOf != 0 && left < 4) addSome(at, left, leafOf, row, leafSize, values);
      let x0 = v128.load(at);
      let x1 = v128.load(at, 16);
      if (leafOf != 0 && left >= 4) {
        x0 = f64x2.add(x0, twoLeaves(leafOf, row, leafSize, values));
        x1 = f64x2.add(x1, twoLeaves(leafOf, row + 2, leafSize, values));
        v128.store(at, x0);
        v128.store(at, x1, 16);
      }
      const to = signed + (row << 2);
      const labels = v128.load(to);
      const e = powers(f64x2.neg(f64x2.abs(x0)), f64x2.neg(f64x2.abs(x1)));
      // All ones where the score's sign speaks for the row's class: the other one has the small share.
      const right = i32x4.shr_s(v128.xor(v128.shuffle<i32>(x0, x1, 1, 3, 5, 7), labels), 31);
      let slope = f32x4.div(v128.bitselect(e, one, right), f32x4.add(e, one));
      let h = hessianOf(slope, one);
      const signed4 = v128.or(slope, v128.and(labels, i32x4.splat(<i32>0x80000000)));
      if (left >= 4) {
        v128.store(to, signed4);
      } else {
        storeSome(to, signed4, left);
        slope = v128.and(slope, firstLanes(left));
        h = v128.and(h, firstLanes(left));
      }
      maxG = f32x4.pmax(maxG, slope);
      maxH = f32x4.pmax(maxH, h);
      sumG = f32x4.add(sumG, slope);
      sumH = f32x4.add(sumH, h);
    }
    sumsG = addFour(sumsG, sumG);
    sumsH = addFour(sumsH, sumH);
  }
  store<f64>(stats, most(maxG));
  store<f64>(stats, f64x2.extract_lane(sumsG, 0) + f64x2.extract_lane(sumsG, 1), 8);
  store<f64>(stats, most(maxH), 16);
  store<f64>(stats, f64x2.extract_lane(sumsH, 0) + f64x2.extract_lane(sumsH, 1), 24);
}

/** Adds leaves to the scores of fewer than four rows. */
function addSome(at: usize, rows: i32, leafOf: usize, row: usize, size: i32, values: usize): void {
  for (let i: usize = 0; i < <usize>rows; i++, at += 8) {
    store<f64>(at, load<f64>(at) + load<f64>(values + (loadLeaf(leafOf, row + i, size) << 3)));
  }
}

// @ts-ignore: decorator
@inline
function most(four: v128): f64 {
  const low = max(f32x4.extract_lane(four, 0), f32x4.extract_lane(four, 1));
  return <f64>max(low, max(f32x4.extract_lane(four, 2), f32x4.extract_lane(four, 3)));
}
