/**
 * The trees of a run so far and the scores they give: where a run begins (from nothing or from a
 * checkpoint), how rounds are added and dropped, what ensemble they make.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { packHistTree } from "../../grow/histogram/tree/tree.ts";
import { addLeafValues, type RoundTree, routeSets } from "../../grow/histogram/round_tree.ts";
import { concatTrees } from "../../model/trees.ts";
import type { Ensemble, Trees } from "../../model/types.ts";
import { forkRng } from "../../util/rng.ts";
import { STREAM } from "./round.ts";
import { chooseDropped, scaleWeights } from "./dart.ts";
import type { Committee } from "./committee.ts";
import type { Engine } from "../engine/engine.ts";
import { requireFiniteLeaves } from "../finite_values.ts";
import { putTables } from "./grow_tree.ts";
import type { TreeTerms } from "../../grow/linear_leaves.ts";
import { joinTrees, packedTerms, termsOfTree } from "../linear_leaves.ts";
import { treeOnBins, treesApart } from "../old_trees.ts";
import type { BoostPlan, CheckpointState } from "../plan.ts";

/** The trees so far. */
export interface BoostState {
  /** Rounds of this run so far. */
  readonly numRounds: number;
  /** Takes the rounds of an interrupted run; call before any other. */
  resume(from: CheckpointState, committee: Committee | undefined): void;
  /**
   * Takes a round's trees; DART scales and adds up again.
   *
   * @throws {TrainingError} `E_TRAIN_NUMERIC` at a leaf that is not finite.
   */
  add(trees: readonly RoundTree[]): void;
  /** Takes dropped rounds out of the training scores; call before a round. */
  drop(round: number): void;
  /**
   * The first rounds of this run (all by default).
   *
   * @param keepAll Later rounds are there too and weigh nothing.
   */
  ensemble(rounds?: number, keepAll?: boolean): Ensemble;
  readonly weightHistory: readonly Float64Array[] | undefined;
}

/** Trees of one round. */
function treesPerRound(plan: BoostPlan): number {
  return plan.loss.numOutputs * (plan.parallelTrees ?? 1) * (plan.committee?.members ?? 1);
}

