// A node of two classes and its best cut so far; see ../classic.ts.
//
// Sums are whole numbers, packed into one u64 (class 0, class 1, rows), so the order of addition
// cannot be seen.

// The node.
let total: u64 = 0;
let t0: f64 = 0;
let t1: f64 = 0;
let weight: f64 = 0;
let parent: f64 = 0;
let shift: u64 = 0;
let mask: u64 = 0;
let step: u64 = 0;
let minWeight: f64 = 0;
let minRows: u64 = 0;
let checked: bool = false;

// The best cut so far.
let gain: f64 = 0;
let feature: i32 = 0;
let limit: u32 = 0;
let missing: i32 = 0;
/** A·r + B·l of a cut that gains as much must reach floor·l·r. */
let floor: f64 = 0;

// @ts-ignore: decorator
@inline
export function first(sum: u64): f64 {
  return <f64>(<i64>(sum & mask));
}

// @ts-ignore: decorator
@inline
export function second(sum: u64): f64 {
  return <f64>(<i64>((sum >> shift) & mask));
}

// @ts-ignore: decorator
@inline
export function oneOf(record: u64): u64 {
  const word = <u32>(record >> 32);
  return (<u64>(word >> 1) << (<u64>(word & 1) * shift)) + step;
}

/** A call of memory.fill costs more than a few words. */
// @ts-ignore: decorator
@inline
export function clear(at: usize, bytes: usize): void {
  if (bytes > 512) memory.fill(at, 0, bytes);
  else for (const end = at + bytes; at < end; at += 8) store<u64>(at, 0);
}

/** Whether a cut with these sums on the left may gain as much as the best one. */
// @ts-ignore: decorator
@inline
export function mayWin(l0: f64, l1: f64): bool {
  const l = l0 + l1;
  const r = weight - l;
  const r0 = t0 - l0;
  const r1 = t1 - l1;
  return (l0 * l0 + l1 * l1) * r + (r0 * r0 + r1 * r1) * l >= floor * l * r;
}

/** The gain by the same operations as criterion/gini.ts; −∞ where a limit is broken. */
function gainOf(left: u64): f64 {
  const l0 = first(left);
  const l1 = second(left);
  const r0 = t0 - l0;
  const r1 = t1 - l1;
  const l = l0 + l1;
  const r = weight - l;
  if (!(l > 0 && r > 0)) return -Infinity;
  if (checked) {
    if (l < minWeight || r < minWeight) return -Infinity;
    if (step != 0) {
      const rows = left >> 42;
      if (rows < minRows || (total >> 42) - rows < minRows) return -Infinity;
    }
  }
  return (l0 * l0 + l1 * l1) / l + (r0 * r0 + r1 * r1) / r - parent;
}

/** Takes a cut that is better: more gain, then the lower feature, then as the TypeScript scans. */
export function consider(left: u64, f: i32, code: u32, side: i32): bool {
  const own = gainOf(left);
  if (!(own >= gain) || own == -Infinity) return false;
  if (own == gain) {
    if (f > feature) return false;
    // Missing right before missing left, then ascending codes.
    if (f == feature && !(side > missing || (side == missing && code < limit))) return false;
  }
  gain = own;
  feature = f;
  limit = code;
  missing = side;
  floor = own + parent - 1e-11 * (own + parent);
  return true;
}

/** Starts a node; `params` as in `bestCut`. */
export function openNode(params: usize): void {
  total = load<u64>(params);
  shift = load<u64>(params, 8);
  step = load<u64>(params, 16);
  minWeight = load<f64>(params, 24);
  minRows = load<u64>(params, 32);
  mask = (<u64>1 << shift) - 1;
  checked = minWeight > 0 || minRows > 1;
  t0 = first(total);
  t1 = second(total);
  weight = t0 + t1;
  parent = (t0 * t0 + t1 * t1) / weight;
  gain = -Infinity;
  floor = -Infinity;
  feature = i32.MAX_VALUE;
  limit = 0;
  missing = -2;
}

/** Whether these are the sums of the whole node. */
// @ts-ignore: decorator
@inline
export function isWhole(sum: u64): bool {
  return sum == total;
}

/** Writes the weight of the node; whether both classes are there. */
export function sumsOf(out: usize): bool {
  store<f64>(out, weight);
  return t0 > 0 && t1 > 0;
}

/** Feature of the best cut so far; the largest number where there is none. */
export function bestFeature(): i32 {
  return feature;
}

/** Writes the best cut, and says whether there is one; `out` as in `bestCut`. */
export function writeBest(out: usize): i32 {
  store<f64>(out, gain);
  store<i32>(out, feature, 8);
  store<u32>(out, limit, 12);
  store<i32>(out, missing, 16);
  return gain > -Infinity ? 1 : 0;
}
