/**
 * Split items: what `splitBlock` is told of each split of a tree. Numbers of 32 bits.
 *
 * @module
 */

/** Bytes of a split item. */
export const SPLIT_BYTES = 48;

/** 32-bit fields of a split item. */
export const SplitField = {
  entry: 0,
  rightEntry: 1,
  /** Which of the two record buffers holds the node. */
  buffer: 2,
  column: 3,
  wide: 4,
  table: 5,
  /** See {@linkcode SplitMode}. */
  mode: 6,
  left: 7,
  right: 8,
  /** Codes that go left, see `partitionAll8`. */
  last: 9,
  other: 10,
} as const;

/** What a split item asks for. */
export const SplitMode = {
  /** Parts the listed rows. */
  partition: 0,
  /** Writes the two leaf numbers `left` and `right`. */
  splitLeaf: 1,
  /** Writes the leaf number `left`. */
  fillLeaf: 2,
  /** Parts all rows, whose codes are of one byte. */
  partitionAll: 3,
} as const;
