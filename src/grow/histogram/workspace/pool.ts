/**
 * Places for histograms, and for the tables of a tree's splits, in the memory of a run.
 *
 * @module
 */
import type { Arena } from "../../../kernels/memory.ts";

/** A number of equal places, handed out and taken back. */
export interface Pool {
  /** A free place, or 0 when all are taken. */
  take(): number;
  give(place: number): void;
  /** The first place, bytes of each, and how many there are. */
  readonly at: number;
  readonly placeBytes: number;
  readonly numPlaces: number;
}

/** A pool over a region. */
export function createPool(start: number, byteLength: number, placeBytes: number): Pool {
  const size = Math.ceil(placeBytes / 64) * 64;
  const free: number[] = [];
  for (let i = Math.floor(byteLength / size) - 1; i >= 0; i--) free.push(start + i * size);
  return {
    take: () => free.pop() ?? 0,
    give: (place) => void free.push(place),
    at: start,
    placeBytes: size,
    numPlaces: free.length,
  };
}

/** Space that is filled from the front and emptied as a whole. */
export interface TableSpace {
  /** Copies bytes; returns their address. */
  put(bytes: Uint8Array): number;
  clear(): void;
}

const CHUNK = 65536;

/** Table space that takes chunks from an arena as it needs them. */
export function createTableSpace(arena: Arena): TableSpace {
  const chunks: { at: number; size: number }[] = [];
  let chunk = 0;
  let used = 0;
  return {
    put(bytes) {
      while (chunk < chunks.length && used + bytes.length > chunks[chunk].size) {
        chunk++;
        used = 0;
      }
      if (chunk === chunks.length) {
        const size = Math.max(CHUNK, bytes.length);
        chunks.push({ at: arena.alloc(size), size });
        used = 0;
      }
      const at = chunks[chunk].at + used;
      arena.memory.u8.set(bytes, at);
      used += (bytes.length + 15) & ~15;
      return at;
    },
    clear() {
      chunk = 0;
      used = 0;
    },
  };
}
