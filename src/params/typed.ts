/**
 * Parameters of each algorithm as scripts write them. docs/parameters.md has their ranges. They are
 * types because an interface would not be a {@linkcode ParamInput}.
 *
 * Written by tools/write/parameters.ts from the tables beside this file.
 *
 * @module
 */

/** Parameters of `trainBoost`. */
export type BoostParams = {
  /**
   * Named defaults: `treeline@1`, `treeline-lean@1` (one model, no committee), `xgboost@2`,
   * `lightgbm@4`. Parameters that are given explicitly take precedence.
   *
   * @default "treeline@1"
   */
  readonly preset?: string;
  /**
   * What is minimised: a name of docs/algorithms.md, `expr:…` (a formula of `y` and `raw`), or a
   * loss made by `definePointwiseLoss`. `auto` takes squared, logistic or softmax by target.
   *
   * @default "auto"
   */
  readonly loss?: unknown;
  /**
   * Boosting rounds; each adds one tree for each output (times `parallelTrees` and `committee`).
   * Unless this is given, a committee trains as many rounds as its out-of-fold metric asks for.
   *
   * @default 250
   */
  readonly rounds?: number;
  /**
   * Members of a committee: the rows are dealt into as many parts, each member learns from all
   * parts but one, and scores are averaged. Every row is judged by the member that has not seen it;
   * training stops when that metric, reported as set `outOfFold`, no longer improves. By default
   * (`treeline@1`) 5, and 1 (a single model of `rounds` rounds) if rounds, early stopping, DART or
   * parallel trees are given, below 40 rows, and above 100,000 rows × outputs.
   */
  readonly committee?: number;
  /**
   * Factor on each new tree.
   *
   * @default 0.1
   */
  readonly learningRate?: number;
  /**
   * Largest multiple of `learningRate` that late rounds use: round t uses t / 50 times the rate, at
   * least once and at most this many times. Early steps decide most and stay small; the rest is
   * learnt in fewer rounds. By default 1; 3 in a committee whose learningRate is not given, from
   * 1000 rows × outputs on.
   */
  readonly learningRateGrowth?: number;
  /**
   * `hist` bins each feature once; `exact` sorts and tries every cut, as XGBoost's `exact` does
   * (numeric features only); `lightgbm` reproduces LightGBM's arithmetic. `auto` is `hist`; with
   * preset `lightgbm@4` it is `lightgbm` where that supports what is asked.
   *
   * @default "auto"
   */
  readonly treeMethod?: "auto" | "hist" | "exact" | "lightgbm";
  /**
   * Order of splits: level by level (`depth`), or the largest gain first (`leaf`).
   *
   * @default "depth"
   */
  readonly growth?: "depth" | "leaf";
  /**
   * Deepest level of a tree; 0 means no limit.
   *
   * @default 6
   */
  readonly maxDepth?: number;
  /**
   * Largest number of leaves of a tree; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * Largest number of bins of a feature (`hist`).
   *
   * @default 256
   */
  readonly maxBins?: number;
  /**
   * L2 penalty on leaf values; for losses whose leaves are quantiles it affects the splits only.
   *
   * @default 1
   */
  readonly lambda?: number;
  /**
   * L1 penalty on leaf values; for losses whose leaves are quantiles it affects the splits only.
   *
   * @default 0
   */
  readonly alpha?: number;
  /**
   * Minimum gain of a split (gain without the factor ½, as in XGBoost and LightGBM).
   *
   * @default 0
   */
  readonly gamma?: number;
  /**
   * Grows the tree fully and then removes splits with a gain below `gamma` from the bottom up,
   * instead of stopping at the first such split.
   *
   * @default false
   */
  readonly postPrune?: boolean;
  /**
   * Minimum sum of second derivatives in a leaf.
   *
   * @default 0.1
   */
  readonly minChildWeight?: number;
  /**
   * Minimum number of rows in a leaf. By default (`treeline@1`) 5, but no more than a twentieth of
   * the training rows.
   */
  readonly minRowsPerLeaf?: number;
  /**
   * Largest leaf value before the learning rate; 0 means no limit.
   *
   * @default 0
   */
  readonly maxDeltaStep?: number;
  /**
   * Pulls the value of a node with n rows towards that of its parent by 1 / (n / pathSmooth + 1);
   * the root has no parent.
   *
   * @default 0
   */
  readonly pathSmooth?: number;
  /**
   * Zeros of numeric columns (|x| ≤ 1e-35) count as missing, in training and in scoring; the
   * model's schema records it.
   *
   * @default false
   */
  readonly zeroAsMissing?: boolean;
  /**
   * Direction of the response in a feature, by name: 1 or `increasing`, −1 or `decreasing`. Or a
   * list with one entry for each feature, in order: `[1, 0, -1]`. With three or more classes it is
   * the direction of raw scores, since probabilities depend on all of them.
   */
  readonly monotone?:
    | { readonly [name: string]: number | "increasing" | "decreasing" | "none" }
    | readonly (number | "increasing" | "decreasing" | "none")[];
  /**
   * How constraints bound leaves: `basic` by the middle of a split, `intermediate` by neighbours,
   * `advanced` by neighbours along the feature that is cut. All but `basic` need `treeMethod`
   * `lightgbm`.
   *
   * @default "basic"
   */
  readonly monotoneMethod?: "basic" | "intermediate" | "advanced";
  /**
   * Bounds of leaves under `monotone`: those of `sound` always keep the order; `lightgbm` uses
   * LightGBM's bounds and refuses a model whose trees violate the order; `lightgbm-unproved` keeps
   * such trees, with a warning and a note in the model (`treeMethod` `lightgbm`).
   *
   * @default "sound"
   */
  readonly monotoneRules?: "sound" | "lightgbm" | "lightgbm-unproved";
  /**
   * Discourages splits on constrained features near the root: their gain is multiplied by 1 −
   * monotonePenalty / 2^depth; above 1, there are about none down to that depth (`treeMethod`
   * `lightgbm`).
   *
   * @default 0
   */
  readonly monotonePenalty?: number;
  /**
   * Leaves are linear models of the numeric features on their path, from the second round on;
   * `lambda`, `alpha` and `pathSmooth` act on splits and on constants only.
   *
   * @default false
   */
  readonly linearTree?: boolean;
  /**
   * L2 penalty on the coefficients of `linearTree`; the constant is not penalised.
   *
   * @default 0
   */
  readonly linearLambda?: number;
  /**
   * Groups of features (lists of names) that may occur together on a path.
   */
  readonly interactions?: readonly (readonly string[])[];
  /**
   * Categorical features with at most this many levels are split one level against the rest.
   *
   * @default 1
   */
  readonly maxCategoriesOneHot?: number;
  /**
   * Maximum number of levels on the smaller side of a categorical split.
   *
   * @default 64
   */
  readonly maxCategoriesPerSplit?: number;
  /**
   * Added to the second derivative of each level when levels are ordered.
   *
   * @default 10
   */
  readonly catSmooth?: number;
  /**
   * L2 penalty added to `lambda` in splits by several levels.
   *
   * @default 1
   */
  readonly catL2?: number;
  /**
   * Levels with fewer rows in a node are not separated from the rest.
   *
   * @default 5
   */
  readonly minRowsPerCategory?: number;
  /**
   * Share of rows drawn for each round. By default (`treeline@1`) 0.8, and all rows where there are
   * fewer than 100, with GOSS and with exact splits.
   */
  readonly subsample?: number;
  /**
   * How rows are drawn: without replacement, with replacement, or by gradient (GOSS).
   *
   * @default "uniform"
   */
  readonly sampling?: "uniform" | "bootstrap" | "goss";
  /**
   * GOSS: share of rows with the largest gradients that is kept.
   *
   * @default 0.2
   */
  readonly gossTop?: number;
  /**
   * GOSS: share of rows drawn from the rest.
   *
   * @default 0.1
   */
  readonly gossOther?: number;
  /**
   * Share of features drawn for each tree; at least one.
   *
   * @default 1
   */
  readonly featuresPerTree?: number;
  /**
   * Share of the tree's features drawn for each level; at least one.
   *
   * @default 1
   */
  readonly featuresPerLevel?: number;
  /**
   * Share of the level's features drawn for each node; at least one. By default 1; 0.5 in a
   * committee where there are fewer than 2000 rows and a numeric feature.
   */
  readonly featuresPerNode?: number;
  /**
   * Weight of a feature in random draws, by name; features that are not named weigh 1.
   */
  readonly featureWeights?: { readonly [name: string]: number };
  /**
   * Trees of each round and output, averaged: a boosted random forest.
   *
   * @default 1
   */
  readonly parallelTrees?: number;
  /**
   * DART: probability that an earlier tree is dropped in a round; 0 is plain boosting.
   *
   * @default 0
   */
  readonly dropRate?: number;
  /**
   * DART: probability that a round drops nothing.
   *
   * @default 0
   */
  readonly skipDrop?: number;
  /**
   * DART: maximum number of rounds dropped at once; 0 means no limit.
   *
   * @default 0
   */
  readonly maxDrop?: number;
  /**
   * DART: at least one round is dropped.
   *
   * @default false
   */
  readonly oneDrop?: boolean;
  /**
   * DART: rounds are dropped with equal probability, or in proportion to their weight.
   *
   * @default "uniform"
   */
  readonly dropBy?: "uniform" | "weighted";
  /**
   * DART: how dropped and new trees are scaled: one of XGBoost's two ways, or LightGBM's.
   *
   * @default "tree"
   */
  readonly dropScale?: "tree" | "forest" | "lightgbm";
  /**
   * Makes a model without a single split an error instead of a warning.
   *
   * @default false
   */
  readonly requireSplit?: boolean;
  /**
   * Factor on the weight of the second class's rows; excludes `classWeights`.
   */
  readonly positiveWeight?: number;
  /**
   * Factor on the weight of each class's rows, by class; `balanced` gives all classes the same
   * total weight.
   */
  readonly classWeights?: { readonly [name: string]: number } | "balanced";
  /**
   * Removes the effect of class weights on the base rate from the stored base score, so that
   * probabilities match the class shares of the data.
   *
   * @default false
   */
  readonly priorCorrection?: boolean;
  /**
   * Response without any trees (a probability for logistic, a mean for Poisson). By default the
   * constant that minimises the loss.
   */
  readonly baseScore?: number;
  /**
   * Residual at which the losses `huber` and `pseudoHuber` change from quadratic to linear.
   *
   * @default 1
   */
  readonly huberDelta?: number;
  /**
   * Levels of the loss `quantile`; the model has one output for each.
   *
   * @default [0.5]
   */
  readonly quantiles?: readonly number[];
  /**
   * Levels of the loss `expectile`; the model has one output for each.
   *
   * @default [0.5]
   */
  readonly expectiles?: readonly number[];
  /**
   * Scale of the loss `fair`.
   *
   * @default 1
   */
  readonly fairC?: number;
  /**
   * Variance power of the loss `tweedie`.
   *
   * @default 1.5
   */
  readonly tweediePower?: number;
  /**
   * Factor inside the sigmoid of the losses `logistic` and `oneVsAll` and of ranking pairs.
   *
   * @default 1
   */
  readonly sigmoidScale?: number;
  /**
   * Which library's second derivatives and leaf rules to use where libraries differ
   * (docs/algorithms.md).
   *
   * @default "treeline"
   */
  readonly curvature?: "treeline" | "xgboost" | "lightgbm";
  /**
   * Ranking: pairs are formed with the items on this many of the best ranks.
   *
   * @default 32
   */
  readonly rankTruncation?: number;
  /**
   * Ranking: gain of relevance r, 2^r − 1 or r.
   *
   * @default "exponential"
   */
  readonly rankGain?: "exponential" | "linear";
  /**
   * Ranking: divides pairs by their score gap and queries by log2(1 + Σλ) / Σλ.
   *
   * @default true
   */
  readonly rankNormalise?: boolean;
  /**
   * Ranking: how queries without a relevant item count in metrics.
   *
   * @default "skip"
   */
  readonly emptyGroup?: "skip" | "one" | "zero";
  /**
   * Metrics computed on every validation set each round; `loss` is the minimised loss. By default
   * those of the task.
   */
  readonly metrics?: readonly string[];
  /**
   * Stops when the deciding metric has not improved for this many rounds and returns the best
   * prefix; 0 trains all rounds. Without a validation set, one is held out.
   *
   * @default 0
   */
  readonly earlyStoppingRounds?: number;
  /**
   * Keeps the rounds after the best one in the model, with weight 0: predictions are those of the
   * best prefix; `keepRounds` makes a model of any number of rounds.
   *
   * @default false
   */
  readonly keepAll?: boolean;
  /**
   * The one metric that decides. By default the loss's own (the first of `metrics`).
   */
  readonly earlyStoppingMetric?: string;
  /**
   * Name of the one validation set that decides. By default the first that is not `train`; for a
   * committee, its own rows, `outOfFold`.
   */
  readonly earlyStoppingSet?: string;
  /**
   * Amount by which the deciding metric must improve to count as better.
   *
   * @default 0
   */
  readonly minDelta?: number;
  /**
   * Share of rows held out for early stopping if no validation set is given (by class for
   * classification, by query for ranking).
   *
   * @default 0.1
   */
  readonly validFraction?: number;
  /**
   * Reports the metrics on the training rows too, as set `train`.
   *
   * @default false
   */
  readonly trainMetrics?: boolean;
  /**
   * How scoring treats a category that training has not seen. With `node` and `error`, validation
   * sets must not have such values.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Fixes every random choice; the model's bytes depend on it, but not on the number of threads.
   *
   * @default 0
   */
  readonly seed?: number;
};

