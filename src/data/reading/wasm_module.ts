/**
 * The WebAssembly module of src/kernels/assembly/csv.ts and the powers of ten that it reads.
 *
 * @module
 */
import { lazyModule } from "../../util/wasm_module.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";

/** Powers of ten in the table, as in the kernel. */
const LOW_POWER = -65;
const HIGH_POWER = 40;

/** Vectors of 16 bytes of their own. */
const NUM_VECTORS = 13;

/** Entries of 32 bytes for the places of a point (0 … 16) and of an end (0 … 15). */
const NUM_ORDERS = 17 * 16;

/** Entries of 16 bytes for the lengths of four numbers. */
const NUM_FOURS = 256;

/** Bytes of the vectors. */
const VECTOR_BYTES = NUM_VECTORS * 16 + NUM_ORDERS * 32 + NUM_FOURS * 16;

/** Bytes of the small powers: 10⁰ … 10²² as float64, 10⁰ … 10¹⁶ as whole numbers, and vectors. */
const POWERS_BYTES = (23 + 17) * 8 + VECTOR_BYTES;

/**
 * Vectors of csv/decimal.ts in the kernel: to test digits, to put them together, places, bytes to
 * look for. Then how decimals are read.
 */
function vectors(): Uint8Array {
  const bytes = new Uint8Array(VECTOR_BYTES);
  const pairs = new Int16Array(bytes.buffer);
  bytes.fill(80, 0, 16).fill(256 - 119, 16, 32);
  pairs.fill(10 * 256 + 1, 16, 24);
  for (let i = 24; i < 40; i++) pairs[i] = i % 2 === 1 ? 1 : i < 32 ? 100 : 10000;
  bytes.fill(15, 80, 96);
  for (let i = 0; i < 16; i++) bytes[96 + i] = i;
  ["0", "\n", "\r", '"', "-"].forEach((one, i) => {
    bytes.fill(one.charCodeAt(0), 112 + 16 * i, 128 + 16 * i);
  });
  const numbers = new Float64Array(bytes.buffer);
  numbers.set([1e8, 1], 24);
  for (let point = 0; point <= 16; point++) {
    for (let end = 0; end < 16; end++) {
      const at = NUM_VECTORS * 16 + 32 * (16 * point + end);
      writeOrder(bytes.subarray(at, at + 16), point, end);
      numbers[at / 8 + 2] = Number(`1e${Math.max(0, end - point - 1)}`);
    }
  }
  writeFours(bytes.subarray(NUM_VECTORS * 16 + NUM_ORDERS * 32));
  return bytes;
}

/**
 * For the lengths of four numbers, two bits each: the places of their last three digits, four bytes
 * each.
 */
function writeFours(orders: Uint8Array): void {
  orders.fill(128);
  for (let lengths = 0; lengths < NUM_FOURS; lengths++) {
    let start = 0;
    for (let cell = 0; cell < 4; cell++) {
      const length = (lengths >> (2 * cell)) & 3;
      for (let i = 0; i < length; i++) {
        orders[16 * lengths + 4 * cell + 4 - length + i] = start + i;
      }
      start += length + 1;
    }
  }
}

/** Places of the digits of a decimal, the last one last; 128 where there is none. */
function writeOrder(order: Uint8Array, point: number, end: number): void {
  let place = end;
  for (let i = 15; i >= 0; i--) {
    place -= place - 1 === point ? 2 : 1;
    order[i] = place < 0 ? 128 : place;
  }
}

/** The kernel has its powers of ten at the beginning of the memory; what it is told of lies behind. */
export const FREE_AT = Math.ceil((POWERS_BYTES + (HIGH_POWER - LOW_POWER + 1) * 16) / 64) * 64;

/** The module, or null where the engine has no WebAssembly with SIMD. */
export const kernelModule: () => WebAssembly.Module | null = lazyModule(WASM_BASE64);

/** Writes the small powers and the table of approximations to where the kernel has them. */
export function writePowers(buffer: ArrayBufferLike): void {
  new Uint8Array(buffer, 0, POWERS_BYTES).set(smallPowers());
  new BigUint64Array(buffer, POWERS_BYTES, 2 * (HIGH_POWER - LOW_POWER + 1)).set(powerTable());
}

let small: Uint8Array | undefined;

/** The small powers, made once: making them takes longer than reading a small file. */
function smallPowers(): Uint8Array {
  if (small !== undefined) return small;
  const buffer = new ArrayBuffer(POWERS_BYTES);
  for (let k = 0; k <= 22; k++) new Float64Array(buffer)[k] = Number(`1e${k}`);
  for (let k = 0; k <= 16; k++) new BigUint64Array(buffer)[23 + k] = 10n ** BigInt(k);
  small = new Uint8Array(buffer);
  small.set(vectors(), (23 + 17) * 8);
  return small;
}

let table: BigUint64Array<ArrayBuffer> | undefined;

/**
 * 5^q for q = −65 … 40, scaled to 128 bits: truncated for q ≥ 0, the reciprocal rounded up for
 * q < 0; high half, low half (Lemire 2021, as in his fast_float).
 */
function powerTable(): BigUint64Array<ArrayBuffer> {
  if (table !== undefined) return table;
  table = new BigUint64Array(2 * (HIGH_POWER - LOW_POWER + 1));
  for (let q = LOW_POWER; q <= HIGH_POWER; q++) {
    const power = 5n ** BigInt(Math.abs(q));
    const bits = BigInt(power.toString(2).length);
    let scaled: bigint;
    if (q >= 0) scaled = bits <= 128n ? power << (128n - bits) : power >> (bits - 128n);
    else {
      // z is the least with 2^z ≥ 5^−q; no power of five but 1 is a power of two.
      scaled = (1n << (q >= -27 ? bits + 127n : 2n * bits + 128n)) / power + 1n;
      while (scaled >= 1n << 128n) scaled >>= 1n;
    }
    const at = 2 * (q - LOW_POWER);
    table[at] = scaled >> 64n;
    table[at + 1] = scaled & 0xffff_ffff_ffff_ffffn;
  }
  return table;
}
