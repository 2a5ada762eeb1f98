/**
 * The trees of a `.tlm` file, read from docs/format.md alone: objects instead of views.
 *
 * @module
 */

/** A node: a leaf, or a test and its branches. */
export type Node =
  | {
    readonly kind: "leaf";
    readonly value: number[];
    readonly cover: number;
    readonly linear?: Linear;
  }
  | {
    readonly kind: "threshold" | "set" | "multiway" | "equal";
    readonly feature: number;
    readonly threshold: number;
    /** `set`: whether each code goes left. `multiway`: branch of each code, −1 stops. */
    readonly codes: number[];
    /** Branch, or 254 or 255. */
    readonly missing: number;
    readonly branches: Node[];
    readonly value: number[];
    readonly cover: number;
    readonly surrogates: Surrogate[];
  };

export interface Linear {
  readonly constant: number;
  readonly terms: { readonly feature: number; readonly coefficient: number }[];
}

export interface Surrogate {
  readonly feature: number;
  readonly threshold: number;
  readonly below: number;
  /** Branch of each code, 255 cannot tell; absent for numbers. */
  readonly codes?: number[];
}

export interface Meta {
  readonly schema: {
    readonly features: {
      readonly kind: string;
      readonly unknown?: string;
      categories?: string[];
    }[];
  };
  readonly aggregate: string;
  readonly leafWidth: number;
  readonly numOutputs: number;
  readonly treesPerRound: number;
  readonly profile: { readonly input: string; readonly sum: string; readonly base: string };
}

/** Numbers from bytes, one after another. */
export class Cursor {
  readonly view: DataView;
  constructor(bytes: Uint8Array, public at: number, readonly end: number) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  /** `count` numbers, then zeros up to a multiple of 8. */
  array(type: "u8" | "u16" | "u32" | "i32" | "f32" | "f64", count: number): number[] {
    const { view } = this;
    const size = { u8: 1, u16: 2, u32: 4, i32: 4, f32: 4, f64: 8 }[type];
    const one = {
      u8: (at: number) => view.getUint8(at),
      u16: (at: number) => view.getUint16(at, true),
      u32: (at: number) => view.getUint32(at, true),
      i32: (at: number) => view.getInt32(at, true),
      f32: (at: number) => view.getFloat32(at, true),
      f64: (at: number) => view.getFloat64(at, true),
    }[type];
    const numbers = Array.from({ length: count }, (_, i) => one(this.at + i * size));
    this.at += count * size;
    while (this.at % 8 !== 0) if (view.getUint8(this.at++) !== 0) throw new Error("padding");
    if (this.at > this.end) throw new Error("an array leaves its section");
    return numbers;
  }
}

/** Bits of u32 words, from the lowest on. */
export class Bits {
  at = 0;
  constructor(readonly words: readonly number[]) {}
  bit(): number {
    const bit = this.words[this.at >>> 5] >>> (this.at & 31) & 1;
    this.at++;
    return bit;
  }
  number(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) value += this.bit() * 2 ** i;
    return value;
  }
  below(n: number): number {
    if (n < 2) return 0;
    const b = Math.floor(Math.log2(n));
    const m = 2 ** (b + 1) - n;
    const v = this.number(b);
    return v < m ? v : 2 * v + this.bit() - m;
  }
}

