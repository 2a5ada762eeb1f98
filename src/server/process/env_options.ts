/**
 * Options of a server process from environment variables; docs/http.md lists them.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import { readEnv } from "../../runtime/env.ts";
import { printLine } from "../../runtime/process.ts";
import type { ServerOptions } from "../app.ts";
import { SAGEMAKER_OUTPUTS, type SagemakerOutput } from "../types.ts";
import { DEFAULT_LIMITS, type Limits } from "../types.ts";

/**
 * A variable that holds a number of 0 or more.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
export function numberFromEnv(name: string, fallback: number): number {
  const text = readEnv(name);
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (value >= 0 && value < Infinity) return value;
  throw new ParameterError("E_PARAM_RANGE", `Cannot use ${name}=${text}: expected a number`, {
    details: { param: name },
  });
}

/** `TREELINE_MAX_ROWS`, `…_BYTES`, `…_COLUMNS`, `…_STRING`, `…_DEPTH`. */
export function limitsFromEnv(): Limits {
  return {
    maxRows: numberFromEnv("TREELINE_MAX_ROWS", DEFAULT_LIMITS.maxRows),
    maxBytes: numberFromEnv("TREELINE_MAX_BYTES", DEFAULT_LIMITS.maxBytes),
    maxColumns: numberFromEnv("TREELINE_MAX_COLUMNS", DEFAULT_LIMITS.maxColumns),
    maxString: numberFromEnv("TREELINE_MAX_STRING", DEFAULT_LIMITS.maxString),
    maxDepth: numberFromEnv("TREELINE_MAX_DEPTH", DEFAULT_LIMITS.maxDepth),
  };
}

/** Everything else: tokens, CORS, logs, load. */
export function optionsFromEnv(): Omit<ServerOptions, "models"> {
  const tokens = listFromEnv("TREELINE_TOKENS");
  const cors = listFromEnv("TREELINE_CORS");
  const basePath = readEnv("TREELINE_BASE_PATH");
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(cors === undefined ? {} : { cors: cors.includes("*") ? "*" : cors }),
    ...(basePath === undefined || basePath === "" ? {} : { basePath }),
    ...(readEnv("TREELINE_LOG") === "off" ? {} : { log: printLine }),
    logFeatures: readEnv("TREELINE_LOG_FEATURES") === "on",
    maxConcurrent: numberFromEnv("TREELINE_MAX_CONCURRENT", 1024),
    maxWaitMillis: numberFromEnv("TREELINE_MAX_WAIT_MILLIS", 2000),
    maxBodyMillis: numberFromEnv("TREELINE_MAX_BODY_MILLIS", 10_000),
    maxUnreadBytes: numberFromEnv("TREELINE_MAX_UNREAD_BYTES", 1 << 28),
    ...platformFromEnv(),
    maxMillis: numberFromEnv("TREELINE_MAX_MILLIS", 10_000),
  };
}

/** Words between commas, without spaces around them. */
function listFromEnv(name: string): string[] | undefined {
  return readEnv(name)?.split(",").map((word) => word.trim()).filter((word) => word !== "");
}

/** What SageMaker and Vertex AI say through the environment. */
function platformFromEnv(): Pick<ServerOptions, "routes" | "sagemakerOutput" | "defaultModel"> {
  const health = readEnv("AIP_HEALTH_ROUTE");
  const predict = readEnv("AIP_PREDICT_ROUTE");
  const output = readEnv("SAGEMAKER_INFERENCE_OUTPUT")?.split(",").map((key) => key.trim());
  const unknown = output?.find((key) => !(SAGEMAKER_OUTPUTS as readonly string[]).includes(key));
  if (unknown !== undefined) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use SAGEMAKER_INFERENCE_OUTPUT=${unknown}: expected ${SAGEMAKER_OUTPUTS.join(", ")}`,
    );
  }
  const defaultModel = readEnv("TREELINE_DEFAULT_MODEL");
  return {
    routes: {
      ...(health === undefined ? {} : { health }),
      ...(predict === undefined ? {} : { predict }),
    },
    ...(output === undefined ? {} : { sagemakerOutput: output as SagemakerOutput[] }),
    ...(defaultModel === undefined ? {} : { defaultModel }),
  };
}
