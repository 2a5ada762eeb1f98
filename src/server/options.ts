/**
 * What a server may be told, and what `createApp` makes of it.
 *
 * @module
 */
import type { Hono } from "hono";
import type { Tokens } from "./admission/auth.ts";
import type { Limits } from "./admission/limits.ts";
import type { RateLimit } from "./admission/rate.ts";
import type { SagemakerOutput } from "./answer/sagemaker_outputs.ts";
import type { ModelEntry, ModelRegistry } from "./models/types.ts";
import type { WriteLine } from "./observe/log.ts";
import type { PlatformRoutes } from "./protocols/routes.ts";

/** Options of {@linkcode createApp}. */
export interface ServerOptions extends Partial<Limits> {
  /** Models by name, or a registry that may change while the server runs. */
  readonly models:
    | { readonly [name: string]: ModelEntry }
    | ReadonlyMap<string, ModelEntry>
    | ModelRegistry;
  /** Bearer tokens, one of which callers must send; probes need none. @default no token is needed */
  readonly tokens?: Tokens;
  /** Whether `/` shows the playground page. @default true, or false if there are tokens */
  readonly playground?: boolean;
  /** Origins whose pages may call the server: `"*"` or a list. @default none */
  readonly cors?: string | readonly string[];
  /** Model that answers on routes without a model name (`/invocations`). @default the only model */
  readonly defaultModel?: string;
  /** Contents of answers in SageMaker's protocol. @default the score */
  readonly sagemakerOutput?: readonly SagemakerOutput[];
  /** Additional paths for health checks and predictions, as Vertex AI chooses them. */
  readonly routes?: PlatformRoutes;
  /**
   * Public path of the application, such as `"/ml"`, if it is removed from requests before they arrive
   * here, as Hono's `mount()` and some proxies do. Links of the page and of the OpenAPI document use
   * it.
   *
   * @default the path of the requests
   */
  readonly basePath?: string;
  /** Requests per second for each caller. @default unlimited */
  readonly rateLimit?: RateLimit;
  /** Number of concurrent requests; further ones are answered with 503 at once. @default 1024 */
  readonly maxConcurrent?: number;
  /**
   * Milliseconds that a request may wait for others; one that would wait longer is answered with 503
   * at once.
   *
   * @default 2000
   */
  readonly maxWaitMillis?: number;
  /**
   * Milliseconds after which slow callers lose their place to a new request, if `maxConcurrent`
   * requests are in flight: a body that is still arriving is answered with 408, and a stream of lines
   * that is not read is cut off.
   *
   * @default 10000
   */
  readonly maxBodyMillis?: number;
  /**
   * Total number of bytes of long answers (256 kB and more) that may wait to be read. Beyond it,
   * callers who have not read for `maxBodyMillis` are cut off, and new answers of this length become
   * 503. The same limit, but at least `maxBytes`, holds for incomplete bodies (those above 512 kB or
   * of unknown length) and unfinished lines.
   *
   * @default 268435456
   */
  readonly maxUnreadBytes?: number;
  /** Milliseconds that the scoring of a request may take. @default 10000 */
  readonly maxMillis?: number;
  /** Receives a line of JSON for each request. @default no log */
  readonly log?: WriteLine;
  /** Whether log lines contain feature values. @default false */
  readonly logFeatures?: boolean;
  /** Returns the text of `/metrics` of other threads, to be added to this one's. @default none */
  readonly otherMetrics?: () => Promise<readonly string[]>;
}

/** A Hono application with a way to shut down gracefully. */
export interface ServerApp extends Hono {
  /**
   * Makes readiness probes fail, and resolves when no request is in flight, or after `maxMillis`
   * milliseconds.
   */
  drain(maxMillis: number): Promise<void>;
  /** The counters of this application as Prometheus text. */
  metrics(): string;
}
