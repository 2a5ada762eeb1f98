/**
 * `treeline predict MODEL DATA`: a CSV of any length in constant memory.
 *
 * @module
 */
import { csvBatches } from "../../data/csv/batches.ts";
import type { Dataset } from "../../data/types.ts";
import { ModelError } from "../../errors.ts";
import type { Model, PredictOptions } from "../../model/model.ts";
import type { ScorerPool } from "../../parallel/score/pool.ts";
import { numCores } from "../../runtime/env.ts";
import { openStream } from "../../runtime/open.ts";
import type { CommandBody, FlagSpec, Invocation } from "../common/command.ts";
import { takeStdin } from "../common/io.ts";
import { checkKept } from "../output/kept_columns.ts";
import { openInterruptible, untilInterrupted } from "../output/interrupted.ts";
import { MODEL_ARGUMENT, openScorer } from "../input/models.ts";
import { rowSchema, takeOffset } from "../../model/offset_column.ts";
import { orderedRows } from "../output/ordered_rows.ts";
import { cellOptions, needCsv, READ_GROUP, TABLE_ARGUMENT } from "../input/read_options.ts";
import { createReportSum } from "../reports/noticed.ts";
import { roundsFlag } from "../flags/rounds.ts";
import {
  type Cells,
  defaultKind,
  type Kind,
  KINDS,
  type ScoreColumns,
  scoreColumns,
} from "../output/score_columns.ts";
import { csvWriter, jsonWriter } from "../output/table_writer.ts";
import { THREADS_FLAG } from "../flags/threads.ts";
import { OUT_FLAGS } from "../output/write.ts";

const FLAGS: readonly FlagSpec[] = [
  {
    name: "kind",
    short: "k",
    kind: "text",
    value: "KIND",
    choices: KINDS,
    about: "What to output",
    default: "class, or value if there are no classes",
  },
  { name: "keep", kind: "list", value: "A,B", about: "Columns of the input to put in front" },
  { name: "rounds", kind: "number", value: "N", about: "Use only the first N rounds of trees" },
  {
    name: "columns",
    kind: "text",
    value: "RULE",
    choices: ["strict", "lenient"],
    about:
      "Refuse absent and unknown columns, or take absent ones as missing and ignore unknown ones",
    default: "the rule stored in the model",
  },
  THREADS_FLAG,
  ...OUT_FLAGS,
];

/** Scores the rows of a table. */
export const predictCommand: CommandBody = {
  arguments: [
    MODEL_ARGUMENT,
    TABLE_ARGUMENT,
  ],
  groups: [{ title: "Scores", flags: FLAGS }, READ_GROUP],
  examples: [
    "treeline predict adult.tlm new.csv --kind proba --keep id --out scores.csv",
    "zcat big.csv.gz | treeline predict adult.tlm - > scores.csv",
    "treeline predict adult.tlm big.csv --threads 4 --out scores.csv",
    "treeline predict adult.tlm - --header none   # rows in the model's column order, no header out",
  ],
  async run(call) {
    const { args, io } = call;
    needCsv(args[1]!);
    const model = await openScorer(call, args[0]!);
    const input = await openStream(args[1] === "-" ? takeStdin(io) : args[1]!);
    await scoreStream(call, model, input);
  },
};

async function scoreStream(
  call: Invocation,
  whole: Model,
  input: ReadableStream<Uint8Array>,
): Promise<void> {
  const { flags, out } = call;
  const { model, rounds } = await roundsFlag(flags, whole);
  const kind = (flags.text("kind") ?? defaultKind(model)) as Kind;
  const rule = flags.text("columns") as "strict" | "lenient" | undefined;
  const header = (flags.text("header") ?? "true") === "true";
  const keep = flags.list("keep") ?? [];
  const scored = scoreColumns(model, kind, rounds);
  if (header || out.json) checkKept(keep, scored.names);
  const options: PredictOptions = {
    ...(rounds !== undefined && { rounds }),
    ...(rule !== undefined && { columns: rule }),
  };
  const refuseExtra = rule === undefined
    ? model.schema.extraColumns === "error"
    : rule === "strict";
  const noticed = createReportSum(model.schema.features);
  using lane = scoringLane(model, scored, flags.number("threads"));
  const writer = out.json ? jsonWriter(keep, scored.names) : csvWriter(keep, scored.names, header);
  const target = await openInterruptible(call);
  const encoder = new TextEncoder();
  const write = async (text: string) => {
    if (text !== "") await target.write(encoder.encode(text));
  };
  try {
    await untilInterrupted(call, async () => {
      const schema = rowSchema(model);
      const batches = csvBatches(input, schema, {
        ...cellOptions(flags),
        // Without a header the columns are the model's, in its order, then that of the offset.
        ...(!header && { names: schema.features.map(({ name }) => name) }),
        keep,
        onWarning: (message) => out.warn(message),
      });
      const rows = orderedRows(writer, write);
      try {
        for await (const { data, kept, report } of batches) {
          if (refuseExtra && report.ignored.length > 0) throw extraError(report.ignored);
          noticed.add(report);
          const scores = lane.score(takeOffset(model, data), options);
          const batch = scores.then((cells) => ({ count: data.numRows, texts: kept, cells }));
          await rows.add(batch, 2 * lane.numThreads);
        }
      } catch (error) {
        await rows.settle(); // an earlier row may be refused as well
        throw error;
      }
      await rows.end();
    });
    await target.commit();
  } finally {
    await target.abort();
  }
  for (const warning of noticed.warnings()) out.warn(warning);
  if (out.verbose) { for (const note of noticed.notes()) out.note(note); }
}

/** Where batches are scored: here, or on threads once that pays. */
interface Lane extends Disposable {
  readonly numThreads: number;
  score(data: Dataset, options: PredictOptions): Promise<Cells>;
}

/** Rows × trees that are scored before threads are started: about the price of starting them. */
const LEAST_WORK = 2e7;

function scoringLane(model: Model, scored: ScoreColumns, threads: number | undefined): Lane {
  const most = threads ?? numCores();
  let opening: Promise<ScorerPool> | undefined;
  let pool: ScorerPool | undefined;
  let done = 0;
  async function open(): Promise<ScorerPool> {
    const { createScorerPool } = await import("../../parallel/score/pool.ts");
    return pool = createScorerPool(model, { threads: most });
  }
  return {
    get numThreads() {
      return pool?.numThreads ?? 0;
    },
    async score(data, options) {
      done += data.numRows * model.numTrees;
      if (threads !== undefined || done > LEAST_WORK) opening ??= open();
      const lane = pool ?? await opening;
      return lane === undefined || lane.numThreads === 0
        ? scored.score(data, options)
        : lane.table(scored.method, data, { ...options, giveAway: true });
    },
    [Symbol.dispose]: () => void opening?.then((opened) => opened.close(), () => {}),
  };
}

function extraError(names: readonly string[]): ModelError {
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name)).join(", ");
  return new ModelError("E_MODEL_SCHEMA", `Cannot score: the model has no column ${shown}`, {
    details: { columns: names },
  });
}