/** Parameters of `trainGbdt`. */
export type GbdtParams = {
  /**
   * Metrics computed on every validation set each round; `loss` is the minimised loss. By default
   * those of the task.
   */
  readonly metrics?: readonly string[];
  /**
   * Stops when the deciding metric has not improved for this many rounds and returns the best
   * prefix; 0 trains all rounds. Without a validation set, one is held out.
   *
   * @default 0
   */
  readonly earlyStoppingRounds?: number;
  /**
   * The one metric that decides. By default the loss's own (the first of `metrics`).
   */
  readonly earlyStoppingMetric?: string;
  /**
   * Name of the one validation set that decides. By default the first that is not `train`; for a
   * committee, its own rows, `outOfFold`.
   */
  readonly earlyStoppingSet?: string;
  /**
   * Amount by which the deciding metric must improve to count as better.
   *
   * @default 0
   */
  readonly minDelta?: number;
  /**
   * Share of rows held out for early stopping if no validation set is given (by class for
   * classification, by query for ranking).
   *
   * @default 0.1
   */
  readonly validFraction?: number;
  /**
   * Maximum number of leaves of a tree, the best splits first; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * A node with fewer rows is not split.
   *
   * @default 2
   */
  readonly minRowsSplit?: number;
  /**
   * Minimum number of rows in a leaf.
   *
   * @default 1
   */
  readonly minRowsPerLeaf?: number;
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Seed of all random draws.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * What is minimised: a loss of docs/algorithms.md by name, or one made by `definePointwiseLoss`.
   * `auto` takes squared, logistic or softmax by target.
   *
   * @default "auto"
   */
  readonly loss?: unknown;
  /**
   * Boosting rounds.
   *
   * @default 100
   */
  readonly rounds?: number;
  /**
   * Factor on each new tree.
   *
   * @default 0.1
   */
  readonly learningRate?: number;
  /**
   * Maximum number of splits on a path; 0 means no limit.
   *
   * @default 3
   */
  readonly maxDepth?: number;
  /**
   * Share of rows drawn without replacement for each round.
   *
   * @default 1
   */
  readonly subsample?: number;
  /**
   * Features drawn at each node: a number, a share below 1, or a word.
   *
   * @default "all"
   */
  readonly featuresPerSplit?: number | "sqrt" | "third" | "log2" | "all";
  /**
   * Huber loss: the quantile of the absolute residuals beyond which errors count linearly, computed
   * anew in each round. Quantile loss: its level.
   *
   * @default 0.9
   */
  readonly huberAlpha?: number;
};

