// All splits of a tree on the rows of one block. Twin: ../../twin/split_block.ts.

import { fillLeaf, partition16, partition8, partitionAll8, splitLeaf16, splitLeaf8 } from "./rows";

// Fields and modes of a split item: ../../items/split.ts.
const ITEM: usize = 48;
const SPLIT_LEAF: u32 = 1;
const FILL_LEAF: u32 = 2;
const PARTITION_ALL: u32 = 3;

export function splitBlock(
  items: usize,
  numSplits: i32,
  segments: usize,
  numBlocks: i32,
  block: i32,
  from: usize,
  first: usize,
  second: usize,
  leafOf: usize,
  size: i32,
  patterns: usize,
): void {
  for (let i = 0; i < numSplits; i++, items += ITEM) {
    const segment = segments + ((<usize>load<u32>(items) * numBlocks + block) << 3);
    const other = segments + ((<usize>load<u32>(items, 4) * numBlocks + block) << 3);
    const isFirst = load<u32>(items, 8) == 0;
    const wide = load<u32>(items, 16) != 0;
    const column = <usize>load<u32>(items, 12) + (from << <usize>wide);
    const table = <usize>load<u32>(items, 20);
    const mode = load<u32>(items, 24);
    const last = load<i32>(items, 36);
    const code = load<i32>(items, 40);
    const start = load<u32>(segment);
    const count = load<i32>(segment, 4);
    const place = <usize>start << 1;
    const list = (isFirst ? first : second) + place;
    if (mode == FILL_LEAF) {
      fillLeaf(list, count, leafOf, size, load<i32>(items, 28));
    } else if (mode == SPLIT_LEAF) {
      const left = load<i32>(items, 28);
      const right = load<i32>(items, 32);
      if (wide) splitLeaf16(list, count, column, table, leafOf, size, left, right);
      else splitLeaf8(list, count, column, table, last, code, leafOf, size, left, right);
    } else {
      const out = (isFirst ? second : first) + place;
      let toLeft = 0;
      if (count > 0) {
        if (mode == PARTITION_ALL) toLeft = partitionAll8(count, out, column, table, last, code, patterns);
        else if (wide) toLeft = partition16(list, count, out, column, table, patterns);
        else toLeft = partition8(list, count, out, column, table, last, code, patterns);
      }
      store<i32>(segment, toLeft, 4);
      store<u32>(other, start + toLeft);
      store<i32>(other, count - toLeft, 4);
    }
  }
}
