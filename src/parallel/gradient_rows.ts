/**
 * Gradients of a round as a task of several threads: each takes blocks of rows (ranking: the queries
 * that begin in them). A row's gradients depend on nothing that another thread writes.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { lossOfRecipe } from "../loss/losses.ts";
import type { LossRecipe } from "../loss/recipe.ts";
import { blocksOf } from "../metric/job.ts";
import type { Task } from "./team_tasks.ts";

/** What all threads see; output-major. */
export interface GradientRows {
  readonly recipe: LossRecipe;
  readonly labels: Labels;
  readonly raw: Float64Array;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
}

/** Makes the task: one step. */
export function gradientTask({ recipe, labels, raw, gradient, hessian }: GradientRows): Task {
  const loss = lossOfRecipe(recipe);
  const { count, start } = blocksOf(labels.values.length);
  return {
    run(_step, next) {
      for (let block = next(); block < count; block = next()) {
        loss.gradients(labels, raw, gradient, hessian, start(block), start(block + 1));
      }
    },
  };
}
