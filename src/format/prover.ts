/**
 * Checksum and proofs by a kernel of wasm: a loop that runs once in JavaScript is interpreted, at fifty
 * times the price. The twins are `checksum` (sections.ts), `proveNodes` (model/prove.ts), `fromHeap`
 * (heap.ts) and `hash64` (model/hash.ts). What the kernel refuses, they judge: they alone say what is
 * wrong.
 *
 * @module
 */
import { hex64 } from "../model/hash.ts";
import type { Packed, Reals, Rules, Words } from "../model/packed.ts";
import { createEnds } from "../model/score/additive.ts";
import type { Scorer } from "../model/score/scorer.ts";
import { WASM_HEX } from "./prover_bytes.ts";

/** Tests of all trees in heap order, `2 ** depth − 1` each; a gap has feature `numFeatures`. */
export interface HeapTests {
  readonly depth: number;
  readonly feat2: Words;
  readonly cut: Words;
}

/** Tasks of the kernel (kernels/assembly/prover.ts). */
const HASH = 0;
const NODES = 1;
const HEAPS = 2;
const ROW = 3;

/** What the kernel exports; numbers are addresses and counts. */
interface Kernel {
  /** `sum`: takes words into the checksum. */
  a(from: number, to: number): void;
  /** `run`: does a task. */
  b(task: number, ...numbers: number[]): number;
}

/** Form Z's arrays of nodes. */
export type Nodes = Pick<Packed, "treeNodes" | "feat2" | "cut" | "size">;

/** All others. */
export type Values = Omit<Packed, keyof Nodes>;

/** What the kernel does for the loader of a file; all arrays are views of the file. */
export interface Prover {
  /** Takes the file's words, but those of the checksum, into its two lanes. */
  lanes(a: number, b: number): Iterable<number>;
  /** Whether nodes, thresholds and leaves are proved. */
  nodes(packed: Packed): boolean;
  /** Fills arrays of form Z from heaps; whether that, thresholds and leaves are proved. */
  heaps(heap: HeapTests, values: Values, into: Nodes): boolean;
  /**
   * Scores rows of the trees that were proved, as tier 0 does: plain sums or averages of one number a leaf
   * without weights, shared leaves or outputs of their own.
   */
  rows(rules: Rules): Scorer["score"];
  /** `hash64` of bytes of the file. */
  hash(from: number, length: number): string;
}

/**
 * From this size on the kernel pays: to compile it takes 0.2 ms. Up to the other, memory is no
 * question.
 */
const LEAST = 16384;
const MOST = 1 << 25;
const PAGE = 65536;

/** Where the file begins in the memory. */
const FILE = 8;

let compiled: WebAssembly.Module | undefined;

/** The memory that was made last, until the kernel starts in it. */
let latest: WebAssembly.Memory | undefined;

/**
 * Room for a file in a memory that the kernel works in: whoever reads the file into it saves the copy.
 * Models keep views of the memory, so it never grows. Behind the file is room for all tasks, of which only
 * what is used costs anything: a slot of heaps has 2 bytes in the file and takes 16, a feature 4 and 16,
 * an output 8 and 8. Undefined where memory is not to be had.
 */
export function roomFor(length: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    latest = new WebAssembly.Memory({ initial: 2 + Math.ceil(9 * length / PAGE) });
    return new Uint8Array(latest.buffer as ArrayBuffer, FILE, length);
  } catch {
    return undefined;
  }
}

/**
 * Starts the kernel with a file, or a copy of it; undefined where it does not pay or cannot run.
 *
 * @param most Largest file that is read at all.
 */
export function openProver(file: Uint8Array, most = MOST): Prover | undefined {
  const { length } = file;
  if (length < LEAST || length > Math.min(most, MOST)) return undefined;
  try {
    compiled ??= new WebAssembly.Module(bytesOf(WASM_HEX));
    if (latest?.buffer !== file.buffer) roomFor(length)!.set(file);
    const memory = latest!;
    latest = undefined;
    const { exports } = new WebAssembly.Instance(compiled, { a: { a: memory } });
    return proverOf(file, memory, exports as unknown as Kernel);
  } catch {
    return undefined;
  }
}

