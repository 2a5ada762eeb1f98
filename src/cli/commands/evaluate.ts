/**
 * `treeline evaluate MODEL DATA`.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { CheckError, ModelError, UsageError } from "../../errors.ts";
import { crossValidate } from "../../evaluate/cross_validate.ts";
import {
  evaluateOnThreads,
  type Evaluation,
  labelsFor,
  metricParamsOf,
  metricsFor,
  metricsOf,
} from "../../evaluate/evaluate.ts";
import { looksCalibratedOn } from "../../evaluate/calibrate.ts";
import { looksLearnt, shareTrainedOn } from "../reports/leak.ts";
import { metricByName, ranksQueries } from "../../metric/metrics.ts";
import type { EmptyGroup } from "../../metric/types.ts";
import type { Model } from "../../model/model.ts";
import type { TrainSpec } from "../../algorithms/train.ts";
import type { CommandBody, FlagSpec } from "../common/command.ts";
import { metricsText, metricText } from "../reports/metrics.ts";
import {
  MODEL_TABLE_ARGUMENTS,
  MODEL_TABLE_ROLES,
  readTableOf,
  warnAboutTable,
} from "../input/model_table.ts";
import { openModel } from "../input/models.ts";
import { reliabilityText } from "../reports/reliability.ts";
import { columns } from "../output/output.ts";
import { READ_GROUP, seedOf } from "../input/read_options.ts";
import { THREADS_FLAG } from "../flags/threads.ts";

const FLAGS: readonly FlagSpec[] = [
  {
    name: "folds",
    kind: "number",
    value: "N",
    about: "Train again with the model's parameters on N folds of the file and score each",
  },
  { name: "seed", kind: "number", value: "N", about: "Seed of the folds", default: "0" },
  THREADS_FLAG,
  {
    name: "metrics",
    short: "m",
    kind: "list",
    value: "A,B",
    about: "Metrics by name",
    default: "those of the task",
  },
  {
    name: "require",
    kind: "repeat",
    value: "METRIC>=X",
    about: "Fail with exit code 7 unless this holds; also <=, > and <",
  },
];

/** Scores a model on a table with a target. */
export const evaluateCommand: CommandBody = {
  arguments: MODEL_TABLE_ARGUMENTS,
  groups: [
    { title: "Measuring", flags: FLAGS },
    MODEL_TABLE_ROLES,
    READ_GROUP,
  ],
  examples: [
    "treeline evaluate adult.tlm test.csv --json",
    "treeline evaluate adult.tlm test.csv --require 'auc>=0.92' --require 'logLoss<=0.28'",
  ],
  async run({ args, flags, io, out }) {
    const rules = flags.repeated("require").map(parseRule);
    const seed = seedOf(flags);
    if (seed !== undefined && !flags.has("folds")) {
      throw new UsageError("E_USAGE", "Cannot use --seed without --folds N: nothing is drawn");
    }
    const folds = flags.number("folds");
    const names = flags.list("metrics");
    if (names?.length === 0) {
      throw new UsageError("E_USAGE", "Cannot use --metrics without a name: expected A,B", {
        details: { flag: "--metrics" },
      });
    }
    const call = { args, flags, io, out };
    const model = await openModel(call, args[0]!);
    const { schema } = model;
    const wanted = [
      ...new Set([...names ?? metricsOf(model), ...rules.map(({ metric }) => metric)]),
    ];
    metricsFor(model, wanted);
    const data = await readTableOf(
      model,
      call,
      folds === undefined ? "evaluate" : "cross-validate",
    );
    const threads = flags.number("threads");
    if (folds !== undefined) {
      const spec = specOf(model);
      // Folds may have classes of their own, which any metric of classes takes.
      if (schema.classes.length === 0) metricsFor(model, wanted, labelsFor(model, data));
      const lacking = notInFolds(model);
      if (lacking.length > 0) {
        out.warn(
          `folds are trained by the model's first parameters, without ${lacking.join(", ")}`,
        );
      }
      const cv = await crossValidate(columnsOf(model, data), spec, {
        folds,
        seed: seed ?? 0,
        signal: io.interrupt,
        ...(threads !== undefined && { threads }),
        ...(names !== undefined || rules.length > 0) && { metrics: wanted },
        onFold: ({ fold, metrics }) => out.note(`fold ${fold}: ${metricsText(metrics)}`),
        onWarning: (message) => out.warn(message),
      });
      await out.result(
        {
          rows: data.numRows,
          task: schema.task,
          metrics: cv.mean,
          deviation: cv.deviation,
          how: cv.how,
          folds: cv.folds,
        },
        columns([
          ["", "mean", "deviation"],
          ...Object.entries(cv.mean).map(([name, mean]) => [
            name,
            metricText(mean),
            metricText(cv.deviation[name]!),
          ]),
        ]),
      );
      return check(rules, cv.mean, "means over the folds");
    }
    const result = await evaluateOnThreads(model, data, {
      metrics: wanted,
      ...(threads !== undefined && { threads }),
    });
    warnAboutTable(schema, data, out);
    if (looksLearnt(model, data)) {
      out.warn(
        "these look like the rows that the model was trained on: expect worse figures on others " +
          "(--folds 5 trains anew and scores rows left out)",
      );
    } else if (looksCalibratedOn(model, data)) {
      out.warn(
        "these look like the rows that the calibration was fitted to: expect worse logLoss and ece " +
          "on others",
      );
    } else {
      const share = shareTrainedOn(model, data);
      if (share !== undefined) {
        out.warn(
          `${
            Math.round(100 * share)
          } % of these look like the rows that the model was trained on, ` +
            "the others like those held out: expect worse figures on others (train told those of " +
            "the rows held out)",
        );
      }
    }
    const metrics = Object.entries(result.metrics);
    // Who names metrics gets those; the table comes with ece.
    const { weighted } = result;
    const calibration = names === undefined || names.includes("ece")
      ? result.calibration
      : undefined;
    const ece = calibration === undefined || "ece" in result.metrics
      ? []
      : [["ece", metricText(calibration.ece)]];
    const text = columns([
      ["rows", String(result.rows)],
      ...metrics.map(([name, v]) => [name, metricText(v)]),
      ...ece,
    ]);
    for (const doubt of queryDoubts(result, metricParamsOf(model).emptyGroup)) out.warn(doubt);
    await out.result(
      result,
      calibration === undefined
        ? text
        : `${text}\n${reliabilityText(calibration, schema.classes, weighted)}`,
    );
    check(rules, result.metrics);
  },
};

