/**
 * `Trees` → form Z (packed.ts), for ensembles that fit it.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import {
  dictStarts,
  type NodeStats,
  numCategoriesOf,
  type Packed,
  type Reals,
  setWordsOf,
  type Words,
} from "./packed.ts";
import { type Ensemble, NodeKind, type Trees } from "./types.ts";

/** Whether form Z can hold an ensemble: two-way tests, missing left or right, plain leaves. */
export function canPack(ensemble: Ensemble, schema: Schema): boolean {
  const { kind, missing, feature } = ensemble.trees;
  if (ensemble.linear !== undefined || ensemble.surrogates !== undefined) return false;
  const stops = schema.features.map((f) => f.kind === "categorical" && f.unknown === "node");
  for (let node = 0; node < kind.length; node++) {
    if (kind[node] === NodeKind.leaf) continue;
    if (kind[node] > NodeKind.subset || missing[node] > 1 || stops[feature[node]]) return false;
  }
  return true;
}

/** Packs an ensemble for which {@linkcode canPack} holds. */
export function pack(
  ensemble: Ensemble,
  schema: Schema,
): { readonly packed: Packed; readonly stats: NodeStats } {
  const { trees, leafWidth } = ensemble;
  const numTrees = trees.treeStart.length - 1;
  const order = preorder(trees);
  const dictionaries = buildDictionaries(trees, order.inner, schema);
  const numNodes = order.inner.length;
  const feat2 = new Uint32Array(numNodes);
  const cut = new Uint32Array(numNodes);
  const size = new Uint32Array(numNodes);
  const counts = innerCounts(trees);
  for (let j = 0; j < numNodes; j++) {
    const node = order.inner[j];
    feat2[j] = 2 * trees.feature[node] + (trees.missing[node] === 0 ? 0 : 1);
    cut[j] = dictionaries.entryOf(node);
    size[j] = counts[trees.firstChild[node]] + 1;
  }
  const leaves = new Float64Array(order.leaves.length * leafWidth);
  order.leaves.forEach((node, i) => {
    for (let k = 0; k < leafWidth; k++) {
      leaves[i * leafWidth + k] = trees.leaf[node * leafWidth + k];
    }
  });
  const setWords = setWordsOf(schema);
  const packed: Packed = {
    treeNodes: narrow(
      Uint32Array.from({ length: numTrees }, (_, t) => counts[trees.treeStart[t]]),
    ),
    feat2: narrow(feat2),
    cut: narrow(cut),
    size: narrow(size),
    dictSize: dictionaries.sizes,
    dictAt: dictStarts(dictionaries.sizes, setWords).dictAt,
    setWords,
    numCategories: numCategoriesOf(schema),
    cuts: exactest(dictionaries.cuts),
    sets: dictionaries.sets,
    ...shareLeaves(exactest(leaves), leafWidth),
  };
  return { packed, stats: statsOf(trees, leafWidth, order) };
}

interface Order {
  /** Inner nodes of all trees in preorder. */
  readonly inner: Int32Array;
  /** Leaves from left to right. */
  readonly leaves: Int32Array;
  /** All nodes as `packTrees` numbers them: children take the next places when met. */
  readonly canonical: Int32Array;
}

function preorder(trees: Trees): Order {
  const numNodes = trees.kind.length;
  const inner = new Int32Array(numNodes);
  const leaves = new Int32Array(numNodes);
  const canonical = new Int32Array(numNodes);
  let [numInner, numLeaves, placed] = [0, 0, 0];
  for (let t = 0; t < trees.treeStart.length - 1; t++) {
    const stack = [trees.treeStart[t]];
    canonical[placed++] = stack[0];
    while (stack.length > 0) {
      const node = stack.pop()!;
      const first = trees.firstChild[node];
      if (trees.kind[node] === NodeKind.leaf) leaves[numLeaves++] = node;
      else {
        inner[numInner++] = node;
        canonical[placed++] = first;
        canonical[placed++] = first + 1;
        stack.push(first + 1, first);
      }
    }
  }
  return { inner: inner.subarray(0, numInner), leaves: leaves.subarray(0, numLeaves), canonical };
}

/** Inner nodes of each subtree; children come after their parent. */
function innerCounts(trees: Trees): Uint32Array {
  const counts = new Uint32Array(trees.kind.length);
  for (let node = counts.length - 1; node >= 0; node--) {
    if (trees.kind[node] === NodeKind.leaf) continue;
    const first = trees.firstChild[node];
    counts[node] = 1 + counts[first] + counts[first + 1];
  }
  return counts;
}

interface Dictionaries {
  readonly sizes: Uint32Array;
  readonly cuts: Float64Array;
  readonly sets: Uint32Array;
  entryOf(node: number): number;
}

