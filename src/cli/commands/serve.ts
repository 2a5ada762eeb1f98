/**
 * `treeline serve MODEL…`.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import { readEnv } from "../../runtime/env.ts";
import { createApp } from "../../server/app.ts";
import type { CommandBody } from "../common/command.ts";
import { EMBEDDED, modelName, openScorer } from "../input/models.ts";

/** Milliseconds in which running requests are answered after Ctrl-C. */
const GRACE = 4500;

/** Serves models over HTTP. */
export const serveCommand: CommandBody = {
  arguments: [{
    name: "MODEL",
    about: "Paths, each served under its file name; NAME=PATH gives another name",
    required: false,
    many: true,
  }],
  groups: [{
    title: "Listening",
    flags: [
      {
        name: "port",
        short: "p",
        kind: "number",
        value: "N",
        about: "Port; 0 takes a free one",
        default: "8000",
      },
      {
        name: "host",
        kind: "text",
        value: "NAME",
        about: "Address to listen on",
        default: "127.0.0.1",
      },
    ],
  }],
  examples: ["treeline serve adult.tlm --port 8000", "treeline serve income=adult.tlm risk.tlm"],
  async run({ args, flags, io, out }) {
    const given = args.length > 0 ? args : Object.keys(io.embedded ?? {}).map((n) => EMBEDDED + n);
    if (given.length === 0) throw new UsageError("E_USAGE", "Cannot serve: MODEL is missing");
    if (readEnv("TREELINE_TOKENS") !== undefined) {
      throw new UsageError(
        "E_USAGE",
        "Cannot serve with TREELINE_TOKENS: this command would answer everybody; unset it, or run server.ts",
      );
    }
    const models = new Map<string, Awaited<ReturnType<typeof openScorer>>>();
    for (const argument of given) {
      const [, own, path] = /^([A-Za-z0-9_.-]+)=(.+)$/.exec(argument) ??
        [undefined, undefined, argument];
      const name = own ?? modelName(path!);
      if (models.has(name)) {
        throw new UsageError("E_USAGE", `Cannot serve two models as "${name}": use NAME=PATH`);
      }
      models.set(name, await openScorer({ io, out }, path!));
    }
    const port = flags.number("port") ?? 8000;
    if (!Number.isInteger(port) || port < 0 || port > 65535) {
      throw new UsageError("E_USAGE", `Cannot use --port ${port}: expected 0 to 65535`);
    }
    const app = createApp({ models });
    const hostname = flags.text("host") ?? "127.0.0.1";
    const stop = new AbortController();
    const { interrupt } = io;
    interrupt.addEventListener("abort", () => {
      app.drain(GRACE).then(() => stop.abort(interrupt.reason));
    });
    const server = await io.listen((request) => app.fetch(request), {
      port,
      hostname,
      signal: stop.signal,
    });
    out.note(`serving ${[...models.keys()].join(", ")} at ${server.url} (Ctrl-C stops)`);
    if (out.json) {
      await out.result({ url: server.url, models: [...models.keys()] }, "");
    }
    await server.finished;
  },
};
