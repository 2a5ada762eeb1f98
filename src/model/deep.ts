/**
 * Tier 1 for trees too deep to pad: two words a node, siblings side by side, numbered as `Trees` are.
 * A step is `i += distance + (keys[slot] > key)`; leaves stand still, so that four trees can go in
 * step until all have arrived.
 *
 * @module
 */
import { createEnds, weighLeaf } from "./additive.ts";
import { groupTrees } from "./groups.ts";
import type { Keys } from "./keys.ts";
import type { Packed, Rules } from "./packed.ts";
import type { RowScorer } from "./scorer.ts";

/** Makes the scorer, or undefined when slots and distances do not fit one word together. */
export function createDeep(packed: Packed, rules: Rules, keyed: Keys): RowScorer | undefined {
  const { leafIndex, leaves, size, treeNodes } = packed;
  const { leafWidth, numOutputs } = rules;
  const groups = groupTrees(packed, rules);
  const { order, start } = groups;
  const numGroups = start.length - 1;
  const numTrees = order.length;
  const { keys, numSlots } = keyed;
  const numNodes = 2 * size.length + numTrees;
  const f32 = rules.profile.sum === "f32";
  const wide = leafWidth > 1;
  /** Key of an inner node; number of a leaf. */
  const key = new Int32Array(numNodes);
  /** Slot in the high bits, distance to the first child in the low ones: 0 at leaves. */
  const step = new Int32Array(numNodes);
  const bits = Math.clz32(numSlots);
  const mask = bits >= 32 ? -1 : (1 << bits) - 1;
  const root = new Int32Array(numTrees);
  const value = f32 && !wide
    ? new Float32Array(size.length + numTrees)
    : new Float64Array(wide ? 0 : size.length + numTrees);

  let placed = 0;
  for (let p = 0; p < numTrees; p++) {
    const tree = order[p];
    let j = groups.firstNode[tree];
    let b = groups.firstLeaf[tree];
    root[p] = placed;
    const stack = [placed++, treeNodes[tree]];
    while (stack.length > 0) {
      const n = stack.pop()!;
      const node = stack.pop()!;
      if (n === 0) {
        const from = leafIndex === undefined ? b : leafIndex[b];
        step[node] = numSlots - 1 << bits;
        key[node] = wide ? from * leafWidth : b;
        if (!wide) value[b] = weighLeaf(rules, tree, leaves[from]);
        b++;
        continue;
      }
      const distance = placed - node;
      if (distance > mask) return undefined;
      step[node] = keyed.slotOf(j) << bits | distance;
      key[node] = keyed.keyOf(j);
      const s = size[j++];
      stack.push(placed + 1, n - s, placed, s - 1);
      placed += 2;
    }
  }

  const ends = createEnds(rules);

  /** Adds trees to out[to]; numbers go through arrays, since V8 boxes those of calls. */
  function sumGroup(p: number, end: number, out: Float64Array, to: number): void {
    let sum = out[to];
    for (; p + 3 < end; p += 4) {
      let a = root[p];
      let b = root[p + 1];
      let c = root[p + 2];
      let d = root[p + 3];
      let moving = 1;
      while (moving !== 0) {
        const sa = step[a];
        const sb = step[b];
        const sc = step[c];
        const sd = step[d];
        moving = (sa | sb | sc | sd) & mask;
        a += (sa & mask) + +(keys[sa >>> bits] > key[a]);
        b += (sb & mask) + +(keys[sb >>> bits] > key[b]);
        c += (sc & mask) + +(keys[sc >>> bits] > key[c]);
        d += (sd & mask) + +(keys[sd >>> bits] > key[d]);
      }
      if (f32) {
        sum = Math.fround(sum + value[key[a]]);
        sum = Math.fround(sum + value[key[b]]);
        sum = Math.fround(sum + value[key[c]]);
        sum = Math.fround(sum + value[key[d]]);
      } else {
        sum += value[key[a]];
        sum += value[key[b]];
        sum += value[key[c]];
        sum += value[key[d]];
      }
    }
    for (; p < end; p++) {
      const leaf = value[key[leafOf(p)]];
      sum = f32 ? Math.fround(sum + leaf) : sum + leaf;
    }
    out[to] = sum;
  }

  function leafOf(p: number): number {
    let a = root[p];
    for (;;) {
      const s = step[a];
      if ((s & mask) === 0) return a;
      a += (s & mask) + +(keys[s >>> bits] > key[a]);
    }
  }

  function addVectors(end: number, out: Float64Array, to: number): void {
    for (let p = 0; p < end; p++) {
      const from = key[leafOf(p)];
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
