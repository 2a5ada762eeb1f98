/**
 * An entry of the table of commands; and the one that the binary carries apart, since it is to start soon.
 *
 * @module
 */
import type { Command, CommandBody, Listed } from "./command.ts";

/** A command that is loaded when it is run. */
export function listed(name: string, about: string, body: () => Promise<CommandBody>): Listed {
  return { name, about, load: async (): Promise<Command> => ({ name, about, ...await body() }) };
}

/** `treeline serve`. */
export const SERVE: Listed = listed(
  "serve",
  "Serve models over HTTP",
  async () => (await import("./commands/serve.ts")).serveCommand,
);