/** Layouts Z, H and B; the cursor stands after the weights of trees. */
export function readPacked(cursor: Cursor, head: number[], meta: Meta): Node[] {
  const [layout, numTrees, numNodes, numFeatures, numCuts, numWords, numReals, flags, widths] =
    head;
  const { leafWidth, schema } = meta;
  const wide = (i: number) => (["u8", "u16", "u32", "f64"] as const)[widths >>> 2 * i & 3];
  const real = (i: number) => (widths >>> 2 * i & 3) === 3 ? "f64" : "f32";
  const inBits = layout === 4;
  const dictSize = cursor.array("u32", numFeatures);
  let cuts = inBits ? [] : cursor.array(real(4), numCuts);
  const sets = cursor.array("u32", numWords);
  const leaves = cursor.array(real(5), numReals);
  const numLeaves = numNodes + numTrees;
  let leafIndex = Array.from({ length: numLeaves }, (_, i) => i);
  if (!inBits && flags & 4) leafIndex = cursor.array(wide(6), numLeaves);
  const lists = layout === 2
    ? [
      [],
      cursor.array(wide(1), (2 ** head[9] - 1) * numTrees),
      cursor.array(wide(2), (2 ** head[9] - 1) * numTrees),
      [],
    ]
    : inBits
    ? [cursor.array(wide(0), numTrees)]
    : [0, 1, 2, 3].map((i) => cursor.array(wide(i), i === 0 ? numTrees : numNodes));
  const [treeNodes, feat2 = [], cut = [], size = []] = lists;
  const isNumeric = (f: number) => schema.features[f].kind === "numeric";
  if (inBits) {
    const bits = new Bits(cursor.array("u32", head[10]));
    cuts = dictSize.flatMap((n, f) => isNumeric(f) ? readCuts(bits, n, real(4) === "f64") : []);
    let at = 0;
    for (let t = 0; t < numTrees; t++) {
      const open = dictSize.map((n) => [0, n]);
      at = readTree(bits, treeNodes[t], at, open);
    }
    if (flags & 4) leafIndex = leafIndex.map(() => bits.below(numReals / leafWidth));
  }
  /** Reads the nodes of a subtree; the ways that are open, by feature. */
  function readTree(bits: Bits, n: number, at: number, open: number[][]): number {
    if (n === 0) return at;
    size[at] = 1 + bits.below(n);
    feat2[at] = bits.below(2 * numFeatures);
    const f = feat2[at] >> 1;
    const [l, h] = open[f];
    const start = dictSize.slice(0, f).reduce((sum, d, g) => sum + (isNumeric(g) ? d : 0), 0);
    const last = dictSize[f] - 1;
    const infinite = isNumeric(f) && h < dictSize[f] && cuts[start + last] === Infinity;
    const v = bits.below(h - l + (infinite ? 1 : 0));
    cut[at] = infinite && v === h - l ? last : l + v;
    const left = open.map((range) => [...range]);
    const right = open.map((range) => [...range]);
    if (isNumeric(f)) {
      left[f] = [l, Math.min(cut[at], h)];
      right[f] = [cut[at] + 1, h];
    }
    const s = size[at];
    return readTree(bits, n - s, readTree(bits, s - 1, at + 1, left), right);
  }
  const dictAt: number[] = [];
  let cutAt = 0;
  let wordAt = 0;
  for (let f = 0; f < numFeatures; f++) {
    dictAt[f] = isNumeric(f) ? cutAt : wordAt;
    if (isNumeric(f)) cutAt += dictSize[f];
    else wordAt += dictSize[f] * wordsOf(meta, f);
  }
  function inner(at: number, left: Node, right: Node): Node {
    const feature = feat2[at] >> 1;
    const numeric = isNumeric(feature);
    const set = dictAt[feature] + cut[at] * wordsOf(meta, feature);
    return {
      kind: numeric ? "threshold" : "set",
      feature,
      threshold: numeric ? cuts[dictAt[feature] + cut[at]] : 0,
      codes: numeric ? [] : bitsOf(sets, set, meta, feature),
      missing: feat2[at] & 1,
      branches: [left, right],
      value: [],
      cover: 0,
      surrogates: [],
    };
  }
  let nextLeaf = 0;
  const leaf = (): Node => {
    const from = leafIndex[nextLeaf++] * leafWidth;
    return { kind: "leaf", value: leaves.slice(from, from + leafWidth), cover: 0 };
  };
  function heap(tree: number, i: number): Node {
    const at = tree * (2 ** head[9] - 1) + i - 1;
    if (i >= 2 ** head[9] || feat2[at] === 2 * numFeatures) return leaf();
    const left = heap(tree, 2 * i);
    return inner(at, left, heap(tree, 2 * i + 1));
  }
  function preorder(j: number, n: number): Node {
    if (n === 0) return leaf();
    const left = preorder(j + 1, size[j] - 1);
    return inner(j, left, preorder(j + size[j], n - size[j]));
  }
  let at = 0;
  return Array.from({ length: numTrees }, (_, t) => {
    if (layout === 2) return heap(t, 1);
    const root = preorder(at, treeNodes[t]);
    at += treeNodes[t];
    return root;
  });
}

/** The thresholds of one feature in layout B. */
function readCuts(bits: Bits, n: number, double: boolean): number[] {
  const cuts: number[] = [];
  const e = 1 + bits.number(5);
  const view = new DataView(new ArrayBuffer(8));
  function fill(i: number, j: number, p: number, q: number): void {
    if (i === j) return;
    const m = Math.floor((i + j) / 2);
    const key = p + bits.below(q - p + 1);
    const upper = key >= 2 ** 31 ? key - 2 ** 31 : 2 ** 32 - 1 - key;
    if (double) {
      let more = 0;
      while (e + more < 32 && bits.bit() === 1) more++;
      view.setUint32(0, upper);
      view.setUint32(4, bits.number(e + more) * 2 ** (32 - e - more));
      cuts[m] = view.getFloat64(0);
    } else {
      view.setUint32(0, upper);
      cuts[m] = view.getFloat32(0);
    }
    fill(i, m, p, key);
    fill(m + 1, j, key, q);
  }
  fill(0, n, 0, 2 ** 32 - 2);
  return cuts;
}

