/**
 * Tier 1 in wasm (kernels/assembly/score.ts), for trees of any depth: a row becomes codes, ranks of its
 * numbers among the cuts, and 8 trees are walked in step; of many rows, 8 rows go down each tree.
 *
 * A node takes 4 bytes where slots and keys fit a byte, else 8. Values of leaves lie beside the nodes.
 *
 * @module
 */
import { createEnds, weighLeaf } from "./additive.ts";
import { createPlaces, layNumbers, MAX_MEMORY, openMemory } from "./grids.ts";
import { groupTrees } from "./groups.ts";
import { createKeys } from "./keys.ts";
import type { Packed, Rules } from "./packed.ts";
import type { RowScorer } from "./scorer.ts";
import type { BatchScorer } from "./sliced.ts";
import { scoreKernel } from "./wasm.ts";

/** Lanes of a code: trees or rows that are walked together. */
const LANES = 8;
/** Codes of a block of rows stay in the nearest cache. */
const BLOCK_BYTES = 16384;

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
  const large = numSlots > 256 || keysEnd > 256 || longest > 32767;

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
  const room = 2 * LANES * numSlots;
  const mostGroups = Math.max(1, Math.floor(BLOCK_BYTES / room));
  const tables = layNumbers(packed, numbers.map((f) => ({ f, sides: [0, 0] })), places);
  const xAt = places.take(8 * numFeatures);
  const setsAt = places.take(keyed.table.length);
  const codesAt = places.take(room * mostGroups);
  const outAt = places.take(8 * LANES * mostGroups * leafWidth);
  const rootsAt = places.take(4 * (numTrees + LANES));
  const endsAt = places.take(4 * (numTrees + LANES));
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
    ? new Float32Array(buffer, outAt, LANES * mostGroups)
    : new Float64Array(buffer, outAt, LANES * mostGroups * leafWidth);
  layNodes();

  function layNodes(): void {
    const tests = large ? new Uint16Array(buffer, nodesAt) : new Uint8Array(buffer, nodesAt);
    const distances = large ? new Uint32Array(buffer, nodesAt) : new Uint16Array(buffer, nodesAt);
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
      tests[4 * node] = slot;
      tests[4 * node + 1] = key;
      distances[2 * node + 1] = distance;
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

  /** Codes of a row to `to`: of one lane, or with `lane` < 0 of all. */
  function encode(x: Float64Array, at: number, to: number, lane: number): void {
    for (let f = 0; f < numFeatures; f++) row[f] = x[at + f];
    run.encode(xAt, tables.at, numbers.length, to, lane);
    for (const { feature, slot, width, lines } of blocks) {
      const code = row[feature];
      const line = lines.at + (code === code ? code : lines.missing) * width;
      run.encodeSets(setsAt + line, width, to + 2 * LANES * slot, lane);
    }
  }

  return {
    scoreRow(x, at, count, out, to) {
      encode(x, at, codesAt, -1);
      for (let g = 0; g < numGroups; g++) {
        for (let k = 0; k < leafWidth; k++) sums[k] = ends.start[wide ? k : g];
        const from = start[g];
        const trees = groups.end(g, count) - from;
        run.walkRow(
          +large,
          rootsAt + 4 * from,
          trees,
          codesAt,
          endsAt,
          valuesFrom,
          up,
          width,
          outAt,
        );
        for (let k = 0; k < leafWidth; k++) out[to + g + k] = sums[k];
      }
      if (ends.needsFinish) ends.finish(count, out, to);
    },
    score(x, rows, count, out) {
      for (let from = 0; from < rows;) {
        const block = Math.min(LANES * mostGroups, rows - from);
        for (let r = 0; r < block; r++) {
          encode(x, (from + r) * numFeatures, codesAt + (r >> 3) * room, r & 7);
        }
        for (let g = 0; g < numGroups; g++) {
          for (let i = 0; i < sums.length; i++) sums[i] = ends.start[wide ? i % leafWidth : g];
          const first = start[g];
          run.walkRows(
            +large,
            rootsAt + 4 * first,
            groups.end(g, count) - first,
            codesAt,
            endsAt,
            valuesFrom,
            up,
            width,
            outAt,
            Math.ceil(block / LANES),
            room,
          );
          for (let i = 0; i < block * leafWidth; i++) {
            out[wide ? from * leafWidth + i : (from + i) * numOutputs + g] = sums[i];
          }
        }
        from += block;
      }
      if (!ends.needsFinish) return;
      for (let r = 0; r < rows; r++) ends.finish(count, out, r * numOutputs);
    },
  };
}
