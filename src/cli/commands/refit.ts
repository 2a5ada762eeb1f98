/**
 * `treeline refit MODEL DATA --out PATH`.
 *
 * @module
 */
import { refitBoostOnThreads } from "../../algorithms/update/refit.ts";
import { needOut, writeChanged } from "../output/changed_model.ts";
import type { CommandBody, FlagSpec } from "../common/command.ts";
import { MODEL_TABLE_ARGUMENTS, MODEL_TABLE_ROLES, readModelTable } from "../input/model_table.ts";
import { READ_GROUP } from "../input/read_options.ts";
import { THREADS_FLAG } from "../flags/threads.ts";
import { OUT_FLAGS } from "../output/write.ts";

const FLAGS: readonly FlagSpec[] = [
  {
    name: "decay",
    kind: "number",
    value: "X",
    about: "Share of the old leaf values that is kept, 0 to 1",
    default: "0.9",
  },
  THREADS_FLAG,
];

/** Keeps the trees and fits their leaves to new rows. */
export const refitCommand: CommandBody = {
  arguments: MODEL_TABLE_ARGUMENTS,
  groups: [
    { title: "Refitting", flags: FLAGS },
    { title: "Output", flags: OUT_FLAGS },
    MODEL_TABLE_ROLES,
    READ_GROUP,
  ],
  examples: ["treeline refit m.tlm june.csv --decay 0.5 --out june.tlm"],
  async run(call) {
    needOut(call, "refit");
    const { model, data } = await readModelTable(call, "refit");
    const decay = call.flags.number("decay") ?? 0.9;
    const onWarning = (message: string) => call.out.warn(message);
    const threads = call.flags.number("threads");
    const refitted = await refitBoostOnThreads(model, data, {
      decay,
      onWarning,
      ...(threads !== undefined && { threads }),
    });
    await writeChanged(call, {
      model: refitted,
      facts: { rows: data.numRows, decay },
      lines: [["rows", data.numRows], ["decay", decay]],
    });
  },
};
