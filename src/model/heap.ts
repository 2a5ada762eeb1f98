/**
 * Tier 1 for trees of at most 8 levels: each is padded to a full binary heap, so that a step is an
 * addition without a branch, `i = 2i + (keys[slot] > key)`. Four trees go in step to hide latency.
 *
 * One row of 100 trees × 6 levels: 3.4 times as fast as walking form Z (bench/score.ts).
 *
 * @module
 */
import { createEnds, weighLeaf } from "./additive.ts";
import { groupTrees } from "./groups.ts";
import type { Keys } from "./keys.ts";
import type { Packed, Rules } from "./packed.ts";
import type { RowScorer } from "./scorer.ts";

/** Makes the heap scorer of an ensemble whose deepest tree has `depth` levels. */
export function createHeap(packed: Packed, rules: Rules, keyed: Keys, depth: number): RowScorer {
  const { leafIndex, leaves, size, treeNodes } = packed;
  const { leafWidth, numOutputs } = rules;
  const groups = groupTrees(packed, rules);
  const { order, start } = groups;
  const numGroups = start.length - 1;
  const numTrees = order.length;
  const span = 1 << depth;
  const { keys } = keyed;
  const slot = keyed.numSlots <= 256
    ? new Uint8Array(numTrees * span)
    : new Uint16Array(numTrees * span);
  const key = new Int32Array(numTrees * span);
  const f32 = rules.profile.sum === "f32";
  // One number a leaf: its weighted value, or where its vector begins in `vectors`.
  const wide = leafWidth > 1;
  const value = f32 && !wide
    ? new Float32Array(numTrees * span)
    : new Float64Array(numTrees * span);

  for (let p = 0; p < numTrees; p++) {
    const tree = order[p];
    let j = groups.firstNode[tree];
    let b = groups.firstLeaf[tree];
    const base = p * span;
    const stack = [1, treeNodes[tree]];
    while (stack.length > 0) {
      const n = stack.pop()!;
      const h = stack.pop()!;
      if (n > 0) {
        slot[base + h] = keyed.slotOf(j);
        key[base + h] = keyed.keyOf(j);
        const s = size[j++];
        stack.push(2 * h + 1, n - s, 2 * h, s - 1);
        continue;
      }
      // All slots below a leaf are its own: whatever the padding compares, it ends there.
      const up = depth - (31 - Math.clz32(h));
      const from = leafIndex === undefined ? b : leafIndex[b];
      const content = wide ? from * leafWidth : weighLeaf(rules, tree, leaves[from]);
      value.fill(content, base + (h << up) - span, base + (h + 1 << up) - span);
      b++;
    }
  }

  const ends = createEnds(rules);

  /** Adds trees to out[to]; numbers go through arrays, since V8 boxes those of calls. */
  function sumGroup(p: number, end: number, out: Float64Array, to: number): void {
    let sum = out[to];
    for (; p + 3 < end; p += 4) {
      const base0 = p * span;
      const base1 = base0 + span;
      const base2 = base1 + span;
      const base3 = base2 + span;
      let a = 1;
      let b = 1;
      let c = 1;
      let d = 1;
      for (let level = depth; level > 0; level--) {
        a = (a << 1) + +(keys[slot[base0 + a]] > key[base0 + a]);
        b = (b << 1) + +(keys[slot[base1 + b]] > key[base1 + b]);
        c = (c << 1) + +(keys[slot[base2 + c]] > key[base2 + c]);
        d = (d << 1) + +(keys[slot[base3 + d]] > key[base3 + d]);
      }
      if (f32) {
        sum = Math.fround(sum + value[base0 - span + a]);
        sum = Math.fround(sum + value[base1 - span + b]);
        sum = Math.fround(sum + value[base2 - span + c]);
        sum = Math.fround(sum + value[base3 - span + d]);
      } else {
        sum += value[base0 - span + a];
        sum += value[base1 - span + b];
        sum += value[base2 - span + c];
        sum += value[base3 - span + d];
      }
    }
    for (; p < end; p++) {
      const leaf = value[leafOf(p)];
      sum = f32 ? Math.fround(sum + leaf) : sum + leaf;
    }
    out[to] = sum;
  }

  /** Place in `value` that a tree leads to. */
  function leafOf(p: number): number {
    const base = p * span;
    let a = 1;
    for (let level = depth; level > 0; level--) {
      a = (a << 1) + +(keys[slot[base + a]] > key[base + a]);
    }
    return base - span + a;
  }

  function addVectors(end: number, out: Float64Array, to: number): void {
    for (let p = 0; p < end; p++) {
      const from = value[leafOf(p)];
      for (let k = 0; k < leafWidth; k++) {
        const leaf = weighLeaf(rules, p, leaves[from + k]);
        out[to + k] = f32 ? Math.fround(out[to + k] + leaf) : out[to + k] + leaf;
      }
    }
  }

  return {
    scoreRow(x, at, count, out, to) {
      keyed.fill(x, at);
      for (let k = 0; k < numOutputs; k++) out[to + k] = ends.start[k];
      if (wide) addVectors(groups.end(0, count), out, to);
      else {
        for (let g = 0; g < numGroups; g++) sumGroup(start[g], groups.end(g, count), out, to + g);
      }
      if (ends.needsFinish) ends.finish(count, out, to);
    },
  };
}
