/**
 * What a boosted model with linear leaves cannot be, each with the reason.
 *
 * @module
 */
import type { BoostPlan } from "../../ensemble/plan.ts";
import { ParameterError } from "../../errors.ts";

/**
 * Refuses what linear leaves would not keep.
 *
 * @param method The loop that boosts.
 * @throws {ParameterError} `E_PARAM_CONFLICT` naming what stands in the way.
 */
export function refuseLinear(plan: BoostPlan, method: "hist" | "exact" | "lightgbm"): void {
  if (plan.linear === undefined) return;
  const { loss, monotone, maxDeltaStep = 0 } = plan;
  const problems: readonly (readonly [boolean, what: string, why: string])[] = [
    [
      method === "exact",
      `treeMethod "exact"`,
      `XGBoost, whose trees it grows, has none; expected treeMethod "hist" or "lightgbm"`,
    ],
    [
      Array.from(monotone ?? []).some((direction) => direction !== 0),
      "monotone",
      "coefficients would break the order; expected leaves that are constants",
    ],
    [
      loss.refitLeaf !== undefined,
      `loss "${loss.name}"`,
      "it sets the constants of leaves by itself; expected a loss whose leaves are Newton steps, " +
      `such as "squared" or "pseudoHuber"`,
    ],
    [
      maxDeltaStep > 0,
      `maxDeltaStep ${maxDeltaStep}`,
      "a linear model has no largest value; expected maxDeltaStep 0",
    ],
  ];
  const [, what, why] = problems.find(([bad]) => bad) ?? [];
  if (what === undefined) return;
  throw new ParameterError("E_PARAM_CONFLICT", `Cannot use linearTree with ${what}: ${why}`, {
    details: { param: "linearTree", with: what },
  });
}
