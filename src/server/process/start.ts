/**
 * A server process: models from the environment, a listener, reloading, and an orderly end.
 *
 * @module
 */
import { exitCodeOf, TreelineError } from "../../errors.ts";
import { readEnv } from "../../runtime/env.ts";
import {
  type HttpListener,
  listenHttp,
  onStopSignal,
  placeText,
  postponeStop,
} from "../../runtime/listen.ts";
import { exitProcess, printLine } from "../../runtime/process.ts";
import { createApp } from "../app.ts";
import type { ServerApp } from "../options.ts";
import { limitsFromEnv, numberFromEnv, optionsFromEnv, wholeFromEnv } from "./env_options.ts";
import { endServing } from "./drain.ts";
import type { ServeWorkers } from "./workers.ts";
import { openFileStore } from "../models/file_store.ts";
import type { ModelStore } from "../models/types.ts";

/** What shares models with threads also writes them: one thread alone starts without it. */
const loadWorkers = () => import("./workers.ts");

/** How the process was started. */
export interface StartOptions {
  /** `import.meta.main` of the entry; true under `deno run` and `deno serve`. */
  readonly isMain: boolean;
  /** Files, folders and addresses of models; none means `TREELINE_MODELS`, then `models`. */
  readonly args: readonly string[];
}

/** Handler and callback as `deno serve` takes them. */
export interface Started {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** `deno serve` calls it when it listens: then this process must not listen again. */
  readonly onListen: (address: object) => void;
}

/** Seconds between two looks at the models' files: timers wait 2³¹ − 1 ms at most, and longer ones not at all. */
const LONGEST = 2_147_483;

/** Milliseconds in which running requests are answered after SIGINT or SIGTERM. */
const GRACE = 4500;

/**
 * Starts serving. `import.meta.main` is true under `deno serve` as well, so the process listens
 * itself only when nobody has called `onListen` once its modules are loaded.
 */
export async function startServer({ isMain, args }: StartOptions): Promise<Started> {
  const sources = args.length > 0 ? args : (readEnv("TREELINE_MODELS") || "models").split(",");
  let store: ModelStore;
  let app: ServerApp;
  let port: number;
  let count: number;
  let seconds: number;
  try {
    port = wholeFromEnv("PORT", wholeFromEnv("AIP_HTTP_PORT", 8000, 65535), 65535);
    count = wholeFromEnv("TREELINE_WORKERS", 1, 1024);
    seconds = numberFromEnv("TREELINE_RELOAD_SECONDS", 5, LONGEST);
    store = await openFileStore(sources, limitsFromEnv());
    app = createApp({ models: store.registry, ...optionsFromEnv() });
  } catch (error) {
    if (!isMain) throw error;
    return endWith(error);
  }
  let served = false;
  let closeServe: (() => void) | undefined;
  const say = () => note(`serving ${store.registry.names().join(", ")}`);
  if (isMain) {
    let listener: HttpListener | undefined;
    let workers: ServeWorkers | undefined;
    let starting: Promise<ServeWorkers> | undefined;
    const timer = reloadModels(store, seconds, () => workers);
    onStopSignal((signal) => {
      note(`${signal}: answering what is running`);
      clearInterval(timer);
      const stopping = starting?.then((all) => all.stop(GRACE), () => {});
      Promise.all([endServing(app, listener, GRACE, closeServe), stopping])
        .then(() => exitProcess(0));
    });
    const listen = async () => {
      if (served) return;
      const address = { port, hostname: readEnv("HOST") || "0.0.0.0" };
      if (count > 1) {
        // Those that listen already may have requests when it is time to stop.
        starting = loadWorkers().then((all) => all.startWorkers(store.registry, count, address));
        workers = await starting;
        for (const problem of workers.unread) note(`cannot load ${problem}`);
      } else listener = await listenHttp(app.fetch, address);
      say();
      const at = placeText(address.hostname, workers?.port ?? listener!.port);
      note(`listening on http://${at}${count > 1 ? `, ${count} threads` : ""}`);
    };
    setTimeout(() => listen().catch(endWith));
  }
  return {
    fetch: app.fetch,
    onListen: (address) => {
      served = true;
      if (isMain) closeServe = postponeStop();
      say();
      // A Unix socket has a path instead.
      const { hostname, port } = address as { readonly hostname?: string; readonly port?: number };
      if (port !== undefined) note(`listening on http://${placeText(hostname!, port)}`);
    },
  };
}

/** Ends the process with what is wrong; a bug is shown with its stack. */
function endWith(error: unknown): never {
  if (!(error instanceof TreelineError)) throw error;
  printLine(JSON.stringify({ level: "error", message: error.message, code: error.code }));
  return exitProcess(exitCodeOf(error));
}

/** Follows the models' files, and hands what changed to the threads. */
function reloadModels(
  store: ModelStore,
  seconds: number,
  workers: () => ServeWorkers | undefined,
): ReturnType<typeof setInterval> | undefined {
  if (seconds <= 0) return undefined;
  let isLooking = false;
  let isBehind = false;
  let problem = "";
  return setInterval(async () => {
    if (isLooking) return; // what loads longer would be overtaken, and then put back
    isLooking = true;
    try {
      const did = await store.refresh();
      for (const line of did) note(line);
      const threads = workers();
      isBehind ||= did.length > 0 || (threads?.unread.length ?? 0) > 0;
      if (isBehind) await threads?.update(store.registry);
      isBehind = false;
      problem = "";
    } catch (error) {
      const { message } = error as Error;
      if (message !== problem) note(`threads keep their models: ${message}`);
      problem = message;
    } finally {
      isLooking = false;
    }
  }, seconds * 1000);
}

function note(message: string): void {
  printLine(JSON.stringify({ time: new Date().toISOString(), level: "info", message }));
}
