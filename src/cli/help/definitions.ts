/**
 * Names with what they mean, as help prints them: short lines, whatever the longest name is.
 *
 * @module
 */

/** Columns of a page. */
const WIDTH = 100;
/** Columns of the names; a longer one has its text on the next lines. */
const NAMES = 30;

/** One entry a row: the name, and its text broken into lines beside it. */
export function definitions(rows: readonly (readonly [name: string, text: string])[]): string {
  const longest = Math.max(0, ...rows.map(([name]) => name.length).filter((n) => n <= NAMES));
  const indent = " ".repeat(longest + 2);
  return rows.map(([name, text]) => {
    const [first = "", ...rest] = wrap(text, WIDTH - indent.length);
    const lines = name.length > longest
      ? [name, `${indent}${first}`]
      : [`${name.padEnd(longest)}  ${first}`];
    return [...lines, ...rest.map((line) => `${indent}${line}`)].join("\n").trimEnd() + "\n";
  }).join("");
}

/** Lines of at most `width` characters where words allow it. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
