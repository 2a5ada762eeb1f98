/**
 * Serving models over HTTP: `createApp` makes a Hono application.
 *
 * @module
 */
export type { ServerApp, ServerOptions } from "./options.ts";
export { createApp, createRegistry } from "./create_app.ts";
export { type FeatureCard, type ModelCard } from "./models/card.ts";
export { type Problem } from "./answer/problem.ts";
export type {
  ModelEntry,
  ModelRegistry,
  ModelSource,
  ModelVersions,
  Served,
} from "./models/types.ts";
export type { Tokens } from "./admission/auth.ts";
export type { WriteLine } from "./observe/log.ts";
export type { PlatformRoutes } from "./protocols/routes.ts";
export type { RateLimit } from "./admission/rate.ts";
export { DEFAULT_LIMITS, type Limits } from "./admission/limits.ts";
export { SAGEMAKER_OUTPUTS, type SagemakerOutput } from "./answer/sagemaker_outputs.ts";
export { openModelStore } from "./models/store.ts";
export type { ModelStore } from "./models/types.ts";
export { type DescribedModel, openapi, type OpenApiOptions } from "./openapi/document.ts";
export {
  type Client,
  ClientError,
  type ClientModel,
  type ClientOptions,
  createClient,
  type PredictAnswer,
  type PredictRequestOptions,
} from "./client.ts";

// What its functions take.
export type * from "../model/public.ts";