/** How the model was trained, to train it again. */
function specOf({ info }: Model): TrainSpec {
  if (info.params === undefined || info.algorithm === "import") {
    throw new UsageError(
      "E_USAGE",
      "Cannot cross-validate: the model does not say how it was trained (it was imported)",
    );
  }
  const seed = info.seed === undefined ? {} : { seed: info.seed };
  return { ...info.params, ...seed, algorithm: info.algorithm };
}

/** What was done to a model that its parameters do not say. */
function notInFolds({ calibration, info }: Model): string[] {
  return [
    ...(info["continued"] === undefined ? [] : ["the rounds that continue added"]),
    ...(info["refitted"] === undefined ? [] : ["the values of refit"]),
    ...(calibration === undefined ? [] : ["its calibration"]),
    ...(info["shrunk"] === undefined ? [] : ["the cuts of shrink"]),
  ];
}

/**
 * The table with the columns that the model was trained on and no others: what training left out (an
 * id, or what is only known with the target) must not teach the folds either.
 */
function columnsOf({ schema }: Model, data: Dataset): Dataset {
  const byName = new Map(data.features.map((column) => [column.name.normalize(), column]));
  const features = schema.features.map(({ name }) => {
    const column = byName.get(name.normalize());
    if (column !== undefined) return column;
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot cross-validate without column ${JSON.stringify(name)}: the model was trained on it`,
      { details: { columns: [name] } },
    );
  });
  return { ...data, features };
}

/** What the figures of queries hang on beside the model. */
function queryDoubts(
  { queries, metrics }: Evaluation,
  emptyGroup: EmptyGroup = "skip",
): string[] {
  if (queries === undefined) return [];
  const { count, tied } = queries;
  // Who writes ndcg- knows what they count.
  const isTold = Object.keys(metrics).every((name) => name.endsWith("-") || !ranksQueries(name));
  const withoutRelevant = isTold ? 0 : queries.withoutRelevant;
  const counted = { skip: "are left out", one: "count 1", zero: "count 0" }[emptyGroup];
  return [
    ...(withoutRelevant === 0 ? [] : [
      `${withoutRelevant} of ${count} queries have no relevant item: they ${counted} in metrics of ` +
      'queries (a final "-" counts them 0: ndcg-)',
    ]),
    ...(tied === 0 ? [] : [
      `${tied} of ${count} queries have one score for rows of different relevance, which rank as ` +
      "they stand in the data",
    ]),
  ];
}

interface Rule {
  readonly metric: string;
  readonly sign: string;
  readonly bound: number;
}

const HOLDS: { readonly [sign: string]: (value: number, bound: number) => boolean } = {
  ">=": (value, bound) => value >= bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  "<": (value, bound) => value < bound,
};

function parseRule(text: string): Rule {
  const match = /^([A-Za-z0-9_@.:-]+)\s*(>=|<=|>|<)\s*(\S+)$/.exec(text);
  const bound = Number(match?.[3]);
  if (match === null || !Number.isFinite(bound)) {
    throw new UsageError(
      "E_USAGE",
      `Cannot use --require "${text}": expected METRIC>=NUMBER, as in auc>=0.9`,
    );
  }
  // By any of its names, as --metrics takes them: results have one.
  return { metric: metricByName(match[1]!).name, sign: match[2]!, bound };
}

function check(
  rules: readonly Rule[],
  metrics: { readonly [name: string]: number | null },
  what = "of the whole file",
): void {
  for (const { metric, sign, bound } of rules) {
    const value = metrics[metric]!;
    if (value !== null && HOLDS[sign]!(value, bound)) continue;
    throw new CheckError(
      "E_CHECK_FAILED",
      `Cannot accept the model: ${metric} is ${value}, required is ${sign} ${bound}`,
      {
        details: { metric, value, sign, bound, hint: `the metrics above are ${what}` },
      },
    );
  }
}
