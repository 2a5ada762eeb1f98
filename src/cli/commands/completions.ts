/**
 * `treeline completions SHELL`.
 *
 * @module
 */
import { closestString } from "../../deps/cli.ts";
import { UsageError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { completionScript, type Shell, SHELLS } from "../completions.ts";

/** Prints a completion script. */
export function completionsCommand(commands: () => readonly Command[]): Command {
  return {
    name: "completions",
    about: "Print a completion script for bash, zsh or fish",
    arguments: [{ name: "SHELL", about: SHELLS.join(", "), required: true }],
    groups: [],
    examples: ["source <(treeline completions bash)"],
    async run({ args, out }) {
      const shell = args[0]!;
      if (!SHELLS.some((known) => known === shell)) {
        throw new UsageError(
          "E_USAGE",
          `Cannot complete for "${shell}": expected ${SHELLS.join(", ")}; the nearest is ${
            closestString(shell, SHELLS)
          }`,
        );
      }
      const script = completionScript(shell as Shell, commands());
      await out.result({ shell, script }, script);
    },
  };
}
