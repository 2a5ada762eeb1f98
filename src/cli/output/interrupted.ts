/**
 * What a run that the user stopped leaves.
 *
 * @module
 */
import { TrainingError } from "../../errors.ts";
import { Model } from "../../model/model.ts";
import type { AtomicWriter } from "../../runtime/write.ts";
import type { Invocation } from "../common/command.ts";
import { openOut } from "./write.ts";

/** The best model so far that an interrupted training hands over. */
export function interruptedModel(error: unknown): Model | undefined {
  if (!(error instanceof TrainingError) || error.code !== "E_TRAIN_ABORTED") return undefined;
  const { model } = error.details;
  return model instanceof Model ? model : undefined;
}

/**
 * Opens the place that `--out` names for `untilInterrupted`: Ctrl-C is heard before there is a file
 * to remove.
 */
export async function openInterruptible(call: Invocation): Promise<AtomicWriter> {
  if (fileOf(call) !== undefined) void call.io.interrupt; // who asks for it begins to listen
  return await openOut(call);
}

/**
 * Does what writes a file piece by piece. Ctrl-C ends it with an error, so that the file begun can
 * be removed; where the result goes to stdout, nothing is left and the signal ends the process.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`
 */
export async function untilInterrupted(
  { flags, io }: Pick<Invocation, "flags" | "io">,
  work: () => Promise<void>,
): Promise<void> {
  const path = fileOf({ flags });
  if (path === undefined) return await work();
  const { interrupt } = io;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () =>
    reject(
      new TrainingError("E_TRAIN_ABORTED", `Stopped before ${JSON.stringify(path)} was whole`),
    );
  if (interrupt.aborted) stop();
  interrupt.addEventListener("abort", stop);
  try {
    const done = work();
    done.catch(() => {}); // what it meets once it was stopped is nobody's
    await Promise.race([done, promise]);
  } finally {
    interrupt.removeEventListener("abort", stop);
  }
}

function fileOf({ flags }: Pick<Invocation, "flags">): string | undefined {
  const path = flags.text("out");
  return path === "-" ? undefined : path;
}
