/**
 * What the kernel for few rows reads at addresses that are constants (kernels/assembly/rows/):
 * vectors, and where the bits of tests lead to.
 *
 * @module
 */

/** Bits of the place of a slot, of its half: vectors. */
const PLACE = 192;
const HALF = 208;
/**
 * Which of eight exits the bits of seven tests lead to. Those of trees of any depth are numbered by
 * the levels at which the way goes right, a bit each: without a third level there are four.
 */
const THREE = 256;
/** Which of sixteen those of fifteen tests do. */
const FOUR = 512;
/** And which bytes of eight u16 the bits of a byte name. */
const WHICH = FOUR + 32768;
/** Where the kernel keeps what sixteen ways of a forest are doing. */
const WAYS = WHICH + 4096;
/**
 * Vectors: what levels add to a set, four; 0 to 7, u16; 1 to 128, twice; where exits of sixteen trees
 * begin, four of u32.
 */
const BITS = WAYS + 1024;
/** Where it reads nothing of its own. */
export const FREE = BITS + 160;

/**
 * Writes them to a memory that is empty.
 *
 * @param fours Whether parts of trees have four levels.
 * @param deep Whether trees are of any depth.
 * @param f32 Whether their exits are float32.
 */
export function writeTables(bytes: Int8Array, fours: boolean, deep: boolean, f32: boolean): void {
  bytes.fill(0x8f, PLACE, PLACE + 16);
  bytes.fill(0x80, HALF, HALF + 16);
  for (let level = 0; level < 4; level++) {
    const at = BITS + 16 * level;
    bytes.fill(16 << level, at, at + 16);
  }
  const u32 = new Uint32Array(bytes.buffer);
  for (let k = 0; k < 8; k++) {
    bytes[BITS + 64 + 2 * k] = k;
    bytes[BITS + 80 + k] = bytes[BITS + 88 + k] = 1 << k;
  }
  for (let k = 0; k < 16; k++) u32[(BITS + 96 >> 2) + k] = exitPlace(k, f32);
  bytes.set(deep ? exitsOfThree().map(setOf) : exitsOfThree(), THREE);
  if (fours) bytes.set(exitsOfFour(), FOUR);
  for (let set = 0; deep && set < 256; set++) {
    let to = WHICH + 16 * set;
    for (let k = 0; k < 8; k++) {
      if ((set >> k & 1) === 0) continue;
      bytes[to++] = 2 * k;
      bytes[to++] = 2 * k + 1;
    }
  }
}

/**
 * Where the first exit of the `k`-th tree is, of trees of any depth: those of some trees take turns, 16 bytes
 * each time.
 */
export function exitPlace(k: number, f32: boolean): number {
  return f32 ? 256 * (k >> 2) + 4 * (k & 3) : 256 * (k >> 1) + 8 * (k & 1);
}

/** Which of eight exits seven tests in heap order lead to, whatever the eighth bit is. */
function exitsOfThree(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, bits) => {
    let i = 1;
    while (i < 8) i = 2 * i + (bits >> i - 1 & 1);
    return i - 8;
  });
}

/** The levels at which the way to one of eight exits goes right, a bit each. */
function setOf(exit: number): number {
  return exit >> 2 | exit & 2 | (exit & 1) << 2;
}

let four: Uint8Array | undefined;

/** Which of sixteen exits fifteen tests lead to: made once, since it takes a millisecond. */
function exitsOfFour(): Uint8Array {
  if (four === undefined) {
    const three = exitsOfThree();
    four = new Uint8Array(32768);
    for (let bits = 0; bits < 32768; bits++) {
      const exit = three[bits & 255];
      four[bits] = 2 * exit + (bits >> 7 + exit & 1);
    }
  }
  return four;
}
