/**
 * `--threads` of the commands that work on several.
 *
 * @module
 */
import type { FlagSpec } from "../common/command.ts";

/** One declaration: the promise is the same everywhere. */
export const THREADS_FLAG: FlagSpec = {
  name: "threads",
  kind: "number",
  value: "N",
  about: "Worker threads; the result does not depend on it",
  default: "all cores where there is enough work",
};
