/**
 * A request on its way, and what all of them share.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import type { Arriving } from "../admission/load.ts";
import type { Tokens } from "../admission/auth.ts";
import type { TakeToken } from "../admission/rate.ts";
import type { Problem } from "../answer/problem.ts";
import type { SagemakerOutput } from "../answer/sagemaker_outputs.ts";
import type { ModelRegistry } from "../models/types.ts";
import type { WriteLine } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

/** One request on its way; handlers note what the log line should say. */
export interface Exchange {
  readonly request: Request;
  /** A part of the path by its name in the route, decoded. */
  readonly param: (name: string) => string | undefined;
  /** A member of the query, decoded. */
  readonly query: (name: string) => string | undefined;
  readonly method: string;
  readonly route: string;
  /** "" until it is asked for: see `idOf`. */
  requestId: string;
  /** Milliseconds of `performance.now()`. */
  readonly started: number;
  model: string | undefined;
  version: string | undefined;
  rows: number;
  code: string | undefined;
  features: unknown;
  /** What was noticed, once rows are scored at once. */
  report: InputReport | undefined;
  /** Set where the answer may hold many numbers: see long_answer.ts. */
  long: boolean;
  /** Set when the answer was made with all its headers. */
  whole: boolean;
  /** Set by handlers whose answer goes on after they return; then they call `endStream`. */
  streaming: boolean;
  /** What `endStream` does, once the head of the answer is known. */
  end: (() => void) | undefined;
  /** Whether the answer has gone, to its last piece. */
  done: boolean;
}

/** What all requests share. */
export interface Server {
  readonly registry: ModelRegistry;
  readonly metrics: Metrics;
  readonly tokens: Tokens | undefined;
  readonly takeToken: TakeToken | undefined;
  /** Model of the routes that name none, where there are several. */
  readonly defaultModel: string | undefined;
  /** What SageMaker answers hold. @default the score */
  readonly sagemakerOutput: readonly SagemakerOutput[] | undefined;
  /** Path that is taken away from requests before they come here; "" for none. */
  readonly basePath: string;
  /** Requests in flight above which new ones are refused. */
  readonly maxConcurrent: number;
  /** Bodies that are waited for. */
  readonly arriving: Arriving;
  /** Bytes of answers that wait for their readers: see long_answer.ts. */
  readonly unread: { bytes: number; readonly most: number };
  /** Milliseconds that a request may wait for its turn. */
  readonly maxWaitMillis: number;
  /** Milliseconds of scoring that one request may take. */
  readonly maxMillis: number;
  readonly log: WriteLine | undefined;
  /** Failures that the log has. */
  readonly logged: WeakSet<object>;
  readonly logFeatures: boolean;
  /** True once the process is asked to stop: it answers what it has and says so to probes. */
  draining: boolean;
}

/** Answers within an exchange. */
export type ExchangeHandler = (exchange: Exchange) => Response | Promise<Response>;
/** An error as a protocol writes it. */
export type ErrorStyle = (problem: Problem) => Response;

/** How a route is guarded. */
export interface EndpointOptions {
  /** Route as metrics, logs and spans name it. */
  readonly route: string;
  /** Probes are answered without token and under any load. @default false */
  readonly open?: boolean;
  /** @default problem+json */
  readonly errors?: ErrorStyle;
}
