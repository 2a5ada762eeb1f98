/**
 * `treeline types MODEL`.
 *
 * @module
 */
import type { CommandBody } from "../common/command.ts";
import { MODEL_ARGUMENT, modelName, openModel } from "../input/models.ts";
import { rowTypeSource } from "../reports/row_type.ts";
import { tellFile } from "../output/told.ts";
import { OUT_FLAGS, writeOut } from "../output/write.ts";

/** Prints TypeScript types of the rows a model accepts. */
export const typesCommand: CommandBody = {
  arguments: [MODEL_ARGUMENT],
  groups: [{ title: "Output", flags: OUT_FLAGS }],
  examples: ["treeline types adult.tlm --out adult_row.ts"],
  async run(call) {
    const [path] = call.args;
    const model = await openModel(call, path!);
    const text = rowTypeSource(modelName(path!), model);
    const { schemaHash } = model;
    if (!call.flags.has("out")) return await call.out.result({ schemaHash, text }, text);
    await writeOut(call, text);
    await tellFile(call, text, { schemaHash });
  },
};
