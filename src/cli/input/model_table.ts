/**
 * A model and a table with its columns and its target: what commands that measure or change a
 * model on labelled rows begin with.
 *
 * @module
 */
import type { Dataset, InputFeature, InputReport, Schema } from "../../data/types.ts";
import { unknownLevels } from "../../data/warnings/unknown_levels.ts";
import { UsageError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import type { FlagGroup, Invocation, Output } from "../common/command.ts";
import { MODEL_ARGUMENT, openModel } from "./models.ts";
import { createReportSum } from "../reports/noticed.ts";
import { readTable, ROLE_FLAGS, TABLE_ARGUMENT, tableOptions } from "./read_options.ts";

/** Arguments `MODEL DATA`. */
export const MODEL_TABLE_ARGUMENTS = [
  MODEL_ARGUMENT,
  TABLE_ARGUMENT,
] as const;

/** Flags that name columns; the task is the model's. */
export const MODEL_TABLE_ROLES: FlagGroup = {
  title: "Columns",
  flags: ROLE_FLAGS.filter(({ name }) => name !== "task"),
};

type Asked = Pick<Invocation, "args" | "flags" | "io" | "out">;

/** Reads both; the target is the model's own unless `--target` names another column. */
export async function readModelTable(
  call: Asked,
  purpose: string,
): Promise<{ readonly model: Model; readonly data: Dataset }> {
  const model = await openModel(call, call.args[0]!);
  return { model, data: await readTableOf(model, call, purpose) };
}

/** Reads the second argument with the kinds of columns that the model learnt. */
export async function readTableOf(
  model: Model,
  { args, flags, io, out }: Asked,
  purpose: string,
): Promise<Dataset> {
  const { schema } = model;
  const target = flags.text("target") ?? schema.target?.name;
  if (target === undefined) {
    throw new UsageError(
      "E_USAGE",
      `Cannot ${purpose}: the model does not name its target; give --target`,
    );
  }
  return await readTable(io, args[1]!, {
    ...(model.info.offset !== undefined && { offset: model.info.offset }),
    ...tableOptions(flags, out),
    schema,
    target,
    task: schema.task === "classification" ? "classification" : "regression",
    allowSingleClass: true,
  });
}

/**
 * Says which columns are taken as missing, and where a table holds values that a model never saw or
 * lacks those that training never lacked. Training says itself what it does with them.
 */
export function warnAboutTable(schema: Schema, data: Dataset, out: Output): void {
  const noticed = createReportSum(schema.features);
  noticed.add(reportOf(schema, data));
  noticed.warnings().forEach((message) => out.warn(message));
}

/** What is noticed about a table before a model sees it; absent columns that it refuses are not. */
function reportOf({ features, absentColumns }: Schema, data: Dataset): InputReport {
  const names = new Set(data.features.map(({ name }) => name.normalize()));
  const absent = absentColumns === "error" ? [] : features
    .filter(({ name, missing }) => missing === "learnt" && !names.has(name.normalize()))
    .map(({ name }) => name);
  const unknown = unknownLevels(features, data);
  const missing = missingValues(features, data);
  return { rows: data.numRows, missing, unknown, absent, ignored: [] };
}

/** Rows without a value by name of the feature; features without any are left out. */
function missingValues(
  features: readonly InputFeature[],
  data: Dataset,
): ReadonlyMap<string, number> {
  const byName = new Map(data.features.map((column) => [column.name.normalize(), column]));
  const missing = new Map<string, number>();
  for (const { name } of features) {
    const column = byName.get(name.normalize());
    let count = 0;
    if (column?.kind === "categorical") { for (const code of column.codes) if (code < 0) count++; }
    if (column?.kind === "numeric") {
      for (const value of column.values) if (value !== value) count++;
    }
    if (count > 0) missing.set(name, count);
  }
  return missing;
}