/** Decoded by the engine itself, where it can. */
function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const { fromHex } = Uint8Array as { fromHex?: (hex: string) => Uint8Array<ArrayBuffer> };
  return fromHex?.(hex) ?? Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16));
}

function proverOf(
  file: Uint8Array,
  { buffer }: WebAssembly.Memory,
  { a: sum, b: run }: Kernel,
): Prover {
  const at = (view: Words | Reals) => FILE + view.byteOffset - file.byteOffset;
  /** As the kernel names an array. */
  const named = (array: Words | Reals) => at(array) + Math.log2(array.BYTES_PER_ELEMENT);
  let free = FILE + file.length;
  /** The address of new room. */
  const room = (bytes: number) => {
    const at = free + 7 & -8;
    free = at + bytes;
    return at;
  };
  const kept = new Uint32Array(buffer, 0, 2);
  /** What all tasks of trees are told. */
  let trees: number[] = [];
  const prove = (
    task: number,
    { dictSize, setWords, cuts, sets, leaves }: Values,
    bytes: number,
    ...nodes: number[]
  ) => {
    const { length } = dictSize;
    try {
      const place = room(8 * length + bytes);
      new Uint32Array(buffer, place + 4 * length).set(setWords);
      trees = [...nodes, at(dictSize), length, place, named(cuts), at(sets), named(leaves)];
      return run(task, ...trees, at(leaves) + leaves.byteLength + 7 & -8);
    } catch { // no memory
      return -1;
    }
  };
  return {
    lanes(...lanes) {
      kept.set(lanes);
      sum(FILE, FILE + 24);
      sum(FILE + 32, FILE + file.length);
      return kept;
    },
    nodes(packed) {
      const { treeNodes, feat2, cut, size } = packed;
      const { length } = size;
      const [trees, ...arrays] = [treeNodes, feat2, cut, size].map(named);
      return prove(NODES, packed, 4 * length + 256, trees, treeNodes.length, ...arrays, length) ===
        0;
    },
    heaps({ depth, feat2, cut }, values, { treeNodes, ...into }) {
      const slots = (1 << depth) - 1;
      const area = 4 * feat2.length;
      const [f, c] = [named(feat2), named(cut)];
      // Behind the four areas, a word a slot.
      if (
        prove(HEAPS, values, 4 * area + PAGE, 0, treeNodes.length, f, c, 0, slots) !==
          into.size.length
      ) return false;
      const from = trees[8] + 8 * trees[7];
      [into.feat2, into.cut, into.size, treeNodes].forEach((array, i) => {
        const place = from + area * i;
        new Uint8Array(array.buffer).set(new Uint8Array(buffer, place, array.byteLength));
        trees[(i + 2) % 5] = place + Math.log2(array.BYTES_PER_ELEMENT);
      });
      return true;
    },
    rows(rules) {
      const { start, needsFinish, finish } = createEnds(rules);
      const width = trees[7];
      const place = room(8 * (width + start.length));
      const row = new Float64Array(buffer, place, width);
      const raw = new Float64Array(buffer, place + 8 * width, start.length);
      const f32 = +(rules.profile.sum === "f32");
      return (x, rows, numTrees, out) => {
        trees[1] = numTrees;
        for (let r = 0; r < rows; r++) {
          row.set(x.subarray(r * width, (r + 1) * width));
          raw.set(start);
          run(ROW, ...trees, place, start.length, f32);
          if (needsFinish) finish(numTrees, raw, 0);
          out.set(raw, r * start.length);
        }
      };
    },
    hash(from, length) {
      run(HASH, FILE + from, FILE + from + length);
      return hex64(kept[1], kept[0]);
    },
  };
}
