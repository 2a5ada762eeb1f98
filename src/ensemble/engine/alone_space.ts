/**
 * Memory in which threads grow whole trees by themselves (`grow/histogram/alone.ts`). The calling thread
 * uses what all threads share for common trees.
 *
 * @module
 */
import { tableBytes, treeBytes } from "../../grow/histogram/alone.ts";
import type { AloneLayout, AloneSpace, HistLayout } from "../../grow/histogram/workspace/layout.ts";
import { maxItems } from "../../grow/histogram/evaluate/evaluator.ts";
import { FOUND_BYTES, ITEM_BYTES } from "../../kernels/items/evaluate.ts";
import { SPLIT_BYTES } from "../../kernels/items/split.ts";
import { ROUTE_BYTES } from "../../grow/histogram/tree/tree.ts";
import type { Arena } from "../../kernels/memory.ts";
import { layOutOwnGrowing } from "./growing_space.ts";

/** Above this, threads share the work on each tree instead. */
const MOST_BYTES = 512 * 2 ** 20;

/** What is there for trees that all threads grow. */
export interface CommonSpace {
  readonly maxLeaves: number;
  readonly pool: number;
  readonly poolBytes: number;
  readonly routeAt: number;
  readonly valuesAt: number;
  /** Whether members of a committee are to be grown alone too. */
  readonly members: boolean;
}

/**
 * Lays out the threads' own places.
 *
 * @returns `undefined` where trees are too few or too large for it.
 */
export function layOutAlone(
  arena: Arena,
  layout: HistLayout,
  { maxLeaves, pool, poolBytes, routeAt, valuesAt, members }: CommonSpace,
): AloneLayout | undefined {
  const { numThreads, numOutputs, bins, lists, packed, segments, outside } = layout;
  const { rows, numBlocks, leafOf } = layout.sets[0];
  if (numThreads === 1 || (numOutputs === 1 && !members)) return undefined;
  const { places } = bins;
  const most = (of: typeof places) => of.reduce((max, { numBins }) => Math.max(max, numBins), 0);
  const tables = tableBytes(maxLeaves, most(places));
  const tree = treeBytes(maxLeaves, most(places.filter(({ categorical }) => categorical)));
  const items = maxItems(1);
  const sizes = {
    list: 2 * rows.numRows,
    packed: 4 * rows.numRows,
    leafOf: layout.leafBytes * rows.numRows,
    segments: 8 * numBlocks * maxLeaves,
    outside: outside === 0 ? 0 : 8 * numBlocks * maxLeaves,
    items: Math.max(2 * maxLeaves * SPLIT_BYTES, items * ITEM_BYTES),
    allowed: 2 * items * places.length,
    found: 2 * items * FOUND_BYTES,
  };
  const numPieces = numOutputs * numBlocks * layout.piecesPerBlock;
  const memberSizes = {
    gradient: 8 * rows.numRows * numOutputs,
    hessian: 8 * rows.numRows * numOutputs,
    factor: 8 * rows.numRows,
    mask: rows.numRows,
    stats: 32 * numPieces,
  };
  const bytesOf = (of: { readonly [name: string]: number }) =>
    Object.values(of).reduce((sum, bytes) => sum + bytes, 0);
  const memberBytes = members ? bytesOf(memberSizes) : 0;
  const each = bytesOf(sizes) + sizes.list + tables + memberBytes;
  const numTrees = numOutputs * (members ? layout.members!.raw.length : 1);
  if (numThreads * (each + poolBytes) + numTrees * tree > MOST_BYTES) return undefined;
  const spaces = Array.from({ length: numThreads }, (_, thread): AloneSpace => {
    const isFirst = thread === 0;
    const own = (shared: number, bytes: number) => isFirst ? shared : arena.alloc(bytes);
    const ownStats = () => {
      const at = own(layout.stats, memberSizes.stats);
      arena.memory.u8.fill(0, at, at + memberSizes.stats);
      return at;
    };
    return {
      args: arena.alloc(64),
      counter: arena.alloc(64),
      lists: [own(lists[0], sizes.list), own(lists[1], sizes.list)],
      packed: own(packed, sizes.packed),
      leafOf: own(leafOf, sizes.leafOf),
      segments: own(segments, sizes.segments),
      outside: sizes.outside === 0 ? 0 : own(outside, sizes.outside),
      blockSums: own(layout.blockSums, 16 * numBlocks),
      leafSums: own(layout.leafSums, 2 * layout.leafSumsStride),
      items: own(layout.items, sizes.items),
      allowed: own(layout.allowed, sizes.allowed),
      groups: own(layout.groups, 8 * items),
      found: own(layout.found, sizes.found),
      pool: own(pool, poolBytes),
      tables: arena.alloc(tables),
      routeAt: own(routeAt, maxLeaves * ROUTE_BYTES),
      valuesAt: own(valuesAt, maxLeaves * 8),
      ...(layout.growing && { growing: layOutOwnGrowing(arena, layout.growing) }),
      ...(members && {
        member: {
          gradient: own(layout.gradient, memberSizes.gradient),
          hessian: own(layout.hessian, memberSizes.hessian),
          factor: own(layout.factor, memberSizes.factor),
          mask: own(layout.mask, memberSizes.mask),
          stats: ownStats(),
        },
      }),
    };
  });
  const treesAt = arena.alloc(numTrees * ((tree + 7) & ~7));
  return {
    spaces,
    maxLeaves,
    poolBytes,
    tableBytes: tables,
    trees: treesAt,
    stages: arena.alloc(4 * numTrees),
    treeBytes: (tree + 7) & ~7,
    ...(members && { memberBytes }),
  };
}
