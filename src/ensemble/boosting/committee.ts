/**
 * A committee of boosted models that grow side by side on the same bins: member k learns from all
 * rows but those of part k, and the members' scores are averaged. Each row is judged by the member
 * that has not seen it, so that the committee knows its own error (out-of-fold) while it grows, and
 * all members stop at the round that is best for them together.
 *
 * Averaging over held-out parts: Parmanto, Munro & Doyle, "Reducing Variance of Committee Prediction
 * with Resampling Techniques", Connection Science 8 (1996), cross-validation committees.
 *
 * @module
 */
import { teamOfOne } from "../../grow/histogram/operations/solo.ts";
import { createContext } from "../../grow/histogram/workspace/context.ts";
import type { Engine } from "../engine/engine.ts";
import type { BoostPlan } from "../plan.ts";

/** Name under which reports carry the metrics of rows judged by members that have not seen them. */
export const OUT_OF_FOLD = "outOfFold";

/** Training scores of each member. */
export interface Committee {
  readonly members: number;
  /** Does something with an engine whose training scores are those of a member. */
  withMember<T>(member: number, work: (engine: Engine) => T): T;
  /** Scores of every row by the member that has not learnt from it, output-major; in `out` where given. */
  outOfFold(out?: Float64Array): Float64Array;
  /** Scores of every row by all members, output-major. */
  average(out?: Float64Array): Float64Array;
}

/** Starts a committee with the engine's scores; undefined where the plan has none. */
export function createCommittee(engine: Engine, plan: BoostPlan): Committee | undefined {
  if (plan.committee === undefined) return undefined;
  const { members, partOf } = plan.committee;
  const numRows = partOf.length;
  for (let member = 0; member < members; member++) {
    engine.memberRaw(member).set(plan.committee.scores?.[member] ?? engine.raw(0));
  }
  const { length } = engine.raw(0);
  let joined: Float64Array | undefined;
  let mean: Float64Array | undefined;
  // The memory may have grown since: its views are asked for again.
  const allScores = () => Array.from({ length: members }, (_, member) => engine.memberRaw(member));
  const isAlone = engine.team.context.layout.numThreads === 1;
  const engines = isAlone
    ? Array.from({ length: members }, (_, member) => engineOf(engine, member))
    : [];
  return {
    members,
    withMember(member, work) {
      if (isAlone) return work(engines[member]);
      engine.raw(0).set(engine.memberRaw(member));
      const result = work(engine);
      engine.memberRaw(member).set(engine.raw(0));
      return result;
    },
    outOfFold(out = joined ??= new Float64Array(length)) {
      const scores = allScores();
      for (let at = 0; at < length; at += numRows) {
        for (let row = 0; row < numRows; row++) out[at + row] = scores[partOf[row]][at + row];
      }
      return out;
    },
    average(out = mean ??= new Float64Array(length)) {
      out.fill(0);
      for (const of of allScores()) {
        for (let i = 0; i < length; i++) out[i] += of[i] / members;
      }
      return out;
    },
  };
}

/** The engine with a member's scores instead of the training set's: on one thread nothing is copied. */
function engineOf(engine: Engine, member: number): Engine {
  const { memory, kernels, layout } = engine.team.context;
  const [train, ...valid] = layout.sets;
  const own = { ...layout, sets: [{ ...train, raw: layout.members!.raw[member] }, ...valid] };
  return {
    ...engine,
    team: teamOfOne(createContext(memory, kernels, own, 0)),
    raw: (set) => set === 0 ? engine.memberRaw(member) : engine.raw(set),
  };
}
