// The best cut of a node of two classes with whole weights, by Gini; see ../../classic.ts.

import { subset } from "./levels";
import { openNode, writeBest } from "./node";
import { numeric } from "./numbers";

/**
 * `features`: 16 bytes each: u32 column, u32 codes, u32 flags (1 two words a code, 2 categories).
 * `params`: u64 sums of the node, u64 shift of class 1, u64 what a row adds besides its weight,
 * f64 least weight and u64 fewest rows of a child. `tables`: 8 · 8200 + 8200 bytes; `levels`: see
 * levels.ts; `work`: 12 n + 16 bytes; `sets`: a bit a
 * code. `out`: f64 gain, i32 feature, u32 last code on the left, i32 branch of missing (−1 none).
 *
 * Returns whether there is a cut.
 */
export function bestCut(
  records: usize,
  n: i32,
  features: usize,
  list: usize,
  count: i32,
  params: usize,
  tables: usize,
  levels: usize,
  work: usize,
  sets: usize,
  out: usize,
): i32 {
  openNode(params);
  for (let i = 0; i < count; i++) {
    const f = load<i32>(list + (<usize>i << 2));
    const at = features + (<usize>f << 4);
    const column = <usize>load<u32>(at);
    const numCodes = load<u32>(at, 4);
    const flags = load<u32>(at, 8);
    const wide = (flags & 1) != 0;
    if (flags & 2) subset(records, n, f, column, wide, numCodes, levels, sets);
    else numeric(records, n, f, column, wide, numCodes, tables, work);
  }
  return writeBest(out);
}
