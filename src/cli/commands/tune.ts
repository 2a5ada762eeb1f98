/**
 * `treeline tune DATA --target COLUMN`.
 *
 * @module
 */
import type { CrossValidateOptions } from "../../evaluate/cross_validation.ts";
import { TrainingError, UsageError } from "../../errors.ts";
import { canonicalParam, kebab } from "../../params/resolve.ts";
import { ALGORITHM_NAMES } from "../../params/table.ts";
import type { ParamInput, SearchRange } from "../../params/types.ts";
import { checkWritable, writeText } from "../../runtime/write.ts";
import type { Dataset } from "../../data/types.ts";
import { type SearchSpace, searchSpace } from "../../tune/space.ts";
import { openTrialLog } from "../../tune/trial_log.ts";
import {
  type Trial,
  trialTable,
  tune,
  type TuneOptions,
  type TuneResult,
} from "../../tune/tune.ts";
import { existing } from "../flags/checkpoint.ts";
import type { CommandBody, Flags, FlagSpec, Invocation } from "../common/command.ts";
import { metricText } from "../reports/metrics.ts";
import { CONFIG_FLAGS, type Given, paramFlags, readGiven } from "../flags/params.ts";
import {
  READ_FLAGS,
  readTable,
  ROLE_FLAGS,
  seedOf,
  TABLE_ARGUMENT,
  tableOptions,
} from "../input/read_options.ts";
import { THREADS_FLAG } from "../flags/threads.ts";

const TUNE_FLAGS: readonly FlagSpec[] = [
  {
    name: "algorithm",
    short: "a",
    kind: "text",
    value: "NAME",
    suggested: ALGORITHM_NAMES,
    about: `Algorithm whose parameters are meant: ${ALGORITHM_NAMES.join(", ")}`,
    default: "boost",
  },
  { name: "trials", kind: "number", value: "N", about: "Settings to draw", default: "30" },
  {
    name: "method",
    kind: "text",
    value: "NAME",
    choices: ["random", "halving"],
    about: "All settings on all rows, or many on few rows and the better ones on more",
    default: "random",
  },
  {
    name: "only",
    kind: "list",
    value: "A,B",
    about: "Parameters to draw; a parameter set by a flag is fixed",
    default: "all with a range",
  },
  {
    name: "range",
    kind: "repeat",
    value: "NAME=RANGE",
    about: "Draw a parameter from 0.01:0.3, from 0.01:0.3:log, or from the list 2,4,6",
  },
  {
    name: "metric",
    short: "m",
    kind: "text",
    value: "NAME",
    about: "The one metric that decides",
    default: "first of the task",
  },
  { name: "folds", kind: "number", value: "N", about: "Folds of the rows", default: "5" },
  {
    name: "seed",
    kind: "number",
    value: "N",
    about: "Seed of the draws and of the folds",
    default: "0",
  },
  THREADS_FLAG,
  {
    name: "resume",
    kind: "text",
    value: "FILE",
    about: "File for the trials; those already in it are not repeated",
  },
  ...CONFIG_FLAGS,
];

const OWN_FLAGS = [...TUNE_FLAGS, ...ROLE_FLAGS, ...READ_FLAGS];

/** Searches for good hyperparameters. */
export const tuneCommand: CommandBody = {
  arguments: [TABLE_ARGUMENT],
  groups: [
    { title: "Searching", flags: TUNE_FLAGS },
    { title: "Columns", flags: ROLE_FLAGS },
    { title: "Reading", flags: READ_FLAGS },
    paramFlags(OWN_FLAGS),
  ],
  examples: [
    "treeline tune adult.csv.gz --target income --trials 20 --seed 1",
    "treeline tune data.csv -t y --only learningRate,maxDepth --range rounds=50,100,200 --metric rmse --json",
    "treeline tune data.csv -t y --trials 100 --resume trials.jsonl",
    "treeline tune data.csv -t y -a random-forest --method halving --trials 27",
  ],
  async run(call) {
    const { args, io, out } = call;
    const given = await readGiven(call.flags, io, OWN_FLAGS);
    const { flags, algorithm } = given;
    if (!flags.has("target")) {
      throw new UsageError(
        "E_USAGE",
        "Cannot tune: --target is missing; it names the column to predict",
      );
    }
    const space = searchSpace(
      algorithm,
      { ...given.params, ...readRanges(given) },
      flags.list("only"),
    );
    const data = await readTable(io, args[0]!, tableOptions(flags, out));
    const options = tuneOptions(call, given);
    const path = flags.text("resume");
    const tell = async (result: TuneResult) => {
      out.endProgress();
      const { best, metric, how } = result;
      const words = flagsText(best, given);
      await out.result(
        { algorithm, ...result },
        `${trialTable(result)}\n\nbest: trial ${best.trial}, ${metric} ${
          metricText(best.value)
        } over ${how}\n${words}\n`,
      );
    };
    try {
      await tell(
        await tune(
          data,
          space,
          path === undefined ? options : await resumed(path, data, space, options, call),
        ),
      );
    } catch (error) {
      const found = error instanceof TrainingError ? error.details.result : undefined;
      if (found !== undefined) await tell(found as TuneResult);
      throw error;
    }
  },
};

