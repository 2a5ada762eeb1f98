/**
 * Help made from the table of commands.
 *
 * @module
 */
import type { Command, FlagGroup, FlagSpec, Listed } from "../common/command.ts";
import { choicesText } from "../flags/arguments.ts";
import { GLOBAL_FLAGS } from "../flags/global.ts";
import { definitions } from "./definitions.ts";

/** The overview: every command with one line. */
export function overview(commands: readonly Listed[]): string {
  const rows = commands.map(({ name, about }) => [`  ${name}`, about] as const);
  return [
    "Treeline trains decision-tree ensembles and scores with them.\n\n",
    "Usage: treeline <command> [input] [--flag value]…\n\nCommands:\n",
    definitions(rows),
    "\nExample:\n",
    "  treeline train data.csv --target y --out m.tlm\n",
    "  treeline predict m.tlm new.csv --kind proba\n",
    "\n`treeline help <command>` explains a command, `treeline params` lists the hyperparameters.\n",
    "`-` stands for stdin or stdout. Results go to stdout, everything else to stderr.\n",
    "Exit codes: 0 done, 1 bug, 2 usage, 3 data, 4 model, 5 training, 6 files, 7 check failed,\n" +
    "130 interrupted.\n",
  ].join("");
}

/** Everything about one command. */
export function commandHelp(command: Command): string {
  const args = command.arguments;
  const groups = [...command.groups, GLOBAL_FLAGS].filter((group) => group.flags.length > 0);
  return [
    `${command.about}\n\nUsage: ${usageLine(command)}\n`,
    args.length === 0
      ? ""
      : `\nArguments:\n${definitions(args.map(({ name, about }) => [`  ${name}`, about]))}`,
    ...groups.map((group) => `\n${group.title}:\n${flagRows(group)}`),
    command.examples.length === 0 ? "" : "\nExamples:\n",
    ...command.examples.map((example) => `  ${example}\n`),
  ].join("");
}

/** One line: `treeline predict MODEL DATA [--flag value]…`. */
function usageLine(command: Command): string {
  const args = command.arguments.map((argument) => {
    const name = argument.many ? `${argument.name}…` : argument.name;
    return argument.required ? name : `[${name}]`;
  });
  return ["treeline", command.name, ...args, "[--flag value]…"].join(" ");
}

/** The flag as a user types it: `-o, --out PATH`. */
function flagUsage(spec: FlagSpec): string {
  const value = spec.kind === "switch" ? "" : ` ${spec.value ?? spec.name.toUpperCase()}`;
  return `${spec.short === undefined ? "    " : `-${spec.short}, `}--${spec.name}${value}`;
}

function flagRows(group: FlagGroup): string {
  return definitions(group.flags.map((spec) => {
    const notes = [
      spec.about,
      spec.choices === undefined ? "" : `: ${choicesText(spec.choices)}`,
      spec.default === undefined ? "" : ` (default ${spec.default})`,
    ];
    return [`  ${flagUsage(spec)}`, notes.join("")];
  }));
}
