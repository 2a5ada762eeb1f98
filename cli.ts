/**
 * The command `treeline`.
 *
 * @module
 */
import { runCli } from "./src/cli/mod.ts";
import { systemIo } from "./src/runtime/system_io.ts";

if (import.meta.main) Deno.exit(await runCli(Deno.args, systemIo()));
