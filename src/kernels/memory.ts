/**
 * The one block of memory that a training run works in: typed views of it, and an arena that hands
 * out aligned places. It is a `WebAssembly.Memory` (shared between threads where there are
 * several), or a plain buffer where WebAssembly is missing.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";

const PAGE = 65536;
const MAX_PAGES = 65536; // wasm32 addresses 4 GiB

/** Typed views of one buffer; the same objects' fields change when the memory grows. */
export interface Memory {
  readonly shared: boolean;
  /** Whether it may grow; else it has the largest size from the start. */
  readonly grows: boolean;
  /** Absent where WebAssembly is missing. */
  readonly wasm: WebAssembly.Memory | undefined;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  /** Makes the views cover the whole memory, after this or another thread made it grow. */
  refresh(): void;
  /** Grows to at least `byteLength`. @throws {TrainingError} when the system refuses. */
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
  /** Shared memory that grows as it is needed, instead of all there may be at once. @default false */
  readonly grows?: boolean;
}

/** Makes an empty memory of one page. */
export function createMemory(options: MemoryOptions = {}): Memory {
  const { shared = false, plain = false, grows = !shared } = options;
  if (plain) return plainMemory();
  return wasmMemory(grows ? newMemory(1, shared) : wholeMemory(), shared);
}

function newMemory(initial: number, shared: boolean): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial, maximum: MAX_PAGES, shared });
}

/**
 * Kernels are faster where a shared memory does not grow, and pages that nobody touches cost nothing
 * but addresses, which are reserved up to the maximum in any case. Some systems do not promise what
 * they cannot keep: there the memory grows.
 */
function wholeMemory(): WebAssembly.Memory {
  try {
    return newMemory(MAX_PAGES, true);
  } catch {
    return newMemory(1, true);
  }
}

/** Views of a memory that exists already, for worker threads. */
export function wasmMemory(wasm: WebAssembly.Memory, shared: boolean): Memory {
  return viewsOf(
    { shared, grows: wasm.buffer.byteLength < MAX_PAGES * PAGE },
    wasm,
    () => wasm.buffer,
    (byteLength) => wasm.grow(Math.ceil((byteLength - wasm.buffer.byteLength) / PAGE)),
  );
}

function plainMemory(): Memory {
  let buffer = new ArrayBuffer(PAGE);
  return viewsOf({ shared: false, grows: true }, undefined, () => buffer, (byteLength) => {
    const larger = new ArrayBuffer(Math.ceil(byteLength / PAGE) * PAGE);
    new Uint8Array(larger).set(new Uint8Array(buffer));
    buffer = larger;
  });
}

function viewsOf(
  { shared, grows }: Pick<Memory, "shared" | "grows">,
  wasm: WebAssembly.Memory | undefined,
  buffer: () => ArrayBufferLike,
  grow: (byteLength: number) => void,
): Memory {
  const empty = new ArrayBuffer(0);
  const memory = {
    shared,
    grows,
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
      try {
        if (byteLength > MAX_PAGES * PAGE) throw new RangeError("4 GiB exceeded");
        grow(byteLength);
      } catch (cause) {
        const megabytes = Math.ceil(byteLength / 2 ** 20);
        throw new TrainingError(
          "E_TRAIN_NUMERIC",
          `Cannot train: ${megabytes} MB of working memory are not to be had (the limit is 4096)`,
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
