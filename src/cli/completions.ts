/**
 * Shell completion scripts made from the table of commands.
 *
 * @module
 */
import { flagsOf } from "./arguments.ts";
import type { Command, FlagSpec } from "./command.ts";

/** Shells there is a script for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Name of a shell there is a script for. */
export type Shell = (typeof SHELLS)[number];

/** The script for a shell; to be sourced or put into its completion folder. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

function bashScript(commands: readonly Command[]): string {
  const names = commands.map((command) => command.name).join(" ");
  const flagCases = commands.map((command) =>
    `    ${command.name}) words="${
      flagsOf(command).map((flag) => `--${flag.name}`).join(" ")
    }" ;;\n`
  );
  return `# bash completion of treeline: source this file, or put it into the completions folder.
_treeline() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names}" -- "$current"))
    return
  fi
  case "$command $previous" in
${choiceCases(commands)}  esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); return; fi
  case "$command" in
    help) words="${names}" ;;
${flagCases.filter((_, i) => commands[i]!.name !== "help").join("")}  esac
  if [[ "$current" == -* || "$command" == help ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _treeline treeline
`;
}

function choiceCases(commands: readonly Command[]): string {
  return commands.flatMap((command) =>
    flagsOf(command).flatMap((flag) =>
      flag.choices === undefined
        ? []
        : [`    "${command.name} --${flag.name}") words="${flag.choices.join(" ")}" ;;\n`]
    )
  ).join("");
}

function zshScript(commands: readonly Command[]): string {
  const quote = (text: string) => text.replaceAll("'", "’").replaceAll(/[[\]:]/g, "\\$&");
  const describe = commands.map((command) => `    '${command.name}:${quote(command.about)}'\n`);
  const argument = (flag: FlagSpec) => {
    const value = flag.kind === "switch"
      ? ""
      : flag.choices === undefined
      ? `:${flag.value ?? "value"}:_files`
      : `:${flag.value ?? "value"}:(${flag.choices.join(" ")})`;
    return `      '${flag.kind === "repeat" ? "*" : ""}--${flag.name}[${
      quote(flag.about)
    }]${value}'`;
  };
  const cases = commands.map((command) =>
    `    ${command.name}) _arguments \\\n${
      flagsOf(command).map(argument).join(" \\\n")
    } \\\n      '*:file:_files' ;;\n`
  );
  return `#compdef treeline
# zsh completion of treeline: put this file as _treeline into a folder of $fpath.
_treeline() {
  local -a commands=(
${describe.join("")}  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
${cases.join("")}  esac
}
compdef _treeline treeline
`;
}

function fishScript(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = ["# fish completion of treeline: put this file into the completions folder."];
  for (const command of commands) {
    lines.push(
      `complete -c treeline -n __fish_use_subcommand -a ${command.name} -d ${quote(command.about)}`,
    );
    for (const flag of flagsOf(command)) {
      const values = flag.kind === "switch"
        ? ""
        : flag.choices === undefined
        ? " -r"
        : ` -x -a ${quote(flag.choices.join(" "))}`;
      const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
      lines.push(
        `complete -c treeline -n '__fish_seen_subcommand_from ${command.name}'${short} -l ${flag.name}${values} -d ${
          quote(flag.about)
        }`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}
