/**
 * The table of commands, in the order of the overview.
 *
 * @module
 */
import type { Command } from "./command.ts";
import { completionsCommand } from "./commands/completions.ts";
import { helpCommand } from "./commands/help.ts";
import { versionCommand } from "./commands/version.ts";

const WORKING: readonly Command[] = [];

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [
  ...WORKING,
  completionsCommand(() => COMMANDS),
  helpCommand(() => COMMANDS),
  versionCommand,
];
