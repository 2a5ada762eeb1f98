/**
 * Cell bytes → entry numbers by open addressing, without making a string for each cell.
 *
 * @module
 */

/** Distinct byte strings, numbered in order of appearance. */
export interface Dictionary {
  /** Number of entries. */
  readonly size: () => number;
  /** The entry equal to `bytes[start … end − 1]`, or −1. */
  find(bytes: Uint8Array, start: number, end: number): number;
  /** Adds an entry that `find` did not find last. */
  add(bytes: Uint8Array, start: number, end: number): number;
  /** Bytes of an entry; valid until the next `add`. */
  bytesOf(entry: number): Uint8Array;
}

/** An empty dictionary. */
export function createDictionary(): Dictionary {
  let table = new Int32Array(64).fill(-1);
  let hashes = new Int32Array(32);
  let offsets = new Int32Array(33);
  let pool = new Uint8Array(512);
  let size = 0;
  let slot = 0;
  let lastHash = 0;

  function find(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = table.length - 1;
    const length = end - start;
    let at = hash & mask;
    for (;;) {
      const entry = table[at];
      if (entry < 0) break;
      if (hashes[entry] === hash && offsets[entry + 1] - offsets[entry] === length) {
        let p = offsets[entry];
        let q = start;
        while (q < end && pool[p] === bytes[q]) {
          p++;
          q++;
        }
        if (q === end) return entry;
      }
      at = (at + 1) & mask;
    }
    slot = at;
    lastHash = hash;
    return -1;
  }

  function add(bytes: Uint8Array, start: number, end: number): number {
    const at = offsets[size];
    const length = end - start;
    if (at + length > pool.length) {
      const bigger = new Uint8Array(2 * (at + length));
      bigger.set(pool);
      pool = bigger;
    }
    pool.set(bytes.subarray(start, end), at);
    if (size + 1 >= offsets.length) offsets = grown(offsets);
    if (size >= hashes.length) hashes = grown(hashes);
    offsets[size + 1] = at + length;
    hashes[size] = lastHash;
    table[slot] = size++;
    if (2 * size > table.length) rehash();
    return size - 1;
  }

  function rehash(): void {
    table = new Int32Array(4 * table.length).fill(-1);
    const mask = table.length - 1;
    for (let entry = 0; entry < size; entry++) {
      let at = hashes[entry] & mask;
      while (table[at] >= 0) at = (at + 1) & mask;
      table[at] = entry;
    }
  }

  return {
    size: () => size,
    find,
    add,
    bytesOf: (entry) => pool.subarray(offsets[entry], offsets[entry + 1]),
  };
}

/** FNV-1a with a final mix, so that the low bits depend on every byte. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let p = start; p < end; p++) hash = Math.imul(hash ^ bytes[p], 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const bigger = new Int32Array(2 * array.length + 1);
  bigger.set(array);
  return bigger;
}
