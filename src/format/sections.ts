/**
 * The container of a model file: a header, a table of sections, the sections. Every byte is
 * accounted for; see docs/format.md, which is normative.
 *
 * @module
 */
import type { ModelError } from "../errors.ts";
import { corrupt, proveZeros } from "./bytes.ts";
import type { Prover } from "./prover.ts";

/** One named part of a file. */
export interface Section {
  /** Four ASCII characters. */
  readonly id: string;
  /** A reader that does not know it must refuse the file. */
  readonly required: boolean;
  readonly bytes: Uint8Array;
  /** Where it begins in the file; absent when it is to be written. */
  readonly offset?: number;
}

/** Limits for model files from elsewhere. */
export interface Limits {
  /** Largest size of a file in bytes. @default 2 ** 31 - 1 */
  readonly maxBytes?: number;
}

/** Major version written and read. */
export const MAJOR = 1;

/** `\x89TLM\r\n\x1a\n`: shows damage by text transfer, as PNG's does. */
export const MAGIC = [0x89, 0x54, 0x4c, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes of the header. */
export const HEADER = 32;
/** Bytes of an entry of the table. */
export const ENTRY = 24;
const MAX_SECTIONS = 64;

/** Rounds up to a multiple of 8. */
export function align(n: number): number {
  return Math.ceil(n / 8) * 8;
}

/**
 * A 64-bit checksum in two lanes over a file whose checksum field counts as zero. Each step is a
 * bijection of its state and of its word, so that a change within one word never goes unnoticed.
 */
export function checksum(bytes: Uint8Array, prover?: Prover): [number, number] {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  let a = 0x811c9dc5 | 0;
  let b = 0x9e3779b9 | 0;
  if (prover) {
    [a, b] = prover.lanes(a, b);
  } else {
    for (let i = 0; i < words.length; i += 2) {
      if (i === 6) continue;
      a = Math.imul(a ^ words[i], 0x01000193);
      b = Math.imul(b ^ words[i + 1], 0x85ebca6b);
      a ^= a >>> 15;
      b ^= b >>> 13;
    }
  }
  // Each lane takes in the other, so that both depend on every byte.
  const low = Math.imul(a ^ (b >>> 7) ^ words.length, 0xc2b2ae35);
  const high = Math.imul(b ^ (low >>> 11), 0x27d4eb2f);
  return [low >>> 0, high >>> 0];
}

/**
 * Reads the table of a file.
 *
 * @param bytes Begins at a multiple of 8 of its buffer.
 * @param verify Whether the checksum is compared.
 * @param prover Computes the checksum.
 * @throws {ModelError} `E_MODEL_MAGIC`, `E_MODEL_VERSION`, `E_MODEL_LIMIT` or `E_MODEL_CORRUPT`.
 */
export function readSections(
  bytes: Uint8Array,
  verify: boolean,
  limits: Limits,
  prover?: Prover,
): Section[] {
  const maxBytes = limits.maxBytes ?? 2 ** 31 - 1;
  const found = bytes.length;
  if (!(found <= maxBytes)) throw tooLarge(found, maxBytes, 0); // a limit of NaN is none
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, found >>> 2);
  // `MAGIC` as words.
  if (words[0] ^ 0x4d4c5489 | words[1] ^ 0x0a1a0a0d) throw notOurs(bytes);
  if (found < HEADER) throw corrupt(found, "its header does not fit");
  const u64 = (word: number) => words[word] + words[word + 1] * 2 ** 32;
  const major = words[2] & 0xffff;
  if (major !== MAJOR) {
    throw corrupt(
      8,
      `it has version ${major}.${words[2] >>> 16}, expected ${MAJOR}.x`,
      "E_MODEL_VERSION",
      { version: major },
    );
  }
  const length = u64(4);
  if (length > maxBytes) throw tooLarge(length, maxBytes, 16);
  if (length !== found || length % 8) {
    throw corrupt(16, `it declares ${length} bytes and has ${found}`);
  }
  const count = words[3];
  if (count > MAX_SECTIONS || HEADER + ENTRY * count > length) {
    throw corrupt(12, `it declares ${count} sections`);
  }
  if (verify) {
    const [low, high] = checksum(bytes, prover);
    if (low !== words[6] || high !== words[7]) {
      throw corrupt(24, "its checksum does not fit");
    }
  }
  const sections: Section[] = [];
  let expected = HEADER + ENTRY * count;
  for (let i = 0; i < count; i++) {
    const at = HEADER + ENTRY * i;
    const id = String.fromCharCode(...bytes.subarray(at, at + 4));
    const flags = words[at / 4 + 1];
    const offset = u64(at / 4 + 2);
    const size = u64(at / 4 + 4);
    if (flags > 1) throw corrupt(at + 4, `section ${i} has the flags ${flags}`);
    if (offset !== expected || size > length - offset) {
      throw corrupt(at + 8, `section ${i} is out of place`);
    }
    expected = align(offset + size);
    proveZeros(bytes, offset + size, expected);
    sections.push({
      id,
      required: flags === 1,
      bytes: bytes.subarray(offset, offset + size),
      offset,
    });
  }
  if (expected !== length) throw corrupt(expected, `${length - expected} bytes too many`);
  return sections;
}

function tooLarge(length: number, limit: number, offset: number): ModelError {
  return corrupt(
    offset,
    `it has ${length} bytes, the limit is ${limit}`,
    "E_MODEL_LIMIT",
    { length, limit },
  );
}

/** Says what a file is that is no Treeline model, where that is easy to tell. */
function notOurs(bytes: Uint8Array): ModelError {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const guess = bytes.length === 0
    ? "it is empty"
    : start.startsWith("\x89TLM")
    ? "line ends were changed; copy as binary"
    : start.startsWith("\x1f\x8b")
    ? "it is gzipped; unpack it"
    : /^tree\n|^\s*\{|^binf/.test(start) || bytes[0] === 8
    ? "it is no .tlm file; convert another library's"
    : "it is no .tlm file";
  return corrupt(0, guess, "E_MODEL_MAGIC");
}
