/**
 * Metrics of the sets of a boosting run by its threads. Scores lie in the run's memory; each thread
 * makes a set's jobs once.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import type { MeasuredRows } from "../../grow/histogram/workspace/layout.ts";
import type { HistContext } from "../../grow/histogram/workspace/context.ts";
import { Op } from "../../grow/histogram/workspace/op.ts";
import type { Team } from "../../grow/histogram/workspace/team.ts";
import type { Arena, Memory } from "../../kernels/memory.ts";
import type { Metric, MetricRecipe, Predictions } from "../../metric/types.ts";
import type { Postprocess } from "../../model/types.ts";
import {
  createMeasure,
  LEAST_MEASURED,
  type Measure,
  type MeasuredSet,
  placeBytes,
  placeIn,
  sharedRecipes,
} from "../rows/measure.ts";

/** What threads are told of a set beside its addresses. */
interface Told {
  readonly postprocess: Postprocess;
  readonly recipes: readonly MetricRecipe[];
}

/** A set that is to be measured. */
export interface ToMeasure {
  readonly labels: Labels;
  /** Address of the scores; undefined asks for a place of their own. */
  readonly raw: number | undefined;
  readonly numOutputs: number;
  readonly postprocess: Postprocess;
  readonly metrics: readonly Metric[];
}

/** Lays a set out for its metrics; undefined where there is little to share. */
export function layOutMeasured(arena: Arena, set: ToMeasure): MeasuredRows | undefined {
  const { labels, numOutputs, postprocess } = set;
  const { values, weight, group } = labels;
  const recipes = sharedRecipes(set.metrics);
  const size = values.length * numOutputs;
  if (recipes.length === 0 || size < LEAST_MEASURED) return undefined;
  const copy = (numbers: Float64Array | undefined) => {
    if (numbers === undefined) return 0;
    const at = arena.alloc(8 * numbers.length);
    arena.memory.f64.set(numbers, at >>> 3);
    return at;
  };
  const copyGroup = () => {
    if (group === undefined) return 0;
    const at = arena.alloc(4 * group.length);
    arena.memory.i32.set(group, at >>> 2);
    return at;
  };
  const none = new Float64Array(0);
  const predictions = { raw: none, response: none, numRows: values.length, numOutputs };
  return {
    numRows: values.length,
    label: copy(values),
    weight: copy(weight),
    group: copyGroup(),
    raw: set.raw ?? arena.alloc(8 * size),
    response: arena.alloc(8 * size),
    place: arena.alloc(placeBytes({ labels, predictions, postprocess, recipes })),
    told: { postprocess, recipes } satisfies Told,
  };
}

const MADE = new WeakMap<HistContext, Map<number, Made>>();

interface Made {
  readonly set: MeasuredSet;
  readonly measure: Measure;
}

/** The work on a set, made at first asking. */
function madeOf(context: HistContext, number: number): Made {
  const { memory, layout: { measured, numOutputs } } = context;
  const known = MADE.get(context) ?? new Map<number, Made>();
  MADE.set(context, known);
  const made = known.get(number);
  if (made !== undefined) return made;
  const set = setOf(memory, measured![number], numOutputs);
  const fresh = { set, measure: createMeasure(set) };
  known.set(number, fresh);
  return fresh;
}

function setOf({ f64, i32, u8 }: Memory, rows: MeasuredRows, numOutputs: number): MeasuredSet {
  const { numRows, label, weight, group, raw, response, place, told } = rows;
  const floats = (at: number, length = numRows) => f64.subarray(at >>> 3, (at >>> 3) + length);
  return {
    labels: {
      values: floats(label),
      ...(weight !== 0 && { weight: floats(weight) }),
      ...(group !== 0 && { group: i32.subarray(group >>> 2, (group >>> 2) + numRows) }),
    },
    predictions: {
      raw: floats(raw, numRows * numOutputs),
      response: floats(response, numRows * numOutputs),
      numRows,
      numOutputs,
    },
    ...told as Told,
    place: placeIn(u8.buffer, place),
  };
}

/** Takes items of a step of a set's metrics, as the arguments say. */
export function measure(context: HistContext): void {
  const { memory, layout } = context;
  const [number, step] = memory.f64.subarray(layout.args >>> 3, (layout.args >>> 3) + 2);
  const { i32 } = memory;
  madeOf(context, number).measure.run(
    step,
    () => Atomics.add(i32, layout.counter >>> 2, 1),
  );
}

/** A measured set as the calling thread sees it. */
export interface Measured {
  /** Where the scores are read. */
  readonly raw: Float64Array;
  /** Has the team compute the metrics of the scores as they are. */
  values(metrics: readonly Metric[]): { readonly [metric: string]: number };
}

/** A set of the layout's measured ones. */
export function measuredSet(team: Team, number: number): Measured {
  const { context } = team;
  const { set, measure: { numSteps, values } } = madeOf(context, number);
  const { labels, predictions } = set;
  return {
    raw: predictions.raw,
    values(metrics) {
      const { memory, layout } = context;
      for (let step = 0; step < numSteps; step++) {
        memory.f64[layout.args >>> 3] = number;
        memory.f64[(layout.args >>> 3) + 1] = step;
        team.run(Op.measure);
      }
      const shared = values();
      let next = 0;
      return Object.fromEntries(metrics.map((metric) => [
        metric.name,
        isShared(metric) ? shared[next++] : metric.value(labels, predictions as Predictions),
      ]));
    },
  };
}

function isShared({ job, recipe }: Metric): boolean {
  return job !== undefined && recipe !== undefined;
}