/** Parameters of `trainLogitBoost`. */
export type LogitBoostParams = {
  /**
   * Metrics computed on every validation set each round; `loss` is the minimised loss. By default
   * those of the task.
   */
  readonly metrics?: readonly string[];
  /**
   * Stops when the deciding metric has not improved for this many rounds and returns the best
   * prefix; 0 trains all rounds. Without a validation set, one is held out.
   *
   * @default 0
   */
  readonly earlyStoppingRounds?: number;
  /**
   * The one metric that decides. By default the loss's own (the first of `metrics`).
   */
  readonly earlyStoppingMetric?: string;
  /**
   * Name of the one validation set that decides. By default the first that is not `train`; for a
   * committee, its own rows, `outOfFold`.
   */
  readonly earlyStoppingSet?: string;
  /**
   * Amount by which the deciding metric must improve to count as better.
   *
   * @default 0
   */
  readonly minDelta?: number;
  /**
   * Share of rows held out for early stopping if no validation set is given (by class for
   * classification, by query for ranking).
   *
   * @default 0.1
   */
  readonly validFraction?: number;
  /**
   * Maximum number of leaves of a tree, the best splits first; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * A node with fewer rows is not split.
   *
   * @default 2
   */
  readonly minRowsSplit?: number;
  /**
   * Minimum number of rows in a leaf.
   *
   * @default 1
   */
  readonly minRowsPerLeaf?: number;
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Seed of all random draws.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * Boosting rounds.
   *
   * @default 100
   */
  readonly rounds?: number;
  /**
   * Factor on each new tree.
   *
   * @default 1
   */
  readonly learningRate?: number;
  /**
   * Maximum number of splits on a path; 0 means no limit.
   *
   * @default 1
   */
  readonly maxDepth?: number;
  /**
   * Largest absolute working response.
   *
   * @default 4
   */
  readonly zMax?: number;
  /**
   * Weka's variant: weights follow a clipped response, w = (y − p)/z, and add up to the number of
   * rows.
   *
   * @default false
   */
  readonly weka?: boolean;
  /**
   * Stop when a round raises the mean log likelihood by less than this.
   *
   * @default 0
   */
  readonly tolerance?: number;
};

/** Parameters of `trainAdaBoost`. */
export type AdaBoostParams = {
  /**
   * Maximum number of leaves of a tree, the best splits first; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * A node with fewer rows is not split.
   *
   * @default 2
   */
  readonly minRowsSplit?: number;
  /**
   * Minimum number of rows in a leaf.
   *
   * @default 1
   */
  readonly minRowsPerLeaf?: number;
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Seed of all random draws.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * `samme` or `samme.r` for classes, `r2` for numbers; `auto` is SAMME or R2.
   *
   * @default "auto"
   */
  readonly variant?: "auto" | "samme" | "samme.r" | "r2";
  /**
   * Boosting rounds.
   *
   * @default 50
   */
  readonly rounds?: number;
  /**
   * Factor on each new tree.
   *
   * @default 1
   */
  readonly learningRate?: number;
  /**
   * The tree that is boosted.
   *
   * @default "cart"
   */
  readonly base?: "cart" | "extra" | "c45" | "id3";
  /**
   * Split rule of the trees; `auto` takes Gini or variance.
   *
   * @default "auto"
   */
  readonly criterion?:
    | "auto"
    | "gini"
    | "entropy"
    | "misclassification"
    | "variance"
    | "absolute"
    | "poisson";
  /**
   * Maximum number of splits on a path; 0 means 1 (stumps) for classes and 3 for numbers.
   *
   * @default 0
   */
  readonly maxDepth?: number;
  /**
   * R2: how large errors count.
   *
   * @default "linear"
   */
  readonly loss?: "linear" | "square" | "exponential";
  /**
   * R2: fit each tree on a bootstrap drawn by weight, as the paper does; otherwise on weighted
   * rows.
   *
   * @default true
   */
  readonly resample?: boolean;
};

