// The best cut of a categorical feature: levels are sorted, and a prefix goes left.

import { first, second, oneOf, mayWin, consider } from "./node";

/** Adds records up by code and lists the codes that there are; returns how many. */
function addUp<Code>(
  records: usize,
  end: usize,
  column: usize,
  numCodes: u32,
  cells: usize,
  order: usize,
): i32 {
  let to = order;
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const code = <u32>load<Code>(column + <usize>(<u32>record) * sizeof<Code>());
    const cell = cells + (<usize>code << 3);
    const own = load<u64>(cell);
    // Without a branch: in small nodes it is hard to foresee.
    store<u32>(to, code);
    to += <usize>(<u32>(own == 0) & <u32>(code != numCodes)) << 2;
    store<u64>(cell, own + oneOf(record));
  }
  return <i32>((to - order) >> 2);
}

/**
 * Levels by the share of class 1, and the best prefix of them (Breiman et al. 1984, theorem 4.5).
 * `levels`: u64 most codes of a feature and one more, then so many u64 sums, which are 0 before and
 * after (a small node touches few of them), as many f64 scores and u32 codes.
 *
 * Returns whether all rows of the node are alike.
 */
export function subset(
  records: usize,
  n: i32,
  f: i32,
  column: usize,
  wide: bool,
  numCodes: u32,
  levels: usize,
  sets: usize,
): bool {
  const most = load<usize>(levels);
  const cells = levels + 8;
  const scores = cells + (most << 3);
  const order = scores + (most << 3);
  const end = records + (<usize>n << 3);
  const count = wide
    ? addUp<u32>(records, end, column, numCodes, cells, order)
    : addUp<u16>(records, end, column, numCodes, cells, order);
  const lacking = load<u64>(cells + (<usize>numCodes << 3));
  const alike = count == 0 || count == 1 && lacking == 0;
  if (!alike) search(f, numCodes, cells, scores, order, count, lacking, sets);
  for (let i = 0; i < count; i++) {
    store<u64>(cells + (<usize>load<u32>(order + (<usize>i << 2)) << 3), 0);
  }
  store<u64>(cells + (<usize>numCodes << 3), 0);
  return alike;
}

function search(
  f: i32,
  numCodes: u32,
  cells: usize,
  scores: usize,
  order: usize,
  count: i32,
  lacking: u64,
  sets: usize,
): void {
  for (let i = 0; i < count; i++) {
    const code = <usize>load<u32>(order + (<usize>i << 2));
    const own = load<u64>(cells + (code << 3));
    store<f64>(scores + (code << 3), second(own) / (first(own) + second(own)));
  }
  // By Shell's gaps; the lower code among equals.
  let gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < count; i++) {
      const code = load<u32>(order + (<usize>i << 2));
      const score = load<f64>(scores + (<usize>code << 3));
      let j = i;
      while (j >= gap) {
        const other = load<u32>(order + (<usize>(j - gap) << 2));
        const theirs = load<f64>(scores + (<usize>other << 3));
        if (!(theirs > score || theirs == score && other > code)) break;
        store<u32>(order + (<usize>j << 2), other);
        j -= gap;
      }
      store<u32>(order + (<usize>j << 2), code);
    }
  }
  let left: u64 = 0;
  let best = -1;
  for (let i = 0; i < count; i++) {
    left += load<u64>(cells + (<usize>load<u32>(order + (<usize>i << 2)) << 3));
    // All levels: known from missing.
    if (i < count - 1 || lacking != 0) {
      if (mayWin(first(left), second(left)) && consider(left, f, <u32>i, lacking != 0 ? 1 : -1)) best = i;
    }
    if (i < count - 1 && lacking != 0) {
      const both = left + lacking;
      if (mayWin(first(both), second(both)) && consider(both, f, <u32>i, 0)) best = i;
    }
  }
  if (best < 0) return;
  // The set: levels on the left, and levels that the node has not seen with the heavier side.
  let balance: f64 = 0;
  for (let i = 0; i < count; i++) {
    const own = load<u64>(cells + (<usize>load<u32>(order + (<usize>i << 2)) << 3));
    const w = first(own) + second(own);
    balance += i <= best ? w : -w;
  }
  const fill: u32 = balance >= 0 ? u32.MAX_VALUE : 0;
  const last = sets + ((<usize>(numCodes - 1) >> 5) << 2);
  for (let word = sets; word <= last; word += 4) store<u32>(word, fill);
  if (numCodes & 31) store<u32>(last, fill & ((<u32>1 << (numCodes & 31)) - 1));
  // Turns the bits of seen levels that the rest does not answer for.
  const from = balance >= 0 ? best + 1 : 0;
  const to = balance >= 0 ? count : best + 1;
  for (let i = from; i < to; i++) {
    const code = load<u32>(order + (<usize>i << 2));
    const word = sets + ((<usize>code >> 5) << 2);
    store<u32>(word, load<u32>(word) ^ (<u32>1 << (code & 31)));
  }
}
