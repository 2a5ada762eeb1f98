/**
 * `treeline version`.
 *
 * @module
 */
import type { CommandBody } from "../common/command.ts";
import { VERSION } from "../../util/version.ts";

/** Prints the version. */
export const versionCommand: CommandBody = {
  arguments: [],
  groups: [],
  examples: [],
  run: ({ out }) => out.result({ name: "treeline", version: VERSION }, `treeline ${VERSION}\n`),
};
