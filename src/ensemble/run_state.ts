/**
 * What an interrupted run goes on from, where trees do not tell it all: plain arrays by name, among
 * them the trees as they are, so that nothing is rounded or renumbered on the way.
 *
 * @module
 */
import { numTrees } from "../model/trees.ts";
import type { Trees } from "../model/types.ts";
import type { RoundReport } from "./types.ts";

/** Arrays that a state may hold. */
export type StateArray = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** The state after a round. */
export interface RunState {
  /** Rounds (or trees of a forest) done. */
  readonly round: number;
  readonly history: readonly RoundReport[];
  readonly arrays: { readonly [name: string]: StateArray };
}

/** When states are kept, and the one to go on from. */
export interface StatePlan {
  /** Called every `every` rounds; training waits. */
  readonly checkpoint?: {
    readonly every: number;
    readonly save: (state: RunState) => void | Promise<void>;
  };
  /** State of an interrupted run with the same plan and data. */
  readonly resume?: RunState;
}

/** Keeps the state of a round, where it is one to keep. */
export async function keepState(
  { checkpoint }: StatePlan,
  round: number,
  history: readonly RoundReport[],
  arrays: () => RunState["arrays"],
): Promise<void> {
  if (checkpoint === undefined || round % checkpoint.every !== 0) return;
  await checkpoint.save({ round, history: [...history], arrays: arrays() });
}

const NODES = [
  "kind",
  "feature",
  "threshold",
  "firstChild",
  "missing",
  "categoryAt",
  "cover",
  "gain",
] as const;

/** Joined trees as arrays of a state; their categories lie in the order of the trees. */
export function treesToState(trees: Trees): RunState["arrays"] {
  const { treeStart, categoryAt, categoryPool } = trees;
  const poolStart = new Int32Array(treeStart.length).fill(categoryPool.length);
  for (let t = numTrees(trees) - 1; t >= 0; t--) {
    poolStart[t] = poolStart[t + 1];
    for (let node = treeStart[t]; node < treeStart[t + 1]; node++) {
      if (categoryAt[node] >= 0) poolStart[t] = Math.min(poolStart[t], categoryAt[node]);
    }
  }
  return { ...trees, poolStart };
}

/** The trees of a state, each by itself. */
export function treesFromState(arrays: RunState["arrays"]): Trees[] {
  const all = arrays as unknown as Trees & { readonly poolStart: Int32Array };
  const width = all.kind.length === 0 ? 1 : all.leaf.length / all.kind.length;
  return Array.from({ length: numTrees(all) }, (_, t) => {
    const from = all.treeStart[t];
    const to = all.treeStart[t + 1];
    const pool = all.poolStart[t];
    const own = Object.fromEntries(NODES.map((name) => [name, all[name].slice(from, to)]));
    const tree = {
      ...own,
      treeStart: Int32Array.of(0, to - from),
      categoryPool: all.categoryPool.slice(pool, all.poolStart[t + 1]),
      leaf: all.leaf.slice(from * width, to * width),
    } as unknown as Trees;
    for (let i = 0; i < to - from; i++) {
      if (tree.firstChild[i] >= 0) tree.firstChild[i] -= from;
      if (tree.categoryAt[i] >= 0) tree.categoryAt[i] -= pool;
    }
    return tree;
  });
}

/** Lists of arrays, one of each name an item, as arrays of a state; names that no item has are left out. */
export function listToState<Name extends string>(
  items: readonly { readonly [name in Name]?: StateArray }[],
  names: readonly Name[],
): RunState["arrays"] {
  const arrays: { [name: string]: StateArray } = {};
  for (const name of names) {
    const parts = items.map((item) => item[name]);
    const first = parts[0];
    if (first === undefined) continue;
    const length = parts.reduce((sum, part) => sum + part!.length, 0);
    const Kind = first.constructor as new (length: number) => StateArray;
    const all = new Kind(length);
    let at = 0;
    for (const part of parts) {
      all.set(part!, at);
      at += part!.length;
    }
    arrays[`list.${name}`] = all;
    arrays[`lengths.${name}`] = Int32Array.from(parts, (part) => part!.length);
  }
  return arrays;
}

/** The first `count` items of such lists. */
export function listFromState<Name extends string>(
  arrays: RunState["arrays"],
  names: readonly Name[],
  count: number,
): { [name in Name]?: StateArray }[] {
  const items: { [name in Name]?: StateArray }[] = Array.from({ length: count }, () => ({}));
  for (const name of names) {
    const all = arrays[`list.${name}`];
    if (all === undefined) continue;
    let at = 0;
    items.forEach((item, i) => {
      const length = arrays[`lengths.${name}`][i];
      item[name] = all.slice(at, at += length);
    });
  }
  return items;
}