/** Parameters of `trainId3`. */
export type Id3Params = {
  /**
   * Stop before growth: a χ² test of independence, or a gain per weight below `criticalValue`.
   *
   * @default "none"
   */
  readonly stop?: "none" | "chi-square" | "critical-value";
  /**
   * Level of the χ² test.
   *
   * @default 0.05
   */
  readonly significance?: number;
  /**
   * Critical-value pruning: after growth, a node is removed unless it or a descendant gains more
   * than this per unit of its weight (Mingers 1987).
   *
   * @default 0
   */
  readonly criticalValue?: number;
  /**
   * Seed of all random draws.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * How scoring treats a category that training has not seen: `node` answers with the classes of
   * the node that tests it.
   *
   * @default "node"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * A split must gain at least this many bits per unit of weight.
   *
   * @default 0
   */
  readonly minGain?: number;
  /**
   * Keep splitting at gain 0 while attributes remain, as the text of the paper says.
   *
   * @default false
   */
  readonly strict?: boolean;
  /**
   * Maximum number of splits on a path; 0 means no limit.
   *
   * @default 0
   */
  readonly maxDepth?: number;
};

/** Parameters of `trainC45`. */
export type C45Params = {
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Factor on the weight of each class, by name, or `balanced`.
   */
  readonly classWeights?: { readonly [name: string]: number } | "balanced";
  /**
   * Seed of all random draws.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * Minimum weight that at least two branches of a split must hold.
   *
   * @default 2
   */
  readonly minObjects?: number;
  /**
   * Confidence of the pessimistic error estimate; smaller prunes more, above 0.5 not at all.
   *
   * @default 0.25
   */
  readonly confidence?: number;
  /**
   * Release 8's error-based pruning, none, or cost pruning with C(T) + `alpha`·|T|.
   *
   * @default "pessimistic"
   */
  readonly pruning?: "pessimistic" | "none" | "cost";
  /**
   * Cost pruning: price of a leaf, where C(T) = Σ N_t H_t over leaves, in bits.
   *
   * @default 0
   */
  readonly alpha?: number;
  /**
   * Pruning may replace a node by its largest branch.
   *
   * @default true
   */
  readonly raising?: boolean;
  /**
   * Subtrees that do not lower the training error become leaves.
   *
   * @default true
   */
  readonly collapse?: boolean;
  /**
   * A threshold pays log₂(candidates)/weight of its gain.
   *
   * @default true
   */
  readonly mdl?: boolean;
  /**
   * Thresholds are values of the training data, as release 8 writes them, not midpoints.
   *
   * @default true
   */
  readonly dataValue?: boolean;
};

/** Parameters of `trainCart`. */
export type CartParams = {
  /**
   * Split rule: `gini`, `entropy` or `misclassification` for classes; `variance`, `absolute`
   * (medians) or `poisson` (deviance) for numbers. `auto` takes Gini or variance.
   *
   * @default "auto"
   */
  readonly criterion?:
    | "auto"
    | "gini"
    | "entropy"
    | "misclassification"
    | "variance"
    | "absolute"
    | "poisson";
  /**
   * Maximum number of splits on a path; 0 means no limit.
   *
   * @default 0
   */
  readonly maxDepth?: number;
  /**
   * Maximum number of leaves of a tree, the best splits first; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * Order in which nodes are split. It only matters with `maxLeaves`, where `auto` is best-first;
   * otherwise `auto` is depth-first.
   *
   * @default "auto"
   */
  readonly growth?: "auto" | "depth-first" | "breadth-first" | "best-first";
  /**
   * A node with fewer rows is not split.
   *
   * @default 2
   */
  readonly minRowsSplit?: number;
  /**
   * Minimum number of rows in a leaf.
   *
   * @default 1
   */
  readonly minRowsPerLeaf?: number;
  /**
   * Minimum weight in a leaf.
   *
   * @default 0
   */
  readonly minWeightPerLeaf?: number;
  /**
   * A split must lower weight × impurity by at least this share of the total weight.
   *
   * @default 0
   */
  readonly minGain?: number;
  /**
   * Threshold between two neighbouring values: their midpoint, or a float32 number near it, which
   * the model file stores in half the space.
   *
   * @default "midpoint"
   */
  readonly cut?: "midpoint" | "short";
  /**
   * Three or more classes: in nodes with up to this many levels, all sets of categories are tried;
   * with more, levels are ordered first. Random splits draw one set.
   *
   * @default 10
   */
  readonly maxExhaustiveLevels?: number;
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Missing values: each split learns a side, or asks surrogate splits (as rpart does).
   *
   * @default "learn"
   */
  readonly missing?: "learn" | "surrogate";
  /**
   * Surrogate splits kept at each node.
   *
   * @default 5
   */
  readonly maxSurrogates?: number;
  /**
   * Prior probability of each class, by name; by default their shares in the data.
   */
  readonly priors?: { readonly [name: string]: number };
  /**
   * Factor on the weight of each class, by name, or `balanced`.
   */
  readonly classWeights?: { readonly [name: string]: number } | "balanced";
  /**
   * Cost of each mistake, `loss[actual][predicted]`, in the order of the classes. It affects splits
   * (altered priors) and pruning, and the predicted class is the one with the least expected cost.
   */
  readonly loss?: unknown;
  /**
   * Value of a regression leaf; `auto` is the median with `absolute` and the mean otherwise.
   *
   * @default "auto"
   */
  readonly leaf?: "auto" | "mean" | "median";
  /**
   * Stop before growth: a χ² test of independence, or a gain per weight below `criticalValue`.
   *
   * @default "none"
   */
  readonly stop?: "none" | "chi-square" | "critical-value";
  /**
   * Level of the χ² test.
   *
   * @default 0.05
   */
  readonly significance?: number;
  /**
   * Critical-value pruning: after growth, a node is removed unless it or a descendant gains more
   * than this per unit of its weight (Mingers 1987).
   *
   * @default 0
   */
  readonly criticalValue?: number;
  /**
   * `alpha`: R(T) + `ccpAlpha`·|T|. `cp`: the same relative to the root. `cv`: the cross-validated
   * table of rpart. `validation`: the tree of the sequence that is best on the validation set.
   * `reduced-error`: Quinlan's bottom-up rule on it. `auto` does what the given parameters ask for.
   *
   * @default "auto"
   */
  readonly pruning?: "auto" | "none" | "alpha" | "cp" | "cv" | "validation" | "reduced-error";
  /**
   * Price of a leaf, in risk per unit of total weight; `cv` chooses it by cross-validation.
   *
   * @default 0
   */
  readonly ccpAlpha?: number | "cv";
  /**
   * Price of a leaf relative to the risk of the root, as in rpart.
   */
  readonly cp?: number;
  /**
   * Risk of a leaf in pruning: its weight × impurity (scikit-learn) or its misclassified weight
   * (Breiman et al., rpart). `auto` is the first for `ccpAlpha` and the second otherwise.
   *
   * @default "auto"
   */
  readonly pruneRisk?: "auto" | "impurity" | "misclassification";
  /**
   * Which tree cross-validation chooses: the one with the least error, or the smallest one within
   * one standard error of it.
   *
   * @default "1se"
   */
  readonly pruneRule?: "min" | "1se";
  /**
   * Folds of cross-validated pruning.
   *
   * @default 10
   */
  readonly folds?: number;
  /**
   * Fold of each row from 0, instead of random folds.
   */
  readonly foldOfRow?: unknown;
  /**
   * Share of rows kept for pruning if no validation set is given.
   *
   * @default 0.25
   */
  readonly validShare?: number;
  /**
   * Seed of all random draws.
   *
   * @default 0
   */
  readonly seed?: number;
};

