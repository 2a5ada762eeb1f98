/**
 * Tier 1 in wasm (kernels/assembly/score.ts), for trees of any depth: a row becomes codes, ranks of its
 * numbers among the cuts, and 8 trees are walked in step; of many rows, all take a few large trees
 * before the next ones.
 *
 * A node takes 4 bytes where there are 256 slots and 256 cuts of a feature at most, else 8 (`step` of the kernel). Values of leaves lie beside the nodes.
 *
 * @module
 */
import { createEnds, weighLeaf } from "./additive.ts";
import { depthOf } from "./depth.ts";
import { createPlaces, layNumbers, MAX_MEMORY, openMemory } from "./grids.ts";
import { groupTrees } from "./groups.ts";
import { createKeys } from "./keys.ts";
import type { Packed, Rules } from "../packed.ts";
import type { RowScorer } from "./scorer.ts";
import type { BatchScorer } from "./sliced.ts";
import { scoreKernel } from "./wasm.ts";

/** Trees that are walked together. */
const LANES = 8;
/**
 * Bytes of trees that the second cache keeps while rows go through them. Each block of rows fetches all
 * trees again: blocks of 128 rows took 2.1 times as long as those of 1024 on a forest of 7 MB.
 */
const CACHE = 1 << 19;
/** Bytes of codes of a block of rows, and its most rows. */
const BLOCK_BYTES = 1 << 18;
const BLOCK_ROWS = 1024;

/** Scores rows and batches. */
export type Walks = RowScorer & BatchScorer;

