/**
 * A second reader of `.tlm` files, written from docs/format.md alone: it imports nothing of `src`,
 * builds objects instead of views, and walks them by recursion.
 *
 * @module
 */
import { Cursor, type Meta, type Node, readNodes, readPacked } from "./tlm_trees.ts";

/** What a file holds. */
export interface SlowModel {
  readonly meta: Meta;
  readonly layout: number;
  readonly trees: readonly Node[];
  /** Rows of the self-test and their raw scores. */
  readonly test?: { readonly rows: number[][]; readonly raw: number[][] };
  /** Raw scores of one row of numbers. */
  raw(row: readonly number[]): number[];
}

function checksum(words: readonly number[]): [number, number] {
  let a = 0x811c9dc5 | 0;
  let b = 0x9e3779b9 | 0;
  for (let i = 0; i < words.length; i += 2) {
    if (i === 6) continue;
    a = Math.imul(a ^ words[i], 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b ^ words[i + 1], 0x85ebca6b);
    b ^= b >>> 13;
  }
  const low = Math.imul(a ^ (b >>> 7) ^ words.length, 0xc2b2ae35);
  return [low >>> 0, Math.imul(b ^ (low >>> 11), 0x27d4eb2f) >>> 0];
}

/** Reads a file. */
export function readSlowly(bytes: Uint8Array): SlowModel {
  const all = new Cursor(bytes, 0, bytes.length);
  const words = all.array("u32", bytes.length / 4);
  const sections = new Map<string, Cursor>();
  const table = new Cursor(bytes, 32, bytes.length);
  let end = 32 + 24 * words[3];
  for (let i = 0; i < words[3]; i++) {
    const id = String.fromCharCode(...bytes.subarray(table.at, table.at + 4));
    const [, , offset, high, length] = table.array("u32", 6);
    end += -end & 7;
    if (offset !== end || high !== 0) throw new Error(`section ${id} does not follow`);
    end += length;
    sections.set(id, new Cursor(bytes, offset, offset + length));
  }
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  if (magic !== "\x89TLM\r\n\x1a\n" || words[4] !== bytes.length) throw new Error("no model");
  const [low, high] = checksum(words);
  if (words[6] !== low || words[7] !== high) throw new Error("checksum");
  const json = (id: string) => {
    const { at, end } = sections.get(id)!;
    return JSON.parse(new TextDecoder().decode(bytes.subarray(at, end)));
  };
  const meta = json("META") as Meta;
  const section = sections.get("TREE") ?? sections.get("BITS")!;
  const head = section.array("u32", 16);
  const sums = readSums(section, head, meta);
  const trees = head[0] === 3 ? readNodes(section, head, meta) : readPacked(section, head, meta);
  if (section.at !== section.end) throw new Error("bytes are left over");
  const test = sections.get("TEST");
  return {
    meta,
    layout: head[0],
    trees,
    ...(test && { test: readTest(test) }),
    raw: (row) => rawOf(row, trees, meta, sums),
  };
}

function readTest(cursor: Cursor): { rows: number[][]; raw: number[][] } {
  const [rows, features, outputs] = cursor.array("u32", 4);
  const matrix = (cols: number) => {
    const numbers = cursor.array("f64", rows * cols);
    return Array.from({ length: rows }, (_, r) => numbers.slice(r * cols, (r + 1) * cols));
  };
  return { rows: matrix(features), raw: matrix(outputs) };
}

interface Sums {
  readonly base: number[];
  readonly output: number[];
  readonly weight: number[];
}

function readSums(cursor: Cursor, head: number[], { numOutputs, leafWidth }: Meta): Sums {
  const count = head[1];
  const general = head[0] === 3;
  const base = cursor.array("f64", numOutputs);
  const output = general || head[7] & 1
    ? cursor.array("i32", count)
    : Array.from({ length: count }, (_, t) => leafWidth > 1 ? 0 : t % numOutputs);
  const weight = general || head[7] & 2 ? cursor.array("f64", count) : Array(count).fill(1);
  return { base, output, weight };
}

