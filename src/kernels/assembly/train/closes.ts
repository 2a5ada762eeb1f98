// Decides, one run of equal values after the other, where the bins of a column close, and writes the
// pairs of values that they close between. The column that is being closed is in globals.

/** Rows that no closed bin has, rows that the bin holds, bins to come, and whether each run is a bin. */
let left: f64 = 0;
export let held: f64 = 0;
export let binsLeft: f64 = 0;
export let everyRun: bool = false;
/** What each bin to come has of the rows that are left. */
export let share: f64 = 0;

/** Begins a column of n rows. */
export function begin(n: i32, maxBins: i32, distinct: i32): void {
  left = <f64>n;
  held = 0;
  binsLeft = <f64>maxBins;
  share = left / binsLeft;
  everyRun = distinct <= maxBins;
}

/** Whether the bin closes after the rows that it holds, before a run of `next` rows. */
// @ts-ignore: decorator
@inline
export function closes(next: f64): bool {
  return everyRun || held >= share || held + next / 2 > share;
}

/** Puts rows into the bin. */
// @ts-ignore: decorator
@inline
export function hold(rows: f64): void {
  held += rows;
}

/** Closes the bin. */
// @ts-ignore: decorator
@inline
export function close(): void {
  left -= held;
  held = 0;
  binsLeft -= 1;
  share = left / binsLeft;
}

/** Writes the values on both sides of a cut, without the sign of a zero. */
// @ts-ignore: decorator
@inline
export function storePair(out: usize, pairs: i32, low: f64, high: f64): void {
  store<f64>(out + (<usize>pairs << 4), low + 0);
  store<f64>(out + (<usize>pairs << 4), high + 0, 8);
}

/** End of the run of equal values that begins at an address. */
// @ts-ignore: decorator
@inline
export function runEnd(at: usize, end: usize): usize {
  const value = load<f64>(at);
  do at += 8; while (at < end && load<f64>(at) == value);
  return at;
}
