/**
 * `treeline continue MODEL DATA --rounds N --out PATH`.
 *
 * @module
 */
import { continueBoost } from "../../algorithms/update/continue.ts";
import type { Model } from "../../model/model.ts";
import { interruptedModel } from "../output/interrupted.ts";
import { needOut, writeChanged } from "../output/changed_model.ts";
import type { CommandBody } from "../common/command.ts";
import { MODEL_TABLE_ARGUMENTS, MODEL_TABLE_ROLES, readModelTable } from "../input/model_table.ts";
import { CONFIG_FLAGS, paramFlags, readGiven } from "../flags/params.ts";
import { READ_FLAGS, READ_GROUP, ROLE_FLAGS } from "../input/read_options.ts";
import { THREADS_FLAG } from "../flags/threads.ts";
import { OUT_FLAGS } from "../output/write.ts";

const OWN_FLAGS = [THREADS_FLAG, ...CONFIG_FLAGS, ...ROLE_FLAGS, ...READ_FLAGS, ...OUT_FLAGS];

/** Adds rounds to a boosted model. */
export const continueCommand: CommandBody = {
  arguments: MODEL_TABLE_ARGUMENTS,
  groups: [
    { title: "Training", flags: [THREADS_FLAG, ...CONFIG_FLAGS] },
    { title: "Output", flags: OUT_FLAGS },
    MODEL_TABLE_ROLES,
    READ_GROUP,
    paramFlags(OWN_FLAGS),
  ],
  examples: ["treeline continue m.tlm more.csv --rounds 50 --learning-rate 0.05 --out m2.tlm"],
  async run(call) {
    const { flags, params } = await readGiven(call.flags, call.io, OWN_FLAGS);
    const given = { ...call, flags };
    needOut(given, "continue");
    const { model, data } = await readModelTable(given, "continue");
    const threads = flags.number("threads");
    const write = (continued: Model) =>
      writeChanged(given, {
        model: continued,
        facts: { rows: data.numRows, roundsBefore: model.numRounds },
        lines: [["rows", data.numRows], ["added", continued.numRounds - model.numRounds]],
      });
    try {
      await write(
        await continueBoost(model, data, params, {
          ...(threads !== undefined && { threads }),
          signal: call.io.interrupt,
          onNote: (message) => call.out.note(message),
          onWarning: (message) => call.out.warn(message),
        }),
      );
    } catch (error) {
      const best = interruptedModel(error);
      if (best !== undefined) await write(best);
      throw error;
    }
  },
};
