// Cells of histograms. Twin: ../../twin/histogram.ts. The first cell of feature f is 264 f, so that within a
// group of features the compiler folds the offset into the instruction.

/**
 * Bytes from the cells of a feature to those of the next: 256 cells and a line more, so that cells of the
 * same code do not lie in the same set of the nearest cache, for which they would push each other out.
 */
export const CELLS: usize = 2112;
export const CELLS_WIDE: usize = 2 * CELLS;
/** The same of counts. */
export const COUNTS: usize = CELLS / 2;

export function clearCells(ranges: usize, n: i32, cells: usize, size: i32): void {
  for (const end = ranges + (<usize>n << 3); ranges < end; ranges += 8) {
    let at = cells + <usize>load<u32>(ranges) * <usize>size;
    const to = cells + <usize>load<u32>(ranges, 4) * <usize>size;
    for (; at + 16 <= to; at += 16) v128.store(at, i64x2.splat(0));
    for (; at < to; at += 4) store<u32>(at, 0);
  }
}

// @ts-ignore: decorator
@inline
function floats(target: usize, source: usize, bytes: usize, add: bool): void {
  for (const end = target + bytes; target < end; target += 16, source += 16) {
    const a = v128.load(target);
    const b = v128.load(source);
    v128.store(target, add ? f64x2.add(a, b) : f64x2.sub(a, b));
  }
}

// @ts-ignore: decorator
@inline
function words(target: usize, source: usize, bytes: usize, add: bool): void {
  const end = target + bytes;
  for (; target + 16 <= end; target += 16, source += 16) {
    const a = v128.load(target);
    const b = v128.load(source);
    v128.store(target, add ? i32x4.add(a, b) : i32x4.sub(a, b));
  }
  for (; target < end; target += 4, source += 4) {
    const a = load<i32>(target);
    const b = load<i32>(source);
    store<i32>(target, add ? a + b : a - b);
  }
}

// @ts-ignore: decorator
@inline
function combine(ranges: usize, n: i32, target: usize, source: usize, size: i32, add: bool): void {
  for (const end = ranges + (<usize>n << 3); ranges < end; ranges += 8) {
    const from = <usize>load<u32>(ranges) * <usize>size;
    const bytes = <usize>load<u32>(ranges, 4) * <usize>size - from;
    if (size == 16) floats(target + from, source + from, bytes, add);
    else words(target + from, source + from, bytes, add);
  }
}

export function addCells(ranges: usize, n: i32, target: usize, source: usize, size: i32): void {
  combine(ranges, n, target, source, size, true);
}

export function subtractCells(ranges: usize, n: i32, parent: usize, child: usize, size: i32): void {
  combine(ranges, n, parent, child, size, false);
}
