/**
 * Classification and regression trees.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984. Splits and
 * leaves as scikit-learn's by default; surrogates, priors, losses and pruning tables as rpart's.
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import { selectRows } from "../../data/dataset/dataset.ts";
import type { Dataset } from "../../data/types.ts";
import { rowsOfWeight } from "../../data/dataset/weightless.ts";
import { singleTree } from "../../ensemble/single.ts";
import { packWhole } from "../../grow/counted/pack.ts";
import { growInKernel, grownTree } from "../../grow/counted/tree.ts";
import { packGrown } from "../../grow/tree/pack.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import { pruneCriticalValue } from "../../grow/prune/critical_value.ts";
import { packSurrogates } from "../../grow/tree/pack_surrogates.ts";
import { centreTarget, shiftLeaves } from "../../grow/plan/centre.ts";
import { sourceOf, weightedRows } from "../../grow/rows/source.ts";
import type { GrownTree } from "../../grow/tree/tree.ts";
import type { Model } from "../../model/model.ts";
import type { Json, Surrogates, Trees } from "../../model/types.ts";
import { openSplitCrew } from "../../parallel/splits/split_crew.ts";
import { growerInParts } from "../../parallel/splits/subtrees.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor, ResolvedParams } from "../../params/typed.ts";
import { forkRng } from "../../util/rng.ts";
import { nextTurn } from "../../util/turn.ts";
import { type Costs, costsOf } from "./cart_costs.ts";
import { givenFolds, pruneCart, pruningOf } from "./cart_prune.ts";
import { refuseCheckpoints } from "../common/checkpoint.ts";
import { classFactors, weighClasses } from "../common/class_weights.ts";
import {
  checkAborted,
  checkTarget,
  classicSchema,
  contextOn,
  criterionFor,
  finishModel,
  growSingle,
  limitsOf,
  missingIn,
  orderOf,
  splitWork,
  totalWeightOf,
} from "./common.ts";

/** Parameters of `trainCart` after resolution. */
type ResolvedCart = ResolvedParams["cart"];

/**
 * Trains a classification or regression tree (Breiman et al., "Classification and Regression Trees",
 * 1984).
 *
 * @param params Those of `cart` in docs/parameters.md, by Treeline's names or those of scikit-learn
 * and rpart.
 * @throws {DataError} `E_DATA_TARGET` for a target that cannot be learnt.
 * @throws {ParameterError} For wrong parameters.
 *
 * @example A cut between 2 and 10
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = {
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 10, 11]) }],
 *   target: {
 *     kind: "classification",
 *     name: "y",
 *     codes: new Int32Array([0, 0, 1, 1]),
 *     classes: ["no", "yes"],
 *   },
 * } as const;
 * const model = await trainCart(data);
 * assertEquals(model.predictClass([{ x: 5.9 }, { x: 6.1 }]), ["no", "yes"]);
 * ```
 */
