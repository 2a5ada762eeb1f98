/**
 * Several threads on one port, all scoring from one copy of each model: the bytes lie in shared
 * memory and every thread's model is a view of them.
 *
 * The kernel spreads connections over the threads (SO_REUSEPORT, Linux). Metrics are counted by
 * thread and added up by the one that is asked (gather.ts). Rate limits count by thread.
 *
 * @module
 */
import { encodeModel, sourceBytes } from "../../format/binary.ts";
import { checkFree } from "../../runtime/listen.ts";
import type { Model } from "../../model/model.ts";
import type { ModelRegistry } from "../models/types.ts";

type SharedVersion =
  | readonly [label: string, file: Uint8Array<SharedArrayBuffer>, version: string]
  | readonly [label: string, problem: string, version?: undefined];

/** One name with all its versions, as threads share it. */
export interface SharedModel {
  readonly name: string;
  readonly current: string;
  readonly shadow: string | undefined;
  readonly aliases: readonly (readonly [string, string])[];
  /** By label: a file in shared memory and its hash; or why one cannot be read, which updates try again. */
  readonly versions: readonly SharedVersion[];
  /** Changes when anything of it does. */
  readonly stamp: string;
}

/** What the main thread tells a thread, numbered: an order may come while another is obeyed. */
export type WorkerOrder = { readonly id: number } & Order;

type Order =
  | {
    readonly kind: "serve";
    readonly models: readonly SharedModel[];
    readonly port: number;
    readonly hostname: string;
    /** A port to each of the other threads. */
    readonly peers: readonly MessagePort[];
  }
  | { readonly kind: "models"; readonly models: readonly SharedModel[] }
  | { readonly kind: "stop"; readonly graceMillis: number };

/** Milliseconds that a thread may take to say that it has stopped, beyond its grace. */
const PATIENCE = 250;

/** Threads that serve. */
export interface ServeWorkers {
  /** Where they listen. */
  readonly port: number;
  /** Versions that could not be read, and why; the others are served. */
  readonly unread: readonly string[];
  /** Puts the registry's models, as they are now, in place of the old ones. */
  update(registry: ModelRegistry): Promise<void>;
  /** Answers what is running, then ends all threads: also one that is too busy to hear of it. */
  stop(graceMillis: number): Promise<void>;
}

/**
 * Starts `count` threads; resolves when all of them listen.
 *
 * @throws {SourceError} `E_IO_READ` where another program listens on the port.
 */
export async function startWorkers(
  registry: ModelRegistry,
  count: number,
  address: { readonly port: number; readonly hostname: string },
): Promise<ServeWorkers> {
  checkFree(address);
  let models = await shareModels(registry);
  const workers: Worker[] = [];
  const tell: ((order: Order, transfer?: MessagePort[]) => Promise<WorkerAnswer>)[] = [];
  const peers = connectAll(count);
  let { port } = address;
  for (let i = 0; i < count; i++) {
    const worker = new Worker(new URL("./serve_worker.ts", import.meta.url), { type: "module" });
    workers.push(worker);
    tell.push(ordersTo(worker));
    const answer = await tell[i](
      { kind: "serve", models, ...address, port, peers: peers[i] },
      peers[i],
    );
    port = answer.port ?? port; // port 0: the others join the one that was found
  }
  return {
    port,
    get unread() {
      return models.flatMap(({ name, versions }) =>
        versions.flatMap(([label, file]) =>
          typeof file === "string" ? [`${name}@${label}: ${file}`] : []
        )
      );
    },
    async update(registry) {
      models = await shareModels(registry);
      await Promise.all(tell.map((one) => one({ kind: "models", models })));
    },
    async stop(graceMillis) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMillis + PATIENCE);
      const stopped = tell.map((one) => one({ kind: "stop", graceMillis }));
      await Promise.race([Promise.allSettled(stopped), promise]);
      clearTimeout(timer);
      for (const worker of workers) worker.terminate();
    },
  };
}

/** A channel between each two threads: the ports of each. */
function connectAll(count: number): MessagePort[][] {
  const ports = Array.from({ length: count }, (): MessagePort[] => []);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      const { port1, port2 } = new MessageChannel();
      ports[i].push(port1);
      ports[j].push(port2);
    }
  }
  return ports;
}

/** What a thread says once it has obeyed. */
export interface WorkerAnswer {
  readonly id: number;
  readonly port?: number;
  readonly error?: string;
}

/** What tells a thread orders and waits for the answer to each; an error of the thread ends all waiting. */
function ordersTo(
  worker: Worker,
): (order: Order, transfer?: MessagePort[]) => Promise<WorkerAnswer> {
  const waiting = new Map<number, PromiseWithResolvers<WorkerAnswer>>();
  let last = 0;
  worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) one?.resolve(data);
    else one?.reject(new Error(data.error));
  };
  worker.onerror = (event) => {
    for (const one of waiting.values()) one.reject(new Error(event.message));
    waiting.clear();
  };
  return (order, transfer = []) => {
    const id = ++last;
    const one = Promise.withResolvers<WorkerAnswer>();
    waiting.set(id, one);
    worker.postMessage({ ...order, id } satisfies WorkerOrder, transfer);
    return one.promise;
  };
}

/**
 * Loads all versions and copies their files into shared memory, once for all threads. A damaged one
 * keeps no other from being served.
 */
async function shareModels(registry: ModelRegistry): Promise<SharedModel[]> {
  return await Promise.all(
    registry.names().map(async (name) => {
      const { labels, aliases, current, shadow } = registry.versions(name);
      const hashes: string[] = [];
      const versions = await Promise.all(labels.map(async (label): Promise<SharedVersion> => {
        try {
          const { model, version } = await registry.get(name, label);
          hashes.push(`${label}:${version}`);
          return [label, sharedBytes(model), version];
        } catch (error) {
          const { message, cause } = error as Error;
          return [label, cause instanceof Error ? cause.message : message];
        }
      }));
      const stamp = JSON.stringify([current, shadow, aliases, hashes.sort()]);
      return { name, current, shadow, aliases, versions, stamp };
    }),
  );
}

const shared = new WeakMap<Model, Uint8Array<SharedArrayBuffer>>();

/** The model's file in shared memory, copied once. */
function sharedBytes(model: Model): Uint8Array<SharedArrayBuffer> {
  let copy = shared.get(model);
  if (copy === undefined) {
    const bytes = sourceBytes(model) ?? encodeModel(model);
    copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
    copy.set(bytes);
    shared.set(model, copy);
  }
  return copy;
}
