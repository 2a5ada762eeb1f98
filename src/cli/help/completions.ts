/**
 * Shell completion scripts made from the table of commands.
 *
 * @module
 */
import { flagsOf } from "../flags/arguments.ts";
import type { Command, FlagSpec } from "../common/command.ts";

/** Shells there is a script for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Name of a shell there is a script for. */
export type Shell = (typeof SHELLS)[number];

/** The script for a shell; to be sourced or put into its completion folder. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** Words that a flag takes: none where there are others, undefined where it takes a path. */
function wordsOf({ kind, choices, suggested }: FlagSpec): readonly string[] | undefined {
  return choices ?? suggested ?? (kind === "number" ? [] : undefined);
}

/** Words that the first argument of a command is one of; undefined where it is a path. */
function argumentWords(
  { name, arguments: [first] }: Command,
  commands: readonly Command[],
): readonly string[] | undefined {
  if (first === undefined) return [];
  return name === "help" ? commands.map((command) => command.name) : first.choices;
}

function bashScript(commands: readonly Command[]): string {
  const names = commands.map((command) => command.name).join(" ");
  const cases = commands.map((command) => {
    const flags = flagsOf(command).map((flag) => `--${flag.name}`).join(" ");
    const words = argumentWords(command, commands);
    return `    ${command.name}) flags="${flags}"${
      words === undefined ? "" : ` words="${words.join(" ")}" paths=""`
    } ;;\n`;
  });
  return `# bash completion of treeline: source this file, or put it into the completions folder.
_treeline() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  local flags="" words="" paths=yes value=yes
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names}" -- "$current"))
    return
  fi
  # --flag=value are three words.
  if [ "$current" = "=" ]; then current=""
  elif [ "$previous" = "=" ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$command $previous" in
${valueCases(commands)}    *) value="" ;;
  esac
  if [ -z "$value" ]; then
    case "$command" in
${cases.map((line) => `  ${line}`).join("")}    esac
    if [[ "$current" == -* ]]; then words="$flags" paths=""; fi
  fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [ -n "$paths" ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _treeline treeline
`;
}

/** What follows a flag that has a value. */
function valueCases(commands: readonly Command[]): string {
  return commands.flatMap((command) =>
    flagsOf(command).filter(({ kind }) => kind !== "switch").map((flag) => {
      const spelt = [`--${flag.name}`, ...flag.short === undefined ? [] : [`-${flag.short}`]];
      const words = wordsOf(flag);
      const value = words === undefined ? "" : ` words="${words.join(" ")}" paths=""`;
      return `    ${spelt.map((name) => `"${command.name} ${name}"`).join("|")})${value} ;;\n`;
    })
  ).join("");
}

function zshScript(commands: readonly Command[]): string {
  const quote = (text: string) => text.replaceAll("'", "’").replaceAll(/[[\]:]/g, "\\$&");
  const describe = commands.map((command) => `    '${command.name}:${quote(command.about)}'\n`);
  const argument = (flag: FlagSpec) => {
    const words = wordsOf(flag);
    const value = flag.kind === "switch"
      ? ""
      : `:${quote(flag.value ?? "value")}:${
        words === undefined ? "_files" : `(${words.join(" ")})`
      }`;
    const many = flag.kind === "repeat" ? "*" : "";
    const text = `[${quote(flag.about)}]${value}'`;
    return flag.short === undefined
      ? `      '${many}--${flag.name}${text}`
      : `      '${
        many || `(-${flag.short} --${flag.name})`
      }'{-${flag.short},--${flag.name}}'${text}`;
  };
  const positional = (command: Command) => {
    const words = argumentWords(command, commands);
    return words === undefined
      ? " \\\n      '*:file:_files'"
      : words.length === 0
      ? ""
      : ` \\\n      '1:${command.arguments[0]!.name}:(${words.join(" ")})'`;
  };
  const cases = commands.map((command) =>
    `    ${command.name}) _arguments \\\n${flagsOf(command).map(argument).join(" \\\n")}${
      positional(command)
    } ;;\n`
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
# A file of $fpath is run for what it completes; one that is sourced is not.
if [ "$funcstack[1]" = _treeline ]; then _treeline "$@"; else compdef _treeline treeline; fi
`;
}

function fishScript(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = ["# fish completion of treeline: put this file into the completions folder."];
  for (const command of commands) {
    lines.push(
      `complete -c treeline -n __fish_use_subcommand -f -a ${command.name} -d ${
        quote(command.about)
      }`,
    );
    const within = `complete -c treeline -n '__fish_seen_subcommand_from ${command.name}'`;
    const first = argumentWords(command, commands);
    if (first !== undefined) lines.push(`${within} -f -a ${quote(first.join(" "))}`);
    for (const flag of flagsOf(command)) {
      const words = wordsOf(flag);
      const values = flag.kind === "switch"
        ? ""
        : words === undefined
        ? " -r -F"
        : ` -x -a ${quote(words.join(" "))}`;
      const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
      lines.push(`${within}${short} -l ${flag.name}${values} -d ${quote(flag.about)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}
