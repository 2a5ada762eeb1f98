/**
 * Finds a command in a table, runs it, and turns errors into exit codes.
 *
 * @module
 */
import { exitCodeOf, UsageError } from "../errors.ts";
import { parseArguments } from "./flags/arguments.ts";
import type { Listed } from "./common/command.ts";
import type { CliIo } from "./common/io.ts";
import { meantBy } from "./flags/meant.ts";
import { createOutput } from "./output/output.ts";

/** The command that a first argument stands for: `--help` and `--version` are accepted too. */
const SPELLINGS: { readonly [given: string]: string } = {
  "--help": "help",
  "-h": "help",
  "--version": "version",
  "-V": "version",
};

/**
 * Runs one command line.
 *
 * @param commands All that may be called.
 * @param args What follows the name of the program.
 * @returns The exit code: 0, or that of `exitCodeOf`.
 */
export async function runCommand(
  commands: readonly Listed[],
  args: readonly string[],
  io: CliIo,
): Promise<number> {
  const verbose = args.includes("--verbose") || args.includes("-v");
  try {
    await dispatch(commands, args, io);
    return 0;
  } catch (error) {
    if (isClosedPipe(error)) return 0;
    const command = await commands.find(({ name }) => name === args[0])?.load();
    const { printError } = await import("./help/print_error.ts");
    await printError(error, io, { verbose, plain: args.includes("--no-color"), command });
    return exitCodeOf(error);
  }
}

async function dispatch(
  commands: readonly Listed[],
  args: readonly string[],
  io: CliIo,
): Promise<void> {
  const given = args[0];
  if (given === undefined) {
    io.stderr((await import("./help/help.ts")).overview(commands));
    throw new UsageError("E_USAGE", "Cannot start: a command is missing");
  }
  const command = await findCommand(commands, SPELLINGS[given] ?? given).load();
  const rest = args.slice(1);
  const end = rest.indexOf("--");
  const before = end < 0 ? rest : rest.slice(0, end);
  if (before.includes("--help") || before.includes("-h")) {
    const { commandHelp } = await import("./help/help.ts");
    await io.stdout(new TextEncoder().encode(commandHelp(command)));
    return;
  }
  const call = parseArguments(command, rest);
  const out = createOutput(io, call.flags);
  try {
    await command.run({ ...call, commands, io, out });
  } finally {
    out.endProgress();
  }
}

function findCommand(commands: readonly Listed[], name: string): Listed {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const { nearest, note } = meantBy(name, commands.map((candidate) => candidate.name));
  throw new UsageError(
    "E_USAGE",
    `Cannot run "${name}": there is no such command${note}`,
    { details: { command: name, nearest } },
  );
}

/** The reader of our output left (`| head`): nothing is wrong. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && error.name === "BrokenPipe";
}
