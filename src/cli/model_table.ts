/**
 * A model and a table with its columns and its target: what commands that measure or change a
 * model on labelled rows begin with.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import { UsageError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import type { FlagGroup, Invocation } from "./command.ts";
import { openModel } from "./models.ts";
import { readTable, ROLE_FLAGS, tableOptions } from "./read_options.ts";

/** Arguments `MODEL DATA`. */
export const MODEL_TABLE_ARGUMENTS = [
  { name: "MODEL", about: "Path, address, or - for stdin", required: true },
  { name: "DATA", about: "CSV or TSV, gzip or not: path, address, or - for stdin", required: true },
] as const;

/** Flags that name columns; the task is the model's. */
export const MODEL_TABLE_ROLES: FlagGroup = {
  title: "Columns",
  flags: ROLE_FLAGS.filter(({ name }) => name !== "task"),
};

/** Reads both; the target is the model's own unless `--target` names another column. */
export async function readModelTable(
  { args, flags, io, out }: Pick<Invocation, "args" | "flags" | "io" | "out">,
  purpose: string,
): Promise<{ readonly model: Model; readonly data: Dataset }> {
  const model = await openModel(io, args[0]!);
  const { schema } = model;
  const target = flags.text("target") ?? schema.target?.name;
  if (target === undefined) {
    throw new UsageError(
      "E_USAGE",
      `Cannot ${purpose}: the model does not name its target; give --target`,
    );
  }
  const data = await readTable(io, args[1]!, {
    ...(model.info.offset !== undefined && { offset: model.info.offset }),
    ...tableOptions(flags, out),
    schema,
    target,
    task: schema.task === "classification" ? "classification" : "regression",
    allowSingleClass: true,
  });
  return { model, data };
}