/** Parameters of `trainBagging`. */
export type BaggingParams = {
  /**
   * Split rule: `gini`, `entropy` or `misclassification` for classes; `variance`, `absolute`
   * (medians) or `poisson` (deviance) for numbers. `auto` takes Gini or variance.
   *
   * @default "auto"
   */
  readonly criterion?:
    | "auto"
    | "gini"
    | "entropy"
    | "misclassification"
    | "variance"
    | "absolute"
    | "poisson";
  /**
   * Maximum number of splits on a path; 0 means no limit.
   *
   * @default 0
   */
  readonly maxDepth?: number;
  /**
   * Maximum number of leaves of a tree, the best splits first; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * Order in which nodes are split. It only matters with `maxLeaves`, where `auto` is best-first;
   * otherwise `auto` is depth-first.
   *
   * @default "auto"
   */
  readonly growth?: "auto" | "depth-first" | "breadth-first" | "best-first";
  /**
   * A node with fewer rows is not split.
   *
   * @default 2
   */
  readonly minRowsSplit?: number;
  /**
   * Minimum number of rows in a leaf.
   *
   * @default 1
   */
  readonly minRowsPerLeaf?: number;
  /**
   * Minimum weight in a leaf.
   *
   * @default 0
   */
  readonly minWeightPerLeaf?: number;
  /**
   * A split must lower weight × impurity by at least this share of the total weight.
   *
   * @default 0
   */
  readonly minGain?: number;
  /**
   * Threshold between two neighbouring values: their midpoint, or a float32 number near it, which
   * the model file stores in half the space.
   *
   * @default "midpoint"
   */
  readonly cut?: "midpoint" | "short";
  /**
   * Three or more classes: in nodes with up to this many levels, all sets of categories are tried;
   * with more, levels are ordered first. Random splits draw one set.
   *
   * @default 10
   */
  readonly maxExhaustiveLevels?: number;
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Factor on the weight of each class, by name, or `balanced`.
   */
  readonly classWeights?: { readonly [name: string]: number } | "balanced";
  /**
   * Trees give class shares, which are averaged, or one vote each.
   *
   * @default "average"
   */
  readonly aggregate?: "average" | "vote";
  /**
   * Score each row by the trees that have not seen it (if bags leave rows out).
   *
   * @default true
   */
  readonly oob?: boolean;
  /**
   * Importance to measure besides impurity: `permutation` on out-of-bag rows, or impurity
   * `corrected` by shuffled copies (a second forest).
   *
   * @default "none"
   */
  readonly importance?: "none" | "permutation" | "corrected";
  /**
   * How often each row is in each tree's bag: one list of counts for each tree.
   */
  readonly inbag?: unknown;
  /**
   * Fixes every random choice; the model's bytes depend on it, but not on the number of threads.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * Number of trees.
   *
   * @default 100
   */
  readonly trees?: number;
  /**
   * The tree that is bagged.
   *
   * @default "cart"
   */
  readonly base?: "cart" | "c45" | "id3" | "extra";
  /**
   * Features drawn for each tree (random subspaces): a number, a share below 1, or a word.
   *
   * @default "all"
   */
  readonly featuresPerTree?: number | "all" | "sqrt" | "third" | "log2";
  /**
   * Number of draws in a bag, as a share of the rows.
   *
   * @default 1
   */
  readonly sampleShare?: number;
  /**
   * Draw bags with replacement.
   *
   * @default true
   */
  readonly replace?: boolean;
};

/** Parameters of `trainRandomForest`. */
export type RandomForestParams = {
  /**
   * Split rule: `gini`, `entropy` or `misclassification` for classes; `variance`, `absolute`
   * (medians) or `poisson` (deviance) for numbers. `auto` takes Gini or variance.
   *
   * @default "auto"
   */
  readonly criterion?:
    | "auto"
    | "gini"
    | "entropy"
    | "misclassification"
    | "variance"
    | "absolute"
    | "poisson";
  /**
   * Maximum number of splits on a path; 0 means no limit.
   *
   * @default 0
   */
  readonly maxDepth?: number;
  /**
   * Maximum number of leaves of a tree, the best splits first; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * Order in which nodes are split. It only matters with `maxLeaves`, where `auto` is best-first;
   * otherwise `auto` is depth-first.
   *
   * @default "auto"
   */
  readonly growth?: "auto" | "depth-first" | "breadth-first" | "best-first";
  /**
   * A node with fewer rows is not split.
   *
   * @default 2
   */
  readonly minRowsSplit?: number;
  /**
   * Minimum number of rows in a leaf.
   *
   * @default 1
   */
  readonly minRowsPerLeaf?: number;
  /**
   * Minimum weight in a leaf.
   *
   * @default 0
   */
  readonly minWeightPerLeaf?: number;
  /**
   * A split must lower weight × impurity by at least this share of the total weight.
   *
   * @default 0
   */
  readonly minGain?: number;
  /**
   * Three or more classes: in nodes with up to this many levels, all sets of categories are tried;
   * with more, levels are ordered first. Random splits draw one set.
   *
   * @default 10
   */
  readonly maxExhaustiveLevels?: number;
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Factor on the weight of each class, by name, or `balanced`.
   */
  readonly classWeights?: { readonly [name: string]: number } | "balanced";
  /**
   * Number of trees.
   *
   * @default 500
   */
  readonly trees?: number;
  /**
   * Features drawn at each node: a number, a share below 1, `sqrt`, `third`, `log2` or `all`, which
   * as text is also 1.0. `auto` is √p for classes and p/3 for numbers.
   *
   * @default "auto"
   */
  readonly featuresPerSplit?: number | "auto" | "sqrt" | "third" | "log2" | "all";
  /**
   * Threshold between two neighbouring values: their midpoint, or a float32 number near it, which
   * the model file stores in half the space.
   *
   * @default "short"
   */
  readonly cut?: "midpoint" | "short";
  /**
   * Trees give class shares, which are averaged, or one vote each.
   *
   * @default "average"
   */
  readonly aggregate?: "average" | "vote";
  /**
   * Score each row by the trees that have not seen it (if bags leave rows out).
   *
   * @default true
   */
  readonly oob?: boolean;
  /**
   * Importance to measure besides impurity: `permutation` on out-of-bag rows, or impurity
   * `corrected` by shuffled copies (a second forest).
   *
   * @default "none"
   */
  readonly importance?: "none" | "permutation" | "corrected";
  /**
   * How often each row is in each tree's bag: one list of counts for each tree.
   */
  readonly inbag?: unknown;
  /**
   * Fixes every random choice; the model's bytes depend on it, but not on the number of threads.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * Number of draws in a bag, as a share of the rows.
   *
   * @default 1
   */
  readonly sampleShare?: number;
  /**
   * Draw bags with replacement.
   *
   * @default true
   */
  readonly replace?: boolean;
};

