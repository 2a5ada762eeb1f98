/**
 * What a person sees of an error that ended a command.
 *
 * @module
 */
import { TreelineError } from "../../errors.ts";
import { visibleLines } from "../../util/visible.ts";
import type { Command } from "../common/command.ts";
import type { CliIo } from "../common/io.ts";
import { createPaint } from "../output/output.ts";

/** How an error is shown. */
export interface Shown {
  readonly verbose: boolean;
  readonly plain: boolean;
  readonly command: Command | undefined;
}

/** Writes an error to standard error, with a hint where there is one. */
export async function printError(
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