const sizeOf = (meta: Meta, feature: number) =>
  meta.schema.features[feature].categories?.length ?? 0;
const wordsOf = (meta: Meta, feature: number) => (sizeOf(meta, feature) >> 5) + 1;

/** 1 for each code 0 … K whose bit is set. */
function bitsOf(words: number[], at: number, meta: Meta, feature: number): number[] {
  return Array.from(
    { length: sizeOf(meta, feature) + 1 },
    (_, code) => words[at + (code >> 5)] >>> (code & 31) & 1,
  );
}

/** Layout G; the cursor stands after the weights of trees. */
export function readNodes(cursor: Cursor, head: number[], meta: Meta): Node[] {
  const [, numTrees, numNodes, poolSize, flags, numTerms, numSurrogates, numBranches] = head;
  const { leafWidth } = meta;
  const treeStart = cursor.array("i32", numTrees + 1);
  const kind = cursor.array("u8", numNodes);
  const feature = cursor.array("i32", numNodes);
  const threshold = cursor.array("f64", numNodes);
  const firstChild = cursor.array("i32", numNodes);
  const missing = cursor.array("u8", numNodes);
  const categoryAt = cursor.array("i32", numNodes);
  const pool = cursor.array("u32", poolSize);
  const leaf = cursor.array("f64", numNodes * leafWidth);
  const cover = cursor.array("f64", numNodes);
  cursor.array("f64", numNodes); // gain
  const linear = (flags & 1) === 0 ? undefined : {
    constant: cursor.array("f64", numNodes),
    start: cursor.array("i32", numNodes + 1),
    feature: cursor.array("i32", numTerms),
    coefficient: cursor.array("f64", numTerms),
  };
  const spare = (flags & 2) === 0 ? undefined : {
    start: cursor.array("i32", numNodes + 1),
    feature: cursor.array("i32", numSurrogates),
    threshold: cursor.array("f64", numSurrogates),
    below: cursor.array("u8", numSurrogates),
    categoryAt: cursor.array("i32", numSurrogates),
    pool: cursor.array("u8", numBranches),
  };
  const surrogates: Surrogate[] = (spare?.feature ?? []).map((f, i) => ({
    feature: f,
    threshold: spare!.threshold[i],
    below: spare!.below[i],
    ...(spare!.categoryAt[i] >= 0 && {
      codes: spare!.pool.slice(
        spare!.categoryAt[i],
        spare!.categoryAt[i] + sizeOf(meta, f) + 1,
      ),
    }),
  }));
  function build(node: number): Node {
    const value = leaf.slice(node * leafWidth, (node + 1) * leafWidth);
    const terms = linear?.feature
      .map((f, i) => ({ feature: f, coefficient: linear.coefficient[i] }))
      .slice(linear.start[node], linear.start[node + 1]) ?? [];
    if (kind[node] === 0) {
      return {
        kind: "leaf",
        value,
        cover: cover[node],
        ...(terms.length > 0 && { linear: { constant: linear!.constant[node], terms } }),
      };
    }
    const f = feature[node];
    const branchOf = pool.slice(categoryAt[node], categoryAt[node] + sizeOf(meta, f) + 1)
      .map((branch) => branch === 0xffffffff ? -1 : branch);
    const count = kind[node] === 3 ? Math.max(...branchOf) + 1 : 2;
    return {
      kind: (["leaf", "threshold", "set", "multiway", "equal"] as const)[kind[node]] as "set",
      feature: f,
      threshold: threshold[node],
      codes: kind[node] === 3
        ? branchOf
        : kind[node] === 2
        ? bitsOf(pool, categoryAt[node], meta, f)
        : [],
      missing: missing[node],
      branches: Array.from({ length: count }, (_, b) => build(firstChild[node] + b)),
      value,
      cover: cover[node],
      surrogates: spare === undefined
        ? []
        : surrogates.slice(spare.start[node], spare.start[node + 1]),
    };
  }
  return Array.from({ length: numTrees }, (_, t) => build(treeStart[t]));
}
