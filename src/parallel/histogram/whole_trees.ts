/**
 * Growing whole trees on a thread by itself: one module, which workers load where a run wants it.
 *
 * @module
 */
export { growTreesAlone } from "../../grow/histogram/alone.ts";
export { growMembersAlone } from "../../grow/histogram/members.ts";
