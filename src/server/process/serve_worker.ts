/**
 * A thread that serves; see workers.ts.
 *
 * @module
 */
import { decodeModel } from "../../format/binary.ts";
import { type HttpListener, listenHttp } from "../../runtime/listen.ts";
import { createApp } from "../app.ts";
import type { ServerApp } from "../options.ts";
import { endServing } from "./drain.ts";
import { limitsFromEnv, optionsFromEnv } from "./env_options.ts";
import { joinThreads } from "../observe/gather.ts";
import type { Model } from "../../model/model.ts";
import { createRegistry } from "../models/registry.ts";
import type { ModelEntry, ModelRegistry, ModelSource } from "../models/types.ts";
import type { SharedModel, WorkerAnswer, WorkerOrder } from "./workers.ts";

interface Thread {
  readonly registry: ModelRegistry;
  readonly app: ServerApp;
  readonly listener: HttpListener;
  /** Of the models as they are served. */
  readonly stamps: Map<string, string>;
}

/** The parts of a worker's global scope that are used. */
interface WorkerScope {
  onmessage: (event: MessageEvent<WorkerOrder>) => void;
  postMessage(message: WorkerAnswer): void;
}

let thread: Thread | undefined;

/** @param registry Has versions that stay, with what they counted. */
function entryOf(model: SharedModel, registry?: ModelRegistry): ModelEntry {
  const sourceOf = ([label, file, version]: SharedModel["versions"][number]): ModelSource => {
    const known = registry?.peek(model.name, label);
    return known && known.version === version ? known.model : () => open(file);
  };
  return {
    versions: new Map(model.versions.map((one) => [one[0], sourceOf(one)])),
    aliases: new Map(model.aliases),
    current: model.current,
    ...(model.shadow === undefined ? {} : { shadow: model.shadow }),
  };
}

function open(file: SharedModel["versions"][number][1]): Model {
  if (typeof file === "string") throw new Error(file);
  return decodeModel(file);
}

async function obey(order: WorkerOrder): Promise<Omit<WorkerAnswer, "id">> {
  if (order.kind === "serve") {
    const entries = order.models.map((model) => [model.name, entryOf(model)] as const);
    const registry = createRegistry(entries, limitsFromEnv());
    const { port, hostname, peers } = order;
    const otherMetrics = joinThreads(peers, () => app.metrics());
    const app = createApp({ models: registry, ...optionsFromEnv(), otherMetrics });
    const listener = await listenHttp(app.fetch, { port, hostname, reusePort: true });
    const stamps = new Map(order.models.map(({ name, stamp }) => [name, stamp]));
    thread = { registry, app, listener, stamps };
    return { port: listener.port };
  }
  if (thread === undefined) return {};
  if (order.kind === "models") {
    const names = new Set(order.models.map(({ name }) => name));
    for (const model of order.models) {
      if (thread.stamps.get(model.name) === model.stamp) continue; // what was counted stays counted
      const entry = entryOf(model, thread.registry);
      const isUnread = model.versions.some(([label, file]) =>
        label === model.current && typeof file === "string"
      );
      if (isUnread) thread.registry.set(model.name, entry);
      else await thread.registry.replace(model.name, entry);
      thread.stamps.set(model.name, model.stamp);
    }
    for (const name of thread.registry.names()) {
      if (names.has(name)) continue;
      thread.registry.delete(name);
      thread.stamps.delete(name);
    }
    return {};
  }
  await endServing(thread.app, thread.listener, order.graceMillis);
  return {};
}

const scope = globalThis as unknown as WorkerScope;
scope.onmessage = async ({ data }) => {
  const { id } = data;
  try {
    scope.postMessage({ id, ...await obey(data) });
  } catch (error) {
    scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
