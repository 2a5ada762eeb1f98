// The best cut of a categorical feature: levels are sorted, and a prefix goes left.

import { first, second, oneOf, clear, mayWin, consider } from "./node";

/** Levels by the share of class 1, and the best prefix of them (Breiman et al. 1984, theorem 4.5). */
export function subset(
  records: usize,
  n: i32,
  f: i32,
  column: usize,
  wide: bool,
  numCodes: u32,
  levels: usize,
  sets: usize,
): void {
  const cells = levels;
  clear(cells, <usize>(numCodes + 1) << 3);
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const row = <usize>(<u32>record);
    const code = wide ? load<u32>(column + (row << 2)) : <u32>load<u16>(column + (row << 1));
    const cell = cells + (<usize>code << 3);
    store<u64>(cell, load<u64>(cell) + oneOf(record));
  }
  const lacking = load<u64>(cells + (<usize>numCodes << 3));
  const scores = cells + (<usize>(numCodes + 1) << 3);
  const order = scores + (<usize>(numCodes + 1) << 3);
  let count = 0;
  for (let code: u32 = 0; code < numCodes; code++) {
    const own = load<u64>(cells + (<usize>code << 3));
    if (own == 0) continue;
    store<f64>(scores + (<usize>code << 3), second(own) / (first(own) + second(own)));
    store<u32>(order + (<usize>(count++) << 2), code);
  }
  if (count == 0 || count == 1 && lacking == 0) return;
  // Stable, by Shell's gaps and the code among equals.
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
  const words = (numCodes + 31) >> 5;
  for (let word: u32 = 0; word < words; word++) store<u32>(sets + (<usize>word << 2), 0);
  let balance: f64 = 0;
  for (let i = 0; i < count; i++) {
    const code = load<u32>(order + (<usize>i << 2));
    const own = load<u64>(cells + (<usize>code << 3));
    const w = first(own) + second(own);
    balance += i <= best ? w : -w;
    if (i <= best) mark(sets, code);
  }
  if (balance >= 0) {
    for (let code: u32 = 0; code < numCodes; code++) {
      if (load<u64>(cells + (<usize>code << 3)) == 0) mark(sets, code);
    }
  }
}

function mark(sets: usize, code: u32): void {
  const word = sets + ((<usize>code >> 5) << 2);
  store<u32>(word, load<u32>(word) | (<u32>1 << (code & 31)));
}
