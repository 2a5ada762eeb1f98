/**
 * `treeline explain MODEL DATA`: what each column adds to each raw score.
 *
 * @module
 */
import { csvBatches } from "../../data/csv/batches.ts";
import type { Dataset } from "../../data/types.ts";
import { UsageError } from "../../errors.ts";
import { createShapPool, type ShapPool } from "../../explain/shap_pool.ts";
import { explainShap, type ShapValues } from "../../explain/tree_shap.ts";
import type { Model } from "../../model/model.ts";
import { rowSchema, takeOffset } from "../../model/offset_column.ts";
import { threadsOf } from "../../parallel/tasks.ts";
import { openStream } from "../../runtime/open.ts";
import type { CommandBody, FlagGroup, FlagSpec, Invocation } from "../common/command.ts";
import { takeStdin } from "../common/io.ts";
import { createReportSum } from "../reports/noticed.ts";
import { roundsFlag } from "../flags/rounds.ts";
import { openInterruptible, untilInterrupted } from "../output/interrupted.ts";
import { checkKept, freeName } from "../output/kept_columns.ts";
import { MODEL_TABLE_ROLES, readTableOf, warnAboutTable } from "../input/model_table.ts";
import { MODEL_ARGUMENT, openModel } from "../input/models.ts";
import { orderedRows } from "../output/ordered_rows.ts";
import { cellOptions, needCsv, READ_GROUP } from "../input/read_options.ts";
import { csvWriter, jsonWriter } from "../output/table_writer.ts";
import { THREADS_FLAG } from "../flags/threads.ts";
import { OUT_FLAGS, writeOut } from "../output/write.ts";

const FLAGS: readonly FlagSpec[] = [
  {
    name: "method",
    kind: "text",
    value: "NAME",
    choices: ["shap", "importance"],
    about:
      "shap: contributions that add up to each raw score (TreeSHAP); importance: gain, cover, splits and, with data, what shuffling a column costs",
    default: "shap",
  },
  { name: "keep", kind: "list", value: "A,B", about: "Columns of the input to put in front" },
  { name: "rounds", kind: "number", value: "N", about: "Use only the first N rounds of trees" },
  THREADS_FLAG,
  ...OUT_FLAGS,
];

/** Contributions need no target and no weights. */
const IMPORTANCE_ROLES: FlagGroup = {
  title: "Columns (--method importance with DATA)",
  flags: MODEL_TABLE_ROLES.flags.filter(({ name }) => name !== "allow-single-class"),
};

/** Rows that are explained together at most, and their contributions: those of many classes are wide. */
const BATCH_ROWS = 256;
const BATCH_NUMBERS = 1 << 19;

/** Rows that are explained together: a batch is one string when it is written. */
export function rowsPerBatch({ numOutputs, schema }: Pick<Model, "numOutputs" | "schema">): number {
  const width = numOutputs * (schema.features.length + 1);
  return Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_NUMBERS / width)));
}

