/**
 * Evaluate items: what `evaluateGroup` is told of each pair of siblings, of the operation, and of where
 * everything is.
 *
 * @module
 */

/** Bytes of an evaluate item: 16 words, then 2 × 8 float64. */
export const ITEM_BYTES = 192;

/** 32-bit fields of an evaluate item. */
export const ItemField = {
  /** Entry and record buffer of the node that is built. */
  entry: 0,
  buffer: 1,
  /** Address of its histogram; and of the parent's, which becomes the sibling's (0: none). */
  built: 2,
  sibling: 3,
  /** Range of features, by position. */
  from8: 4,
  to8: 5,
  from16: 6,
  to16: 7,
  /** Address of the bytes that allow features, for the built node and the sibling (0: all). */
  allowedBuilt: 8,
  allowedSibling: 9,
  /** Address of the other threads' copies, where stripes of rows have filled them (else 0). */
  copies: 10,
  /** 1 where the built node's best split is asked for; a sibling's always is. */
  scansBuilt: 11,
  /** 1 + place of the built node among roots that are there (else 0). */
  root: 12,
  /** Range of the features that `scanLevels` scans. */
  fromLevel: 13,
  toLevel: 14,
} as const;

/** Where the float64 of an item's nodes begin, and bytes of each. */
export const ITEM_NODES = 64;
export const NODE_BYTES = 64;

/** Float64 fields of each node of an evaluate item, after its words. */
export const NodeField = {
  gradient: 0,
  hessian: 1,
  count: 2,
  lower: 3,
  upper: 4,
  value: 5,
} as const;

/** Bytes of what an item found for one of its nodes: eight float64, see `scanFeatures`. */
export const FOUND_BYTES = 64;

/** Places of the arguments of the operation, as float64. */
export const EvaluateArgs = {
  numGroups: 0,
  output: 1,
  wide: 2,
  unitG: 3,
  unitH: 4,
  /** How many of the first jobs are filled by stripes of rows. */
  numStriped: 5,
  /** Address of the packed gradients. */
  packed: 6,
} as const;

/** Parts of a block that threads take one by one where they share the rows of a job. */
export const STRIPES = 2;

/** Parameters of scans: 15 float64, see `scanThresholds` and `scanLevels`. */
export const SCAN_PARAM_BYTES = 128;

/** 32-bit fields of a plan, after its parameters of scans: where everything is; what is not there is 0. */
export const PlanField = {
  items: 0,
  groups: 1,
  found: 2,
  /** What groups and stripes are taken from, i32; and {@linkcode EvaluateArgs}. */
  counter: 3,
  args: 4,
  /** Item of each job that is filled by stripes, u32. */
  stripes: 5,
  copyBytes: 6,
  thread: 7,
  numThreads: 8,
  /** Cells of features, see `clearCells`; slots of one byte (padded to 4, and to 2), two-byte features. */
  ranges: 9,
  features8: 10,
  even8: 11,
  features16: 12,
  numCells: 13,
  starts16: 14,
  /** Whose rows are counted: 0 nobody's, 1 the first `counted8` slots' and two-byte features', 2 all. */
  counted: 15,
  counted8: 16,
  rows8: 17,
  stride8: 18,
  rows16: 19,
  stride16: 20,
  numRows: 21,
  blockRows: 22,
  numBlocks: 23,
  /** Rows of an entry in a block, see `splitBlock`. */
  segments: 24,
  first: 25,
  second: 26,
  gradient: 27,
  hessian: 28,
  /** Roots of several outputs, see `takeRoots`. */
  roots: 29,
  rootCopies: 30,
  rootBytes: 31,
  /** 1 where splits are found too; features for `scanFeatures` and `scanLevels`, and space of the latter. */
  scans: 32,
  scanned: 33,
  levels: 34,
  levelWork: 35,
} as const;

/** Bytes of a plan with its parameters. */
export const PLAN_BYTES = SCAN_PARAM_BYTES + 160;
