/**
 * `--checkpoint`, `--checkpoint-every` and `--resume`: a long training that was killed goes on when
 * the same command is given again.
 *
 * @module
 */
import type { TrainOptions } from "../../ensemble/types.ts";
import { SourceError, UsageError } from "../../errors.ts";
import { isSamePlace } from "../../runtime/folder.ts";
import { openBytes } from "../../runtime/open.ts";
import { checkWritable, removeFile, writeBytes } from "../../runtime/write.ts";
import type { FlagSpec, Invocation } from "../common/command.ts";

const EVERY = 50;

/** The flags. */
export const CHECKPOINT_FLAGS: readonly FlagSpec[] = [
  {
    name: "checkpoint",
    kind: "text",
    value: "FILE",
    about: "File for the rounds so far while training; removed once the model is written",
  },
  {
    name: "checkpoint-every",
    kind: "number",
    value: "N",
    about: "Rounds between two checkpoints",
    default: String(EVERY),
  },
  {
    name: "resume",
    kind: "switch",
    about:
      "Continue from the checkpoint if there is one; the model is the same as without interruption",
  },
];

/**
 * What the flags ask for.
 *
 * @throws {UsageError} where one of them has nothing to go with; {@linkcode SourceError} for a
 * checkpoint that is there without `--resume`, or a place that cannot be written to.
 */
export async function checkpointOptions(
  { flags, out: told }: Pick<Invocation, "flags" | "out">,
): Promise<Pick<TrainOptions, "checkpoint" | "resume">> {
  const path = flags.text("checkpoint");
  const every = flags.number("checkpoint-every");
  if (path === undefined) {
    const other = flags.has("resume")
      ? "resume"
      : every === undefined
      ? undefined
      : "checkpoint-every";
    if (other === undefined) return {};
    throw new UsageError("E_USAGE", `Cannot use --${other} without --checkpoint FILE`);
  }
  const out = flags.text("out");
  if (out !== undefined && await isSamePlace(path, out)) {
    throw new UsageError(
      "E_USAGE",
      "Cannot keep checkpoints in the file of --out: it is removed once the model is written; expected a path of its own",
    );
  }
  const old = await existing(path);
  if (old !== undefined && !flags.has("resume")) {
    throw new SourceError("E_IO_WRITE", `Cannot keep checkpoints in ${path}: it exists`, {
      details: { source: path, hint: "--resume continues from it; remove the file to start again" },
    });
  }
  await checkWritable(path);
  if (old !== undefined) told.note(`going on from ${path}`);
  return {
    checkpoint: {
      every: every ?? EVERY,
      save: (bytes) => writeBytes(path, bytes, { force: true }),
    },
    ...(old === undefined ? {} : { resume: old }),
  };
}

/** Removes the checkpoint of a run whose model is written. */
export async function removeCheckpoint({ flags }: Pick<Invocation, "flags">): Promise<void> {
  const path = flags.text("checkpoint");
  if (path !== undefined) await removeFile(path);
}

/** Bytes of the file; undefined where there is none. */
export async function existing(path: string): Promise<Uint8Array | undefined> {
  try {
    return await openBytes(path);
  } catch (error) {
    if (error instanceof SourceError && error.code === "E_IO_NOT_FOUND") return undefined;
    throw error;
  }
}
