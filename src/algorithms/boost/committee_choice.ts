/**
 * Whether boosting would train a committee of some data, before it does.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { resolveLoss } from "../../loss/losses.ts";
import { canonicalParams, resolveParams } from "../../params/resolve.ts";
import type { ParamInput } from "../../params/types.ts";
import { committeeMembers } from "./committee.ts";
import { countedData } from "./learnt_rows.ts";

/** Whether `trainBoost` with these parameters makes a committee. */
export function trainsCommittee(data: Dataset, params: ParamInput): boolean {
  const resolved = resolveParams("boost", params);
  const { loss, data: shaped } = resolveLoss(resolved.loss, data, resolved);
  const counted = countedData(shaped, loss, resolved);
  return committeeMembers(counted, loss.numOutputs, resolved, canonicalParams("boost", params)) > 1;
}
