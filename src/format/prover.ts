/**
 * Checksum and proofs by a kernel of wasm: a loop that runs once in JavaScript is interpreted, at fifty
 * times the price. The twins are `checksum` (sections.ts), `proveNodes` (model/prove.ts), `fromHeap`
 * (heap.ts) and `hash64` (model/hash.ts). What the kernel refuses, they judge: they alone say what is
 * wrong.
 *
 * @module
 */
import { hex64 } from "../model/hash.ts";
import type { Packed, Words } from "../model/packed.ts";
import { WASM_HEX } from "./prover_bytes.ts";

/** Tests of all trees in heap order, `2 ** depth − 1` each; a gap has feature `numFeatures`. */
export interface HeapTests {
  readonly depth: number;
  readonly feat2: Words;
  readonly cut: Words;
}

/** Exports of kernels/assembly/prover.ts; numbers are addresses and counts. */
interface ProverKernel {
  sum(from: number, to: number): void;
  nodes(
    trees: number,
    numTrees: number,
    feat2: number,
    cut: number,
    size: number,
    numNodes: number,
    dicts: number,
    numFeatures: number,
    ends: number,
  ): number;
  heaps(
    feat2: number,
    cut: number,
    numTrees: number,
    slots: number,
    dicts: number,
    none: number,
    out: number,
  ): number;
  hash(from: number, to: number): void;
}

/** Form Z's arrays of nodes. */
type Nodes = Pick<Packed, "treeNodes" | "feat2" | "cut" | "size">;

/** What the kernel does for the loader of a file; all arrays are views of the file. */
export interface Prover {
  /** Takes the file's words, but those of the checksum, into its two lanes. */
  lanes(a: number, b: number): Iterable<number>;
  /** Whether nodes are proved. */
  nodes(nodes: Nodes, dictSize: Uint32Array): boolean;
  /** Fills arrays of form Z from heaps; whether that is proved. */
  heaps(heap: HeapTests, dictSize: Uint32Array, into: Nodes): boolean;
  /** What `hash64` gives, where a text is no longer than the file, whose copy is lost. Comes last. */
  hash(text: string): string | undefined;
}

/** From this size on the kernel pays: to compile it takes 0.2 ms. Up to the other, memory is no question. */
const LEAST = 16384;
const MOST = 1 << 25;
const PAGE = 65536;

/** Where the file begins in the memory. */
const FILE = 8;

let compiled: WebAssembly.Module | undefined;

/**
 * Starts the kernel with a copy of a file; undefined where it does not pay or cannot run.
 *
 * @param most Largest file that is read at all.
 */
export function openProver(file: Uint8Array, most = MOST): Prover | undefined {
  const { length } = file;
  if (length < LEAST || length > Math.min(most, MOST)) return undefined;
  try {
    // Decoded by the engine itself; one that cannot has no kernel either.
    compiled ??= new WebAssembly.Module(
      (Uint8Array as unknown as { fromHex(text: string): Uint8Array<ArrayBuffer> })
        .fromHex(WASM_HEX),
    );
    const memory = new WebAssembly.Memory({ initial: 1 + Math.ceil(length / PAGE) });
    new Uint8Array(memory.buffer).set(file, FILE);
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
    return proverOf(file, memory, exports as unknown as ProverKernel);
  } catch {
    return undefined;
  }
}

function proverOf(file: Uint8Array, memory: WebAssembly.Memory, run: ProverKernel): Prover {
  const end = FILE + file.length;
  const at = (view: Words) => FILE + view.byteOffset - file.byteOffset;
  /** As the kernel names an array. */
  const named = (words: Words) => at(words) + (words.BYTES_PER_ELEMENT >> 1);
  return {
    lanes(...lanes) {
      const kept = new Uint32Array(memory.buffer, 0, 2);
      kept.set(lanes);
      run.sum(FILE, FILE + 24);
      run.sum(FILE + 32, end);
      return kept;
    },
    nodes({ treeNodes, feat2, cut, size }, dictSize) {
      memory.grow(1 + size.length * 4 / PAGE);
      return run.nodes(
        named(treeNodes),
        treeNodes.length,
        named(feat2),
        named(cut),
        named(size),
        size.length,
        at(dictSize),
        dictSize.length,
        end,
      ) > 0;
    },
    heaps({ depth, feat2, cut }, dictSize, { treeNodes, ...into }) {
      const slots = (1 << depth) - 1;
      const numTrees = treeNodes.length;
      // Four areas and room for 2 * slots places of 8 bytes.
      memory.grow(2 + feat2.length * 16 / PAGE);
      const none = 2 * dictSize.length;
      const [f, c, d] = [named(feat2), named(cut), at(dictSize)];
      if (run.heaps(f, c, numTrees, slots, d, none, end) !== into.size.length) return false;
      [into.feat2, into.cut, into.size, treeNodes].forEach((array, i) =>
        array.set(new Uint32Array(memory.buffer, end + 4 * i * feat2.length, array.length))
      );
      return true;
    },
    hash(text) {
      const room = new Uint8Array(memory.buffer, FILE, file.length);
      const { read, written } = new TextEncoder().encodeInto(text, room);
      if (read < text.length) return undefined;
      run.hash(FILE, FILE + written);
      const [low, high] = new Uint32Array(memory.buffer, 0, 2);
      return hex64(high, low);
    },
  };
}
