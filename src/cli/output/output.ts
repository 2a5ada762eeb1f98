/**
 * How a command speaks: results to stdout, everything else to stderr.
 *
 * @module
 */
import type { Flags, Output } from "../common/command.ts";
import type { CliIo } from "../common/io.ts";
import { visible, visibleLines } from "../../util/visible.ts";

/** Colours of stderr. */
export interface Paint {
  red(text: string): string;
  yellow(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

/** Paints only where colour is wanted and a terminal shows it. */
export function createPaint(io: CliIo, plain: boolean): Paint {
  const on = io.color && io.terminal.stderr && !plain;
  const wrap = (open: number, close: number) => (text: string) =>
    on ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return { red: wrap(31, 39), yellow: wrap(33, 39), dim: wrap(2, 22), bold: wrap(1, 22) };
}

/**
 * Makes the voice of one call. What it says may have names of files in it: a terminal does not obey
 * them.
 */
export function createOutput(io: CliIo, flags: Flags): Output {
  const encoder = new TextEncoder();
  const quiet = flags.has("quiet");
  const json = flags.has("json");
  const paint = createPaint(io, flags.has("no-color"));
  const shows = io.terminal.stderr && !quiet;
  let progressing = false;
  const endProgress = () => {
    if (progressing) io.stderr("\r\x1b[K");
    progressing = false;
  };
  const write = (text: string | Uint8Array) =>
    io.stdout(typeof text === "string" ? encoder.encode(text) : text);
  return {
    json,
    verbose: flags.has("verbose"),
    write,
    result: (value, text) => write(json ? `${JSON.stringify(value, null, 2)}\n` : text),
    note(text) {
      endProgress();
      if (!quiet) io.stderr(`${visibleLines(text)}\n`);
    },
    warn(text) {
      endProgress();
      io.stderr(`${paint.yellow("warning:")} ${visibleLines(text)}\n`);
    },
    progress(text) {
      if (!shows) return;
      progressing = true;
      io.stderr(`\r${text}\x1b[K`);
    },
    endProgress,
  };
}

/**
 * Lines of cells padded to columns; numbers are not treated apart. What a terminal would obey is shown
 * as an escape: names are those of files.
 */
export function columns(cells: readonly (readonly string[])[], gap = 2): string {
  const rows = cells.map((row) => row.map(visible));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => widths[i] = Math.max(widths[i] ?? 0, cell.length));
  }
  const line = (row: readonly string[]) =>
    row.map((cell, i) => i === row.length - 1 ? cell : cell.padEnd(widths[i]! + gap)).join("");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
