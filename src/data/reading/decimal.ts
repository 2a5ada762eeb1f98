/**
 * Decimals in the middle of bytes: LIBSVM and JSON, which say where a number begins and not where
 * it ends.
 *
 * @module
 */
import { kernelModule, writePowers } from "./wasm_module.ts";

/** Reads decimals. */
export interface DecimalReader {
  /** The number that was read last. */
  value: number;
  /**
   * Reads the longest `[-] digits [. digits] [e [+-] digits]` from a place on into `value`, which
   * is what `Number()` gives for it. A byte that is no digit must follow the input.
   *
   * @param strict As JSON has it: digits on both sides of a point, no zeros in front.
   * @returns The place behind it, or −1 where there is none.
   */
  read(bytes: Uint8Array, start: number, strict: boolean): number;
}

/** 10⁰ … 10²², each exact in float64. */
const POWERS = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/** Below this every whole number is exact in float64. */
const EXACT = 2 ** 53;

/** Digits of the head of a long decimal, which is exact, and of head and tail together. */
const HEAD_DIGITS = 15;
const MOST_DIGITS = 19;

type Round = (head: number, tail: number, tailDigits: number, power: number) => number;

let rounding: Round | undefined;

/** Rounds decimals of up to 19 digits; NaN where that takes the long way. */
function round(): Round {
  if (rounding !== undefined) return rounding;
  const module = kernelModule();
  if (module === null) return rounding = () => NaN;
  const memory = new WebAssembly.Memory({ initial: 1 });
  writePowers(memory.buffer);
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const roundDecimal = exports.roundDecimal as (...args: readonly number[]) => number;
  return rounding = (head, tail, n, power) => roundDecimal(head, tail, n, power);
}

/** A reader of decimals. */
export function createDecimalReader(): DecimalReader {
  const nearest = round();

  function read(bytes: Uint8Array, start: number, strict: boolean): number {
    let p = start;
    const negative = bytes[p] === 0x2d;
    if (negative) p++;
    const first = p;
    let head = 0;
    let digit = bytes[p] - 48;
    while (digit >= 0 && digit < 10) {
      head = head * 10 + digit;
      digit = bytes[++p] - 48;
    }
    let digits = p - first;
    if (strict && (digits === 0 || (digits > 1 && bytes[first] === 48))) return -1;
    let power = 0;
    let point = p;
    if (bytes[p] === 0x2e) {
      const fraction = ++p;
      digit = bytes[p] - 48;
      while (digit >= 0 && digit < 10) {
        head = head * 10 + digit;
        digit = bytes[++p] - 48;
      }
      power = fraction - p;
      digits -= power;
      if (strict && power === 0) return -1;
    } else point = -1;
    if (digits === 0) return -1;
    const behind = p;
    if ((bytes[p] | 32) === 0x65) {
      let sign = 1;
      const byte = bytes[++p];
      if (byte === 0x2d) {
        sign = -1;
        p++;
      } else if (byte === 0x2b) p++;
      const from = p;
      let exponent = 0;
      digit = bytes[p] - 48;
      while (digit >= 0 && digit < 10) {
        if (exponent < 10000) exponent = exponent * 10 + digit;
        digit = bytes[++p] - 48;
      }
      if (p === from) return -1;
      power += sign * exponent;
    }
    let value: number;
    if (head < EXACT && power >= -22 && power <= 22) {
      value = power < 0 ? head / POWERS[-power] : head * POWERS[power];
    } else value = long(bytes, first, behind, point, digits, power);
    if (value !== value) value = Number(ascii(bytes, first, p));
    reader.value = negative ? -value : value;
    return p;
  }

  /** Digits that do not fit in a float64 as a whole number, or a large power. */
  function long(
    bytes: Uint8Array,
    first: number,
    behind: number,
    point: number,
    digits: number,
    power: number,
  ): number {
    let p = first;
    // Zeros in front are no digits of the number.
    for (; p < behind && (bytes[p] === 48 || p === point); p++) if (p !== point) digits--;
    if (digits > MOST_DIGITS) return NaN;
    if (digits === 0) return 0;
    let head = 0;
    let tail = 0;
    let taken = 0;
    for (; p < behind; p++) {
      if (p === point) continue;
      if (taken < HEAD_DIGITS) head = head * 10 + bytes[p] - 48;
      else tail = tail * 10 + bytes[p] - 48;
      taken++;
    }
    return nearest(head, tail, Math.max(0, digits - HEAD_DIGITS), power);
  }

  const reader: DecimalReader = { value: 0, read };
  return reader;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let p = start; p < end; p++) text += String.fromCharCode(bytes[p]);
  return text;
}
