/**
 * Layouts Z and H of the tree section: form Z of model/packed.ts as views of the file, or its tests
 * in heap order where that is smaller.
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
import { type ByteReader, corrupt, type Numbers } from "./bytes.ts";
import { fromHeap, heapTests, LAYOUT_H, MAX_HEAP_DEPTH } from "./heap.ts";
import { type Meta, rulesOf } from "./meta.ts";

/** First word of a tree section in this layout. */
export const LAYOUT_Z = 1;

/** Words of the head of every tree section. */
export const HEAD_WORDS = 16;

/** Arrays whose width may differ from file to file, in the order of their bits in the head. */
const WIDE = ["treeNodes", "feat2", "cut", "size", "cuts", "leaves", "leafIndex"] as const;

/** Bits of the head's flags. */
const FLAG = { outputs: 1, weights: 2, leafIndex: 4 } as const;

/** log2 of the bytes of an entry: two bits each. */
function widthsOf(packed: Packed): number {
  return WIDE.reduce((bits, name, i) => {
    const width = packed[name]?.BYTES_PER_ELEMENT ?? 1;
    return bits | (31 - Math.clz32(width)) << 2 * i;
  }, 0);
}

/** Outputs that need no array: all 0 with one output or wide leaves, else round robin. */
export function impliedOutput(
  tree: number,
  rules: { leafWidth: number; numOutputs: number },
): number {
  return rules.leafWidth === 1 ? tree % rules.numOutputs : 0;
}

/** The arrays that layouts Z and H have in common: what is added where, with what weight. */
export function writeRules(rules: Rules): { flags: number; arrays: Numbers[] } {
  const { treeOutput, treeWeight, baseScore } = rules;
  const outputs = treeOutput.some((output, t) => output !== impliedOutput(t, rules));
  const weights = treeWeight.some((weight) => weight !== 1);
  return {
    flags: (outputs ? FLAG.outputs : 0) | (weights ? FLAG.weights : 0),
    arrays: [baseScore, ...(outputs ? [treeOutput] : []), ...(weights ? [treeWeight] : [])],
  };
}

/** Reads and proves what {@linkcode writeRules} wrote. */
export function readRules(reader: ByteReader, meta: Meta, numTrees: number, flags: number): Rules {
  const { numOutputs } = meta;
  const place = reader.offset;
  // Every tree takes a byte at least, so nothing is allocated for trees that are not there.
  if (numTrees > reader.remaining) throw corrupt(place, `${numTrees} trees do not fit`);
  const baseScore = reader.f64(numOutputs);
  const treeOutput = flags & FLAG.outputs
    ? reader.i32(numTrees)
    : Int32Array.from({ length: numTrees }, (_, t) => impliedOutput(t, meta));
  const treeWeight = flags & FLAG.weights
    ? reader.f64(numTrees)
    : new Float64Array(numTrees).fill(1);
  if (!baseScore.every(Number.isFinite)) throw corrupt(place, "a base score is not finite");
  if (!treeWeight.every(Number.isFinite)) throw corrupt(place, "a tree weight is not finite");
  const most = meta.leafWidth === 1 ? numOutputs : 1; // wide leaves fill all outputs
  if (treeOutput.some((output) => output < 0 || output >= most)) {
    throw corrupt(place, "a tree adds to no output");
  }
  if (numTrees % meta.treesPerRound !== 0) {
    throw corrupt(place, `${numTrees} trees are no whole number of rounds`);
  }
  return { ...rulesOf(meta), baseScore, treeOutput, treeWeight };
}

/** The arrays of a tree section in layout Z or H, whichever is smaller. */
export function writePacked(packed: Packed, rules: Rules): Numbers[] {
  const { treeNodes, feat2, cut, size, dictSize, cuts, sets, leaves, leafIndex } = packed;
  const shared = writeRules(rules);
  const heap = heapTests(packed);
  const widths = widthsOf(
    heap === undefined ? packed : {
      ...packed,
      ...heap,
      treeNodes: new Uint8Array(0),
      size: new Uint8Array(0),
    },
  );
  const head = new Uint32Array(HEAD_WORDS);
  head.set([
    heap === undefined ? LAYOUT_Z : LAYOUT_H,
    treeNodes.length,
    size.length,
    dictSize.length,
    cuts.length,
    sets.length,
    leaves.length,
    shared.flags | (leafIndex === undefined ? 0 : FLAG.leafIndex),
    widths,
    heap === undefined ? 0 : heap.depth,
  ]);
  return [
    head,
    ...shared.arrays,
    dictSize,
    cuts,
    sets,
    leaves,
    ...(leafIndex === undefined ? [] : [leafIndex]),
    ...(heap === undefined ? [treeNodes, feat2, cut, size] : [heap.feat2, heap.cut]),
  ];
}

