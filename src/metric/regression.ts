/**
 * Metrics of numbers: errors, deviances and log likelihoods.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { log, log1p, pow } from "../util/math.ts";
import { jobMetric } from "./job.ts";
import { meanJob, pointMetric } from "./mean.ts";
import type { Metric } from "./types.ts";

/** Root of the mean squared error. */
export function rmse(): Metric {
  return pointMetric("rmse", (y, v) => (v - y) * (v - y), Math.sqrt);
}

/** Mean squared error. */
export function mse(): Metric {
  return pointMetric("mse", (y, v) => (v - y) * (v - y));
}

/** Mean absolute error. */
export function mae(): Metric {
  return pointMetric("mae", (y, v) => Math.abs(v - y));
}

/** Mean of |v − y| / |y|; rows with y = 0 count |v − y| / 2⁻⁵² as in scikit-learn. */
export function mape(): Metric {
  return pointMetric("mape", (y, v) => Math.abs(v - y) / Math.max(Math.abs(y), 2 ** -52));
}

/** Root mean squared difference of ln(1 + ·); values at or below −1 count as −1 + 1e-6. */
export function rmsle(): Metric {
  return pointMetric(
    "rmsle",
    (y, v) => (log1p(Math.max(v, -1 + 1e-6)) - log1p(y)) ** 2,
    Math.sqrt,
  );
}

/** Mean Huber loss. */
export function huber(delta: number): Metric {
  return pointMetric("huber", (y, v) => {
    const x = Math.abs(v - y);
    return x <= delta ? 0.5 * x * x : delta * (x - 0.5 * delta);
  });
}

/** Mean pseudo-Huber loss (XGBoost `mphe`). */
export function pseudoHuber(delta: number): Metric {
  return pointMetric("pseudoHuber", (y, v) => {
    const t = (v - y) * (v - y) / (delta * delta);
    return delta * delta * (t / (Math.sqrt(1 + t) + 1));
  });
}

/** Mean fair loss. */
export function fair(c: number): Metric {
  return pointMetric("fair", (y, v) => {
    const x = Math.abs(v - y) / c;
    return c * c * (x - log1p(x));
  });
}

/**
 * Mean pinball loss; with several outputs the mean over outputs, output k at level k.
 *
 * @param only The one level to judge: of a model of several levels the output that has it.
 */
export function quantile(levels: readonly number[], only?: number): Metric {
  return levelMetric(
    "quantile",
    levels,
    only,
    (level, y, v) => v > y ? (1 - level) * (v - y) : level * (y - v),
  );
}

/** Mean asymmetric squared error; levels as for {@linkcode quantile}. */
export function expectile(levels: readonly number[], only?: number): Metric {
  return levelMetric(
    "expectile",
    levels,
    only,
    (level, y, v) => (v > y ? 1 - level : level) * (v - y) * (v - y),
  );
}

function levelMetric(
  name: string,
  levels: readonly number[],
  only: number | undefined,
  term: (level: number, label: number, response: number) => number,
): Metric {
  const judgedOf = (numOutputs: number) =>
    only === undefined
      ? levels.map((level, output) => ({ level, output }))
      : [{ level: only, output: numOutputs === 1 ? 0 : levels.indexOf(only) }];
  const problem = (_: Labels, numOutputs: number) =>
    (only === undefined && levels.length !== numOutputs) || judgedOf(numOutputs)[0].output < 0
      ? `the model has ${numOutputs} output${numOutputs === 1 ? "" : "s"}, of levels ` +
        `${levels.join(", ")}, expected one of ${only === undefined ? "each" : `level ${only}`}`
      : undefined;
  const metric = jobMetric(name, false, (labels, { response, numRows, numOutputs }, place) => {
    const judged = judgedOf(numOutputs);
    const jobs = judged.map(({ level, output }) =>
      meanJob(
        numRows,
        labels.weight,
        (row) => term(level, labels.values[row], response[output * numRows + row]),
        place,
      )
    );
    return {
      steps: jobs.flatMap(({ steps }) => steps),
      value: () => jobs.reduce((total, { value }) => total + value(), 0) / judged.length,
    };
  });
  return { ...metric, problem };
}

