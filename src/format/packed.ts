/**
 * Layouts Z and H of the tree section: form Z of model/packed.ts as views of the file, or its tests
 * in heap order where that is smaller. Written by write_packed.ts.
 *
 * @module
 */
import {
  dictStarts,
  numCategoriesOf,
  type Packed,
  type Reals,
  type Rules,
  setWordsOf,
  type Words,
} from "../model/packed.ts";
import { proveNodes, proveValues } from "../model/prove.ts";
import { firstRows } from "../model/score/tiers.ts";
import { fromBits, LAYOUT_B } from "./bits.ts";
import { type ByteReader, corrupt, createReader } from "./bytes.ts";
import { fromHeap, LAYOUT_H, MAX_HEAP_DEPTH } from "./heap.ts";
import type { Prover } from "./prover.ts";
import { type Meta, rulesOf } from "./meta.ts";

/** First word of a tree section in this layout. */
export const LAYOUT_Z = 1;

/** Words of the head of every tree section. */
export const HEAD_WORDS = 16;

/** Arrays whose width may differ from file to file, in the order of their bits in the head. */
export const WIDE = ["treeNodes", "feat2", "cut", "size", "cuts", "leaves", "leafIndex"] as const;

/** What arrays are made of, by log2 of the bytes of an entry. */
const WORDS = ["u8", "u16", "u32"] as const;
const REALS = [undefined, undefined, "f32", "f64"] as const;

/** Bits of the head's flags. */
export const FLAG = { outputs: 1, weights: 2, leafIndex: 4 } as const;

/** Outputs that need no array: all 0 with one output or wide leaves, else round robin. */
export function impliedOutput(
  tree: number,
  rules: { leafWidth: number; numOutputs: number },
): number {
  return rules.leafWidth === 1 ? tree % rules.numOutputs : 0;
}

/** Refuses a word of the head of a tree section unless it is right. */
export type HeadProof = (word: number, ok: boolean) => true;

/** Proofs of a head, behind which the reader stands. */
export function createHeadProof(reader: ByteReader, head: Uint32Array): HeadProof {
  const end = reader.offset();
  // Apart from the proof itself: what runs often is compiled anew, as much as it is.
  const refuse = (word: number): never => {
    throw corrupt(
      end + 4 * (word - HEAD_WORDS),
      `word ${word} of the head cannot be ${head[word]}`,
    );
  };
  return (word, ok) => ok || refuse(word);
}

/** Reads and proves what is added where, with what weight. */
export function readRules(
  reader: ByteReader,
  prove: HeadProof,
  meta: Meta,
  numTrees: number,
  flags: number,
): Rules {
  const { numOutputs } = meta;
  const place = reader.offset();
  // Every tree takes a byte at least, so nothing is allocated for trees that are not there.
  prove(1, numTrees <= reader.remaining() && numTrees % meta.treesPerRound === 0);
  const finite = (count: number, what: string) => {
    const values = reader.f64(count);
    if (!values.every(Number.isFinite)) throw corrupt(place, `a ${what} is not finite`);
    return values;
  };
  const baseScore = finite(numOutputs, "base score");
  let treeOutput: Int32Array = new Int32Array(numTrees);
  if (flags & FLAG.outputs) {
    treeOutput = reader.i32(numTrees);
    const most = meta.leafWidth === 1 ? numOutputs : 1; // wide leaves fill all outputs
    if (treeOutput.some((output) => output < 0 || output >= most)) {
      throw corrupt(place, "a tree adds to no output");
    }
  } else if (numOutputs > 1) {
    treeOutput.forEach((_, t) => treeOutput[t] = impliedOutput(t, meta));
  }
  const treeWeight = flags & FLAG.weights
    ? finite(numTrees, "tree weight")
    : new Float64Array(numTrees).fill(1);
  return { ...rulesOf(meta), baseScore, treeOutput, treeWeight };
}

