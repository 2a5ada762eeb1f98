/**
 * Trials as text that an interrupted search goes on from: a line that says which search they belong
 * to, then a line a trial. A search of other data, ranges, folds, seed or metric is refused, since
 * its trials would pass for this one's.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkArgument, checkOptions } from "../door.ts";
import { fingerprint } from "../algorithms/common/checkpoint.ts";
import type { Dataset } from "../data/types.ts";
import { DataError, ParameterError } from "../errors.ts";
import type { Json } from "../model/types.ts";
import { VERSION } from "../util/version.ts";
import { checkSpace, type SearchSpace } from "./space.ts";
import { type Trial, TUNE_OPTIONS, type TuneOptions } from "./tune.ts";

/** What a search is recognised by. */
type Marks = { readonly [name: string]: Json };

/** A log of trials. Store `text` after each trial to be able to resume the search. */
export interface TrialLog {
  /** Trials of the earlier run, for `resume` of {@linkcode TuneOptions}. */
  readonly trials: readonly Trial[];
  /** Adds a trial. */
  add(trial: Trial): void;
  /** JSON lines: one that identifies the search, and one for each trial so far. */
  readonly text: string;
}

/**
 * Starts a log of trials, or continues an earlier one.
 *
 * @param options The options of {@linkcode tune}.
 * @param before Text of the earlier log.
 * @throws {ParameterError} `E_PARAM_CONFLICT` if `before` is from another search, with what differs.
 * @throws {DataError} `E_DATA_PARSE` with the line that is not a trial.
 */
export async function openTrialLog(
  data: Dataset,
  space: SearchSpace,
  options: TuneOptions,
  before?: string,
): Promise<TrialLog> {
  checkShape("openTrialLog", data);
  checkSpace("openTrialLog", space);
  checkOptions<TuneOptions>("openTrialLog", options, TUNE_OPTIONS);
  if (before !== undefined) checkArgument("openTrialLog", "before", before, "text");
  const marks = await marksOf(data, space, options);
  const trials = before === undefined ? [] : readLog(before, marks);
  const lines = [JSON.stringify({ treeline: "tune", ...marks }), ...trials.map(lineOf)];
  return {
    trials,
    add: (trial) => void lines.push(lineOf(trial)),
    get text() {
      return `${lines.join("\n")}\n`;
    },
  };
}

async function marksOf(data: Dataset, space: SearchSpace, options: TuneOptions): Promise<Marks> {
  const { folds = 5, seed = 0, method = "random", factor = 3, metric = null, metrics = null } =
    options;
  const { stratify = null, groups, time } = options;
  const rule = time === true ? true : time ?? groups ?? null;
  return {
    version: VERSION,
    algorithm: space.algorithm,
    data: await fingerprint([data], null),
    space: await fingerprint([], [
      JSON.parse(JSON.stringify([...space.ranges])),
      JSON.parse(JSON.stringify(space.fixed)),
    ]),
    folds: await fingerprint([], [
      folds,
      stratify,
      time !== undefined ? "time" : groups !== undefined ? "groups" : "rows",
      rule === null || rule === true ? null : Array.from(rule as ArrayLike<string | number>),
    ]),
    seed,
    method,
    factor: method === "halving" ? factor : null,
    // Halving keeps a part of as many as there are: other counts are other trials.
    trials: method === "halving" ? options.trials ?? 30 : null,
    metric,
    metrics: metrics === null ? null : [...metrics],
  };
}

function readLog(text: string, marks: Marks): Trial[] {
  const [head, ...lines] = text.split("\n").filter((line) => line !== "");
  const stored = parse(head ?? "", 1);
  if (stored.treeline !== "tune") throw notTrial(1);
  for (const [name, value] of Object.entries(marks)) {
    if (JSON.stringify(stored[name]) === JSON.stringify(value)) continue;
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot resume: the trials belong to a search with other ${name}; expected the same ${name}`,
      { details: { param: "resume", differs: name } },
    );
  }
  return lines.map((line, i) => trialOf(parse(line, i + 2), i + 2));
}

function parse(line: string, at: number): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as { readonly [name: string]: unknown };
    }
  } catch { /* told below */ }
  throw notTrial(at);
}

function notTrial(line: number): DataError {
  return new DataError(
    "E_DATA_PARSE",
    `Cannot resume: line ${line} is not a trial, expected a file that tune wrote`,
    { details: { line } },
  );
}

/** JSON has no such numbers: a metric that is not defined is null, one without end is text. */
function lineOf(trial: Trial): string {
  const { value, mean, deviation } = trial;
  const text = (number: number) => Math.abs(number) === Infinity ? String(number) : number;
  const texts = (table: { readonly [metric: string]: number }) =>
    Object.fromEntries(Object.entries(table).map(([name, one]) => [name, text(one)]));
  return JSON.stringify({
    ...trial,
    value: text(value),
    mean: texts(mean),
    deviation: texts(deviation),
  });
}

function trialOf(stored: { readonly [name: string]: unknown }, line: number): Trial {
  const { trial, share, params, failed, mean, deviation } = stored as Partial<Trial>;
  const value = numberOf(stored.value);
  const isTable = (table: unknown) => typeof table === "object" && table !== null;
  const good = Number.isInteger(trial) && typeof share === "number" && isTable(params) &&
    value !== undefined && isTable(mean) && isTable(deviation) &&
    (failed === undefined || typeof failed === "string");
  if (!good) throw notTrial(line);
  const numbers = (table: { readonly [metric: string]: unknown }) =>
    Object.fromEntries(
      Object.entries(table).map(([name, one]) => {
        const number = numberOf(one);
        if (number === undefined) throw notTrial(line);
        return [name, number];
      }),
    );
  return { // in the order of a trial that was just run: the report's bytes are the same
    trial: trial!,
    params: params!,
    share: share!,
    value,
    ...(failed !== undefined && { failed }),
    mean: numbers(mean!),
    deviation: numbers(deviation!),
  };
}

/** A number as `lineOf` writes it; undefined for anything else. */
function numberOf(stored: unknown): number | undefined {
  if (stored === null) return NaN;
  if (stored === "Infinity" || stored === "-Infinity") return Number(stored);
  return typeof stored === "number" ? stored : undefined;
}
