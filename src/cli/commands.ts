/**
 * The table of commands, in the order of the overview.
 *
 * @module
 */
import type { Command } from "./command.ts";
import { calibrateCommand } from "./commands/calibrate.ts";
import { continueCommand } from "./commands/continue.ts";
import { convertCommand } from "./commands/convert.ts";
import { evaluateCommand } from "./commands/evaluate.ts";
import { explainCommand } from "./commands/explain.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { openapiCommand } from "./commands/openapi.ts";
import { paramsCommand } from "./commands/params.ts";
import { predictCommand } from "./commands/predict.ts";
import { refitCommand } from "./commands/refit.ts";
import { serveCommand } from "./commands/serve.ts";
import { shrinkCommand } from "./commands/shrink.ts";
import { trainCommand } from "./commands/train.ts";
import { tuneCommand } from "./commands/tune.ts";
import { typesCommand } from "./commands/types.ts";
import { completionsCommand } from "./commands/completions.ts";
import { helpCommand } from "./commands/help.ts";
import { verifyCommand } from "./commands/verify.ts";
import { versionCommand } from "./commands/version.ts";

const WORKING: readonly Command[] = [
  trainCommand,
  tuneCommand,
  predictCommand,
  evaluateCommand,
  calibrateCommand,
  continueCommand,
  refitCommand,
  inspectCommand,
  convertCommand,
  verifyCommand,
  shrinkCommand,
  explainCommand,
  serveCommand,
  typesCommand,
  openapiCommand,
  paramsCommand,
];

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [
  ...WORKING,
  completionsCommand(() => COMMANDS),
  helpCommand(() => COMMANDS),
  versionCommand,
];
