/**
 * SHAP values on worker threads. A row is explained by itself, so the bits are those of one thread.
 *
 * @module
 */
import { checkModel, checkOptions } from "../door.ts";
import type { ColumnOptions, PredictInput } from "../model/encode.ts";
import type { Model } from "../model/model.ts";
import { openTasks, threadsOf } from "../parallel/tasks.ts";
import { eachEncodedBlock } from "./encoded_rows.ts";
import { explainBlocks, SHAP_WORKER } from "./shap_blocks.ts";
import { namesOf, planShap, type ShapOptions, type ShapValues, withOffset } from "./tree_shap.ts";

/** How to make a pool. */
export interface ShapPoolOptions extends Pick<ShapOptions, "background" | "rounds"> {
  /** Worker threads, 1 or more. @default all cores */
  readonly threads?: number;
  /** Told once where threads are wanted and not to be had. */
  readonly onWarning?: (message: string) => void;
}

/** A model that is explained on several threads; made by {@linkcode createShapPool}. */
export interface ShapPool extends Disposable {
  /** Worker threads; 0 where the calling thread explains. */
  readonly numThreads: number;
  /** What `explainShap` gives; call it again without waiting to use all threads on small inputs. */
  explain(input: PredictInput, options?: ColumnOptions): Promise<ShapValues>;
  /** Ends the threads; what is not answered is refused. */
  close(): void;
}

/**
 * Starts threads that explain predictions, as `explainShap` does on one.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` when `threads` is no whole number from 1 on,
 * `E_PARAM_CONFLICT` for models that SHAP does not explain.
 *
 * @example Two threads
 * ```ts ignore
 * using pool = createShapPool(model, { threads: 2 });
 * const { values, bias } = await pool.explain(rows);
 * ```
 */
export function createShapPool(model: Model, options: ShapPoolOptions = {}): ShapPool {
  checkModel("createShapPool", model);
  checkOptions<ShapPoolOptions>("createShapPool", options, {
    background: "any",
    rounds: "whole",
    threads: "any",
    onWarning: "function",
  });
  const { plan, bias } = planShap(model, options);
  const { numOutputs } = plan.ensemble;
  const features = namesOf(plan.schema);
  const numFeatures = features.length;
  const pool = openTasks({
    threads: threadsOf(options.threads),
    setup: plan,
    work: explainBlocks,
    open: () =>
      new Worker(new URL("./shap_worker.ts", import.meta.url), {
        type: "module",
        name: SHAP_WORKER,
      }),
    onWarning: options.onWarning,
  });
  const close = () => pool.close();
  return {
    numThreads: pool.numThreads,
    close,
    [Symbol.dispose]: close,
    async explain(input, encode = {}) {
      checkOptions<ColumnOptions>("explain", encode, { columns: ["strict", "lenient"] });
      let values = new Float64Array(0);
      const parts: Promise<void>[] = [];
      const { rows, offset } = eachEncodedBlock(
        model,
        input,
        encode,
        (numRows) => values = new Float64Array(numRows * numOutputs * numFeatures),
        (x, from, count) => {
          const place = (part: Float64Array) => values.set(part, from * numOutputs * numFeatures);
          parts.push(pool.run(x.slice(0, count * numFeatures)).then(place));
        },
        Math.max(1, pool.numThreads),
      );
      await Promise.all(parts);
      const shap = { values, bias: bias.slice(), rows, numOutputs, numFeatures, features };
      return withOffset(shap, offset, model);
    },
  };
}
