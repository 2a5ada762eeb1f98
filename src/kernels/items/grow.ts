/**
 * What the kernels that grow a tree level by level are told, and where they keep its nodes. They write the
 * items of `splitBlock` and of evaluations, which stand between their calls.
 *
 * @module
 */

/** Float64 of a plan, at its beginning. */
export const GrowNumber = {
  unitG: 0,
  unitH: 1,
  /** What a node must have to be split: hessian, rows. */
  leastHessian: 2,
  leastRows: 3,
  minGain: 4,
  /** Sums of the root in whole numbers. */
  gradient: 5,
  hessian: 6,
} as const;

/** Where the words of a plan begin. */
export const GROW_WORDS = 64;

/** 32-bit fields of a plan; addresses are 0 where there is nothing. */
export const GrowField = {
  /** Nodes, as {@linkcode NodeList} says, for so many. */
  nodes: 0,
  capacity: 1,
  /** Tables of splits. */
  tables: 2,
  /** {@linkcode GROW_FEATURE_BYTES} of each feature, see {@linkcode GrowFeature}. */
  features: 3,
  /** Number of the first feature of `scanLevels` in each slot of one byte, and of all. */
  levelFirst: 4,
  /** As in the layout. */
  items: 5,
  groups: 6,
  stripes: 7,
  args: 8,
  found: 9,
  segments: 10,
  numBlocks: 11,
  features8: 12,
  features16: 13,
  numCells: 14,
  numThreads: 15,
  mostStriped: 16,
  copies: 17,
  copyBytes: 18,
  /** Parameters of scans and working space of the calling thread. */
  params: 19,
  levelWork: 20,
  /** 1 where histograms have counts. */
  counted: 21,
  /** 1 where a tree learns from all rows. */
  allRows: 22,
  /** Of the tree: histograms, bytes of each; limits. */
  pool: 23,
  placeBytes: 24,
  maxDepth: 25,
  maxLeaves: 26,
  wide: 27,
  output: 28,
  packed: 29,
  leafOf: 30,
  /** Rows of the root; 1 + its place among roots that are there (else 0). */
  rows: 31,
  root: 32,
  /** Where it stands. */
  numNodes: 33,
  numLeaves: 34,
  numEntries: 35,
  leavesLeft: 36,
  tablesEnd: 37,
  poolEnd: 38,
  numFree: 39,
  numJobs: 40,
  numOpen: 41,
  numKept: 42,
  numBatch: 43,
  numItems: 44,
  numGroups: 45,
} as const;

/** Bytes of a plan. */
export const GROW_PLAN_BYTES = GROW_WORDS + 4 * 46 + 8;

/** 32-bit fields of a feature. */
export const GrowFeature = { column: 0, numBins: 1, wide: 2, categorical: 3, levels: 4 } as const;
export const GROW_FEATURE_BYTES = 32;

/** Bytes of the best split of a node, as `scanFeatures` writes it: they come first. */
const BEST_BYTES = 64;

/** Float64 of all nodes come then, list by list. */
export const NodeNumber = { gain: 0, gradient: 1, hessian: 2 } as const;

/** And words of all nodes, then of jobs, then lists of nodes or places of histograms. */
export const NodeList = {
  feature: 0,
  bin: 1,
  missingLeft: 2,
  left: 3,
  parent: 4,
  leaf: 5,
  rows: 6,
  table: 7,
  depth: 8,
  entry: 9,
  histogram: 10,
  mayBeSplit: 11,
  built: 12,
  sibling: 13,
  firstItem: 14,
  numItems: 15,
  nextJob: 16,
  open: 17,
  kept: 18,
  batch: 19,
  free: 20,
} as const;

/** Bytes of a node, with the lists. */
const NODE_BYTES = BEST_BYTES + 8 * Object.keys(NodeNumber).length +
  4 * Object.keys(NodeList).length;

/** Groups of small jobs, at most: their sizes and last jobs come after the lists. */
const MOST_GROUPS = 256;

/** Bytes that so many nodes take. */
export function growBytes(capacity: number): number {
  return NODE_BYTES * capacity + 8 * MOST_GROUPS;
}

/** Where numbers of nodes are. */
export function numbersAt(nodes: number, capacity: number, list: number): number {
  return nodes + capacity * (BEST_BYTES + 8 * list);
}

/** Where a list of words is. */
export function wordsAt(nodes: number, capacity: number, list: number): number {
  return numbersAt(nodes, capacity, Object.keys(NodeNumber).length) + 4 * capacity * list;
}