/** Share of the weighted variance explained, 1 − Σw(y−v)² / Σw(y−ȳ)²; NaN for constant labels. */
export function r2(): Metric {
  return jobMetric("r2", true, ({ values, weight }, { response, numRows }, place) => {
    const mean = meanJob(numRows, weight, (row) => values[row], place);
    const left = meanJob(numRows, weight, (row) => (values[row] - response[row]) ** 2, place);
    let middle = 0;
    const total = meanJob(numRows, weight, (row) => (values[row] - middle) ** 2, place);
    const last = total.steps[0];
    return {
      steps: [...mean.steps, ...left.steps, {
        items: last.items,
        run(block) {
          middle = mean.value();
          last.run(block);
        },
      }],
      // The mean of equal labels may lie a rounding beside them: a share of that would be any number.
      value: () =>
        total.value() > 0 && !isConstant(values, weight) ? 1 - left.value() / total.value() : NaN,
    };
  });
}

/** Whether all rows that weigh something have one label. */
function isConstant(values: Float64Array, weight: Float64Array | undefined): boolean {
  let first: number | undefined;
  return values.every((y, row) => weight?.[row] === 0 || y === (first ??= y));
}

const LEAST = 1e-16; // responses of count losses are held above this before their logarithm

/** Natural logarithm of n!, by Stirling's series above 15 and by products below. */
export function logFactorial(n: number): number {
  let shift = 0;
  let x = n + 1;
  while (x < 16) {
    shift += log(x);
    x += 1;
  }
  const z = 1 / (x * x);
  const series = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z / 1680))) / x;
  return (x - 0.5) * log(x) - x + 0.9189385332046727 + series - shift; // ½ ln 2π
}

/** Mean negative Poisson log likelihood, v − y ln v + ln y! (XGBoost `poisson-nloglik`). */
export function poissonNll(): Metric {
  return pointMetric("poissonNll", (y, v) => v - y * log(Math.max(v, LEAST)) + logFactorial(y));
}

/** ln(y / mean) of numbers above 0, also where the ratio is less than any number. */
function logRatio(y: number, mean: number): number {
  const ratio = y / mean;
  return ratio > 0 ? log(ratio) : log(y) - log(mean);
}

/** Mean Poisson deviance, 2 (y ln(y/v) − y + v). */
export function poissonDeviance(): Metric {
  return pointMetric("poissonDeviance", (y, v) => {
    const mean = Math.max(v, LEAST);
    return 2 * ((y > 0 ? y * logRatio(y, mean) : 0) - y + mean);
  });
}

/** Mean negative gamma log likelihood at shape 1, y/v + ln v (XGBoost `gamma-nloglik`). */
export function gammaNll(): Metric {
  return pointMetric("gammaNll", (y, v) => {
    const mean = Math.max(v, LEAST);
    return y / mean + log(mean);
  });
}

/** Mean gamma deviance, 2 (y/v − 1 − ln(y/v)). */
export function gammaDeviance(): Metric {
  return pointMetric("gammaDeviance", (y, v) => {
    const mean = Math.max(v, LEAST);
    return 2 * (y / mean - 1 - logRatio(y, mean));
  });
}

/** Mean Tweedie loss without its constant, −y v^(1−ρ)/(1−ρ) + v^(2−ρ)/(2−ρ). */
export function tweedieNll(power: number): Metric {
  return pointMetric("tweedieNll", (y, v) => {
    const mean = Math.max(v, LEAST);
    return -y * pow(mean, 1 - power) / (1 - power) + pow(mean, 2 - power) / (2 - power);
  });
}

/** Mean Tweedie deviance for 1 < ρ < 2. */
export function tweedieDeviance(power: number): Metric {
  const a = 1 - power;
  const b = 2 - power;
  return pointMetric("tweedieDeviance", (y, v) => {
    const mean = Math.max(v, LEAST);
    return 2 * (pow(y, b) / (a * b) - y * pow(mean, a) / a + pow(mean, b) / b);
  });
}
