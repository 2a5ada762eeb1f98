/**
 * `treeline help [command]`.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import type { Command, CommandBody } from "../common/command.ts";
import { commandHelp, overview } from "../help/help.ts";
import { meantBy } from "../flags/meant.ts";

/** Explains all commands or one; with `--json` the table itself. */
export const helpCommand: CommandBody = {
  arguments: [{ name: "COMMAND", about: "The command to explain", required: false }],
  groups: [],
  examples: ["treeline help train"],
  async run({ commands, args, out }) {
    const [name] = args;
    if (name === undefined) {
      const all = out.json ? await Promise.all(commands.map(({ load }) => load())) : [];
      return await out.result(all.map(describe), overview(commands));
    }
    const listed = commands.find((candidate) => candidate.name === name);
    if (listed === undefined) {
      const { nearest, note } = meantBy(name, commands.map((candidate) => candidate.name));
      throw new UsageError(
        "E_USAGE",
        `Cannot explain "${name}": there is no such command${note}`,
        { details: { command: name, nearest } },
      );
    }
    const command = await listed.load();
    await out.result(describe(command), commandHelp(command));
  },
};

/** The plain data of a command. */
function describe({ name, about, arguments: args, groups, examples }: Command): unknown {
  return { name, about, arguments: args, flags: groups.flatMap((group) => group.flags), examples };
}