/** Reads and proves layouts Z and H; the reader stands after the head. */
export function readPacked(
  reader: ByteReader,
  head: Uint32Array,
  meta: Meta,
): { packed: Packed; rules: Rules } {
  const start = reader.offset;
  const [layout, numTrees, numNodes, numFeatures, numCuts, numWords, numReals, flags, widths] =
    head;
  const depth = head[9];
  const { schema, leafWidth } = meta;
  if (flags > 7 || widths >>> 2 * WIDE.length !== 0) throw corrupt(start, "unknown flags");
  for (let i = 10; i < HEAD_WORDS; i++) {
    if (head[i] !== 0) throw corrupt(start, `word ${i} of the head is not zero`);
  }
  if (layout === LAYOUT_Z ? depth !== 0 : depth < 1 || depth > MAX_HEAP_DEPTH) {
    throw corrupt(start, `its trees have ${depth} levels`);
  }
  if (numFeatures !== schema.features.length) {
    throw corrupt(start, `${numFeatures} dictionaries for ${schema.features.length} features`);
  }
  const width = (name: typeof WIDE[number]) => 1 << (widths >>> 2 * WIDE.indexOf(name) & 3);
  const rules = readRules(reader, meta, numTrees, flags);
  const dictSize = reader.u32(numFeatures);
  const setWords = setWordsOf(schema);
  demandTotals(dictSize, setWords, numCuts, numWords, start);
  const numLeaves = numNodes + numTrees;
  const places: { [array: string]: number } = {};
  /** Remembers where an array begins, for messages. */
  const at = <T>(name: string, read: () => T): T => {
    places[name] = reader.offset;
    return read();
  };
  const words = (name: "treeNodes" | "feat2" | "cut" | "size" | "leafIndex", count: number) =>
    at(name, () => readWords(reader, count, width(name)));
  const reals = (name: "cuts" | "leaves", count: number) =>
    at(name, () => readReals(reader, count, width(name)));
  const shared = (flags & FLAG.leafIndex) !== 0;
  if (!shared && numReals !== numLeaves * leafWidth || numReals % leafWidth !== 0) {
    throw corrupt(start, `${numReals} numbers in ${numLeaves} leaves`);
  }
  const values = {
    dictSize,
    setWords,
    numCategories: numCategoriesOf(schema),
    dictAt: dictStarts(dictSize, setWords),
    cuts: reals("cuts", numCuts),
    sets: reader.u32(numWords),
    leaves: reals("leaves", numReals),
    ...(shared && { leafIndex: words("leafIndex", numLeaves) as Uint8Array | Uint16Array }),
  };
  const slots = ((1 << depth) - 1) * numTrees;
  const packed: Packed = layout === LAYOUT_Z
    ? {
      ...values,
      treeNodes: words("treeNodes", numTrees),
      feat2: words("feat2", numNodes),
      cut: words("cut", numNodes),
      size: words("size", numNodes),
    }
    : {
      ...values,
      ...fromHeap(
        { depth, feat2: words("feat2", slots), cut: words("cut", slots) },
        numTrees,
        numNodes,
        dictSize,
        places.feat2,
      ),
    };
  const fail = (array: keyof Packed, index: number, problem: string) =>
    corrupt(
      places[array] + index * (packed[array] as Words | Reals).BYTES_PER_ELEMENT,
      `entry ${index} of ${array}: ${problem}`,
    );
  proveValues(packed, leafWidth, fail);
  if (layout === LAYOUT_Z) proveNodes(packed, fail);
  return { packed, rules };
}

/** Dictionaries must fill their arrays; sums stay exact since each count fits 32 bits. */
function demandTotals(
  dictSize: Uint32Array,
  setWords: Uint32Array,
  numCuts: number,
  numWords: number,
  offset: number,
): void {
  let cuts = 0;
  let words = 0;
  for (let f = 0; f < dictSize.length; f++) {
    if (setWords[f] === 0) cuts += dictSize[f];
    else words += dictSize[f] * setWords[f];
  }
  if (cuts !== numCuts || words !== numWords) {
    throw corrupt(offset, "the dictionaries do not fill their arrays");
  }
}

function readWords(reader: ByteReader, count: number, width: number): Words {
  if (width === 1) return reader.u8(count);
  if (width === 2) return reader.u16(count);
  if (width === 4) return reader.u32(count);
  throw corrupt(reader.offset, `whole numbers of ${width} bytes`);
}

function readReals(reader: ByteReader, count: number, width: number): Reals {
  if (width === 4) return reader.f32(count);
  if (width === 8) return reader.f64(count);
  throw corrupt(reader.offset, `numbers of ${width} bytes`);
}
