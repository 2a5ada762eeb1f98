/**
 * Text → number, exactly as `Number()` reads decimals.
 *
 * @module
 */

const ZERO = 48;

/** Lower-case bytes of the names of infinity. */
const INFINITIES = ["inf", "infinity"];

/**
 * Reads a decimal: `[+-] digits [. digits] [e [+-] digits]`, or `inf` and `infinity` in any case,
 * with spaces around. Nothing else: no hexadecimal, no separators, no empty text.
 *
 * @param decimal Byte before the fraction: `.` or `,`.
 * @returns The float64 nearest to the decimal; NaN where the text is not a number.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const bytes = new TextEncoder().encode("a,-1.5e3,b");
 * assertEquals(parseNumber(bytes, 2, 8, 46), -1500);
 * ```
 */
export function parseNumber(
  bytes: Uint8Array,
  start: number,
  end: number,
  decimal: number,
): number {
  while (start < end && isSpace(bytes[start])) start++;
  while (end > start && isSpace(bytes[end - 1])) end--;
  if (start === end) return NaN;
  let p = start;
  if (bytes[p] === 0x2d || bytes[p] === 0x2b) p++;
  let digits = 0;
  while (p < end && isDigit(bytes[p])) {
    p++;
    digits++;
  }
  const point = p < end && bytes[p] === decimal ? p : -1;
  if (point >= 0) {
    p++;
    while (p < end && isDigit(bytes[p])) {
      p++;
      digits++;
    }
  }
  if (digits === 0) return parseInfinity(bytes, start, end);
  if (p < end && (bytes[p] === 0x65 || bytes[p] === 0x45)) {
    p++;
    if (p < end && (bytes[p] === 0x2d || bytes[p] === 0x2b)) p++;
    const first = p;
    while (p < end && isDigit(bytes[p])) p++;
    if (p === first) return NaN;
  }
  if (p !== end) return NaN;
  return Number(ascii(bytes, start, end, point));
}

/** Whether a byte is a space or a tab. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < ZERO + 10;
}

function ascii(bytes: Uint8Array, start: number, end: number, point: number): string {
  let text = "";
  for (let p = start; p < end; p++) text += p === point ? "." : String.fromCharCode(bytes[p]);
  return text;
}

function parseInfinity(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === 0x2d;
  const p = negative || bytes[start] === 0x2b ? start + 1 : start;
  const length = end - p;
  if (length !== 3 && length !== 8) return NaN;
  const text = ascii(bytes, p, end, -1).toLowerCase();
  if (!INFINITIES.includes(text)) return NaN;
  return negative ? -Infinity : Infinity;
}
