/**
 * Linear leaves of a grown tree, which all threads fit (`parallel/histogram/fit_linear.ts`).
 *
 * @module
 */
import { leafPaths, type LinearStep } from "../../grow/histogram/linear.ts";
import type { GrownTree } from "../../grow/histogram/tree/tree.ts";
import { Op } from "../../grow/histogram/workspace/op.ts";
import type { LeafTerms, TreeTerms } from "../../grow/linear_leaves.ts";
import { FitArgs } from "../../parallel/histogram/fit_linear.ts";
import { refitArrays, RefitStep } from "../../parallel/histogram/refit_leaves.ts";
import { ascendingOrder } from "../../util/ascending_order.ts";
import type { Engine } from "../engine/engine.ts";
import { listLeaves } from "./refit_leaves.ts";

/** Fits the leaves of a tree; those whose path has no numeric feature stay constants. */
export function fitLinearLeaves(engine: Engine, tree: GrownTree, step: LinearStep): TreeTerms {
  const { team: { context } } = engine;
  const arrays = refitArrays(context, tree.numLeaves);
  const run = stepRunner(engine, step);
  const { nodes, from, to } = listLeaves(engine, tree, arrays, run);
  const paths = leafPaths(tree, engine.columns![0]);
  const wanted = nodes.filter((node) => paths[node] !== undefined);
  // Those that take longest first, which evens out what threads do.
  const cost = (node: number) => (to[node] - from[node]) * (paths[node]!.length + 1) ** 2;
  const order = ascendingOrder(Float64Array.from(wanted, (node) => -cost(node)));
  const parts = Array.from(order, (at) => wanted[at]);
  parts.forEach((node, part) => arrays.parts.set([from[node], to[node]], 2 * part));
  const { numbers, places } = recordsOf(
    parts.map((node) => paths[node]!),
    engine.leastSpread!,
  );
  const models = engine.tables.put(new Uint8Array(numbers.buffer));
  run(RefitStep.fit, tree.numLeaves, parts.length, models);
  const terms: (LeafTerms | undefined)[] = Array.from({ length: tree.nodes.count });
  const found = context.memory.f64.subarray(models >>> 3, (models >>> 3) + numbers.length);
  parts.forEach((node, part) => terms[node] = readTerms(found, places[part]));
  return terms;
}

/** Has all threads perform a step. */
function stepRunner({ team }: Engine, { output, quanta, lambda, rate }: LinearStep) {
  const { layout, memory } = team.context;
  return (step: number, numLeaves: number, numParts = 0, models = 0): void => {
    const args = layout.args >>> 3;
    memory.f64[args + FitArgs.step] = step;
    memory.f64[args + FitArgs.output] = output;
    memory.f64[args + FitArgs.numLeaves] = numLeaves;
    memory.f64[args + FitArgs.numParts] = numParts;
    memory.f64[args + FitArgs.models] = models;
    // Where histograms are wide, the gradients are whole numbers by now.
    memory.f64[args + FitArgs.fixG] = quanta.wide ? quanta.fixG : 1;
    memory.f64[args + FitArgs.fixH] = quanta.wide ? quanta.fixH : 1;
    memory.f64[args + FitArgs.lambda] = lambda;
    memory.f64[args + FitArgs.rate] = rate;
    team.run(Op.fitLinear);
  };
}

/** Records that threads read features from and write models to, and where each is. */
function recordsOf(paths: readonly (readonly number[])[], least: Float64Array) {
  const places: number[] = [];
  let length = paths.length;
  for (const path of paths) {
    places.push(length);
    length += 3 + 4 * path.length;
  }
  const numbers = new Float64Array(length);
  numbers.set(places);
  paths.forEach((path, part) => {
    numbers.set([path.length, ...path, ...path.map((feature) => least[feature])], places[part]);
  });
  return { numbers, places };
}

/** The model in a record; undefined where there is none, or none of its features says anything. */
function readTerms(numbers: Float64Array, at: number): LeafTerms | undefined {
  const size = numbers[at];
  const out = at + 1 + 2 * size;
  const count = numbers[out];
  if (count <= 0) return undefined;
  return {
    constant: numbers[out + 1],
    features: Array.from(numbers.subarray(out + 2, out + 2 + count)),
    coefficients: Array.from(numbers.subarray(out + 2 + size, out + 2 + size + count)),
  };
}