export async function trainCart(
  given: Dataset,
  params: ParamsFor["cart"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainCart", given);
  checkOptions<TrialOptions>("trainCart", options, TRAIN_OPTIONS);
  refuseCheckpoints(options, "algorithm cart");
  const plain = resolveParams("cart", params);
  checkTarget(given);
  const criterion = criterionFor(given, plain.criterion);
  const kept = rowsOfWeight(given);
  const data = kept === undefined ? given : selectRows(given, kept);
  const folds = givenFolds(plain, given.numRows);
  const resolved = {
    ...plain,
    ...(folds !== undefined && { foldOfRow: kept?.map((row) => folds[row]) ?? folds }),
  };
  const factors = classFactors(data, resolved);
  const weighted = factors === undefined ? data : weighClasses(data, factors);
  const costs = costsOf(weighted, resolved);
  const priced = costs.weight === undefined
    ? weighted
    : { ...weighted, sampleWeight: costs.weight };
  const { data: train, centre } = centreTarget(priced, criterion);
  const plan = cartPlan(train, resolved, costs);
  const source = sourceOf(train);
  const pruning = pruningOf(resolved, options);
  using crew = await openSplitCrew(train, {
    ...splitWork(plan, source, options),
    trees: pruning === "cv" ? 1 + resolved.folds : 1,
    parts: true,
  });
  const caseWeight = weighted.sampleWeight;
  const context = {
    ...contextOn(crew, plan, source),
    // Surrogates agree by rows, whatever the priors (rpart).
    ...(costs.priorFactors !== undefined && {
      caseWeight: caseWeight ?? new Float64Array(train.numRows).fill(1),
    }),
  };
  const rng = forkRng(resolved.seed, 0);
  const { signal } = options;
  const grower = crew.growers && growerInParts(crew.growers, { context, plan, signal });
  const inParts = async (rows: Int32Array) => {
    const whole = await grower?.(rows, rng);
    checkAborted(options);
    return whole;
  };
  const grow = async (rows: Int32Array): Promise<GrownTree> => {
    const whole = await inParts(rows);
    const tree = whole === undefined
      ? await growSingle(context, rows, rng, options)
      : grownTree(context, rows, whole);
    if (resolved.criticalValue > 0) pruneCriticalValue(tree, resolved.criticalValue);
    return tree;
  };
  const withSurrogates = resolved.missing === "surrogate" && resolved.maxSurrogates > 0;
  const grown = async (): Promise<Grown> => {
    const { tree, report } = await pruneCart({
      data: train,
      centre,
      ...(caseWeight !== undefined && { caseWeight }),
      source,
      params: resolved,
      costs,
      grow,
      options,
    });
    return {
      trees: packGrown(tree, valueOption(tree, resolved, plan)),
      report,
      ...(withSurrogates && { surrogates: packSurrogates(tree) }),
    };
  };
  checkAborted(options);
  /** Without a look at rows and nodes in between, where the kernel grows the whole tree. */
  const asPacked = async (): Promise<Grown | undefined> => {
    const rows = weightedRows(train.numRows, train.sampleWeight);
    const whole = await inParts(rows) ?? growInKernel(context, rows, rng);
    const packed = whole && packWhole(context, whole, { innerValues: true, codes: false });
    return packed && { trees: packed.trees, report: {} };
  };
  const isUnpruned = pruning === "none" && resolved.criticalValue === 0;
  const { trees, report, surrogates }: Grown = (isUnpruned ? await asPacked() : undefined) ??
    await grown();
  // The kernel grows a tree in one go, and pruning goes through all rows: heard at the latest here.
  await nextTurn();
  checkAborted(options);
  const single = singleTree(shiftLeaves(trees, centre), train);
  const ensemble = {
    ...single,
    ...(costs.loss !== undefined && {
      postprocess: { ...single.postprocess, costs: Array.from(costs.loss) },
    }),
    ...(surrogates !== undefined && { surrogates }),
  };
  const schema = classicSchema(
    train,
    resolved.unknown,
    withSurrogates ? train.features.map(() => true) : missingIn(train),
  );
  return finishModel("cart", data, ensemble, schema, params, resolved.seed, { ...report });
}

/** A tree as it is stored. */
interface Grown {
  readonly trees: Trees;
  readonly report: { readonly [key: string]: Json };
  readonly surrogates?: Surrogates;
}

/** The learner that the parameters describe. */
function cartPlan(data: Dataset, params: ResolvedCart, costs: Costs): TreePlan {
  const limits = limitsOf(params, totalWeightOf(data));
  // rpart makes no split that gains nothing; scikit-learn does, and may find something below it.
  const least = params.missing === "surrogate" ? Number.MIN_VALUE : -Infinity;
  const cut = params.missing === "surrogate" ? "below" : limits.cut;
  return {
    criterion: criterionFor(data, params.criterion),
    splitter: "exact",
    missing: params.missing,
    order: orderOf(params),
    limits: { ...limits, minGain: Math.max(limits.minGain, least), cut },
    maxExhaustive: params.maxExhaustiveLevels,
    ...(params.missing === "surrogate" && { maxSurrogates: params.maxSurrogates }),
    ...(costs.factors !== undefined && { classFactors: costs.factors }),
    ...(params.stop === "chi-square" && { chiSquare: params.significance }),
    ...(params.stop === "critical-value" && { criticalGain: params.criticalValue }),
  };
}

/** Median leaves of trees that were grown by another rule. */
function valueOption(
  tree: GrownTree,
  params: ResolvedCart,
  plan: TreePlan,
): { readonly value?: (node: number, out: Float64Array) => void } {
  const { source } = tree;
  if (source.kind !== "moment" || params.leaf === "auto") return {};
  if ((params.leaf === "median") === (plan.criterion === "absolute")) return {};
  return {
    value(node, out) {
      const pairs: [number, number][] = [];
      let total = 0;
      let sum = 0;
      for (let i = tree.from[node]; i < tree.to[node]; i++) {
        const row = tree.rows[node][i];
        const weight = source.weight?.[row] ?? 1;
        pairs.push([source.values[row], weight]);
        total += weight;
        sum += weight * source.values[row];
      }
      out[0] = params.leaf === "mean" ? sum / total : weightedMedian(pairs, total);
    },
  };
}

/** Middle value; halfway between two where exactly half the weight is on each side. */
function weightedMedian(pairs: [number, number][], total: number): number {
  pairs.sort((a, b) => a[0] - b[0]);
  let below = 0;
  for (let i = 0; i < pairs.length; i++) {
    below += pairs[i][1];
    if (below > total / 2) return pairs[i][0];
    if (below === total / 2) {
      return i + 1 < pairs.length ? (pairs[i][0] + pairs[i + 1][0]) / 2 : pairs[i][0];
    }
  }
  return pairs.length > 0 ? pairs[pairs.length - 1][0] : 0;
}
