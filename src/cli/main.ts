/**
 * The command line as a function.
 *
 * @module
 */
import { COMMANDS } from "./commands.ts";
import { runCommand } from "./dispatch.ts";
import type { CliIo } from "./common/io.ts";

/**
 * Runs one command line.
 *
 * @param args What follows the name of the program.
 * @returns The exit code: 0, or that of `exitCodeOf`.
 */
export function runCli(args: readonly string[], io: CliIo): Promise<number> {
  return runCommand(COMMANDS, args, io);
}