function buildDictionaries(trees: Trees, inner: Int32Array, schema: Schema): Dictionaries {
  const numFeatures = schema.features.length;
  const setWords = setWordsOf(schema);
  const counts = new Uint32Array(numFeatures);
  for (const node of inner) counts[trees.feature[node]]++;
  const thresholds = Array.from(
    counts,
    (count, f) => new Float64Array(setWords[f] === 0 ? count : 0),
  );
  counts.fill(0);
  const setsOf = Array.from({ length: numFeatures }, () => new Map<string | number, number>());
  const words: number[][] = Array.from({ length: numFeatures }, () => []);
  const setOf = new Map<number, number>();
  for (const node of inner) {
    const f = trees.feature[node];
    // −0 becomes 0: same test.
    if (setWords[f] === 0) thresholds[f][counts[f]++] = trees.threshold[node] + 0;
    else {
      const at = trees.categoryAt[node];
      const set = trees.categoryPool.subarray(at, at + setWords[f]);
      const key = set.length === 1 ? set[0] : set.join();
      let entry = setsOf[f].get(key);
      if (entry === undefined) {
        setsOf[f].set(key, entry = setsOf[f].size);
        for (const word of set) words[f].push(word);
      }
      setOf.set(node, entry);
    }
  }
  const cuts = thresholds.map((values) => {
    values.sort();
    let count = 0;
    for (let i = 0; i < values.length; i++) {
      if (i === 0 || values[i] !== values[i - 1]) values[count++] = values[i];
    }
    return values.subarray(0, count);
  });
  return {
    sizes: Uint32Array.from(cuts, (c, f) => setWords[f] === 0 ? c.length : setsOf[f].size),
    cuts: Float64Array.from(cuts.flatMap((c) => [...c])),
    sets: Uint32Array.from(words.flat()),
    entryOf(node) {
      const f = trees.feature[node];
      return setWords[f] === 0 ? indexOf(cuts[f], trees.threshold[node]) : setOf.get(node)!;
    },
  };
}

/** Position of a value that a sorted array holds. */
function indexOf(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The narrowest array for unsigned integers. */
function narrow(values: Uint32Array): Words {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > most) most = values[i];
  return most < 256 ? Uint8Array.from(values) : most < 65536 ? Uint16Array.from(values) : values;
}

/** Float32 where it holds every value exactly. */
function exactest(values: Float64Array): Reals {
  for (let i = 0; i < values.length; i++) {
    if (!Object.is(Math.fround(values[i]), values[i])) return values;
  }
  return Float32Array.from(values);
}

/** Keeps each distinct leaf once, where that is smaller: forests repeat theirs, boosting does not. */
function shareLeaves(
  leaves: Reals,
  leafWidth: number,
): Pick<Packed, "leaves" | "leafIndex"> {
  const count = leaves.length / leafWidth;
  const words = new Uint32Array(leaves.buffer, leaves.byteOffset, leaves.byteLength / 4);
  const wide = words.length / count;
  // Entries by the bits of their leaves, at most half full: the next free place is never far.
  const places = new Int32Array(2 ** Math.ceil(Math.log2(2 * Math.min(count, 65536) + 2))).fill(-1);
  const isSame = (i: number, first: number) => {
    for (let w = 0; w < wide; w++) {
      if (words[i * wide + w] !== words[first * wide + w]) return false;
    }
    return true;
  };
  const index = new Uint32Array(count);
  const firsts: number[] = [];
  for (let i = 0; i < count; i++) {
    let hash = 0;
    for (let w = i * wide; w < (i + 1) * wide; w++) {
      hash = Math.imul(hash ^ words[w], 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    let place = hash & places.length - 1;
    while (places[place] >= 0 && !isSame(i, firsts[places[place]])) {
      place = place + 1 & places.length - 1;
    }
    if (places[place] < 0) {
      if (firsts.length === 65536) return { leaves };
      places[place] = firsts.length;
      firsts.push(i);
    }
    index[i] = places[place];
  }
  const width = leafWidth * leaves.BYTES_PER_ELEMENT;
  const shared = firsts.length * width + count * (firsts.length <= 256 ? 1 : 2);
  if (shared >= count * width) return { leaves };
  const distinct = leaves.slice(0, firsts.length * leafWidth);
  firsts.forEach((i, entry) => {
    distinct.set(leaves.subarray(i * leafWidth, (i + 1) * leafWidth), entry * leafWidth);
  });
  return { leaves: distinct, leafIndex: narrow(index) as Uint8Array | Uint16Array };
}

function statsOf(trees: Trees, leafWidth: number, order: Order): NodeStats {
  const { inner, canonical } = order;
  // Plain loops: `Float64Array.from` with a function was a third of the time of packing.
  const cover = new Float64Array(canonical.length);
  for (let i = 0; i < cover.length; i++) cover[i] = trees.cover[canonical[i]];
  const gain = new Float64Array(inner.length);
  for (let j = 0; j < gain.length; j++) gain[j] = trees.gain[inner[j]];
  const value = new Float64Array(inner.length * leafWidth);
  inner.forEach((node, j) => {
    for (let k = 0; k < leafWidth; k++) value[j * leafWidth + k] = trees.leaf[node * leafWidth + k];
  });
  return {
    ...(cover.some((v) => v !== 0) && { cover: exactest(cover) }),
    ...(gain.some((v) => v !== 0) && { gain: exactest(gain) }),
    ...(value.some((v) => v === v) && { value: exactest(value) }),
  };
}
