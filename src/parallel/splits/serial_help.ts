/**
 * What helpers do for the methods that repeat another library's arithmetic besides growing trees:
 * gradients, leaves that losses set, scores and metrics of the sets that are followed.
 *
 * @module
 */
import type { EarlyHelpers } from "./early_helpers.ts";
import {
  leadGradients,
  type LossPlan,
  lossPlan,
  type SharedGradients,
} from "../rows/serial_loss.ts";
import { leadSets, type SetsPlan, setsPlan, type SharedSets } from "../rows/serial_sets.ts";
import type { SerialWork } from "../rows/serial_work.ts";
import { type Helpers, openHelpers } from "./helpers.ts";
import { controlOf, type HelperPlan } from "./split_worker.ts";

/** What a run may leave to its threads. */
export interface SerialShares {
  readonly gradients?: SharedGradients | undefined;
  readonly sets?: SharedSets | undefined;
}

/** Starts helpers that know a plan and all else that threads share. */
export async function openSerialHelpers(
  plan: HelperPlan,
  threads: number,
  work: SerialWork,
  early?: EarlyHelpers,
): Promise<{ readonly helpers: Helpers; readonly shares: SerialShares }> {
  const loss = lossPlan(work.loss, work.labels);
  const sets = planOfSets(work, loss);
  const helpers = await openHelpers(plan, threads, { loss, sets }, {
    early: early?.take(),
    signal: work.signal,
  });
  const control = controlOf(plan);
  return {
    helpers,
    shares: {
      gradients: loss && leadGradients(loss, control, helpers),
      sets: sets && leadSets(sets, work.metrics, control, helpers),
    },
  };
}

function planOfSets(work: SerialWork, loss: LossPlan | undefined): SetsPlan | undefined {
  const { valid, judged, metrics, single, linear } = work;
  const { numOutputs, postprocess } = work.loss;
  const train = judged && loss && { labels: judged, raw: loss.raw };
  return setsPlan([train, ...valid], { numOutputs, postprocess, metrics, single, linear });
}
