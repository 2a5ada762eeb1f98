/**
 * What the kernel for few rows reads at addresses that are constants (kernels/assembly/rows/):
 * vectors, and where the bits of tests lead to.
 *
 * @module
 */

/** Bits of the place of a slot, of its half: vectors. */
const PLACE = 192;
const HALF = 208;
/** Which of eight exits the bits of seven tests lead to. */
const THREE = 256;
/** Which of sixteen those of fifteen tests do. */
const FOUR = 512;
/** And which bytes of eight u16 the bits of a byte name. */
const WHICH = FOUR + 32768;
/** Which bytes of four u32 four bits name; or where the kernel keeps what sixteen ways of a forest are doing. */
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
 */
export function writeTables(bytes: Int8Array, fours: boolean, deep: boolean): void {
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
  for (let k = 0; k < 16; k++) u32[(BITS + 96 >> 2) + k] = exitPlace(k);
  bytes.set(exitsOfThree(), THREE);
  if (fours) bytes.set(exitsOfFour(), FOUR);
  if (!deep) return;
  writeChoices(bytes.subarray(WHICH), 8);
  writeChoices(bytes.subarray(WAYS), 4);
}

/** Writes for each set of the parts of a vector, which are `count`, the numbers of their bytes. */
function writeChoices(bytes: Int8Array, count: number): void {
  for (let set = 0; set < 1 << count; set++) {
    let to = 16 * set;
    for (let at = 0; at < 16; at++) {
      if (set >> Math.floor(at * count / 16) & 1) bytes[to++] = at;
    }
  }
}

/** Where the first exit of the `k`-th tree of a forest is: those of four take turns, 16 bytes each time. */
export function exitPlace(k: number): number {
  return 256 * (k >> 2) + 4 * (k & 3);
}

/** Which of eight exits seven tests in heap order lead to, whatever the eighth bit is. */
function exitsOfThree(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, bits) => {
    let i = 1;
    while (i < 8) i = 2 * i + (bits >> i - 1 & 1);
    return i - 8;
  });
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
