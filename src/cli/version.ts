/**
 * The version of the package, for the commands.
 *
 * @module
 */
export { VERSION } from "../util/version.ts";
