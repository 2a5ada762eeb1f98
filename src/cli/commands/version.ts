/**
 * `treeline version`.
 *
 * @module
 */
import type { Command } from "../command.ts";
import { VERSION } from "../../util/version.ts";

/** Prints the version. */
export const versionCommand: Command = {
  name: "version",
  about: "Print the version",
  arguments: [],
  groups: [],
  examples: [],
  run: ({ out }) => out.result({ name: "treeline", version: VERSION }, `treeline ${VERSION}\n`),
};
