/**
 * `treeline train DATA --target COLUMN --out MODEL`.
 *
 * @module
 */
import { train } from "../../algorithms/train.ts";
import { schemaFromDataset } from "../../data/dataset/schema.ts";
import { splitDataset } from "../../data/dataset/split.ts";
import type { Dataset } from "../../data/types.ts";
import type { RoundReport, TrainOptions } from "../../ensemble/types.ts";
import { UsageError } from "../../errors.ts";
import { CALIBRATION_METHODS, type CalibrationMethod } from "../../evaluate/calibrate.ts";
import { trainCalibrated } from "../../evaluate/train_calibrated.ts";
import { evaluateOnThreads, type Evaluation } from "../../evaluate/evaluate.ts";
import { encodeModel } from "../../format/binary.ts";
import type { BinnedSplit } from "../../files/counted_rows.ts";
import type { Model } from "../../model/model.ts";
import { ALGORITHM_NAMES } from "../../params/table.ts";
import { CHECKPOINT_FLAGS, checkpointOptions, removeCheckpoint } from "../flags/checkpoint.ts";
import type { CommandBody, FlagSpec, Invocation } from "../common/command.ts";
import { interruptedModel } from "../output/interrupted.ts";
import { doubtAboutSuccess, idleText, leakText } from "../reports/leak.ts";
import { metricsText, metricText } from "../reports/metrics.ts";
import { warnAboutTable } from "../input/model_table.ts";
import { CONFIG_FLAGS, type Given, paramFlags, readGiven } from "../flags/params.ts";
import { readBins } from "../input/read_bins.ts";
import {
  READ_FLAGS,
  readTable,
  ROLE_FLAGS,
  TABLE_ARGUMENT,
  tableOptions,
} from "../input/read_options.ts";
import { THREADS_FLAG } from "../flags/threads.ts";
import { fileFacts, modelFacts } from "../output/told.ts";
import { openOut, OUT_FLAGS } from "../output/write.ts";

const TRAIN_FLAGS: readonly FlagSpec[] = [
  {
    name: "algorithm",
    short: "a",
    kind: "text",
    value: "NAME",
    suggested: ALGORITHM_NAMES,
    about: `How trees are grown and combined: ${ALGORITHM_NAMES.join(", ")}`,
    default: "boost",
  },
  {
    name: "valid",
    kind: "text",
    value: "FILE",
    about: "Held-out rows: judged during training, and scored at the end",
  },
  {
    name: "valid-fraction",
    kind: "number",
    value: "X",
    about: "Hold out this share of the rows instead",
  },
  {
    name: "calibrate",
    kind: "text",
    value: "METHOD",
    choices: [...CALIBRATION_METHODS],
    about: "Calibrate probabilities on out-of-fold, validation or held-out rows",
  },
  {
    name: "binned",
    kind: "switch",
    about: "Read the file twice, straight into bins; for data larger than memory",
  },
  THREADS_FLAG,
  ...CHECKPOINT_FLAGS,
  ...CONFIG_FLAGS,
];

const OWN_FLAGS = [...TRAIN_FLAGS, ...ROLE_FLAGS, ...READ_FLAGS, ...OUT_FLAGS];

