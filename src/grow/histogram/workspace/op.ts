/**
 * Numbers of the operations that threads perform together, and how their items and arguments are laid
 * out.
 *
 * @module
 */

/** Numbers of the operations. */
export const Op = {
  /** Gradients of all outputs by the loss's kernel, with weights; their statistics where `statsAtOnce`. */
  gradients: 0,
  /** Statistics of one output. Args: output. */
  stats: 1,
  /** Whole-number gradients and lists of rows of one output. Args: see {@linkcode QuantiseArgs}. */
  quantise: 2,
  /** Partition and leaf numbers by the split items. Args: number of splits, leaf numbers. */
  partition: 3,
  /** Histograms and best splits by the evaluate items. Args: see `kernels/items/evaluate.ts`. */
  evaluate: 4,
  /**
   * Sums of leaves. Args: output, number of leaves, whole multiples in g and in h, 1 where signed, leaf
   * numbers.
   */
  leafSums: 5,
  /** Raw scores of a set. Args: set, output, values. */
  addLeaves: 6,
  /** Leaf of each row of a set. Args: set, nodes. */
  route: 7,
  /** Multiplies the gradients of all outputs by the sampling factors. */
  sample: 8,
  /** Finds where the bins of columns close. Args: first job, number. */
  closeBins: 9,
  /** Maps the columns of jobs. Args: first job, number, stretches of rows, working space. */
  mapColumns: 10,
  /** Codes to rows. Args: job, stretches of rows. */
  toRows: 11,
  /** Reads the layout. */
  configure: 12,
  /** Ends a worker. */
  stop: 13,
  /** Histograms of large nodes by stripes of rows; see `grow/histogram/evaluate/evaluate.ts`. */
  fillStripes: 14,
  /** Float32 columns of jobs as float64. Args: first job, number, stretches of rows. */
  widenColumns: 15,
  /** Whole trees, each by one thread; see `grow/histogram/alone.ts`. Args: number of trees. */
  growTrees: 16,
  /** Rounds of whole members of a committee, each by one thread; see `grow/histogram/members.ts`. */
  growMembers: 17,
  /** Gradients of a loss without a kernel; see `parallel/histogram/loss_gradients.ts`. Args: round. */
  lossGradients: 18,
  /** Packed gradients and histograms of several outputs; see `grow/histogram/operations/roots.ts`. Args: number of outputs. */
  roots: 19,
  /** Lists of rows alone. */
  listRows: 20,
  /** Both derivatives of an output as float64 from the signed ones. Args: output. */
  spread: 23,
  /**
   * Finds the bins of columns and codes them, as many as are ready. Args: first job, number, working
   * space, its bytes a thread.
   */
  codeColumns: 26,
  /** Metrics of a set; see `parallel/histogram/measure_sets.ts`. Args: number among the measured, step. */
  measure: 22,
  /** Leaves by a loss that sets them; see `parallel/histogram/refit_leaves.ts`. Args: see `RefitArgs` there. */
  refitLeaves: 30,
  /**
   * Raw scores of a set by linear leaves. Args: set, output, factor, byte offset of the leaves
   * (`writeLeaves` of `grow/histogram/linear_rows.ts`), their number; all as float64.
   */
  addLinear: 32,
  /** Linear leaves of a tree. Args: see `FitArgs` of `parallel/histogram/fit_linear.ts`. */
  fitLinear: 33,
  /** Draws rows by their gradients, and multiplies these. Args: see `grow/histogram/gradients/goss.ts`. */
  goss: 31,
} as const;

/** Number of one of {@linkcode Op}. */
export type OpNumber = (typeof Op)[keyof typeof Op];

/** Places of the arguments of {@linkcode Op.quantise}, as float64. */
export const QuantiseArgs = {
  output: 0,
  fixG: 1,
  fixH: 2,
  packG: 3,
  packH: 4,
  seed: 5,
  /** 1 where the derivatives are signed. */
  signed: 6,
} as const;
