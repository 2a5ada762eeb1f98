/**
 * Numbers and codes of unknown count, kept in pieces so that growing never copies what is there.
 *
 * @module
 */
import type { NumericColumn } from "../types.ts";

/** Values in one piece, 1 MB of numbers. */
const PIECE = 1 << 17;

/** A list of numbers that grows. */
export interface GrowingFloats {
  readonly length: () => number;
  /** Makes room for so many values in all, so that they need not be copied together at the end. */
  reserve(total: number): void;
  /** Appends `values[from … to − 1]`. */
  append(values: Float64Array, from: number, to: number): void;
  /** Appends one value `count` times. */
  fill(value: number, count: number): void;
  /** The column itself, for lists that are not plain numbers. */
  readonly column?: (name: string) => NumericColumn;
  /** Whether any value is not NaN. */
  hasNumber(): boolean;
  /** The values as one array; the list is empty afterwards. */
  take(): Float64Array;
}

/** A list of codes that grows. */
export interface GrowingInts {
  readonly length: () => number;
  /** Makes room for so many values in all, so that they need not be copied together at the end. */
  reserve(total: number): void;
  /** Appends `values[from … to − 1]`. */
  append(values: Int32Array, from: number, to: number): void;
  /** Appends one value `count` times. */
  fill(value: number, count: number): void;
  /** The values as one array; the list is empty afterwards. */
  take(): Int32Array;
}

/** An empty list of numbers. */
export function createFloats(): GrowingFloats {
  const list = createPieces((length) => new Float64Array(length));
  return {
    ...list,
    hasNumber: () => list.some((value) => !Number.isNaN(value)),
  };
}

/** An empty list of codes. */
export function createInts(): GrowingInts {
  return createPieces((length) => new Int32Array(length));
}

/** A list of numbers that are there already. */
export function heldFloats(values: Float64Array): GrowingFloats {
  return { ...createFloats(), length: () => values.length, take: () => values };
}

/** A list of codes that are there already. */
export function heldInts(codes: Int32Array): GrowingInts {
  return { ...createInts(), length: () => codes.length, take: () => codes };
}

/** A list that keeps nothing. */
export function createNoInts(): GrowingInts {
  const nothing = () => {};
  return {
    length: () => 0,
    reserve: nothing,
    append: nothing,
    fill: nothing,
    take: () => new Int32Array(0),
  };
}

function createPieces<T extends Float64Array | Int32Array>(make: (length: number) => T) {
  let full: T[] = [];
  let piece = make(0);
  let used = 0;
  let total = 0;

  /** Room in the last piece; pieces begin small, for the sake of small files. */
  function room(): number {
    if (used < piece.length) return piece.length - used;
    if (piece.length > 0) full.push(piece);
    piece = make(Math.min(PIECE, Math.max(256, total)));
    used = 0;
    return piece.length;
  }

  function take(): T {
    let out: T;
    // What was reserved is given as it is, unless much of it is empty.
    if (full.length === 0 && 16 * used >= 15 * piece.length) {
      out = piece.subarray(0, used) as T;
    } else {
      out = make(total);
      let at = 0;
      for (let i = 0; i < full.length; i++) {
        out.set(full[i], at);
        at += full[i].length;
        full[i] = piece; // lets the copied piece go before the next is copied
      }
      out.set(piece.subarray(0, used), at);
    }
    full = [];
    piece = make(0);
    used = 0;
    total = 0;
    return out;
  }

  return {
    length: () => total,
    reserve(expected: number): void {
      if (expected <= total) return;
      const all = make(expected);
      const held = total;
      all.set(take());
      piece = all;
      used = held;
      total = held;
    },
    append(values: T, from: number, to: number): void {
      while (from < to) {
        const count = Math.min(room(), to - from);
        piece.set(values.subarray(from, from + count), used);
        used += count;
        total += count;
        from += count;
      }
    },
    fill(value: number, count: number): void {
      while (count > 0) {
        const some = Math.min(room(), count);
        piece.fill(value, used, used + some);
        used += some;
        total += some;
        count -= some;
      }
    },
    some(test: (value: number) => boolean): boolean {
      return full.some((one) => one.some(test)) || piece.subarray(0, used).some(test);
    },
    take,
  };
}
