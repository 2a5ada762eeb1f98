/**
 * Decimals beyond the largest float64, as `1e400`: they are read as infinities, which every
 * threshold tells from numbers as it would tell them, and whoever reads the data is told.
 *
 * @module
 */

/** Notes numbers beyond float64. */
export interface BeyondNotes {
  /**
   * Notes a cell of a column; of each column the first counts.
   *
   * @param value The infinity that it was read as.
   * @param text The cell, where it is known as it was written.
   */
  add(column: string, place: string, value: number, text?: string): void;
  /** Says what was noted. */
  report(): void;
}

/** Whether a number that text was read as is an infinity that the text does not call by its name. */
export function isBeyond(value: number, text: string): boolean {
  return Math.abs(value) === Infinity && /\d/.test(text);
}

/** No notes yet. */
export function createBeyondNotes(
  onWarning: ((message: string) => void) | undefined,
): BeyondNotes {
  const first = new Map<string, string>();
  return {
    add(column, place, value, text) {
      if (first.has(column)) return;
      const shown = text === undefined
        ? "a number"
        : JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
      const what = `${shown} is beyond the largest float64 (1.8e308) and is read as ${value}`;
      first.set(column, `Column "${column}" at ${place}: ${what}`);
    },
    report() {
      first.forEach((note) => onWarning?.(note));
      first.clear();
    },
  };
}
