/**
 * The trees of a bagged ensemble as they come in from the threads that grow them.
 *
 * @module
 */
import type { BaggedTree, BagNotes } from "../../grow/bagged_tree.ts";
import type { Trees } from "../../model/types.ts";
import { createTreeJoiner } from "./join_trees.ts";

/** Trees that are done, in order and without a gap. */
export interface GrownBag {
  /** All of them; without trees where they are not kept. */
  readonly trees: Trees;
  /** What is told of each. */
  readonly notes: readonly BagNotes[];
}

/** What comes before the trees, and where they are kept on the way. */
export interface HarvestOptions {
  /** Keep the trees, not only what their bags tell. @default true */
  readonly keepTrees?: boolean;
  /** Trees to go on from, each by itself, and what was told of them. */
  readonly from?: { readonly trees: readonly Trees[]; readonly notes: readonly BagNotes[] };
  /** Told of each tree, in order, before its arrays are joined and freed; not of those before. */
  readonly onNext?: (tree: BaggedTree) => void;
  /** Takes the first trees, every so many of them; the end waits for it. */
  readonly keep?: {
    readonly every: number;
    readonly save: (grown: GrownBag) => void | Promise<void>;
  };
}

/** Puts trees in order, whatever the order in which they come. */
export function createHarvest(
  count: number,
  { keepTrees = true, from, keep, onNext }: HarvestOptions,
): {
  take(index: number, tree: BaggedTree): void;
  grown(): GrownBag;
  /** How many trees `grown` has. */
  taken(): number;
  /** Resolves when all that is to be kept is. */
  saved(): Promise<void> | undefined;
} {
  const joiner = createTreeJoiner(count);
  const notes: BagNotes[] = [...(from?.notes ?? [])];
  for (const tree of from?.trees ?? []) joiner.add(tree);
  let saving: Promise<void> | undefined;
  const save = () => {
    if (keep === undefined || notes.length % keep.every !== 0) return;
    const grown = { trees: joiner.joined(), notes: notes.slice() };
    saving = (saving ?? Promise.resolve()).then(() => keep.save(grown));
    saving.catch(() => {}); // awaited by `saved`
  };
  const early = new Map<number, BaggedTree>();
  return {
    take(index, tree) {
      early.set(index, tree);
      for (let next = early.get(notes.length); next !== undefined;) {
        early.delete(notes.length);
        onNext?.(next);
        const { trees, ...rest } = next;
        if (keepTrees) joiner.add(trees);
        notes.push(rest);
        save();
        next = early.get(notes.length);
      }
    },
    // A copy: trees that still arrive after an abort are not among these.
    grown: () => ({ trees: joiner.joined(), notes: notes.slice() }),
    taken: () => notes.length,
    saved: () => saving,
  };
}
