/**
 * One record of CSV by RFC 4180 in full: quotes, doubled quotes, newlines inside quotes; LF, CRLF
 * or a lone CR ends a record.
 *
 * @module
 */

/** Cells of one record, without their quotes. Reused by every call. */
export interface Tokens {
  /** Cells that are kept at most. */
  readonly most: number;
  /** Holds the cells. */
  bytes: Uint8Array;
  /** Where cell `i` ends in `bytes`; it starts where the one before ends. */
  ends: number[];
  /** Cells behind the most that are kept. */
  more: number;
  /** Byte behind the record. */
  next: number;
  /** Newlines consumed. */
  lines: number;
  /** Why the record is bad; undefined where it is good. */
  problem: string | undefined;
  /** Cell (from 0) that the problem is in. */
  problemCell: number;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Room for the cells of a record.
 *
 * @param most Cells that are kept: a line may have millions. Those behind them are counted.
 */
export function createTokens(most: number = Infinity): Tokens {
  return {
    most,
    bytes: new Uint8Array(1024),
    ends: [],
    more: 0,
    next: 0,
    lines: 0,
    problem: undefined,
    problemCell: 0,
  };
}

/**
 * Splits the record that begins at `from`.
 *
 * @param final Whether the input ends at `to`; otherwise more may follow.
 * @returns False when the record is not whole yet. A bad record (`problem`) ends with its line.
 */
export function tokenize(
  input: Uint8Array,
  from: number,
  to: number,
  delimiter: number,
  final: boolean,
  out: Tokens,
): boolean {
  const { ends, most } = out;
  let { bytes } = out;
  ends.length = 0;
  out.more = 0;
  out.problem = undefined;
  out.lines = 1;
  let p = from;
  let at = 0;
  for (;;) {
    if (p < to && input[p] === QUOTE) {
      p++;
      for (;;) {
        if (p >= to) {
          if (!final) return false;
          return endBadLine(input, from, to, out, ends.length, "its quote is never closed");
        }
        const byte = input[p++];
        if (byte === QUOTE) {
          if (p >= to && !final) return false;
          if (p >= to || input[p] !== QUOTE) break;
          p++;
        } else if (byte === LF || (byte === CR && (p >= to || input[p] !== LF))) out.lines++;
        if (at === bytes.length) bytes = widen(out);
        bytes[at++] = byte;
      }
      if (p < to && input[p] !== delimiter && input[p] !== LF && input[p] !== CR) {
        return endBadLine(input, p, to, out, ends.length, "text follows its closing quote", final);
      }
    } else {
      while (p < to && input[p] !== delimiter && input[p] !== LF && input[p] !== CR) {
        if (input[p] === QUOTE) {
          const why = `a quote stands inside it; write the cell in quotes and the quote twice`;
          return endBadLine(input, p, to, out, ends.length, why, final);
        }
        if (at === bytes.length) bytes = widen(out);
        bytes[at++] = input[p++];
      }
    }
    if (ends.length < most) ends.push(at);
    else out.more++;
    if (p >= to) {
      if (!final) return false;
      out.next = to;
      return true;
    }
    const byte = input[p++];
    if (byte === delimiter) continue;
    if (byte === CR) {
      if (p >= to && !final) return false;
      if (p < to && input[p] === LF) p++;
    }
    out.next = p;
    return true;
  }
}

/** Makes room for more bytes, behind those that are there. */
function widen(out: Tokens): Uint8Array {
  const wider = new Uint8Array(2 * out.bytes.length);
  wider.set(out.bytes);
  out.bytes = wider;
  return wider;
}

/** Notes a problem and moves behind the end of the line. */
function endBadLine(
  input: Uint8Array,
  from: number,
  to: number,
  out: Tokens,
  cell: number,
  problem: string,
  final = true,
): boolean {
  let p = from;
  while (p < to && input[p] !== LF && input[p] !== CR) p++;
  if (p >= to - 1 && !final) return false;
  if (p < to && input[p] === CR && p + 1 < to && input[p + 1] === LF) p++;
  out.next = Math.min(p + 1, to);
  out.problem = problem;
  out.problemCell = cell;
  // A quote that is never closed took all lines behind it; only the first is bad.
  if (problem.endsWith("never closed")) out.lines = 1;
  return true;
}
