// Histograms of all rows for up to eight outputs at once. Twin: ../../twin/roots.ts.
//
// The codes of a row are read once, and a cell holds the sums of all outputs beside each other: one line
// of the cache, of which one addition takes care of two outputs.

const OUTPUTS: i32 = 8;
/** Rows whose gradients are spread at a time: a multiple of 4. */
const ROWS: i32 = 64;
/** Bytes from the cells of a feature to those of the next: `STRIDE8` of types.ts. */
const CELLS: usize = 264 * 64;

/** Packed gradients of four rows of an output, where it is there. */
// @ts-ignore: decorator
@inline
function fourOf(packed: usize, stride: usize, k: i32, numOutputs: i32): v128 {
  return k < numOutputs ? v128.load(packed + <usize>k * stride) : i64x2.splat(0);
}

/** Gradients of four rows and two outputs, as they are added to cells, to their places. */
// @ts-ignore: decorator
@inline
function spreadTwo(a: v128, b: v128, out: usize): void {
  const ha = v128.and(a, i32x4.splat(0xffff));
  const ga = i32x4.shr_s(a, 16);
  const hb = v128.and(b, i32x4.splat(0xffff));
  const gb = i32x4.shr_s(b, 16);
  const a0 = v128.shuffle<i32>(ha, ga, 0, 4, 1, 5);
  const b0 = v128.shuffle<i32>(hb, gb, 0, 4, 1, 5);
  const a2 = v128.shuffle<i32>(ha, ga, 2, 6, 3, 7);
  const b2 = v128.shuffle<i32>(hb, gb, 2, 6, 3, 7);
  v128.store(out, v128.shuffle<i64>(a0, b0, 0, 2));
  v128.store(out, v128.shuffle<i64>(a0, b0, 1, 3), 64);
  v128.store(out, v128.shuffle<i64>(a2, b2, 0, 2), 128);
  v128.store(out, v128.shuffle<i64>(a2, b2, 1, 3), 192);
}

/** Adds a row to a cell. */
// @ts-ignore: decorator
@inline
function addTo(cell: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(cell, i32x4.add(v128.load(cell), a));
  v128.store(cell, i32x4.add(v128.load(cell, 16), b), 16);
  v128.store(cell, i32x4.add(v128.load(cell, 32), c), 32);
  v128.store(cell, i32x4.add(v128.load(cell, 48), d), 48);
}

export function addRoots(
  n: i32,
  rows: usize,
  stride: usize,
  features: usize,
  packed: usize,
  packedStride: usize,
  numOutputs: i32,
  values: usize,
  out: usize,
): void {
  for (let from: i32 = 0; from < n; from += ROWS) {
    const count = min<i32>(ROWS, n - from);
    for (let i: i32 = 0; i < count; i += 4) {
      const p = packed + (<usize>(from + i) << 2);
      const to = values + (<usize>i << 6);
      for (let k: i32 = 0; k < OUTPUTS; k += 2) {
        spreadTwo(
          fourOf(p, packedStride, k, numOutputs),
          fourOf(p, packedStride, k + 1, numOutputs),
          to + (<usize>k << 3),
        );
      }
    }
    const first = rows + <usize>from * stride;
    const end = values + (<usize>count << 6);
    const four = features & ~3;
    let f: usize = 0;
    for (; f < four; f += 4) {
      const h = out + f * CELLS;
      let p = first + f;
      for (let v = values; v < end; v += 64, p += stride) {
        const codes = load<u32>(p);
        const a = v128.load(v);
        const b = v128.load(v, 16);
        const c = v128.load(v, 32);
        const d = v128.load(v, 48);
        addTo(h + <usize>((codes & 0xff) << 6), a, b, c, d);
        addTo(h + CELLS + <usize>(((codes >> 8) & 0xff) << 6), a, b, c, d);
        addTo(h + 2 * CELLS + <usize>(((codes >> 16) & 0xff) << 6), a, b, c, d);
        addTo(h + 3 * CELLS + <usize>((codes >> 24) << 6), a, b, c, d);
      }
    }
    if (f == features) continue;
    const h = out + f * CELLS;
    let p = first + f;
    for (let v = values; v < end; v += 64, p += stride) {
      const codes = <u32>load<u16>(p);
      const a = v128.load(v);
      const b = v128.load(v, 16);
      const c = v128.load(v, 32);
      const d = v128.load(v, 48);
      addTo(h + <usize>((codes & 0xff) << 6), a, b, c, d);
      addTo(h + CELLS + <usize>((codes >> 8) << 6), a, b, c, d);
    }
  }
}

export function takeRoots(
  ranges: usize,
  n: i32,
  roots: usize,
  copies: i32,
  copyBytes: usize,
  place: i32,
  cells: usize,
): void {
  for (const end = ranges + (<usize>n << 3); ranges < end; ranges += 8) {
    const from = <usize>load<u32>(ranges);
    const to = <usize>load<u32>(ranges, 4);
    let at = roots + (from << 6) + (<usize>place << 3);
    const last = cells + (to << 3);
    for (let cell = cells + (from << 3); cell < last; cell += 8, at += 64) {
      let sum = load<u64>(at);
      let other = at;
      for (let i: i32 = 1; i < copies; i++) {
        other += copyBytes;
        // The low half never overflows into the high one.
        sum += load<u64>(other);
      }
      store<u64>(cell, sum);
    }
  }
}
