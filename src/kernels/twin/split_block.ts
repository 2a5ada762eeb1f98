/**
 * Twin of the kernel that performs all splits of a tree on the rows of one block.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { SPLIT_BYTES, SplitField, SplitMode } from "../items/split.ts";
import type { Rows } from "./rows.ts";
import type { Kernels } from "../types.ts";

/** The kernel over a memory, by the twins of those that move rows. */
export function twinSplitBlock(memory: Memory, rows: Rows): Pick<Kernels, "splitBlock"> {
  return {
    splitBlock(
      items,
      numSplits,
      segments,
      numBlocks,
      block,
      from,
      first,
      second,
      leafOf,
      size,
      patterns,
    ) {
      const { i32, u32 } = memory;
      for (let i = 0; i < numSplits; i++) {
        const item = (items + i * SPLIT_BYTES) >>> 2;
        const placeOf = (entry: number) => (segments >>> 2) + 2 * (entry * numBlocks + block);
        const segment = placeOf(u32[item + SplitField.entry]);
        const start = u32[segment];
        const count = u32[segment + 1];
        const isFirst = u32[item + SplitField.buffer] === 0;
        const list = (isFirst ? first : second) + 2 * start;
        const mode = u32[item + SplitField.mode];
        const left = u32[item + SplitField.left];
        if (mode === SplitMode.fillLeaf) {
          rows.fillLeaf(list, count, leafOf, size, left);
          continue;
        }
        const wide = u32[item + SplitField.wide] === 1;
        const column = u32[item + SplitField.column] + from * (wide ? 2 : 1);
        const table = u32[item + SplitField.table];
        const last = i32[item + SplitField.last];
        const code = u32[item + SplitField.other];
        if (mode === SplitMode.splitLeaf) {
          const right = u32[item + SplitField.right];
          if (wide) rows.splitLeaf16(list, count, column, table, leafOf, size, left, right);
          else rows.splitLeaf8(list, count, column, table, last, code, leafOf, size, left, right);
          continue;
        }
        const out = (isFirst ? second : first) + 2 * start;
        const toLeft = count === 0
          ? 0
          : mode === SplitMode.partitionAll
          ? rows.partitionAll8(count, out, column, table, last, code, patterns)
          : wide
          ? rows.partition16(list, count, out, column, table, patterns)
          : rows.partition8(list, count, out, column, table, last, code, patterns);
        const other = placeOf(u32[item + SplitField.rightEntry]);
        u32[segment + 1] = toLeft;
        u32[other] = start + toLeft;
        u32[other + 1] = count - toLeft;
      }
    },
  };
}
