/**
 * What a word that is not known here was meant to be, for messages.
 *
 * @module
 */
import { nearest } from "../../util/nearest.ts";

/**
 * Flags that go by other names elsewhere: words parted by spaces, and the flags that answer to them,
 * with a value where one is needed. The first that the command has counts.
 */
const FLAGS: readonly (readonly [words: string, flags: string])[] = [
  ["-y --y --label --labels --label-column --response --target-column", "--target"],
  ["--output -O --save --save-model --model-out --output-model --destination", "--out"],
  ["--overwrite --yes", "--force"],
  [
    "--test-size --validation-fraction --validation-split --holdout --eval-fraction",
    "--valid-fraction",
  ],
  ["--test --eval-set --validation --validation-data --valid-data --val", "--valid"],
  ["--n-jobs --nthread --nthreads --num-threads --n-threads --thread-count --jobs -j", "--threads"],
  ["--proba --predict-proba --probability --probabilities", "--kind proba"],
  ["--raw --output-margin --raw-score --margin", "--kind raw"],
  ["--pred-leaf --apply --leaves", "--kind leaf"],
  ["--cv --nfold --n-folds --num-folds --k-folds", "--folds"],
  ["--sep --separator -d", "--delimiter"],
  ["--na-values --na --nan --null --missing-values", "--missing"],
  ["--data --rows --input-file --reference", "--input"],
  ["--ignore --exclude --ignore-column --drop-columns --drop-column", "--drop"],
  ["--cat-features --categorical-feature --categorical-features --cat", "--categorical"],
  ["--sample-weight --weights --weight-column --weight-col", "--weight"],
  ["--query --qid --group-column --group-id --group-col", "--group"],
  ["--base-margin --init-score --exposure", "--offset"],
  ["--random-state --random-seed", "--seed"],
  ["--metric --scoring --eval-metric --score", "--metrics | --metric"],
  ["--n-iter --n-trials --iterations", "--trials"],
  ["--calibration --calibrated", "--calibrate"],
  ["--model --algo --type --estimator", "--algorithm"],
  ["--num-iteration --ntree-limit --iteration-range", "--rounds"],
  ["--format --output-format", "--to | --as"],
  ["--lr", "--learning-rate"],
  ["--include --select", "--keep"],
];

/** Values that go by other names elsewhere, one answer each. */
const VALUES: { readonly [word: string]: readonly string[] } = {
  sigmoid: ["platt"],
  logistic: ["platt"],
  binary: ["classification"],
  multiclass: ["classification"],
  classifier: ["classification"],
  categorical: ["classification"],
  regressor: ["regression"],
  continuous: ["regression"],
  xgboost: ["xgboost-json"],
  xgb: ["xgboost-json"],
  lightgbm: ["lightgbm-text"],
  lgbm: ["lightgbm-text"],
  catboost: ["catboost-json"],
  sklearn: ["sklearn-json"],
  "scikit-learn": ["sklearn-json"],
  treeline: ["tlm"],
  ts: ["typescript"],
  margin: ["raw"],
  probability: ["proba"],
  probabilities: ["proba"],
  "predict-proba": ["proba"],
  contrib: ["shap"],
  treeshap: ["shap"],
};

/** The flag that another program's flag is here. */
export function flagElsewhere(given: string, flags: readonly string[]): string | undefined {
  const word = given.startsWith("--") ? given.toLowerCase().replaceAll("_", "-") : given;
  for (const [words, answers] of FLAGS) {
    if (!words.split(" ").includes(word)) continue;
    const answer = answers.split(" | ").find((answer) => flags.includes(answer.split(" ")[0]!));
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** The value that another program's value is here. */
export function valueElsewhere(given: string, values: readonly string[]): string | undefined {
  const word = given.toLowerCase().replaceAll("_", "-");
  return Object.hasOwn(VALUES, word)
    ? VALUES[word]!.find((value) => values.includes(value))
    : undefined;
}

/** The word that was meant, where one is near. */
export function meantBy(
  given: string,
  known: readonly string[],
): { readonly nearest?: string; readonly note: string } {
  const right = nearest(given, known);
  return right === undefined ? { note: "" } : { nearest: right, note: `; the nearest is ${right}` };
}