/** Trains a model on a table. */
export const trainCommand: CommandBody = {
  arguments: [TABLE_ARGUMENT],
  groups: [
    { title: "Training", flags: TRAIN_FLAGS },
    { title: "Columns", flags: ROLE_FLAGS },
    { title: "Reading", flags: READ_FLAGS },
    { title: "Output", flags: OUT_FLAGS },
    paramFlags(OWN_FLAGS),
  ],
  examples: [
    "treeline train adult.csv.gz --target income --valid-fraction 0.2 --out adult.tlm",
    "treeline train data.csv -t y --rounds 500 --learning-rate 0.05 --early-stopping-rounds 50 --valid v.csv -o m.tlm",
    "treeline train big.csv -t y --rounds 5000 --checkpoint big.checkpoint --resume -o big.tlm",
    "treeline train big.csv.gz -t y --rounds 300 --binned -o m.tlm",
    "cat data.csv | treeline train - --target y --out - > m.tlm",
  ],
  async run(call) {
    const { io, out } = call;
    const given = await readGiven(call.flags, io, OWN_FLAGS);
    const { flags } = given;
    if (!flags.has("target")) {
      throw new UsageError(
        "E_USAGE",
        "Cannot train: --target is missing; it names the column to predict",
      );
    }
    const path = flags.text("out");
    if (path === "-" && out.json) {
      throw new UsageError(
        "E_USAGE",
        "Cannot print both the model and --json to stdout: give --out a path",
      );
    }
    if (path === undefined) out.warn("the model is not kept: --out says where to put it");
    const started = performance.now();
    const sets = await readSets(call, given);
    out.note(shapeText(sets.train, sets.valid));
    const idle = idleText(sets.train);
    if (idle !== undefined) out.note(idle);
    // Opened before training: a place that cannot be written to is known at once.
    const target = path === undefined
      ? undefined
      : await openOut({ ...call, flags }, { late: true });
    const save = async (model: Model) => {
      const bytes = encodeModel(model);
      await target?.write(bytes);
      await target?.commit();
      return bytes;
    };
    const method = flags.text("calibrate");
    try {
      const options = {
        ...trainOptions(call, given, sets.valid),
        ...await checkpointOptions({ ...call, flags }),
      };
      const spec = { ...given.params, algorithm: given.algorithm };
      const model = method === undefined
        ? await train(sets.train, spec, options)
        : await trainCalibrated(sets.train, spec, method as CalibrationMethod, options);
      out.endProgress();
      const evaluation = sets.valid && await evaluateHeldOut(model, sets.valid, call);
      const bytes = await save(model);
      if (target !== undefined) await removeCheckpoint({ ...call, flags });
      const seconds = (performance.now() - started) / 1000;
      await conclude(call, { model, bytes, evaluation, seconds, path, sets });
    } catch (error) {
      const best = interruptedModel(error);
      if (best !== undefined && target !== undefined) {
        await save(best);
        const rounds = counted(best.numRounds, "round");
        const but = method === undefined ? "" : ", not calibrated";
        out.note(`interrupted: the best model so far (${rounds}${but}) is in ${path}`);
      }
      throw error;
    } finally {
      await target?.abort();
    }
  },
};

interface Sets {
  readonly train: Dataset;
  readonly valid?: Dataset;
}

/** Reads training rows and held-out rows. */
async function readSets(call: Invocation, given: Given): Promise<Sets> {
  const { args, io, out } = call;
  const { flags } = given;
  const path = flags.text("valid");
  const fraction = flags.number("valid-fraction");
  const split = fraction === undefined ? undefined : splitOf(fraction, given);
  if (path !== undefined && fraction !== undefined) {
    throw new UsageError("E_USAGE", "Cannot use both --valid and --valid-fraction: drop one");
  }
  const parts = flags.has("binned")
    ? await readBins(call, given, split)
    : divide(await readTable(io, args[0]!, tableOptions(flags, out)), split);
  if (split !== undefined) return { train: parts[0]!, valid: parts[1]! };
  const train = parts[0]!;
  if (path === undefined) return { train };
  // Columns keep the kinds they have in training: "007" is no number where training has names.
  const schema = schemaFromDataset(train);
  const valid = await readTable(io, path, { ...tableOptions(flags, out), schema });
  const missingLearnt = train.features.map((column) =>
    column.kind === "numeric"
      ? column.binned?.hasMissing ?? column.values.includes(NaN)
      : column.codes.includes(-1)
  );
  warnAboutTable(schemaFromDataset(train, { missingLearnt, absentColumns: "error" }), valid, out);
  return { train, valid };
}

function evaluateHeldOut(model: Model, valid: Dataset, { flags }: Invocation): Promise<Evaluation> {
  const metrics = askedMetrics(model);
  const threads = flags.number("threads");
  return evaluateOnThreads(model, valid, {
    ...(metrics !== undefined && { metrics }),
    ...(threads !== undefined && { threads }),
  });
}

/** The metrics that were asked for, the loss itself left out; undefined for the task's own. */
function askedMetrics({ info }: Model): readonly string[] | undefined {
  const { metrics } = info.params ?? {};
  const names = Array.isArray(metrics) ? metrics.map(String).filter((name) => name !== "loss") : [];
  return names.length === 0 ? undefined : names;
}

/** How rows are divided into those of training and those held out. */
function splitOf(fraction: number, { params }: Given): BinnedSplit {
  if (!(fraction > 0 && fraction < 1)) {
    throw new UsageError(
      "E_USAGE",
      `Cannot use --valid-fraction ${fraction}: expected a share between 0 and 1`,
    );
  }
  const seed = params["seed"];
  return {
    fractions: [1 - fraction, fraction],
    seed: typeof seed === "number" ? seed : 0,
    stratify: true,
  };
}

function divide(table: Dataset, split: BinnedSplit | undefined): Dataset[] {
  if (split === undefined) return [table];
  const stratify = table.target?.kind === "classification";
  return splitDataset(table, { ...split, stratify });
}

