/**
 * An entry of the table of commands; and the one that the binary carries apart, since it is to start soon.
 *
 * @module
 */
import type { Command, CommandBody, Listed } from "./common/command.ts";

/** A command that is loaded when it is run. */
export function listed(name: string, about: string, body: () => Promise<CommandBody>): Listed {
  return { name, about, load: async (): Promise<Command> => ({ name, about, ...await body() }) };
}

/** `treeline serve` in the table. */
export const SERVE = { name: "serve", about: "Serve models over HTTP" } as const;