/** Starts a run; `sets` are the training data and the validation sets. */
export function createBoostState(
  engine: Engine,
  plan: BoostPlan,
  sets: readonly Dataset[],
  base: Float64Array,
): BoostState {
  const { dart } = plan;
  const { numOutputs } = plan.loss;
  const perRound = treesPerRound(plan);
  const features = sets[0].features;
  const numCategories = (feature: number) => {
    const column = features[feature];
    return column.kind === "categorical" ? column.categories.length : 0;
  };
  const everySet = sets.map((_, set) => set);
  const own: Trees[] = [];
  /** Linear models of each tree's nodes. */
  const ownTerms: (TreeTerms | undefined)[] = [];
  /** Kept for DART, which adds trees again. */
  const grown: RoundTree[] = [];
  const starts: Float64Array[] = [];
  let weights = new Float64Array(0);
  let dropped: number[] = [];
  const weightHistory: Float64Array[] | undefined = dart === undefined ? undefined : [];

  sets.forEach((data, set) => startScores(engine, set, data, base));
  if (dart !== undefined) { for (const set of everySet) starts.push(engine.raw(set).slice()); }

  /** Adds a tree of this run to the scores of sets. */
  function addTree(
    tree: RoundTree,
    t: number,
    factor: number,
    to: readonly number[],
    by = engine,
  ): void {
    by.tables.clear();
    routeSets(by, tree.tree, putTables(by, tree.tree), to);
    addLeafValues(by, tree, t % numOutputs, factor, to);
  }

  /** All scores from the beginning: rounding then does not depend on what was dropped when. */
  function addUp(): void {
    for (const set of everySet) engine.raw(set).set(starts[set]);
    grown.forEach((tree, t) => addTree(tree, t, weights[Math.floor(t / perRound)], everySet));
  }

  function resume(state: CheckpointState, committee: Committee | undefined): void {
    const { trees } = state.ensemble;
    const all = treesApart(trees, numCategories);
    own.push(...all);
    const { linear } = state.ensemble;
    const termsOf = (t: number) => linear && termsOfTree(linear, trees, t);
    weights = Float64Array.from({ length: state.round }, () => 1);
    for (let t = 0; t < all.length; t++) {
      const terms = termsOf(t);
      ownTerms.push(terms);
      grown.push({ ...treeOnBins(trees, t, engine.bins), ...(terms && { terms }) });
    }
    if (weightHistory !== undefined) {
      weightHistory.push(...(state.weightHistory ?? []));
      weights = Float64Array.from(weightHistory.at(-1) ?? []);
    }
    if (committee === undefined) {
      grown.forEach((tree, t) => addTree(tree, t, weights[Math.floor(t / perRound)], everySet));
    } else {
      addToMembers(committee);
      grown.forEach((tree, t) => addTree(tree, t, 1, everySet.slice(1)));
    }
    if (dart === undefined) grown.length = 0;
  }

  /** Adds each member's trees, in full, to its own scores of the training rows. */
  function addToMembers({ members, withMember }: Committee): void {
    const perMember = perRound / members;
    for (let member = 0; member < members; member++) {
      withMember(member, (own) => {
        grown.forEach((tree, t) => {
          if (Math.floor((t % perRound) / perMember) !== member) return;
          addTree(tree, t, members, [0], own);
        });
      });
    }
  }

  return {
    resume,

    get numRounds() {
      return own.length / perRound;
    },
    weightHistory,

    drop(round) {
      if (dart === undefined) return;
      dropped = chooseDropped(weights, dart, forkRng(plan.seed, round, STREAM.drop));
      for (const r of dropped) {
        for (let t = r * perRound; t < (r + 1) * perRound; t++) {
          addTree(grown[t], t, -weights[r], [0]);
        }
      }
    },

    add(trees) {
      const round = own.length / perRound + 1;
      for (const { tree, facts, terms } of trees) {
        const packed = packHistTree(tree, engine.bins, facts);
        requireFiniteLeaves(packed.leaf, round);
        own.push(packed);
        ownTerms.push(terms && packedTerms(packed, tree.nodes, terms));
      }
      if (dart === undefined) return;
      grown.push(...trees);
      weights = Float64Array.from(scaleWeights(weights, dropped, dart, plan.learningRate));
      weightHistory!.push(weights);
      if (dropped.length > 0) addUp();
      dropped = [];
    },

    ensemble(rounds, keepAll = false) {
      const count = rounds ?? own.length / perRound;
      const counted = count * perRound;
      const kept = keepAll ? own : own.slice(0, counted);
      const at = weightHistory?.[count - 1];
      return {
        trees: concatTrees(kept),
        ...(plan.linear && { linear: joinTrees(kept, ownTerms.slice(0, kept.length)) }),
        leafWidth: 1,
        numOutputs,
        treeOutput: Int32Array.from(kept, (_, t) => t % numOutputs),
        treeWeight: Float64Array.from(
          kept,
          (_, t) => t >= counted ? 0 : at?.[Math.floor(t / perRound)] ?? 1,
        ),
        treesPerRound: perRound,
        aggregate: "sum",
        baseScore: base,
        postprocess: plan.loss.postprocess,
        profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
      };
    },
  };
}

/** Base score and each row's offset. */
function startScores(engine: Engine, set: number, data: Dataset, base: Float64Array): void {
  const raw = engine.raw(set);
  const { numRows, offset } = data;
  const numOutputs = base.length;
  for (let k = 0; k < numOutputs; k++) {
    raw.fill(base[k] + 0, k * numRows, (k + 1) * numRows);
    if (offset === undefined) continue;
    for (let row = 0; row < numRows; row++) raw[k * numRows + row] += offset[row * numOutputs + k];
  }
}