/** Explains the scores of a table's rows. */
export const explainCommand: CommandBody = {
  arguments: [
    MODEL_ARGUMENT,
    {
      name: "DATA",
      about:
        "CSV or TSV file, gzipped or not: path, URL, or - for stdin (importance: with the target)",
      required: false,
    },
  ],
  groups: [{ title: "Explaining", flags: FLAGS }, IMPORTANCE_ROLES, READ_GROUP],
  examples: [
    "treeline explain adult.tlm new.csv --keep id --out why.csv",
    "treeline explain adult.tlm test.csv --method importance",
  ],
  async run(call) {
    const { args, flags, io, out } = call;
    const whole = await openModel(call, args[0]!);
    if (flags.text("method") === "importance") return await printImportance(call, whole);
    if (args[1] === undefined) throw new UsageError("E_USAGE", "Cannot explain: DATA is missing");
    refuseIdle(call, "with --method shap", IMPORTANCE_ROLES.flags);
    needCsv(args[1]);
    const { model, rounds } = await roundsFlag(flags, whole);
    const keep = flags.list("keep") ?? [];
    const labels = outputLabels(model);
    const schema = rowSchema(model);
    const features = schema.features.map(({ name }) => name);
    const names = [...features, freeName("bias", features)];
    const output = labels.length > 1 ? [freeName("output", names)] : [];
    checkKept(keep, [...names, ...output]);
    const front = [...keep, ...output];
    const writer = out.json ? jsonWriter(front, names) : csvWriter(front, names, true);
    const noticed = createReportSum(model.schema.features);
    const target = await openInterruptible(call);
    const write = (text: string) => target.write(new TextEncoder().encode(text));
    try {
      await untilInterrupted(call, async () => {
        const stream = await openStream(args[1] === "-" ? takeStdin(io) : args[1]!);
        const batches = csvBatches(stream, schema, {
          ...cellOptions(flags),
          keep,
          batchRows: rowsPerBatch(model),
          onWarning: (message) => out.warn(message),
        });
        using lane = explainingLane(call, model, rounds);
        const rows = orderedRows(writer, write);
        try {
          for await (const { data, kept, report } of batches) {
            noticed.add(report);
            const batch = lane.explain(takeOffset(model, data)).then((shap) => ({
              count: shap.rows * labels.length,
              texts: texts(kept, shap, labels),
              cells: cells(shap),
            }));
            await rows.add(batch, lane.ahead());
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
  },
};

/** Where batches are explained: the first here, the others on threads. */
function explainingLane(
  { flags, out }: Invocation,
  model: Model,
  rounds: number | undefined,
): Disposable & { explain(data: Dataset): Promise<ShapValues>; ahead(): number } {
  const given = flags.number("threads");
  const threads = threadsOf(given);
  const part = rounds === undefined ? {} : { rounds };
  let pool: ShapPool | undefined;
  let batches = 0;
  return {
    // deno-lint-ignore require-await
    async explain(data) {
      if (given === undefined && batches++ === 0) return explainShap(model, data, part);
      pool ??= createShapPool(model, {
        ...part,
        threads,
        onWarning: (message) => out.warn(message),
      });
      return pool.explain(data);
    },
    ahead: () => 2 * (pool?.numThreads ?? 0),
    [Symbol.dispose]: () => pool?.close(),
  };
}

/** @throws {UsageError} `E_USAGE` for a flag that would do nothing. */
function refuseIdle({ flags }: Invocation, where: string, idle: readonly { name: string }[]) {
  const given = idle.find(({ name }) => flags.has(name));
  if (given === undefined) return;
  throw new UsageError("E_USAGE", `Cannot use --${given.name} ${where}`, {
    details: { flag: `--${given.name}` },
  });
}

async function printImportance(call: Invocation, model: Model): Promise<void> {
  const { importanceRows, importanceText } = await import("../reports/importance_table.ts");
  const { args, flags, io, out } = call;
  refuseIdle(call, "with --method importance", [{ name: "keep" }, { name: "rounds" }]);
  if (args[1] === undefined) refuseIdle(call, "without DATA", IMPORTANCE_ROLES.flags);
  const data = args[1] === undefined ? undefined : await readTableOf(model, call, "explain");
  if (data !== undefined) warnAboutTable(model.schema, data, out);
  const threads = flags.number("threads");
  const found = await importanceRows(model, data, {
    signal: io.interrupt,
    ...(threads !== undefined && { threads }),
  });
  await writeOut(call, out.json ? `${JSON.stringify(found, null, 2)}\n` : importanceText(found));
  out.note(
    "Gain, cover and splits favour columns of many distinct values" +
      (data === undefined
        ? "; what shuffling a column costs does not: give DATA with the target"
        : ""),
  );
}

/** Names of the raw scores: classes where there is one each. */
function outputLabels(model: Model): readonly string[] {
  const { classes } = model.schema;
  if (classes.length === model.numOutputs) return classes;
  return Array.from({ length: model.numOutputs }, (_, k) => String(k));
}

/** Text columns: the kept ones and, where there are several outputs, whose line it is. */
function texts(
  kept: readonly (readonly string[])[],
  shap: ShapValues,
  labels: readonly string[],
): (readonly string[])[] {
  if (labels.length === 1) return [...kept];
  const repeated = kept.map((column) => column.flatMap((text) => labels.map(() => text)));
  return [...repeated, Array.from({ length: shap.rows }, () => labels).flat()];
}

/** Contributions of each row and output, then its bias. */
function cells({ values, bias, numFeatures, numOutputs }: ShapValues): Float64Array {
  const lines = values.length / numFeatures;
  const width = numFeatures + 1;
  const all = new Float64Array(lines * width);
  for (let line = 0; line < lines; line++) {
    all.set(values.subarray(line * numFeatures, (line + 1) * numFeatures), line * width);
    all[line * width + numFeatures] = bias[line % numOutputs]!;
  }
  return all;
}
