/**
 * Names of parameters, losses and their values that XGBoost, LightGBM, CatBoost and scikit-learn have
 * and Treeline has not: what takes their place, so that nobody is led to the parameter that merely
 * looks alike.
 *
 * @module
 */

const CPU = "training runs on the processor, with the same result on any number of threads";
const SEED = "one seed rules every draw; expected seed";
const BINS = "bins are cut from all rows; expected maxBins";
const DATA = "it is a matter of reading data (kinds of columns, missing), not of the algorithm";

/** Names of other libraries, parted by spaces, and the advice. */
export const ADVICE: readonly (readonly [names: string, advice: string])[] = [
  [
    "nthread nthreads num_thread num_threads n_jobs thread_count",
    "threads are an option of the run (threads, --threads)",
  ],
  [
    "verbosity verbose silent",
    "messages are options of the run (onRound, onWarning; --verbose, --quiet)",
  ],
  [
    "booster boosting boosting_type boost",
    `trees of boost need none; expected dropRate for DART, sampling "goss" for GOSS, algorithm ` +
    `"random-forest" or parallelTrees for forests`,
  ],
  ["num_class num_classes", "classes are counted in the data"],
  ["is_unbalance unbalance unbalanced_sets", `expected classWeights "balanced"`],
  ["bagging_freq subsample_freq", "rows are drawn anew in every round; expected subsample"],
  [
    "pos_bagging_fraction neg_bagging_fraction bagging_by_query",
    "rows are drawn alike; expected subsample",
  ],
  [
    "bagging_seed feature_fraction_seed extra_seed drop_seed data_random_seed objective_seed seed_per_iteration",
    SEED,
  ],
  ["extra_trees extra_tree", `expected algorithm "extra-trees"`],
  [
    "enable_categorical categorical_feature categorical_features cat_features categorical_column",
    DATA,
  ],
  ["use_missing nan_mode", DATA],
  ["ndcg_exp_gain label_gain", "expected rankGain"],
  ["lambdarank_pair_method", "pairs have an item among the best ranks; expected rankTruncation"],
  [
    "lambdarank_normalization lambdarank_score_normalization",
    "score gaps and queries are divided by together, or neither; expected rankNormalise",
  ],
  [
    "lambdarank_unbiased lambdarank_bias_norm lambdarank_position_bias_regularization",
    "positions of clicks are not corrected for",
  ],
  ["boost_from_average", "training starts from the best constant; expected baseScore for another"],
  ["reg_sqrt", "expected a target that is transformed in the data, or a loss by expression"],
  ["poisson_max_delta_step", "expected maxDeltaStep"],
  [
    "device device_type task_type gpu_id tree_learner deterministic force_col_wise force_row_wise max_cached_hist_node",
    CPU,
  ],
  [
    "min_data_in_bin bin_construct_sample_cnt subsample_for_bin max_bin_by_feature is_enable_sparse enable_bundle feature_pre_filter",
    BINS,
  ],
  ["uniform_drop", "expected dropBy"],
  ["xgboost_dart_mode", "expected dropScale"],
  ["refit_decay_rate", "it belongs to refit (decay, --decay)"],
  ["process_type refresh_leaf updater", "expected refit of a model on new data"],
  ["eval_at", `the number is part of the metric: expected metrics "ndcg@5"`],
  ["first_metric_only", "one named metric decides; expected earlyStoppingMetric"],
  ["metric_freq", "metrics are reported every round"],
  ["scoring", "expected earlyStoppingMetric"],
  ["multi_strategy", "every output has trees of its own"],
  ["warm_start", "expected continuation of a model (continueBoost, treeline continue)"],
  ["init init_score base_margin", "expected an offset column"],
  [
    "importance_type",
    "importances are computed from the model, by gain, cover and count side by side",
  ],
  ["od_type", "expected earlyStoppingRounds"],
  ["bootstrap_type", "expected sampling"],
  ["one_hot_max_size", "expected maxCategoriesOneHot"],
  ["validate_parameters", "parameters are always checked"],
  [
    "feature_contri forcedsplits_filename cegb_tradeoff random_strength bagging_temperature",
    "Treeline has nothing like it",
  ],
];

const PARAMS: ReadonlyMap<string, string> = new Map(
  ADVICE.flatMap(([names, advice]) =>
    names.split(" ").map((name) => [name.replaceAll("_", "-"), advice] as const)
  ),
);

/** What takes the place of another library's parameter, or undefined. */
export function adviceOnParam(name: string): string | undefined {
  return PARAMS.get(name.toLowerCase().replaceAll("_", "-"));
}
