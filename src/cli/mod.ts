/**
 * The command line as a function.
 *
 * @module
 */
export type { CliIo, Handler, Listening, ListenOptions } from "./common/io.ts";
export { runCli } from "./main.ts";
export { VERSION } from "../util/version.ts";
