/**
 * The one block of memory that a training run works in: typed views of it, and an arena that hands
 * out aligned places. It is a `WebAssembly.Memory` (shared between threads where there are
 * several), or a plain buffer where WebAssembly is missing.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";

/** Bytes of a page. */
export const PAGE = 65536;

/** All pages that there may be: wasm32 addresses 4 GiB. */
export const ALL_PAGES = 65536;

/** Pages of 512 MiB: V8 collects garbage from about 1 GiB on. */
export const FEW_PAGES = 8192;

/** Thrown where a memory of few pages is full, and all there may be would do. */
export class MemoryFull extends Error {}

/** Typed views of one buffer; the same objects' fields change when the memory grows. */
export interface Memory {
  readonly shared: boolean;
  /** Pages that it has from the start and for good; 1 where it grows. */
  readonly pages: number;
  /** Absent where WebAssembly is missing. */
  readonly wasm: WebAssembly.Memory | undefined;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  /** Makes the views cover the whole memory, after this or another thread made it grow. */
  refresh(): void;
  /**
   * Grows to at least `byteLength`.
   *
   * @throws {TrainingError} when the system refuses; {@linkcode MemoryFull} where it does not grow, and
   * a larger one could be had.
   */
  ensure(byteLength: number): void;
}

/** Hands out places in a memory, in order; release gives back everything since a mark. */
export interface Arena {
  readonly memory: Memory;
  /** Byte address of a new place, aligned to 64, zeroed only when the memory is fresh. */
  alloc(byteLength: number): number;
  mark(): number;
  release(mark: number): void;
}

/** How to make a {@linkcode Memory}. */
export interface MemoryOptions {
  /** Shared between threads. @default false */
  readonly shared?: boolean;
  /** Without WebAssembly. @default false */
  readonly plain?: boolean;
  /** Pages that a shared memory has from the start and for good. @default 1, and it grows */
  readonly pages?: number;
}

/** Makes an empty memory. */
export function createMemory(options: MemoryOptions = {}): Memory {
  const { shared = false, plain = false, pages = 1 } = options;
  if (plain) return plainMemory();
  return pages === 1 ? growingMemory(shared) : fixedMemory(pages);
}

function growingMemory(shared: boolean): Memory {
  const wasm = new WebAssembly.Memory({ initial: 1, maximum: ALL_PAGES, shared });
  return wasmMemory(wasm, { shared, pages: 1 });
}

/**
 * Kernels are faster where a shared memory does not grow, and pages that nobody touches cost nothing
 * but addresses. Some systems do not promise what they cannot keep: there the memory grows.
 */
function fixedMemory(pages: number): Memory {
  try {
    const wasm = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    return wasmMemory(wasm, { shared: true, pages });
  } catch {
    return growingMemory(true);
  }
}

/** Views of a memory that exists already. */
export function wasmMemory(
  wasm: WebAssembly.Memory,
  kind: Pick<Memory, "shared" | "pages">,
): Memory {
  return viewsOf(
    kind,
    wasm,
    () => wasm.buffer,
    (byteLength) => wasm.grow(Math.ceil((byteLength - wasm.buffer.byteLength) / PAGE)),
  );
}

function plainMemory(): Memory {
  let buffer = new ArrayBuffer(PAGE);
  return viewsOf({ shared: false, pages: 1 }, undefined, () => buffer, (byteLength) => {
    const larger = new ArrayBuffer(Math.ceil(byteLength / PAGE) * PAGE);
    new Uint8Array(larger).set(new Uint8Array(buffer));
    buffer = larger;
  });
}

function viewsOf(
  { shared, pages }: Pick<Memory, "shared" | "pages">,
  wasm: WebAssembly.Memory | undefined,
  buffer: () => ArrayBufferLike,
  grow: (byteLength: number) => void,
): Memory {
  const empty = new ArrayBuffer(0);
  const memory = {
    shared,
    pages,
    wasm,
    u8: new Uint8Array(empty) as Uint8Array,
    u16: new Uint16Array(empty) as Uint16Array,
    i32: new Int32Array(empty) as Int32Array,
    u32: new Uint32Array(empty) as Uint32Array,
    f64: new Float64Array(empty) as Float64Array,
    refresh(): void {
      const bytes = buffer();
      if (memory.u8.buffer === bytes && memory.u8.length === bytes.byteLength) return;
      memory.u8 = new Uint8Array(bytes);
      memory.u16 = new Uint16Array(bytes);
      memory.i32 = new Int32Array(bytes);
      memory.u32 = new Uint32Array(bytes);
      memory.f64 = new Float64Array(bytes);
    },
    ensure(byteLength: number): void {
      if (byteLength <= memory.u8.length) return;
      if (pages > 1 && pages < ALL_PAGES) throw new MemoryFull();
      try {
        if (byteLength > ALL_PAGES * PAGE) throw new RangeError("4 GiB exceeded");
        grow(byteLength);
      } catch (cause) {
        const megabytes = Math.ceil(byteLength / 2 ** 20);
        throw new TrainingError(
          "E_TRAIN_NUMERIC",
          `Cannot train: ${megabytes} MB of working memory are not available (the limit is 4096)`,
          { cause, details: { megabytes } },
        );
      }
      memory.refresh();
    },
  };
  memory.refresh();
  return memory;
}

/**
 * An arena over a memory.
 *
 * @param start First byte that may be handed out; what lies before is the kernels' own.
 */
export function createArena(memory: Memory, start = 4096): Arena {
  let top = start;
  return {
    memory,
    alloc(byteLength: number): number {
      const place = top;
      top = Math.ceil((top + byteLength) / 64) * 64;
      memory.ensure(top + 64); // SIMD may read a little past the end
      return place;
    },
    mark: () => top,
    release(mark: number): void {
      top = mark;
    },
  };
}