function trainOptions(
  call: Invocation,
  { flags }: Given,
  valid: Dataset | undefined,
): TrainOptions {
  const { io, out } = call;
  const threads = flags.number("threads");
  return {
    ...(valid !== undefined && { valid }),
    ...(threads !== undefined && { threads }),
    signal: io.interrupt,
    onWarning: (message) => out.warn(message),
    onNote: (message) => out.note(message),
    ...(out.verbose && { onDetail: (message: string) => out.note(message) }),
    onRound: (report) => {
      if (out.verbose) out.note(roundText(report));
      else out.progress(roundText(report));
    },
  };
}

/** `round 12/100  valid logLoss 0.2811  15.2 rounds/s  at most 5.8 s left`. */
export function roundText(report: RoundReport): string {
  const { round, rounds, metrics, roundsPerSecond, secondsLeft } = report;
  const sets = Object.entries(metrics).map(([set, values]) =>
    `${set} ${
      Object.entries(values).map(([name, value]) => `${name} ${value.toPrecision(4)}`).join(" ")
    }`
  );
  return [
    `round ${round}/${rounds}`,
    ...sets,
    `${rateText(roundsPerSecond)} rounds/s`,
    `at most ${durationText(secondsLeft)} left`,
  ].join("  ");
}

/** Three digits; whole numbers from 100 on. */
function rateText(rate: number): string {
  return rate >= 100 ? String(Math.round(rate)) : rate.toPrecision(3);
}

/** `5.8 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationText(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function shapeText(train: Dataset, valid: Dataset | undefined): string {
  const { target } = train;
  const what = target?.kind === "classification"
    ? `${
      target.classes.length === 1 ? "1 class" : `${target.classes.length} classes`
    } of "${target.name}"`
    : `"${target?.name}"`;
  const held = valid === undefined ? "" : `, ${valid.numRows} held out`;
  return `${counted(train.numRows, "row")}${held}, ${
    counted(train.features.length, "feature")
  } → ${what}`;
}

interface Done {
  readonly model: Model;
  readonly bytes: Uint8Array;
  readonly evaluation: Evaluation | undefined;
  readonly seconds: number;
  readonly path: string | undefined;
  readonly sets: Sets;
}

/** `info.oob` of bagged trees. */
interface OutOfBagInfo {
  readonly metrics: { readonly [name: string]: number };
}

/** The story for people on stderr; with `--json` the same as data on stdout. */
async function conclude({ out }: Invocation, done: Done): Promise<void> {
  const { model, bytes, evaluation, seconds, path, sets } = done;
  if (evaluation !== undefined) out.note(`held out: ${metricsText(evaluation.metrics)}`);
  const { best, committee } = model.info;
  const oob = model.info["oob"] as OutOfBagInfo | undefined;
  if (typeof committee === "number") out.note(committeeText(model, committee));
  else if (best !== undefined) {
    out.note(
      `best round ${best.round} by ${best.metric} on ${best.set}: ${metricText(best.value)}`,
    );
  }
  if (oob !== undefined) out.note(`out of bag: ${metricsText(oob.metrics)}`);
  if (evaluation === undefined && best === undefined && oob === undefined) {
    out.note(
      "no row was left out to measure the model: --valid-fraction 0.2 does, or evaluate on others",
    );
  }
  const doubt = doubtAboutSuccess(sets.train, [
    ...(best === undefined ? [] : [{ [best.metric]: best.value }]),
    ...(oob === undefined ? [] : [oob.metrics]),
    ...(evaluation === undefined ? [] : [evaluation.metrics]),
  ]);
  if (doubt) out.note(await leakText(model));
  out.note(
    `${counted(model.numTrees, "tree")} in ${seconds.toFixed(1)} s${
      path === undefined || path === "-" ? "" : `, ${bytes.length} bytes in ${path}`
    }`,
  );
  if (!out.json) return;
  const { info } = model;
  await out.result({
    ...await fileFacts(path, bytes),
    ...modelFacts(model),
    rows: sets.train.numRows,
    ...(sets.valid !== undefined && { validRows: sets.valid.numRows }),
    params: info.params,
    seed: info.seed,
    ...(best !== undefined && { best }),
    ...(oob !== undefined && { oob }),
    ...(evaluation !== undefined && { metrics: evaluation.metrics }),
    seconds,
  }, "");
}

/** `committee of 5, 83 rounds each; out of fold: logLoss 0.2731 (best round 64)`. */
function committeeText({ numRounds, info: { best } }: Model, members: number): string {
  const judged = best === undefined
    ? ""
    : `; out of fold: ${best.metric} ${best.value.toPrecision(4)} (best round ${best.round})`;
  return `committee of ${members}, ${counted(numRounds, "round")} each${judged}`;
}

/** `1 row`, `2 rows`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