/** Makes the scorer, or undefined where the ensemble or the machine does not allow it. */
export function createWalks(packed: Packed, rules: Rules): Walks | undefined {
  const { treeNodes, size, leaves, leafIndex, dictSize } = packed;
  const { leafWidth, numOutputs, treeWeight } = rules;
  const numTrees = treeNodes.length;
  const numFeatures = dictSize.length;
  const f32 = rules.profile.sum === "f32";
  const ends = createEnds(rules);
  const keyed = createKeys(packed);
  const kernel = scoreKernel();
  if (keyed === undefined || kernel === undefined) return undefined;
  if (f32 && ends.start.some((v) => Math.fround(v) !== v)) return undefined;
  const { numSlots, numbers, blocks } = keyed;
  let keysEnd = 0;
  for (const f of numbers) keysEnd = Math.max(keysEnd, dictSize[f]);
  if (numSlots > 65536 || keysEnd > 65535) return undefined;
  let longest = 0;
  for (let t = 0; t < numTrees; t++) longest = Math.max(longest, treeNodes[t]);
  // A tree of n inner nodes has 2n + 1: the longest way to a child must fit 14 bits.
  const large = numSlots > 256 || keysEnd > 256 || longest > 8191;
  // Trees that are nearly full are walked to the lowest level; others ask from where half are at leaves.
  const depth = depthOf(packed);
  const bits = 31 - Math.clz32(1 + size.length / numTrees);
  const sure = depth - bits <= 2 ? depth : bits;

  const groups = groupTrees(packed, rules);
  const { order, start } = groups;
  const numGroups = start.length - 1;
  const numLeaves = size.length + numTrees;
  const numNodes = size.length + numLeaves;
  const wide = leafWidth > 1;
  const width = !f32 ? leafWidth : wide ? -leafWidth : 0;
  // Vectors are stored once where trees have no weights of their own.
  const asIs = treeWeight.every((weight) => weight === 1);
  const numVectors = !wide ? 0 : asIs ? leaves.length / leafWidth : numLeaves;

  const places = createPlaces();
  const room = 4 * numSlots;
  const mostRows = Math.max(1, Math.min(BLOCK_ROWS, Math.floor(BLOCK_BYTES / room)));
  const tables = layNumbers(packed, numbers.map((f) => ({ f, sides: [0, 0] })), places);
  const xAt = places.take(8 * numFeatures);
  const setsAt = places.take(keyed.table.length);
  const codesAt = places.take(room * mostRows);
  const groupsAt = places.take(8 * numGroups);
  const pieceAt = places.take(8);
  const outAt = places.take(8 * numOutputs * mostRows);
  const rootsAt = places.take(4 * (numTrees + LANES));
  const endsAt = places.take(4 * LANES);
  const nodeBytes = large ? 8 : 4;
  const nodesAt = places.take(nodeBytes * numNodes);
  // The value of a node is as far into the values as the node is into the nodes, or twice as far.
  const up = +(width === 1 && !large);
  const stride = nodeBytes << up;
  const valuesAt = places.take(stride * numNodes);
  const valuesFrom = valuesAt - (nodesAt << up);
  const vectorsAt = places.take(8 * leafWidth * numVectors);
  if (places.end > MAX_MEMORY) return undefined;
  const { memory, buffer } = openMemory(places);
  const run = kernel(memory);
  tables.write(buffer);
  new Uint8Array(buffer).set(keyed.table, setsAt);

  const row = new Float64Array(buffer, xAt, numFeatures);
  const sums = width === 0
    ? new Float32Array(buffer, outAt, numOutputs * mostRows)
    : new Float64Array(buffer, outAt, numOutputs * mostRows);
  layNodes();

  function layNodes(): void {
    const nodes = new Uint32Array(buffer, nodesAt);
    const roots = new Uint32Array(buffer, rootsAt, numTrees + LANES).fill(nodesAt);
    const values = wide
      ? new Uint32Array(buffer, valuesAt)
      : f32
      ? new Float32Array(buffer, valuesAt)
      : new Float64Array(buffer, valuesAt);
    const step = stride / values.BYTES_PER_ELEMENT;
    const vectors = new Float64Array(buffer, vectorsAt, leafWidth * numVectors);
    if (wide && asIs) vectors.set(leaves.map((leaf) => weighLeaf(rules, 0, leaf)));
    // The slot of leaves is the last one, which holds 0.
    const put = (node: number, slot: number, key: number, distance: number) => {
      if (large) {
        nodes[2 * node] = (65535 - key) * 65536 + slot;
        nodes[2 * node + 1] = distance;
      } else nodes[node] = distance * 262144 + (255 - key) * 1024 + 4 * slot;
    };
    let placed = 0;
    for (let p = 0; p < numTrees; p++) {
      const tree = order[p];
      let j = groups.firstNode[tree];
      let b = groups.firstLeaf[tree];
      roots[p] = nodesAt + nodeBytes * placed;
      const stack = [placed++, treeNodes[tree]];
      while (stack.length > 0) {
        const n = stack.pop()!;
        const node = stack.pop()!;
        if (n > 0) {
          put(node, keyed!.slotOf(j), keyed!.keyOf(j), placed - node);
          const s = size[j++];
          stack.push(placed + 1, n - s, placed, s - 1);
          placed += 2;
          continue;
        }
        put(node, numSlots - 1, 0, 0);
        const from = leafIndex === undefined ? b : leafIndex[b];
        if (!wide) values[step * node] = weighLeaf(rules, tree, leaves[from]);
        else {
          const vector = asIs ? from : b;
          values[step * node] = vectorsAt + 8 * leafWidth * vector;
          for (let k = 0; k < leafWidth && !asIs; k++) {
            vectors[leafWidth * vector + k] = weighLeaf(rules, tree, leaves[from * leafWidth + k]);
          }
        }
        b++;
      }
    }
  }

  /** Codes of a row to `to` and on. */
  function encode(x: Float64Array, at: number, to: number): void {
    for (let f = 0; f < numFeatures; f++) row[f] = x[at + f];
    run.encode(xAt, tables.at, numbers.length, to, shift, most);
    for (const { feature, slot, width, lines } of blocks) {
      const code = row[feature];
      const line = lines.at + (code === code ? code : lines.missing) * width;
      run.encodeSets(setsAt + line, width, to + 4 * slot, shift);
    }
  }

  /** Adds trees of `count` groups to the sums from `to` on, of the row whose codes are at `codes`. */
  function walk(table: number, count: number, codes: number, to: number): void {
    const more = depth - sure;
    run.walkRow(+large, table, count, codes, sure, more, endsAt, valuesFrom, up, width, to);
  }

  const shift = large ? 16 : 10;
  const most = large ? 65535 : 256;
  const groupTable = new Uint32Array(buffer, groupsAt, 2 * numGroups);
  const pieceTable = new Uint32Array(buffer, pieceAt, 2);
  const fitting = Math.floor(CACHE * numTrees / ((nodeBytes + stride) * numNodes));
  const pieceSize = Math.max(LANES, fitting - fitting % LANES);
  /** For how many trees `groupTable` is. */
  let laid = -1;

  function scoreRow(
    x: Float64Array,
    at: number,
    count: number,
    out: Float64Array,
    to: number,
  ): void {
    if (count !== laid) {
      laid = count;
      for (let g = 0; g < numGroups; g++) {
        groupTable[2 * g] = rootsAt + 4 * start[g];
        groupTable[2 * g + 1] = groups.end(g, count) - start[g];
      }
    }
    encode(x, at, codesAt);
    for (let k = 0; k < numOutputs; k++) sums[k] = ends.start[k];
    walk(groupsAt, numGroups, codesAt, outAt);
    for (let k = 0; k < numOutputs; k++) out[to + k] = sums[k];
    if (ends.needsFinish) ends.finish(count, out, to);
  }

  return {
    scoreRow,
    score(x, rows, count, out) {
      if (numTrees <= pieceSize) {
        for (let r = 0; r < rows; r++) scoreRow(x, r * numFeatures, count, out, r * numOutputs);
        return;
      }
      for (let from = 0; from < rows; from += mostRows) {
        const block = Math.min(mostRows, rows - from);
        for (let r = 0; r < block; r++) encode(x, (from + r) * numFeatures, codesAt + r * room);
        for (let i = 0; i < block * numOutputs; i++) sums[i] = ends.start[i % numOutputs];
        for (let g = 0; g < numGroups; g++) {
          const end = groups.end(g, count);
          for (let p = start[g]; p < end; p += pieceSize) {
            pieceTable[0] = rootsAt + 4 * p;
            pieceTable[1] = Math.min(pieceSize, end - p);
            for (let r = 0; r < block; r++) {
              const to = outAt + sums.BYTES_PER_ELEMENT * (r * numOutputs + g);
              walk(pieceAt, 1, codesAt + r * room, to);
            }
          }
        }
        for (let i = 0; i < block * numOutputs; i++) out[from * numOutputs + i] = sums[i];
        for (let r = from; r < from + block && ends.needsFinish; r++) {
          ends.finish(count, out, r * numOutputs);
        }
      }
    },
  };
}
