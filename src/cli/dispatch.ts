/**
 * Finds a command in a table, runs it, and turns errors into exit codes.
 *
 * @module
 */
import { exitCodeOf, TreelineError, UsageError } from "../errors.ts";
import { parseArguments } from "./arguments.ts";
import type { Command, Listed } from "./command.ts";
import { commandHelp, overview } from "./help.ts";
import type { CliIo } from "./io.ts";
import { meantBy } from "./meant.ts";
import { createOutput, createPaint } from "./output.ts";
import { visibleLines } from "../util/visible.ts";

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
    io.stderr(overview(commands));
    throw new UsageError("E_USAGE", "Cannot start: a command is missing");
  }
  const command = await findCommand(commands, SPELLINGS[given] ?? given).load();
  const rest = args.slice(1);
  const end = rest.indexOf("--");
  const before = end < 0 ? rest : rest.slice(0, end);
  if (before.includes("--help") || before.includes("-h")) {
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

/** How an error is shown. */
interface Shown {
  readonly verbose: boolean;
  readonly plain: boolean;
  readonly command: Command | undefined;
}

async function printError(
  error: unknown,
  io: CliIo,
  { verbose, plain, command }: Shown,
): Promise<void> {
  const paint = createPaint(io, plain);
  if (error instanceof TreelineError) {
    io.stderr(`${paint.red(`error[${error.code}]:`)} ${visibleLines(error.message)}\n`);
    const { hintFor } = await import("./hints.ts"); // knows all hyperparameters
    const hint = hintFor(error, command);
    if (hint !== undefined) io.stderr(`${paint.dim("hint:")} ${visibleLines(hint)}\n`);
    if (verbose && error.cause instanceof Error) io.stderr(`${error.cause.stack}\n`);
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  io.stderr(`${paint.red("error[E_BUG]:")} ${visibleLines(message)}\n`);
  const stack = error instanceof Error ? error.stack : undefined;
  if (verbose && stack !== undefined) io.stderr(`${stack}\n`);
  else io.stderr(`${paint.dim("hint:")} this is a bug of Treeline; --verbose shows where\n`);
}

/** The reader of our output left (`| head`): nothing is wrong. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && error.name === "BrokenPipe";
}
