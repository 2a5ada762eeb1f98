/**
 * The table of commands, in the order of the overview. What a command does is loaded when it is
 * run: it may need all of the library, and most need little.
 *
 * @module
 */
import type { Listed } from "./common/command.ts";
import { listed, SERVE } from "./listed.ts";

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Listed[] = [
  listed(
    "train",
    "Train a model on a CSV file",
    async () => (await import("./commands/train.ts")).trainCommand,
  ),
  listed(
    "tune",
    "Search for good hyperparameters by cross-validation on a CSV file",
    async () => (await import("./commands/tune.ts")).tuneCommand,
  ),
  listed(
    "predict",
    "Score the rows of a CSV file of any length",
    async () => (await import("./commands/predict.ts")).predictCommand,
  ),
  listed(
    "evaluate",
    "Measure a model on a CSV file that has the target",
    async () => (await import("./commands/evaluate.ts")).evaluateCommand,
  ),
  listed(
    "calibrate",
    "Calibrate a model's probabilities on rows it was not trained on",
    async () => (await import("./commands/calibrate.ts")).calibrateCommand,
  ),
  listed(
    "continue",
    "Add rounds to a boosted model, on the same or new rows",
    async () => (await import("./commands/continue.ts")).continueCommand,
  ),
  listed(
    "refit",
    "Fit the leaves of a boosted model to new rows, keeping its splits",
    async () => (await import("./commands/refit.ts")).refitCommand,
  ),
  listed(
    "inspect",
    "Show what a model holds: columns, classes, trees, parameters, bytes; or one of its trees",
    async () => (await import("./commands/inspect.ts")).inspectCommand,
  ),
  listed(
    "convert",
    "Write a model in another format, or import one from another library",
    async () => (await import("./commands/convert.ts")).convertCommand,
  ),
  listed(
    "verify",
    "Compare a model's scores with expected ones; exit code 7 when they differ",
    async () => (await import("./commands/verify.ts")).verifyCommand,
  ),
  listed(
    "shrink",
    "Write a smaller model, with a proven bound on how much scores change",
    async () => (await import("./commands/shrink.ts")).shrinkCommand,
  ),
  listed(
    "explain",
    "Show what each column adds to each row's raw score, or which columns matter",
    async () => (await import("./commands/explain.ts")).explainCommand,
  ),
  listed(
    SERVE.name,
    SERVE.about,
    async () => (await import("./commands/serve.ts")).serveCommand,
  ),
  listed(
    "types",
    "Print the TypeScript type of the rows a model accepts",
    async () => (await import("./commands/types.ts")).typesCommand,
  ),
  listed(
    "openapi",
    "Print the OpenAPI 3.1 document of a server with these models",
    async () => (await import("./commands/openapi.ts")).openapiCommand,
  ),
  listed(
    "params",
    "List the hyperparameters of an algorithm, or explain one",
    async () => (await import("./commands/params.ts")).paramsCommand,
  ),
  listed(
    "completions",
    "Print a completion script for bash, zsh or fish",
    async () => (await import("./commands/completions.ts")).completionsCommand,
  ),
  listed(
    "help",
    "Explain the commands, or one of them",
    async () => (await import("./commands/help.ts")).helpCommand,
  ),
  listed(
    "version",
    "Print the version",
    async () => (await import("./commands/version.ts")).versionCommand,
  ),
];
