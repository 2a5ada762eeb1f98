/**
 * Options of a server process from environment variables; docs/http.md lists them.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import { demandEnv, listEnv, readEnv } from "../../runtime/env.ts";
import { printLine } from "../../runtime/process.ts";
import { nearest } from "../../util/nearest.ts";
import type { ServerOptions } from "../options.ts";
import { SAGEMAKER_OUTPUTS, type SagemakerOutput } from "../answer/sagemaker_outputs.ts";
import { DEFAULT_LIMITS, type Limits } from "../admission/limits.ts";

/**
 * A variable that holds a number from 0 up to some number.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
export function numberFromEnv(
  name: string,
  fallback: number,
  most: number = Number.MAX_VALUE,
): number {
  const text = (readEnv(name) ?? "").trim();
  if (text === "") return fallback;
  const value = Number(text);
  if (value >= 0 && value <= most) return value;
  const range = most < Number.MAX_VALUE ? ` up to ${most}` : "";
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${name}=${text}: expected a number${range}`,
    {
      details: { param: name },
    },
  );
}

/**
 * A variable that holds a whole number up to some number.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
export function wholeFromEnv(name: string, fallback: number, most: number): number {
  const value = numberFromEnv(name, fallback);
  if (Number.isInteger(value) && value <= most) return value;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${name}=${value}: expected a whole number up to ${most}`,
    { details: { param: name } },
  );
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

/**
 * Everything else: tokens, CORS, logs, load.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a value, `E_PARAM_UNKNOWN` for a misspelt name.
 * @throws {SourceError} `E_IO_READ` where the tokens may not be read: the server would be open to all.
 */
export function optionsFromEnv(): Omit<ServerOptions, "models"> {
  refuseMisspelt();
  const tokens = wordsOf(demandEnv("TREELINE_TOKENS"));
  const cors = wordsOf(readEnv("TREELINE_CORS"));
  const basePath = readEnv("TREELINE_BASE_PATH");
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(cors === undefined ? {} : { cors: cors.includes("*") ? "*" : cors }),
    ...(basePath === undefined || basePath === "" ? {} : { basePath }),
    ...(isOn("TREELINE_LOG", true) ? { log: printLine } : {}),
    logFeatures: isOn("TREELINE_LOG_FEATURES", false),
    maxConcurrent: numberFromEnv("TREELINE_MAX_CONCURRENT", 1024),
    maxWaitMillis: numberFromEnv("TREELINE_MAX_WAIT_MILLIS", 2000),
    maxBodyMillis: numberFromEnv("TREELINE_MAX_BODY_MILLIS", 10_000),
    maxUnreadBytes: numberFromEnv("TREELINE_MAX_UNREAD_BYTES", 1 << 28),
    ...platformFromEnv(),
    maxMillis: numberFromEnv("TREELINE_MAX_MILLIS", 10_000),
  };
}

/** Names of all variables behind `TREELINE_`, and two that have no such beginning. */
const NAMES = [
  "BASE_PATH",
  "CORS",
  "DEFAULT_MODEL",
  "LOG",
  "LOG_FEATURES",
  "MAX_BODY_MILLIS",
  "MAX_BYTES",
  "MAX_COLUMNS",
  "MAX_CONCURRENT",
  "MAX_DEPTH",
  "MAX_MILLIS",
  "MAX_ROWS",
  "MAX_STRING",
  "MAX_UNREAD_BYTES",
  "MAX_WAIT_MILLIS",
  "MODELS",
  "RELOAD_SECONDS",
  "TOKENS",
  "WORKERS",
];
const PLAIN = ["HOST", "PORT"];

/** A variable that is nearly one of ours does nothing: `TREELINE_TOKEN` would leave the server open. */
function refuseMisspelt(): void {
  for (const [name, value] of Object.entries(listEnv())) {
    const own = /^TREELINE_(.+)$/.exec(name)?.[1];
    if (own === undefined || NAMES.includes(own)) continue;
    // Kubernetes and Docker describe a service of our name so.
    if (/^\w+:\/\//.test(value) || /(^|_)SERVICE_|PORT_\d/.test(own)) continue;
    const right = nearest(own, [...NAMES, ...PLAIN]);
    if (right === undefined) continue;
    const meant = PLAIN.includes(right) ? right : `TREELINE_${right}`;
    throw new ParameterError("E_PARAM_UNKNOWN", `Cannot use ${name}: did you mean ${meant}?`, {
      details: { param: name, nearest: meant },
    });
  }
}

/** @throws {ParameterError} `E_PARAM_RANGE` for what is neither `on` nor `off`. */
function isOn(name: string, fallback: boolean): boolean {
  const text = readEnv(name) ?? "";
  if (text === "") return fallback;
  if (text === "on" || text === "off") return text === "on";
  throw new ParameterError("E_PARAM_RANGE", `Cannot use ${name}=${text}: expected on or off`, {
    details: { param: name },
  });
}

/** Words between commas, without spaces around them. */
function wordsOf(text: string | undefined): string[] | undefined {
  return text?.split(",").map((word) => word.trim()).filter((word) => word !== "");
}

/** What SageMaker and Vertex AI say through the environment. */
function platformFromEnv(): Pick<ServerOptions, "routes" | "sagemakerOutput" | "defaultModel"> {
  const health = readEnv("AIP_HEALTH_ROUTE") || undefined;
  const predict = readEnv("AIP_PREDICT_ROUTE") || undefined;
  const output = wordsOf(readEnv("SAGEMAKER_INFERENCE_OUTPUT") || undefined);
  const unknown = output?.find((key) => !(SAGEMAKER_OUTPUTS as readonly string[]).includes(key));
  if (unknown !== undefined) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use SAGEMAKER_INFERENCE_OUTPUT=${unknown}: expected ${SAGEMAKER_OUTPUTS.join(", ")}`,
    );
  }
  const defaultModel = readEnv("TREELINE_DEFAULT_MODEL") || undefined;
  return {
    routes: {
      ...(health === undefined ? {} : { health }),
      ...(predict === undefined ? {} : { predict }),
    },
    ...(output === undefined ? {} : { sagemakerOutput: output as SagemakerOutput[] }),
    ...(defaultModel === undefined ? {} : { defaultModel }),
  };
}