/** Options that take up the trials of a file and keep each new one there. */
async function resumed(
  path: string,
  data: Dataset,
  space: SearchSpace,
  options: TuneOptions,
  { out }: Invocation,
): Promise<TuneOptions> {
  const bytes = await existing(path);
  const before = bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  const log = await openTrialLog(data, space, options, before);
  await checkWritable(path);
  if (before !== undefined) out.note(`going on from ${log.trials.length} trials in ${path}`);
  return {
    ...options,
    resume: log.trials,
    async onTrial(trial) {
      log.add(trial);
      await writeText(path, log.text, { force: true });
      await options.onTrial?.(trial);
    },
  };
}

/** Ranges of `--range`, by the names given. */
function readRanges({ flags, algorithm, params }: Given): ParamInput {
  const ranges = new Map<string, SearchRange>();
  for (const text of flags.repeated("range")) {
    const [, name, words] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    const [, from, to, log] = /^([^:,]+):([^:,]+?)(:log)?$/.exec(words ?? "") ?? [];
    const ends = [from, to].map(Number);
    const isSpan = ends.every(Number.isFinite);
    if (name === undefined || (words.includes(":") && !isSpan)) {
      throw new UsageError(
        "E_USAGE",
        `Cannot use --range "${text}": expected NAME=FROM:TO, NAME=FROM:TO:log or NAME=A,B,C`,
        { details: { flag: "--range", value: text } },
      );
    }
    const known = canonicalParam(algorithm, name) ?? name;
    if (ranges.has(known) || Object.hasOwn(params, known)) {
      throw new UsageError(
        "E_USAGE",
        `Cannot draw ${known} from ${words}: it has ${
          ranges.has(known) ? "another range" : "a value"
        } already; drop one`,
        { details: { flag: "--range", value: text } },
      );
    }
    ranges.set(
      known,
      isSpan
        ? { from: ends[0], to: ends[1], scale: log === undefined ? "linear" : "log" }
        : { choices: words.split(",").map(choiceOf) },
    );
  }
  return Object.fromEntries(ranges);
}

function choiceOf(word: string): number | string | boolean {
  if (word === "true" || word === "false") return word === "true";
  const number = Number(word);
  return word.trim() !== "" && Number.isFinite(number) ? number : word;
}

function tuneOptions({ io, out }: Invocation, { flags }: Given): TuneOptions {
  const said = new Set<string>(); // every fold of every trial may say the same
  const trials = flags.number("trials");
  const metric = flags.text("metric");
  const method = flags.text("method") as TuneOptions["method"];
  return {
    ...foldOptions(flags),
    ...(trials !== undefined && { trials }),
    ...(metric !== undefined && { metric }),
    ...(method !== undefined && { method }),
    signal: io.interrupt,
    onWarning: (message) => {
      if (!said.has(message)) out.warn(message);
      said.add(message);
    },
    onTrial: (trial) => {
      const text = trialText(trial);
      if (out.verbose) out.note(text);
      else out.progress(text);
    },
  };
}

function foldOptions(flags: Flags): CrossValidateOptions {
  const folds = flags.number("folds");
  const seed = seedOf(flags);
  const threads = flags.number("threads");
  return {
    ...(folds !== undefined && { folds }),
    ...(seed !== undefined && { seed }),
    ...(threads !== undefined && { threads }),
  };
}

/** `trial 3  0.2811`. */
function trialText({ trial, share, value }: Trial): string {
  const rows = share === 1 ? "" : ` on ${Number((100 * share).toPrecision(3))} % of the rows`;
  return `trial ${trial}${rows}  ${metricText(value)}`;
}

/** The best setting as flags of `treeline train`. */
function flagsText({ params }: Trial, { algorithm }: Given): string {
  const words = Object.entries(params).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const word = /^[\w.,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
    return `--${kebab(name)} ${word}`;
  });
  return [...(algorithm === "boost" ? [] : [`--algorithm ${algorithm}`]), ...words].join(" ");
}
