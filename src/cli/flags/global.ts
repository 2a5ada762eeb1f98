/**
 * Flags that every command understands.
 *
 * @module
 */
import type { FlagGroup } from "../common/command.ts";

/** Flags that every command understands. */
export const GLOBAL_FLAGS: FlagGroup = {
  title: "General",
  flags: [
    { name: "json", kind: "switch", about: "Print the result as JSON" },
    { name: "quiet", short: "q", kind: "switch", about: "Print nothing but results and errors" },
    {
      name: "verbose",
      short: "v",
      kind: "switch",
      about: "Print every step, and the stack trace of a bug",
    },
    {
      name: "no-color",
      kind: "switch",
      about: "Print without colour, as NO_COLOR in the environment does",
    },
    { name: "help", short: "h", kind: "switch", about: "Explain the command" },
  ],
};
