/**
 * ID3: information gain, one branch a category, no numbers, no missing values, no pruning after
 * growth unless asked.
 *
 * Quinlan, "Induction of Decision Trees", Machine Learning 1 (1986).
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import type { Dataset, UnknownRule } from "../../data/types.ts";
import { withoutWeightless } from "../../data/dataset/weightless.ts";
import { singleTree } from "../../ensemble/single.ts";
import { DataError } from "../../errors.ts";
import { packGrown } from "../../grow/tree/pack.ts";
import { NO_LIMITS, type TreePlan } from "../../grow/plan/plan.ts";
import { pruneCriticalValue } from "../../grow/prune/critical_value.ts";
import { sourceOf, weightedRows } from "../../grow/rows/source.ts";
import type { Model } from "../../model/model.ts";
import { openSplitCrew } from "../../parallel/splits/split_crew.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor, ResolvedParams } from "../../params/typed.ts";
import { forkRng } from "../../util/rng.ts";
import { refuseCheckpoints } from "../common/checkpoint.ts";
import {
  checkAborted,
  checkTarget,
  classicSchema,
  contextOn,
  finishModel,
  growSingle,
  splitWork,
} from "./common.ts";

type ResolvedId3 = ResolvedParams["id3"];

/** Gains up to this are rounding. */
const ZERO = 1e-12;

/**
 * Trains an ID3 tree (Quinlan, "Induction of Decision Trees", 1986): one branch for each category,
 * chosen by information gain.
 *
 * @param params Those of `id3` in docs/parameters.md.
 * @throws {DataError} `E_DATA_TYPE` with the column for a numeric feature or a missing value,
 * `E_DATA_TARGET` for a target that has no classes.
 * @throws {ParameterError} For wrong parameters.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = {
 *   numRows: 2,
 *   features: [{
 *     kind: "categorical",
 *     name: "wind",
 *     codes: new Int32Array([0, 1]),
 *     categories: ["strong", "weak"],
 *   }],
 *   target: {
 *     kind: "classification",
 *     name: "play",
 *     codes: new Int32Array([0, 1]),
 *     classes: ["no", "yes"],
 *   },
 * } as const;
 * const model = await trainId3(data);
 * assertEquals(model.predictClass({ wind: "weak" }), ["yes"]);
 * ```
 */
export async function trainId3(
  given: Dataset,
  params: ParamsFor["id3"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainId3", given);
  checkOptions<TrialOptions>("trainId3", options, TRAIN_OPTIONS);
  refuseCheckpoints(options, "algorithm id3");
  const resolved = resolveParams("id3", params);
  checkTarget(given, true);
  checkId3Features(given);
  checkAborted(options);
  const data = withoutWeightless(given);
  const { strict, minGain, maxDepth } = resolved;
  const plan: TreePlan = {
    ...id3Plan({
      minUnitGain: strict && minGain === 0 ? -1 : Math.max(ZERO, minGain),
      maxDepth,
      unknown: resolved.unknown,
    }),
    ...(resolved.stop === "chi-square" && { chiSquare: resolved.significance }),
    ...(resolved.stop === "critical-value" && { criticalGain: resolved.criticalValue }),
  };
  const source = sourceOf(data);
  using crew = await openSplitCrew(data, splitWork(plan, source, options));
  const context = contextOn(crew, plan, source);
  const rows = weightedRows(data.numRows, data.sampleWeight);
  const tree = await growSingle(context, rows, forkRng(resolved.seed, 0), options);
  if (resolved.criticalValue > 0) pruneCriticalValue(tree, resolved.criticalValue);
  const ensemble = singleTree(packGrown(tree), data);
  return finishModel("id3", data, ensemble, classicSchema(data, resolved.unknown), params, 0);
}

/**
 * The learner: one branch a category, by information gain.
 *
 * @param options `minUnitGain` in bits per unit of weight, by default what is more than rounding; a
 * `maxDepth` of 0 is no limit.
 */
export function id3Plan(
  options: {
    readonly minUnitGain?: number;
    readonly maxDepth?: number;
    readonly unknown: UnknownRule;
  },
): TreePlan {
  const { minUnitGain = ZERO, maxDepth = 0, unknown } = options;
  return {
    criterion: "entropy",
    splitter: "id3",
    missing: "fractional",
    order: "depth-first",
    limits: { ...NO_LIMITS, maxDepth: maxDepth > 0 ? maxDepth : Infinity },
    minUnitGain,
    stopUnknown: unknown === "node",
  };
}

/** Refuses what ID3 does not define: numbers and missing values. */
export function checkId3Features(data: Dataset): void {
  for (const column of data.features) {
    if (column.kind === "numeric") {
      throw new DataError(
        "E_DATA_TYPE",
        `Cannot use column ${JSON.stringify(column.name)} with id3: it is numeric; read it as ` +
          "categorical, or use c45 or cart",
        { details: { column: column.name } },
      );
    }
    const row = column.codes.findIndex((code) => code < 0);
    if (row >= 0) {
      throw new DataError(
        "E_DATA_TYPE",
        `Cannot use column ${JSON.stringify(column.name)} with id3: row ${
          row + 1
        } lacks a value; ` +
          "fill it, or use c45",
        { details: { column: column.name, row: row + 1 } },
      );
    }
  }
}
