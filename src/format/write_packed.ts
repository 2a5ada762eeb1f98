/**
 * Writes layouts Z, H and B of the tree section, which packed.ts reads; apart from it, so that what only
 * serves does not carry it.
 *
 * @module
 */
import type { Packed, Rules } from "../model/packed.ts";
import { LAYOUT_B } from "./bits.ts";
import type { Numbers } from "./bytes.ts";
import { LAYOUT_H } from "./heap.ts";
import { FLAG, HEAD_WORDS, impliedOutput, LAYOUT_Z, WIDE } from "./packed.ts";
import { toBits } from "./write_bits.ts";
import { heapTests } from "./write_heap.ts";

/** log2 of the bytes of an entry: two bits each. */
function widthsOf(packed: Packed): number {
  return WIDE.reduce((bits, name, i) => {
    const width = packed[name]?.BYTES_PER_ELEMENT ?? 1;
    return bits | (31 - Math.clz32(width)) << 2 * i;
  }, 0);
}

/** The arrays that layouts Z and H have in common: what is added where, with what weight. */
function writeRules(rules: Rules): { flags: number; arrays: Numbers[] } {
  const { treeOutput, treeWeight, baseScore } = rules;
  const outputs = treeOutput.some((output, t) => output !== impliedOutput(t, rules));
  const weights = treeWeight.some((weight) => weight !== 1);
  return {
    flags: (outputs ? FLAG.outputs : 0) | (weights ? FLAG.weights : 0),
    arrays: [baseScore, ...(outputs ? [treeOutput] : []), ...(weights ? [treeWeight] : [])],
  };
}

/** The head of a tree section in layout Z, H or B. */
function headOf(packed: Packed, layout: number, flags: number, like: Partial<Packed>): Uint32Array {
  const { treeNodes, size, dictSize, cuts, sets, leaves, leafIndex } = packed;
  const head = new Uint32Array(HEAD_WORDS);
  head.set([
    layout,
    treeNodes.length,
    size.length,
    dictSize.length,
    cuts.length,
    sets.length,
    leaves.length,
    flags | (leafIndex === undefined ? 0 : FLAG.leafIndex),
    widthsOf({ ...packed, ...like }),
  ]);
  return head;
}

/** The arrays of a tree section in layout Z or H, whichever is smaller. */
export function writePacked(packed: Packed, rules: Rules): Numbers[] {
  const { treeNodes, feat2, cut, size, dictSize, cuts, sets, leaves, leafIndex } = packed;
  const { flags, arrays } = writeRules(rules);
  const heap = heapTests(packed);
  const none = new Uint8Array(0);
  const head = heap === undefined
    ? headOf(packed, LAYOUT_Z, flags, {})
    : headOf(packed, LAYOUT_H, flags, { ...heap, treeNodes: none, size: none });
  head[9] = heap?.depth ?? 0;
  return [
    head,
    ...arrays,
    dictSize,
    cuts,
    sets,
    leaves,
    ...(leafIndex === undefined ? [] : [leafIndex]),
    ...(heap === undefined ? [treeNodes, feat2, cut, size] : [heap.feat2, heap.cut]),
  ];
}

/**
 * The arrays of a section BITS, or undefined where trees do not fit layout B: a node cuts outside of
 * what the splits above it leave open, there are too many levels, or a node takes less than a byte.
 */
export function writeInBits(packed: Packed, rules: Rules): Numbers[] | undefined {
  const { treeNodes, size, dictSize, cuts, sets, leaves } = packed;
  const bits = toBits(packed, rules.leafWidth);
  const entries = size.length + cuts.length + treeNodes.length;
  if (bits === undefined || entries > bits.byteLength) return undefined;
  const { flags, arrays } = writeRules(rules);
  const head = headOf(packed, LAYOUT_B, flags, {});
  head[10] = bits.length;
  return [head, ...arrays, dictSize, sets, leaves, treeNodes, bits];
}
