/**
 * Hyperparameters of `boost`, some of them also of `gbdt` and `logitboost`, that judge a run:
 * metrics, early stopping, what is held out.
 *
 * @module
 */
import { BOOST, type ParamTable } from "./types.ts";

/** Methods that go round by round and can stop. */
const JUDGED = [...BOOST, "gbdt", "logitboost"] as const;

/** In the order of docs/parameters.md. */
export const BOOST_STOPPING_PARAMS = {
  emptyGroup: {
    kind: "choice",
    aliases: ["empty_group"],
    choices: ["skip", "one", "zero"],
    default: "skip",
    doc: "Ranking: how queries without a relevant item count in metrics.",
    algorithms: BOOST,
  },
  metrics: {
    kind: "texts",
    aliases: ["eval_metric", "metric", "metric_types", "metrics_to_show", "custom_metric"],
    doc: "Metrics computed on every validation set each round; `loss` is the minimised loss. By " +
      "default those of the task.",
    algorithms: JUDGED,
  },
  earlyStoppingRounds: {
    kind: "integer",
    aliases: [
      "early_stopping_rounds",
      "early_stopping_round",
      "early_stopping",
      "n_iter_no_change",
      "od_wait",
    ],
    min: 0,
    default: 0,
    doc: "Stops when the deciding metric has not improved for this many rounds and returns the " +
      "best prefix; 0 trains all rounds. Without a validation set, one is held out.",
    algorithms: JUDGED,
  },
  keepAll: {
    kind: "boolean",
    aliases: [],
    default: false,
    doc:
      "Keeps the rounds after the best one in the model, with weight 0: predictions are those of the best prefix; `keepRounds` makes a model of any number of rounds.",
    algorithms: BOOST,
  },
  earlyStoppingMetric: {
    kind: "text",
    aliases: [],
    doc: "The one metric that decides. By default the loss's own (the first of `metrics`).",
    algorithms: JUDGED,
  },
  earlyStoppingSet: {
    kind: "text",
    aliases: [],
    doc:
      "Name of the one validation set that decides. By default the first that is not `train`; for a committee, its own rows, `outOfFold`.",
    algorithms: JUDGED,
  },
  minDelta: {
    kind: "number",
    aliases: ["min_delta", "early_stopping_min_delta", "tol"],
    min: 0,
    default: 0,
    doc: "Amount by which the deciding metric must improve to count as better.",
    algorithms: JUDGED,
  },
  validFraction: {
    kind: "number",
    aliases: ["validation_fraction", "valid_fraction"],
    min: 0,
    max: 1,
    open: "both",
    default: 0.1,
    doc: "Share of rows held out for early stopping if no validation set is given " +
      "(by class for classification, by query for ranking).",
    algorithms: JUDGED,
  },
  trainMetrics: {
    kind: "boolean",
    aliases: ["is_provide_training_metric", "training_metric"],
    default: false,
    doc: "Reports the metrics on the training rows too, as set `train`.",
    algorithms: BOOST,
  },
} as const satisfies ParamTable;