/** Parameters of `trainExtraTrees`. */
export type ExtraTreesParams = {
  /**
   * Split rule: `gini`, `entropy` or `misclassification` for classes; `variance`, `absolute`
   * (medians) or `poisson` (deviance) for numbers. `auto` takes Gini or variance.
   *
   * @default "auto"
   */
  readonly criterion?:
    | "auto"
    | "gini"
    | "entropy"
    | "misclassification"
    | "variance"
    | "absolute"
    | "poisson";
  /**
   * Maximum number of splits on a path; 0 means no limit.
   *
   * @default 0
   */
  readonly maxDepth?: number;
  /**
   * Maximum number of leaves of a tree, the best splits first; 0 means no limit.
   *
   * @default 0
   */
  readonly maxLeaves?: number;
  /**
   * Order in which nodes are split. It only matters with `maxLeaves`, where `auto` is best-first;
   * otherwise `auto` is depth-first.
   *
   * @default "auto"
   */
  readonly growth?: "auto" | "depth-first" | "breadth-first" | "best-first";
  /**
   * A node with fewer rows is not split.
   *
   * @default 2
   */
  readonly minRowsSplit?: number;
  /**
   * Minimum number of rows in a leaf.
   *
   * @default 1
   */
  readonly minRowsPerLeaf?: number;
  /**
   * Minimum weight in a leaf.
   *
   * @default 0
   */
  readonly minWeightPerLeaf?: number;
  /**
   * A split must lower weight × impurity by at least this share of the total weight.
   *
   * @default 0
   */
  readonly minGain?: number;
  /**
   * Three or more classes: in nodes with up to this many levels, all sets of categories are tried;
   * with more, levels are ordered first. Random splits draw one set.
   *
   * @default 10
   */
  readonly maxExhaustiveLevels?: number;
  /**
   * How scoring treats a category that training has not seen.
   *
   * @default "heavier"
   */
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  /**
   * Factor on the weight of each class, by name, or `balanced`.
   */
  readonly classWeights?: { readonly [name: string]: number } | "balanced";
  /**
   * Number of trees.
   *
   * @default 500
   */
  readonly trees?: number;
  /**
   * Features drawn at each node: a number, a share below 1, `sqrt`, `third`, `log2` or `all`, which
   * as text is also 1.0. `auto` is √p for classes and p/3 for numbers.
   *
   * @default "auto"
   */
  readonly featuresPerSplit?: number | "auto" | "sqrt" | "third" | "log2" | "all";
  /**
   * Threshold between two neighbouring values: their midpoint, or a float32 number near it, which
   * the model file stores in half the space.
   *
   * @default "short"
   */
  readonly cut?: "midpoint" | "short";
  /**
   * Trees give class shares, which are averaged, or one vote each.
   *
   * @default "average"
   */
  readonly aggregate?: "average" | "vote";
  /**
   * Score each row by the trees that have not seen it (if bags leave rows out).
   *
   * @default true
   */
  readonly oob?: boolean;
  /**
   * Importance to measure besides impurity: `permutation` on out-of-bag rows, or impurity
   * `corrected` by shuffled copies (a second forest).
   *
   * @default "none"
   */
  readonly importance?: "none" | "permutation" | "corrected";
  /**
   * How often each row is in each tree's bag: one list of counts for each tree.
   */
  readonly inbag?: unknown;
  /**
   * Fixes every random choice; the model's bytes depend on it, but not on the number of threads.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * Number of draws in a bag, as a share of the rows.
   *
   * @default 1
   */
  readonly sampleShare?: number;
  /**
   * Draw bags with replacement; if not, every tree sees every row when the share is 1.
   *
   * @default false
   */
  readonly replace?: boolean;
};

/** Parameters by the names of other libraries; training checks their values. */
export type OtherNames<Names extends string> = { readonly [name in Names]?: unknown };

