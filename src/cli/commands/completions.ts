/**
 * `treeline completions SHELL`.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import type { CommandBody } from "../common/command.ts";
import { completionScript, type Shell, SHELLS } from "../help/completions.ts";
import { meantBy } from "../flags/meant.ts";

/** Prints a completion script. */
export const completionsCommand: CommandBody = {
  arguments: [{ name: "SHELL", about: SHELLS.join(", "), required: true, choices: SHELLS }],
  groups: [],
  examples: ["source <(treeline completions bash)"],
  async run({ commands, args, out }) {
    const shell = args[0]!;
    if (!SHELLS.some((known) => known === shell)) {
      throw new UsageError(
        "E_USAGE",
        `Cannot complete for "${shell}": expected ${SHELLS.join(", ")}${
          meantBy(shell, SHELLS).note
        }`,
      );
    }
    const loaded = await Promise.all(commands.map(({ load }) => load()));
    const text = completionScript(shell as Shell, loaded);
    await out.result({ shell, text }, text);
  },
};