/** Reads and proves layouts Z, H and B; the reader stands after the head. */
export function readPacked(
  reader: ByteReader,
  head: Uint32Array,
  meta: Meta,
  prover?: Prover,
): { packed: Packed; rules: Rules } {
  const prove = createHeadProof(reader, head);
  const [layout, numTrees, numNodes, numFeatures, numCuts, numWords, numReals, flags, widths] =
    head;
  const depth = head[9];
  const inBits = layout === LAYOUT_B;
  const numBits = head[10];
  if (inBits) prover = undefined; // it reads arrays of the file
  const { schema, leafWidth } = meta;
  prove(7, flags < 8);
  prove(8, widths >>> 2 * WIDE.length === 0);
  prove(9, layout === LAYOUT_H ? depth > 0 && depth <= MAX_HEAP_DEPTH : depth === 0);
  for (let i = inBits ? 11 : 10; i < HEAD_WORDS; i++) prove(i, head[i] === 0);
  prove(3, numFeatures === schema.features.length);
  const rules = readRules(reader, prove, meta, numTrees, flags);
  const dictSize = reader.u32(numFeatures);
  const setWords = setWordsOf(schema);
  const { dictAt, ...totals } = dictStarts(dictSize, setWords);
  prove(4, totals.numCuts === numCuts);
  prove(5, totals.numWords === numWords);
  const numLeaves = numNodes + numTrees;
  const places: { [array: string]: number } = {};
  /** An array of its own width, and where it begins, for messages; zeros where bits will fill it. */
  const read = <T extends Words | Reals = Words>(
    name: typeof WIDE[number],
    count: number,
    inFile = !inBits,
  ): T => {
    const log = widths >>> 2 * WIDE.indexOf(name) & 3;
    const form = (name === "cuts" || name === "leaves" ? REALS : WORDS)[log];
    prove(8, form !== undefined);
    places[name] = reader.offset();
    const from = inFile ? reader : createReader(new Uint8Array(count << log), 0, count << log);
    return from[form!](count) as T;
  };
  const shared = (flags & FLAG.leafIndex) !== 0;
  prove(6, (shared || numReals === numLeaves * leafWidth) && numReals % leafWidth === 0);
  // In bits each node, threshold and tree has a byte, so that a small file asks for little memory.
  prove(2, !inBits || numNodes + numCuts + numTrees <= Math.min(4 * numBits, reader.remaining()));
  const values = {
    dictSize,
    setWords,
    numCategories: numCategoriesOf(schema),
    dictAt,
    cuts: read<Reals>("cuts", numCuts),
    sets: reader.u32(numWords),
    leaves: read<Reals>("leaves", numReals, true),
    ...(shared && { leafIndex: read<Uint8Array | Uint16Array>("leafIndex", numLeaves) }),
  };
  const slots = ((1 << depth) - 1) * numTrees;
  let packed: Packed;
  let proved: boolean | undefined;
  if (layout === LAYOUT_H) {
    const heap = { depth, feat2: read("feat2", slots), cut: read("cut", slots) };
    const nodes = fromHeap(heap, numTrees, numNodes, dictSize, places.feat2, (form) => {
      proved = prover?.heaps(heap, values, form);
      return proved === true;
    });
    packed = { ...values, ...nodes };
  } else {
    packed = {
      ...values,
      treeNodes: read("treeNodes", numTrees, true),
      feat2: read("feat2", numNodes),
      cut: read("cut", numNodes),
      size: read("size", numNodes),
    };
    proved = prover?.nodes(packed);
  }
  const bitsAt = reader.offset();
  if (inBits && !fromBits(reader.u32(numBits), packed, leafWidth)) {
    throw corrupt(bitsAt, "these bits are no trees");
  }
  const fail = (array: keyof Packed, index: number, problem: string) =>
    corrupt(
      inBits && array !== "leaves"
        ? bitsAt
        : places[array] + index * (packed[array] as Words | Reals).BYTES_PER_ELEMENT,
      `entry ${index} of ${array}: ${problem}`,
    );
  proveValues(packed, leafWidth, fail, proved);
  // Heaps were proved as they were read.
  if (layout !== LAYOUT_H && !proved) proveNodes(packed, fail);
  if (prover && proved && flags === 0 && leafWidth === 1) {
    try {
      firstRows.set(packed, new WeakRef(prover.rows(rules)));
    } catch { /* no memory: rows walk the arrays */ }
  }
  return { packed, rules };
}