/** What the trainer of each algorithm takes: its parameters, by any of their names. */
export type ParamsFor = {
  readonly boost:
    & BoostParams
    & OtherNames<
      | "objective"
      | "loss_function"
      | "application"
      | "app"
      | "objective_type"
      | "n_estimators"
      | "num_boost_round"
      | "num_iterations"
      | "num_iteration"
      | "num_rounds"
      | "num_round"
      | "num_trees"
      | "num_tree"
      | "n_iter"
      | "nrounds"
      | "max_iter"
      | "iterations"
      | "trees"
      | "learning_rate"
      | "eta"
      | "shrinkage_rate"
      | "shrinkage"
      | "learning_rate_growth"
      | "tree_method"
      | "grow_policy"
      | "max_depth"
      | "depth"
      | "max_leaves"
      | "num_leaves"
      | "num_leaf"
      | "max_leaf"
      | "max_leaf_nodes"
      | "max_bins"
      | "max_bin"
      | "border_count"
      | "reg_lambda"
      | "lambda_l2"
      | "l2_regularization"
      | "l2_leaf_reg"
      | "reg_alpha"
      | "lambda_l1"
      | "l1_regularization"
      | "min_split_loss"
      | "min_split_gain"
      | "min_gain_to_split"
      | "post_prune"
      | "min_child_weight"
      | "min_sum_hessian_in_leaf"
      | "min_sum_hessian_per_leaf"
      | "min_sum_hessian"
      | "min_hessian"
      | "min_rows_per_leaf"
      | "min_data_in_leaf"
      | "min_data_per_leaf"
      | "min_data"
      | "min_child_samples"
      | "min_samples_leaf"
      | "max_delta_step"
      | "max_tree_output"
      | "max_leaf_output"
      | "path_smooth"
      | "zero_as_missing"
      | "monotone_constraints"
      | "monotone_constraint"
      | "monotonic_cst"
      | "mc"
      | "monotone_method"
      | "monotone_constraints_method"
      | "monotone_constraining_method"
      | "mc_method"
      | "monotone_rules"
      | "monotone_penalty"
      | "monotone_splits_penalty"
      | "ms_penalty"
      | "mc_penalty"
      | "linear_tree"
      | "linear_trees"
      | "linear_lambda"
      | "interaction_constraints"
      | "interaction_cst"
      | "max_categories_one_hot"
      | "max_cat_to_onehot"
      | "max_categories_per_split"
      | "max_cat_threshold"
      | "cat_smooth"
      | "cat_l2"
      | "min_rows_per_category"
      | "min_data_per_group"
      | "bagging_fraction"
      | "sub_row"
      | "bagging"
      | "subsample_ratio"
      | "sampling_method"
      | "data_sample_strategy"
      | "goss_top"
      | "top_rate"
      | "goss_other"
      | "other_rate"
      | "features_per_tree"
      | "colsample_bytree"
      | "feature_fraction"
      | "sub_feature"
      | "features_per_level"
      | "colsample_bylevel"
      | "features_per_node"
      | "colsample_bynode"
      | "feature_fraction_bynode"
      | "sub_feature_bynode"
      | "max_features"
      | "rsm"
      | "feature_weights"
      | "parallel_trees"
      | "num_parallel_tree"
      | "drop_rate"
      | "rate_drop"
      | "skip_drop"
      | "max_drop"
      | "one_drop"
      | "drop_by"
      | "sample_type"
      | "drop_scale"
      | "normalize_type"
      | "require_split"
      | "positive_weight"
      | "scale_pos_weight"
      | "class_weights"
      | "class_weight"
      | "auto_class_weights"
      | "prior_correction"
      | "base_score"
      | "huber_delta"
      | "huber_slope"
      | "delta"
      | "quantile_alpha"
      | "quantile"
      | "expectile_alpha"
      | "fair_c"
      | "tweedie_power"
      | "tweedie_variance_power"
      | "sigmoid_scale"
      | "sigmoid"
      | "rank_truncation"
      | "lambdarank_truncation_level"
      | "lambdarank_num_pair_per_sample"
      | "rank_gain"
      | "ndcg_gain"
      | "rank_normalise"
      | "lambdarank_norm"
      | "empty_group"
      | "eval_metric"
      | "metric"
      | "metric_types"
      | "metrics_to_show"
      | "custom_metric"
      | "early_stopping_rounds"
      | "early_stopping_round"
      | "early_stopping"
      | "n_iter_no_change"
      | "od_wait"
      | "keep_all"
      | "early_stopping_metric"
      | "early_stopping_set"
      | "min_delta"
      | "early_stopping_min_delta"
      | "tol"
      | "valid_fraction"
      | "validation_fraction"
      | "train_metrics"
      | "is_provide_training_metric"
      | "training_metric"
      | "random_state"
      | "random_seed"
      | "rng_seed"
    >;
  readonly gbdt:
    & GbdtParams
    & OtherNames<
      | "eval_metric"
      | "metric"
      | "metric_types"
      | "metrics_to_show"
      | "custom_metric"
      | "early_stopping_rounds"
      | "early_stopping_round"
      | "early_stopping"
      | "n_iter_no_change"
      | "od_wait"
      | "early_stopping_metric"
      | "early_stopping_set"
      | "min_delta"
      | "early_stopping_min_delta"
      | "tol"
      | "valid_fraction"
      | "validation_fraction"
      | "max_leaves"
      | "max_leaf_nodes"
      | "num_leaves"
      | "min_rows_split"
      | "min_samples_split"
      | "minsplit"
      | "min_rows_per_leaf"
      | "min_samples_leaf"
      | "min_data_in_leaf"
      | "minbucket"
      | "unknown_category"
      | "random_state"
      | "random_seed"
      | "objective"
      | "n_estimators"
      | "num_boost_round"
      | "num_iterations"
      | "nrounds"
      | "trees"
      | "iterations"
      | "learning_rate"
      | "eta"
      | "shrinkage"
      | "max_depth"
      | "depth"
      | "bag_fraction"
      | "bagging_fraction"
      | "features_per_split"
      | "max_features"
      | "mtry"
      | "huber_alpha"
      | "alpha"
    >;
  readonly logitboost:
    & LogitBoostParams
    & OtherNames<
      | "eval_metric"
      | "metric"
      | "metric_types"
      | "metrics_to_show"
      | "custom_metric"
      | "early_stopping_rounds"
      | "early_stopping_round"
      | "early_stopping"
      | "n_iter_no_change"
      | "od_wait"
      | "early_stopping_metric"
      | "early_stopping_set"
      | "min_delta"
      | "early_stopping_min_delta"
      | "tol"
      | "valid_fraction"
      | "validation_fraction"
      | "max_leaves"
      | "max_leaf_nodes"
      | "num_leaves"
      | "min_rows_split"
      | "min_samples_split"
      | "minsplit"
      | "min_rows_per_leaf"
      | "min_samples_leaf"
      | "min_data_in_leaf"
      | "minbucket"
      | "unknown_category"
      | "random_state"
      | "random_seed"
      | "n_estimators"
      | "num_boost_round"
      | "num_iterations"
      | "nrounds"
      | "trees"
      | "iterations"
      | "learning_rate"
      | "eta"
      | "shrinkage"
      | "max_depth"
      | "depth"
      | "z_max"
    >;
  readonly adaboost:
    & AdaBoostParams
    & OtherNames<
      | "max_leaves"
      | "max_leaf_nodes"
      | "num_leaves"
      | "min_rows_split"
      | "min_samples_split"
      | "minsplit"
      | "min_rows_per_leaf"
      | "min_samples_leaf"
      | "min_data_in_leaf"
      | "minbucket"
      | "unknown_category"
      | "random_state"
      | "random_seed"
      | "algorithm_variant"
      | "n_estimators"
      | "num_boost_round"
      | "num_iterations"
      | "nrounds"
      | "trees"
      | "iterations"
      | "learning_rate"
      | "eta"
      | "shrinkage"
      | "base_estimator"
      | "estimator"
      | "split_criterion"
      | "max_depth"
      | "depth"
    >;
  readonly id3:
    & Id3Params
    & OtherNames<
      | "critical_value"
      | "random_state"
      | "random_seed"
      | "unknown_category"
      | "min_gain"
      | "sigma"
      | "gain_threshold"
      | "id3_strict"
      | "max_depth"
      | "depth"
    >;
  readonly c45:
    & C45Params
    & OtherNames<
      | "unknown_category"
      | "class_weights"
      | "class_weight"
      | "random_state"
      | "random_seed"
      | "min_objects"
      | "min_num_obj"
      | "M"
      | "confidence_factor"
      | "CF"
      | "C"
      | "subtree_raising"
      | "mdl_correction"
      | "data_value"
    >;
  readonly cart:
    & CartParams
    & OtherNames<
      | "split_criterion"
      | "splitrule"
      | "max_depth"
      | "depth"
      | "max_leaves"
      | "max_leaf_nodes"
      | "num_leaves"
      | "grow_policy"
      | "min_rows_split"
      | "min_samples_split"
      | "minsplit"
      | "min_rows_per_leaf"
      | "min_samples_leaf"
      | "minbucket"
      | "min_data_in_leaf"
      | "min_node_size"
      | "min_weight_per_leaf"
      | "min_weight_leaf"
      | "min_gain"
      | "min_impurity_decrease"
      | "min_split_gain"
      | "gain_threshold"
      | "max_exhaustive_levels"
      | "unknown_category"
      | "use_surrogate"
      | "max_surrogates"
      | "maxsurrogate"
      | "prior"
      | "class_weights"
      | "class_weight"
      | "loss_matrix"
      | "critical_value"
      | "ccp_alpha"
      | "complexity"
      | "prune_risk"
      | "prune_rule"
      | "xval"
      | "fold_of_row"
      | "valid_share"
      | "random_state"
      | "random_seed"
    >;
  readonly bagging:
    & BaggingParams
    & OtherNames<
      | "split_criterion"
      | "splitrule"
      | "max_depth"
      | "depth"
      | "max_leaves"
      | "max_leaf_nodes"
      | "num_leaves"
      | "grow_policy"
      | "min_rows_split"
      | "min_samples_split"
      | "minsplit"
      | "min_rows_per_leaf"
      | "min_samples_leaf"
      | "minbucket"
      | "min_data_in_leaf"
      | "min_node_size"
      | "min_weight_per_leaf"
      | "min_weight_leaf"
      | "min_gain"
      | "min_impurity_decrease"
      | "min_split_gain"
      | "gain_threshold"
      | "max_exhaustive_levels"
      | "unknown_category"
      | "class_weights"
      | "class_weight"
      | "voting"
      | "oob_score"
      | "random_state"
      | "random_seed"
      | "n_estimators"
      | "num_trees"
      | "rounds"
      | "num_iterations"
      | "base_estimator"
      | "estimator"
      | "features_per_tree"
      | "max_features"
      | "sample_share"
      | "max_samples"
      | "sample_fraction"
      | "bootstrap"
    >;
  readonly "random-forest":
    & RandomForestParams
    & OtherNames<
      | "split_criterion"
      | "splitrule"
      | "max_depth"
      | "depth"
      | "max_leaves"
      | "max_leaf_nodes"
      | "num_leaves"
      | "grow_policy"
      | "min_rows_split"
      | "min_samples_split"
      | "minsplit"
      | "min_rows_per_leaf"
      | "min_samples_leaf"
      | "minbucket"
      | "min_data_in_leaf"
      | "min_node_size"
      | "min_weight_per_leaf"
      | "min_weight_leaf"
      | "min_gain"
      | "min_impurity_decrease"
      | "min_split_gain"
      | "gain_threshold"
      | "max_exhaustive_levels"
      | "unknown_category"
      | "class_weights"
      | "class_weight"
      | "n_estimators"
      | "num_trees"
      | "ntree"
      | "rounds"
      | "num_iterations"
      | "features_per_split"
      | "mtry"
      | "max_features"
      | "voting"
      | "oob_score"
      | "random_state"
      | "random_seed"
      | "sample_share"
      | "max_samples"
      | "sample_fraction"
      | "bootstrap"
    >;
  readonly "extra-trees":
    & ExtraTreesParams
    & OtherNames<
      | "split_criterion"
      | "splitrule"
      | "max_depth"
      | "depth"
      | "max_leaves"
      | "max_leaf_nodes"
      | "num_leaves"
      | "grow_policy"
      | "min_rows_split"
      | "min_samples_split"
      | "minsplit"
      | "min_rows_per_leaf"
      | "min_samples_leaf"
      | "minbucket"
      | "min_data_in_leaf"
      | "min_node_size"
      | "min_weight_per_leaf"
      | "min_weight_leaf"
      | "min_gain"
      | "min_impurity_decrease"
      | "min_split_gain"
      | "gain_threshold"
      | "max_exhaustive_levels"
      | "unknown_category"
      | "class_weights"
      | "class_weight"
      | "n_estimators"
      | "num_trees"
      | "ntree"
      | "rounds"
      | "num_iterations"
      | "features_per_split"
      | "mtry"
      | "max_features"
      | "voting"
      | "oob_score"
      | "random_state"
      | "random_seed"
      | "sample_share"
      | "max_samples"
      | "sample_fraction"
      | "bootstrap"
    >;
};

