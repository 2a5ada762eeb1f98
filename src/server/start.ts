/**
 * A server process: models from the environment, a listener, reloading, and an orderly end.
 *
 * @module
 */
import { exitCodeOf, TreelineError } from "../errors.ts";
import { readEnv } from "../runtime/env.ts";
import { type HttpListener, listenHttp, onStopSignal } from "../runtime/listen.ts";
import { exitProcess, printLine } from "../runtime/process.ts";
import { createApp, type ServerApp } from "./app.ts";
import { limitsFromEnv, numberFromEnv, optionsFromEnv } from "./env_options.ts";
import { type ModelStore, openModelStore } from "./store.ts";

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

/** Milliseconds in which running requests are answered after SIGINT or SIGTERM. */
const GRACE = 4500;

/**
 * Starts serving. `import.meta.main` is true under `deno serve` as well, so the process listens
 * itself only when nobody has called `onListen` once its modules are loaded.
 */
export async function startServer({ isMain, args }: StartOptions): Promise<Started> {
  const sources = args.length > 0 ? args : (readEnv("TREELINE_MODELS") ?? "models").split(",");
  let store: ModelStore;
  let app: ServerApp;
  try {
    store = await openModelStore(sources, limitsFromEnv());
    app = createApp({ models: store.registry, ...optionsFromEnv() });
  } catch (error) {
    if (!isMain || !(error instanceof TreelineError)) throw error;
    printLine(JSON.stringify({ level: "error", message: error.message, code: error.code }));
    exitProcess(exitCodeOf(error));
  }
  let served = false;
  const say = () => note(`serving ${store.registry.names().join(", ")}`);
  if (isMain) {
    let listener: HttpListener | undefined;
    const timer = reloadModels(store);
    onStopSignal((signal) => {
      note(`${signal}: answering what is running`);
      clearInterval(timer);
      endServing(app, listener).then(() => exitProcess(0));
    });
    setTimeout(async () => {
      if (served) return;
      listener = await listenHttp(app.fetch, {
        port: numberFromEnv("PORT", numberFromEnv("AIP_HTTP_PORT", 8000)),
        hostname: readEnv("HOST") ?? "0.0.0.0",
      });
      say();
      note(`listening on http://${listener.hostname}:${listener.port}`);
    });
  }
  return {
    fetch: app.fetch,
    onListen: (address) => {
      served = true;
      say();
      // A Unix socket has a path instead.
      const { hostname, port } = address as { readonly hostname?: string; readonly port?: number };
      if (port !== undefined) note(`listening on http://${hostname}:${port}`);
    },
  };
}

/** Follows the models' files. */
function reloadModels(store: ModelStore): ReturnType<typeof setInterval> | undefined {
  const seconds = numberFromEnv("TREELINE_RELOAD_SECONDS", 5);
  if (seconds <= 0) return undefined;
  return setInterval(async () => {
    for (const line of await store.refresh()) note(line);
  }, seconds * 1000);
}

/** Answers running requests, for as long as the platform lets us. */
async function endServing(app: ServerApp, listener: HttpListener | undefined): Promise<void> {
  const drained = app.drain(GRACE);
  await Promise.all([drained, listener?.stop(GRACE)]);
}

function note(message: string): void {
  printLine(JSON.stringify({ time: new Date().toISOString(), level: "info", message }));
}
