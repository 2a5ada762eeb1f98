/**
 * What becomes of malformed records: an error, or a count of those left out.
 *
 * @module
 */
import { DataError, ParameterError } from "../../errors.ts";
import type { CsvOptions } from "../options.ts";

/** Hears of malformed records. */
export interface BadRows {
  /**
   * Leaves a record out, or throws.
   *
   * @param column Position from 0.
   */
  add(line: number, problem: string, column?: number, name?: string): void;
  /** Says how many were left out. */
  report(): void;
}

/**
 * The rule that the options ask for.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a rule that is not one.
 */
export function createBadRows(options: CsvOptions): BadRows {
  const rule = options.badRows ?? "error";
  const match = /^skip:(\d+)$/.exec(rule);
  if (rule !== "error" && match === null) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use badRows "${rule}": expected "error" or "skip:" and a count`,
      { details: { param: "badRows", value: rule } },
    );
  }
  const allowed = match === null ? 0 : Number(match[1]);
  let count = 0;
  let first = 0;
  return {
    add(line, problem, column, name) {
      if (count++ === 0) first = line;
      if (count <= allowed) return;
      const where = name === undefined ? "" : `column "${name}" at `;
      const more = allowed > 0 ? ` (after ${allowed} bad rows that were left out)` : "";
      throw new DataError("E_DATA_PARSE", `Cannot read ${where}line ${line}: ${problem}${more}`, {
        details: {
          line,
          ...(column !== undefined && { position: column + 1 }),
          ...(name !== undefined && { column: name }),
        },
      });
    },
    report() {
      if (count === 0) return;
      options.onWarning?.(
        `Left out ${count} bad ${count === 1 ? "row" : "rows"}, the first at line ${first}`,
      );
    },
  };
}
