// What growing by levels is told, as ../../items/grow.ts says; each field is its number.

/** Float64 of a plan. */
export enum GrowNumber {
  unitG,
  unitH,
  leastHessian,
  leastRows,
  minGain,
  gradient,
  hessian,
}

/** Words of a plan. */
export enum GrowField {
  nodes,
  capacity,
  tables,
  features,
  levelFirst,
  items,
  groups,
  stripes,
  args,
  found,
  segments,
  numBlocks,
  features8,
  features16,
  numCells,
  numThreads,
  mostStriped,
  copies,
  copyBytes,
  params,
  levelWork,
  counted,
  allRows,
  pool,
  placeBytes,
  maxDepth,
  maxLeaves,
  wide,
  output,
  packed,
  leafOf,
  rows,
  root,
  numNodes,
  numLeaves,
  numEntries,
  leavesLeft,
  tablesEnd,
  poolEnd,
  numFree,
  numJobs,
  numOpen,
  numKept,
  numBatch,
  numItems,
  numGroups,
}

/** Words of a feature. */
export enum GrowFeature {
  column,
  numBins,
  wide,
  categorical,
  levels,
}

/** Float64 of nodes. */
export enum NodeNumber {
  gain,
  gradient,
  hessian,
}

/** Words of nodes and jobs, and lists. */
export enum NodeList {
  feature,
  bin,
  missingLeft,
  left,
  parent,
  leaf,
  rows,
  table,
  depth,
  entry,
  histogram,
  mayBeSplit,
  built,
  sibling,
  firstItem,
  numItems,
  nextJob,
  open,
  kept,
  batch,
  free,
}
