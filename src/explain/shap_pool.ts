/**
 * SHAP values on worker threads. A row is explained by itself, so the bits are those of one thread.
 *
 * @module
 */
import { checkModel, checkOptions } from "../door.ts";
import { ModelError } from "../errors.ts";
import type { ColumnOptions, PredictInput } from "../model/encode.ts";
import type { Model } from "../model/model.ts";
import { openTasks, threadsOf } from "../parallel/tasks.ts";
import { eachEncodedBlock } from "./encoded_rows.ts";
import { explainBlocks, SHAP_WORKER } from "./shap_blocks.ts";
import { namesOf, planShap, type ShapOptions, type ShapValues, withOffset } from "./tree_shap.ts";

/** Options of {@linkcode createShapPool}. */
export interface ShapPoolOptions extends Pick<ShapOptions, "background" | "rounds"> {
  /** Worker threads, 1 or more. @default all cores */
  readonly threads?: number;
  /** Called once if threads cannot be started and the calling thread does the work. */
  readonly onWarning?: (message: string) => void;
}

/** A model that is explained on several threads; made by {@linkcode createShapPool}. */
export interface ShapPool extends Disposable {
  /** Number of worker threads; 0 if the calling thread does the work. */
  readonly numThreads: number;
  /**
   * Explains rows as {@linkcode explainShap} does. To use all threads for small inputs, call it
   * several times without waiting.
   *
   * @throws {ModelError} `E_MODEL_SCHEMA` for rows that do not fit the model, `E_MODEL_LIMIT`
   * after `close`.
   */
  explain(input: PredictInput, options?: ColumnOptions): Promise<ShapValues>;
  /** Ends the threads. Calls that are still running reject with `E_MODEL_LIMIT`. */
  close(): void;
}

/**
 * Starts worker threads that explain predictions; results are those of {@linkcode explainShap}, bit
 * for bit.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` unless `threads` is a whole number of 1 or more,
 * `E_PARAM_CONFLICT` for models that SHAP cannot explain.
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
  const close = () =>
    pool.close(new ModelError("E_MODEL_LIMIT", "Cannot explain: the pool is closed"));
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
