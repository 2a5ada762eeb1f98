/**
 * Tier 1 in wasm (kernels/assembly/score.ts), for trees of any depth: a row becomes codes, ranks of its
 * numbers among the cuts, and 8 trees are walked in step; of many rows, all take a few large trees
 * before the next ones. Where ways are short and long, only the upper levels are walked in step, and then
 * the trees that have more below, so that none waits for another.
 *
 * A node takes 4 bytes where there are 256 slots and 256 cuts of a feature at most, else 8 (`step` of the
 * kernel). Values of leaves lie beside the nodes.
 *
 * @module
 */
import { createEnds, weighLeaf } from "./additive.ts";
import { depthOf } from "./depth.ts";
import { createPlaces, layNumbers, openMemory } from "./grids.ts";
import { groupTrees } from "./groups.ts";
import { createKeys } from "./keys.ts";
import type { Packed, Rules } from "../packed.ts";
import type { BatchScorer } from "./sliced.ts";
import { scoreKernel } from "./wasm.ts";

/** Trees that are walked together, and levels in step where ways differ. */
const LANES = 8;
const STEPS = 3;
/**
 * Bytes of trees that the second cache keeps while rows go through them. Each block of rows fetches all
 * trees again: blocks of 128 rows took 2.1 times as long as those of 1024 on a forest of 7 MB.
 */
const CACHE = 1 << 19;
/** Bytes of codes of a block of rows, and its most rows. */
const BLOCK_BYTES = 1 << 18;
const BLOCK_ROWS = 1024;

