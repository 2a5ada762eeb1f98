/**
 * `treeline inspect MODEL`.
 *
 * @module
 */
import type { Command } from "../command.ts";
import { describeModel, describeText } from "../describe_model.ts";
import { openModel } from "../models.ts";

/** Shows what is in a model file. */
export const inspectCommand: Command = {
  name: "inspect",
  about: "Show what a model holds: columns, classes, trees, parameters, bytes",
  arguments: [{ name: "MODEL", about: "Path, address, or - for stdin", required: true }],
  groups: [],
  examples: ["treeline inspect adult.tlm", "treeline inspect adult.tlm --json"],
  async run({ args, io, out }) {
    const description = describeModel(await openModel(io, args[0]!));
    await out.result(description, describeText(description));
  },
};
