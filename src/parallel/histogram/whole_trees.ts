/**
 * What threads need to grow whole trees by themselves.
 *
 * @module
 */
export { growTreesAlone } from "../../grow/histogram/alone.ts";
export { growMembersAlone } from "../../grow/histogram/members.ts";