function rawOf(row: readonly number[], trees: readonly Node[], meta: Meta, sums: Sums): number[] {
  const { leafWidth, numOutputs, aggregate, profile } = meta;
  const round = profile.sum === "f32" ? Math.fround : (x: number) => x;
  const x = profile.input === "f32" ? row.map(Math.fround) : row;
  const values = trees.map((tree) => {
    const value = Array(leafWidth).fill(-0);
    walk(tree, 1, value);
    return value;
  });

  function branchOf(node: Node & { kind: "set" }): number | "stop" | "share" {
    const value = x[node.feature];
    if (Number.isNaN(value)) {
      for (const s of node.surrogates) {
        const other = x[s.feature];
        if (Number.isNaN(other)) continue;
        if (s.codes === undefined) return other <= s.threshold ? s.below : 1 - s.below;
        if (s.codes[other] !== 255) return s.codes[other];
      }
      return node.missing === 254 ? "stop" : node.missing === 255 ? "share" : node.missing;
    }
    const kind: string = node.kind;
    if (kind === "threshold") return value <= node.threshold ? 0 : 1;
    if (kind === "equal") return value === node.threshold ? 0 : 1;
    const { unknown, categories } = meta.schema.features[node.feature];
    if (unknown === "node" && value === categories!.length) return "stop";
    const entry = node.codes[value];
    if (kind === "multiway") return entry < 0 ? "stop" : entry;
    return entry === 1 ? 0 : 1;
  }

  function walk(node: Node, share: number, sum: number[]): void {
    if (node.kind !== "leaf") {
      const branch = branchOf(node as Node & { kind: "set" });
      if (typeof branch === "number") return walk(node.branches[branch], share, sum);
      if (branch === "share") {
        const total = node.branches.reduce((a, child) => a + child.cover, 0);
        for (const child of node.branches) {
          const part = total > 0 ? child.cover / total : 1 / node.branches.length;
          if (part > 0) walk(child, share * part, sum);
        }
        return;
      }
    }
    let value = node.value;
    if (node.kind === "leaf" && node.linear !== undefined) {
      const { constant, terms } = node.linear;
      if (terms.every((term) => !Number.isNaN(x[term.feature]))) {
        value = [terms.reduce((a, term) => a + term.coefficient * x[term.feature], constant)];
      }
    }
    for (let k = 0; k < leafWidth; k++) sum[k] += share * value[k];
  }

  return Array.from({ length: numOutputs }, (_, k) => {
    const mine = trees.map((_, t) => t).filter((t) => leafWidth > 1 || sums.output[t] === k);
    const weight = (t: number) => sums.weight[t];
    const leafOf = (t: number) => values[t][leafWidth > 1 ? k : 0];
    const product = (t: number) => round(weight(t) * leafOf(t));
    const last = (value: number) => round(sums.base[k] + round(value));
    switch (aggregate) {
      case "sum":
        return profile.base === "first"
          ? mine.reduce((a, t) => round(a + product(t)), sums.base[k])
          : last(mine.reduce((a, t) => round(a + product(t)), 0));
      case "average": {
        const total = mine.reduce((a, t) => a + weight(t), 0);
        const sum = mine.reduce((a, t) => round(a + product(t)), 0);
        return last(total > 0 ? sum / total : sum);
      }
      case "vote":
        return values.reduce(
          (a, leaf, t) => a + (leaf.indexOf(Math.max(...leaf)) === k ? weight(t) : 0),
          0,
        );
      case "median": {
        const sorted = mine.toSorted((a, b) => leafOf(a) - leafOf(b));
        const total = sorted.reduce((a, t) => a + weight(t), 0);
        let sum = 0;
        return last(leafOf(sorted.find((t) => (sum += weight(t)) >= total / 2)!));
      }
      default:
        return last(mine.map(product).reduce((a, b) => Math[aggregate as "min"](a, b)));
    }
  });
}
