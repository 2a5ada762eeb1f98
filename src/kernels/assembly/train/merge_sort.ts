// Sorting a few numbers.

/** Longest stretch that is sorted by counting who is smaller. */
const RANKED: i32 = 24;

/** Sorts up to `RANKED` numbers: the place of each is how many are smaller, or equal and before. */
function rankSort(from: usize, n: i32, to: usize): void {
  const end = from + (<usize>n << 3);
  for (let at = from; at < end; at += 8) {
    const value = load<f64>(at);
    let place: usize = 0;
    let other = from;
    for (; other < at; other += 8) place += <usize>(load<f64>(other) <= value);
    for (other += 8; other < end; other += 8) place += <usize>(load<f64>(other) < value);
    store<f64>(to + (place << 3), value);
  }
}

/** Merges the sorted stretches from … middle and middle … end. */
function merge(from: usize, middle: usize, end: usize, to: usize): void {
  let a = from;
  let b = middle;
  while (a < middle && b < end) {
    const x = load<f64>(a);
    const y = load<f64>(b);
    const second = y < x;
    store<f64>(to, select<f64>(y, x, second));
    const step = <usize>second << 3;
    b += step;
    a += 8 - step;
    to += 8;
  }
  memory.copy(to, a, middle - a);
  memory.copy(to + (middle - a), b, end - b);
}

/**
 * Sorts n numbers without NaN.
 *
 * @param values Are overwritten.
 * @param out Where the sorted ones go.
 */
export function mergeSort(values: usize, n: i32, out: usize): void {
  let a = values;
  let b = out;
  for (let i = 0; i < n; i += RANKED) {
    rankSort(a + (<usize>i << 3), min<i32>(RANKED, n - i), b + (<usize>i << 3));
  }
  const bytes = <usize>n << 3;
  for (let width = <usize>RANKED << 3; width < bytes; width <<= 1) {
    const held = a;
    a = b;
    b = held;
    for (let i: usize = 0; i < bytes; i += 2 * width) {
      const middle = min<usize>(i + width, bytes);
      merge(a + i, a + middle, a + min<usize>(i + 2 * width, bytes), b + i);
    }
  }
  if (b != out) memory.copy(out, b, bytes);
}