/** Parameters of which all but some are there. */
export type Filled<P, Absent extends keyof P> = Required<Omit<P, Absent>> & Pick<P, Absent>;

/** Parameters of each algorithm with their defaults: those without one may be absent. */
export type ResolvedParams = {
  readonly boost: Filled<
    BoostParams,
    | "committee"
    | "learningRateGrowth"
    | "minRowsPerLeaf"
    | "monotone"
    | "interactions"
    | "subsample"
    | "featuresPerNode"
    | "featureWeights"
    | "positiveWeight"
    | "classWeights"
    | "baseScore"
    | "metrics"
    | "earlyStoppingMetric"
    | "earlyStoppingSet"
  >;
  readonly gbdt: Filled<GbdtParams, "metrics" | "earlyStoppingMetric" | "earlyStoppingSet">;
  readonly logitboost: Filled<
    LogitBoostParams,
    "metrics" | "earlyStoppingMetric" | "earlyStoppingSet"
  >;
  readonly adaboost: Filled<AdaBoostParams, never>;
  readonly id3: Filled<Id3Params, never>;
  readonly c45: Filled<C45Params, "classWeights">;
  readonly cart: Filled<CartParams, "priors" | "classWeights" | "loss" | "cp" | "foldOfRow">;
  readonly bagging: Filled<BaggingParams, "classWeights" | "inbag">;
  readonly "random-forest": Filled<RandomForestParams, "classWeights" | "inbag">;
  readonly "extra-trees": Filled<ExtraTreesParams, "classWeights" | "inbag">;
};