/** Makes the scorer, or undefined where the ensemble or the machine does not allow it. */
export function createWalks(packed: Packed, rules: Rules): BatchScorer | undefined {
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
  const hasKeys = (most: number) => numbers.some((f) => dictSize[f] > most);
  if (numSlots > 32768 || hasKeys(65535)) return undefined;
  // A tree of n inner nodes has 2n + 1: the longest way to a child must fit 14 bits.
  const large = +(numSlots > 256 || hasKeys(256) || treeNodes.some((n) => n > 8191));
  // Where the longest way is far longer than that of a full tree, most ways are far shorter than it.
  const levels = depthOf(packed);
  const uneven = levels > 1.5 * Math.log2(1 + size.length / numTrees) + 1;
  const depth = uneven ? Math.min(STEPS, levels) : levels;

  const groups = groupTrees(packed, rules);
  const { order, start } = groups;
  const numLeaves = size.length + numTrees;
  const numNodes = size.length + numLeaves;
  const wide = leafWidth > 1;
  const width = !f32 ? leafWidth : wide ? -leafWidth : 0;
  // Vectors are stored once where trees have no weights of their own.
  const asIs = treeWeight.every((weight) => weight === 1);
  const numVectors = !wide ? 0 : asIs ? leaves.length / leafWidth : numLeaves;

  const nodeBytes = 4 << large;
  // The value of a node is as far into the values as the node is into the nodes, or twice as far.
  const up = +(width === 1 && !large);
  const stride = nodeBytes << up;
  const fitting = CACHE * numTrees / ((nodeBytes + stride) * numNodes);
  const pieceSize = Math.max(LANES, fitting & -LANES);
  /** Trees of one output that are walked together: the output, and positions in `order`. */
  const pieces: [output: number, from: number, to: number][] = [];
  start.forEach((from, g) => {
    for (const end = start[g + 1]; from < end; from += pieceSize) {
      pieces.push([g, from, Math.min(end, from + pieceSize)]);
    }
  });
  /** Roots, and places behind those of each piece. */
  const numRoots = numTrees + LANES * pieces.length;

  const places = createPlaces();
  const room = (numSlots + 3 & -4) * 4;
  const mostRows = Math.min(BLOCK_ROWS, Math.ceil(BLOCK_BYTES / room));
  // Of one row the kernel reads codes where its memory begins, those of more rows it copies there.
  const codesAt = places.take(room * (mostRows + 1));
  const tables = layNumbers(packed, numbers.map((f) => ({ f, sides: [0, 0] })), places);
  const xAt = places.take(8 * numFeatures);
  const setsAt = places.take(keyed.table.length);
  const piecesAt = places.take(12 * pieces.length);
  const outAt = places.take(8 * numOutputs * mostRows);
  const rootsAt = places.take(4 * numRoots);
  const endsAt = places.take(4 * numRoots);
  const listAt = places.take(4 * numRoots);
  const nodesAt = places.take(nodeBytes * numNodes);
  const valuesAt = places.take(stride * numNodes);
  const valuesFrom = valuesAt - (nodesAt << up);
  const vectorsAt = places.take(8 * leafWidth * numVectors);
  const memory = openMemory(places);
  if (memory === undefined) return undefined;
  const buffer = memory.buffer as ArrayBuffer;
  const run = kernel(memory);
  tables.write(buffer);
  new Uint8Array(buffer).set(keyed.table, setsAt);

  const row = new Float64Array(buffer, xAt, numFeatures);
  const sums = new Float64Array(buffer, outAt, numOutputs * mostRows);
  const pieceTable = new Uint32Array(buffer, piecesAt, 3 * pieces.length);
  layNodes();

  function layNodes(): void {
    const nodes = new Uint32Array(buffer, nodesAt);
    const roots = new Uint32Array(buffer, rootsAt, numRoots).fill(nodesAt);
    const Values = wide ? Uint32Array : f32 ? Float32Array : Float64Array;
    const values = new Values(buffer, valuesAt);
    const step = stride / Values.BYTES_PER_ELEMENT;
    const vectors = new Float64Array(buffer, vectorsAt, leafWidth * numVectors);
    if (wide && asIs) vectors.set(leaves.map((leaf) => weighLeaf(rules, 0, leaf)));
    const put = (node: number, slot: number, key: number, distance: number, leaf: number) => {
      if (large) {
        nodes[2 * node] = (65535 - key) * 65536 + 2 * slot + leaf;
        nodes[2 * node + 1] = distance;
      } else nodes[node] = distance * 262144 + (255 - key) * 1024 + 4 * slot + leaf;
    };
    let placed = 0;
    let root = 0;
    pieces.forEach(([g, from, to], i) => {
      pieceTable.set([rootsAt + 4 * root, 0, 8 * g], 3 * i);
      for (let p = from; p < to; p++) {
        roots[root++] = nodesAt + nodeBytes * placed;
        layTree(order[p]);
      }
      root += LANES; // the last walk goes so far
    });

    /** Lays a tree out by parts of three levels: each is in a line of the cache or two. */
    function layTree(tree: number): void {
      const first = groups.firstNode[tree];
      // Numbers of a node: level, place, inner nodes of its subtree, the first of them, the first leaf.
      const parts = [0, placed++, treeNodes[tree], first, first + tree];
      while (parts.length > 0) {
        const part = parts.splice(-5);
        for (let i = 0; i < part.length; i += 5) {
          const level = part[i] + 1;
          const node = part[i + 1];
          const n = part[i + 2];
          const j = part[i + 3];
          const b = part[i + 4];
          const slot = n > 0 ? keyed!.slotOf(j) : numSlots - 1;
          const key = n > 0 ? keyed!.keyOf(j) : 0;
          // The slot of leaves is the last one, which holds 0: they stay where they are.
          put(node, slot, key, n > 0 ? placed - node : 0, +(n === 0));
          if (n === 0) layLeaf(tree, node, b);
          else {
            const s = size[j];
            const to = level % 3 > 0 ? part : parts;
            to.push(level, placed, s - 1, j + 1, b, level, placed + 1, n - s, j + s, b + s);
            placed += 2;
          }
        }
      }
    }

    function layLeaf(tree: number, node: number, b: number): void {
      const from = leafIndex === undefined ? b : leafIndex[b];
      if (!wide) values[step * node] = weighLeaf(rules, tree, leaves[from]);
      else {
        const vector = asIs ? from : b;
        values[step * node] = vectorsAt + 8 * leafWidth * vector;
        for (let k = 0; k < leafWidth && !asIs; k++) {
          vectors[leafWidth * vector + k] = weighLeaf(rules, tree, leaves[from * leafWidth + k]);
        }
      }
    }
  }

  /** Codes of a row to `to` and on. */
  function encode(x: Float64Array, at: number, to: number): void {
    for (let f = 0; f < numFeatures; f++) row[f] = x[at + f];
    run.d(xAt, tables.at, numbers.length, to, large);
    for (const { feature, slot, width, lines } of blocks) {
      const code = row[feature];
      const line = lines.at + (code === code ? code : lines.missing) * width;
      run.e(setsAt + line, width, to + 4 * slot, large);
    }
  }

  /** For how many trees `pieceTable` is. */
  let laid = -1;

  // Apart from `score`: what a closure keeps of a call would be an object a row.
  function layPieces(count: number): void {
    laid = count;
    pieces.forEach(([g, from, to], i) => {
      // Less than 0, where all come too late, is no tree either.
      pieceTable[3 * i + 1] = Math.min(to, groups.end(g, count)) - from;
    });
  }

  return {
    score(x, rows, count, out) {
      if (count !== laid) layPieces(count);
      for (let from = 0; from < rows; from += mostRows) {
        const block = Math.min(mostRows, rows - from);
        const first = block > 1 ? codesAt + room : codesAt;
        for (let r = 0; r < block; r++) encode(x, (from + r) * numFeatures, first + r * room);
        for (let i = 0; i < block * numOutputs; i++) sums[i] = ends.start[i % numOutputs];
        // A single row takes all trees at once; many take some after the others.
        const step = block === 1 ? pieces.length : 1;
        for (let i = 0; i < pieces.length; i += step) {
          for (let r = 0; r < block; r++) {
            const to = outAt + 8 * r * numOutputs;
            const table = piecesAt + 12 * i;
            const codes = first + r * room;
            const list = uneven ? listAt : 0;
            run.f(
              large,
              table,
              step,
              codes,
              room,
              depth,
              endsAt,
              list,
              valuesFrom,
              up,
              width,
              to,
            );
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
