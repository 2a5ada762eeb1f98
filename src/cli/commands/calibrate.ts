/**
 * `treeline calibrate MODEL DATA --out PATH`.
 *
 * @module
 */
import {
  calibrateOnThreads,
  CALIBRATION_METHODS,
  type CalibrationMethod,
  fallingMaps,
} from "../../evaluate/calibrate.ts";
import { evaluateOnThreads } from "../../evaluate/evaluate.ts";
import { needOut, writeChanged } from "../output/changed_model.ts";
import { looksLearnt } from "../reports/leak.ts";
import type { CommandBody, FlagSpec } from "../common/command.ts";
import { metricText } from "../reports/metrics.ts";
import {
  MODEL_TABLE_ARGUMENTS,
  MODEL_TABLE_ROLES,
  readModelTable,
  warnAboutTable,
} from "../input/model_table.ts";
import { READ_GROUP } from "../input/read_options.ts";
import { THREADS_FLAG } from "../flags/threads.ts";
import { OUT_FLAGS } from "../output/write.ts";

const FLAGS: readonly FlagSpec[] = [
  {
    name: "method",
    kind: "text",
    value: "NAME",
    choices: [...CALIBRATION_METHODS],
    about: "How scores become probabilities",
    default: "platt",
  },
  THREADS_FLAG,
];

/** Fits a map from scores to probabilities on rows that the model was not trained on. */
export const calibrateCommand: CommandBody = {
  arguments: MODEL_TABLE_ARGUMENTS,
  groups: [
    { title: "Calibration", flags: FLAGS },
    { title: "Output", flags: OUT_FLAGS },
    MODEL_TABLE_ROLES,
    READ_GROUP,
  ],
  examples: ["treeline calibrate adult.tlm heldout.csv --method isotonic --out calibrated.tlm"],
  async run(call) {
    needOut(call, "calibrate");
    const { model, data } = await readModelTable(call, "calibrate");
    const method = (call.flags.text("method") ?? "platt") as CalibrationMethod;
    const threads = call.flags.number("threads");
    const run = threads === undefined ? {} : { threads };
    const calibrated = await calibrateOnThreads(model, data, method, run);
    warnAboutTable(model.schema, data, call.out);
    if (looksLearnt(model, data)) {
      call.out.warn(
        "these look like the rows that the model was trained on, where it is surer than elsewhere: " +
          "calibrate on others, or train with --calibrate",
      );
    }
    const metrics = ["logLoss", "ece"];
    const falling = fallingMaps(calibrated);
    if (falling !== undefined) call.out.warn(falling);
    const before = await evaluateOnThreads(model, data, { metrics, ...run });
    const after = await evaluateOnThreads(calibrated, data, { metrics, ...run });
    const change = (metric: string) =>
      [
        metric,
        [before, after].map(({ metrics }) => metricText(metrics[metric]!)).join(" → "),
      ] as const;
    call.out.note(
      "logLoss and ece are of the rows that the map was fitted to: evaluate on others",
    );
    await writeChanged(call, {
      model: calibrated,
      facts: {
        method,
        rows: data.numRows,
        metrics: after.metrics,
        metricsBefore: before.metrics,
      },
      lines: [["method", method], ["rows", data.numRows], ...metrics.map(change)],
    });
  },
};
