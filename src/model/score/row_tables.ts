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
/** And which of eight trees the bits of a byte name, eight u16. */
const WHICH = FOUR + 32768;
/** Where a forest's words of the codes of a row are, and those of 0 behind them. */
const CODES = WHICH + 4096;
/** What levels add to a set, 16 times and 4 times, and what exits that go on are above: vectors. */
const BITS = CODES + 1024;
/** Where it reads nothing of its own. */
export const FREE = BITS + 144;

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
    bytes.fill(16 << level, at, at + 16).fill(4 << level, at + 64, at + 80);
  }
  new Uint32Array(bytes.buffer, BITS + 128, 4).fill(0x7fbfffff);
  bytes.set(exitsOfThree(), THREE);
  if (fours) bytes.set(exitsOfFour(), FOUR);
  for (let set = 0; deep && set < 256; set++) {
    let to = WHICH + 16 * set;
    for (let k = 0; k < 8; k++) {
      if ((set >> k & 1) === 0) continue;
      bytes[to] = k;
      to += 2;
    }
  }
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
