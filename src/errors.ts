/**
 * Every failure Treeline reports on purpose: one base class, a closed list of codes, and the two
 * tables that turn a code into an exit code of the command line or a status of the HTTP server.
 *
 * Callers and tests switch on `code`; people read `message` (action, colon, what was found, what
 * would be right); programs read `details`.
 *
 * @module
 */

/** Codes of {@linkcode TreelineError}; never renamed once released. */
export type ErrorCode =
  | "E_USAGE"
  | "E_PARAM_UNKNOWN"
  | "E_PARAM_RANGE"
  | "E_PARAM_CONFLICT"
  | "E_DATA_PARSE"
  | "E_DATA_SHAPE"
  | "E_DATA_TYPE"
  | "E_DATA_EMPTY"
  | "E_DATA_TARGET"
  | "E_DATA_LIMIT"
  | "E_MODEL_MAGIC"
  | "E_MODEL_VERSION"
  | "E_MODEL_CORRUPT"
  | "E_MODEL_LIMIT"
  | "E_MODEL_SCHEMA"
  | "E_CONVERT_SYNTAX"
  | "E_CONVERT_UNSUPPORTED"
  | "E_TRAIN_NUMERIC"
  | "E_TRAIN_ABORTED"
  | "E_IO_NOT_FOUND"
  | "E_IO_READ"
  | "E_IO_WRITE"
  | "E_CHECK_FAILED"
  | "E_HTTP_AUTH"
  | "E_HTTP_ROUTE"
  | "E_HTTP_METHOD"
  | "E_HTTP_AMBIGUOUS"
  | "E_HTTP_BODY"
  | "E_HTTP_SLOW"
  | "E_HTTP_TYPE"
  | "E_HTTP_RATE"
  | "E_HTTP_BUSY";

/** The place and values of an error: plain data, safe to serialise. All members are optional. */
export interface ErrorDetails {
  /** Data row, counted from 1. */
  readonly row?: number | undefined;
  /** Name of a column, or its position counted from 0. */
  readonly column?: string | number | undefined;
  /** Names of columns, or how many there are. */
  readonly columns?: readonly string[] | number | undefined;
  /** Line of a text, counted from 1. */
  readonly line?: number | undefined;
  /** Byte of a file, counted from 0. */
  readonly offset?: number | undefined;
  /** Name of a parameter or option. */
  readonly param?: string | undefined;
  /** A limit that was exceeded, or its name. */
  readonly limit?: number | string | undefined;
  /** Whatever else the message names: `value`, `found`, `expected`, `model` … */
  readonly [key: string]: unknown;
}

/** Options of the constructor of {@linkcode TreelineError}. */
export interface ErrorOptions {
  /** The place and values of the error. @default {} */
  readonly details?: ErrorDetails;
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/** Base class of all errors that Treeline throws on purpose. */
export class TreelineError extends Error {
  /** Stable code to switch on. */
  declare readonly code: ErrorCode;
  /** Plain data that names the place: row, column, line, offset, parameter, limit. */
  declare readonly details: ErrorDetails;

  /** Makes an error with a code, a message for people and details for programs. */
  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : options);
    this.name = new.target.name;
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** The command line was used wrongly. */
export class UsageError extends TreelineError {}
/** A parameter is unknown, out of range, or contradicts another. */
export class ParameterError extends TreelineError {}
/** Input data cannot be read or does not fit. */
export class DataError extends TreelineError {}
/** A model file is damaged, too new, too large, or does not fit the data. */
export class ModelError extends TreelineError {}
/** A foreign model file cannot be read, or holds what Treeline cannot represent exactly. */
export class ConversionError extends TreelineError {}
/** Training came to a number that is not finite, or was stopped. */
export class TrainingError extends TreelineError {}
/** A file or address cannot be read or written. */
export class SourceError extends TreelineError {}
/** A requested quality gate was not met. */
export class CheckError extends TreelineError {}
/** An HTTP request is malformed, not allowed, or cannot be served at present. */
export class RequestError extends TreelineError {}

const EXIT_CODES: { readonly [prefix: string]: number } = {
  E_USAGE: 2,
  E_PARAM: 2,
  E_DATA: 3,
  E_MODEL: 4,
  E_CONVERT: 4,
  E_TRAIN_ABORTED: 130,
  E_TRAIN: 5,
  E_IO: 6,
  E_CHECK: 7,
};

const HTTP_STATUSES: { readonly [prefix: string]: number } = {
  E_PARAM: 400,
  E_DATA_LIMIT: 413,
  E_DATA: 422,
  E_MODEL: 422,
  E_CONVERT: 415,
  E_IO_NOT_FOUND: 404,
  E_HTTP_AUTH: 401,
  E_HTTP_ROUTE: 404,
  E_HTTP_METHOD: 405,
  E_HTTP_AMBIGUOUS: 400,
  E_HTTP_BODY: 400,
  E_HTTP_SLOW: 408,
  E_HTTP_TYPE: 415,
  E_HTTP_RATE: 429,
  E_HTTP_BUSY: 503,
};

/** Looks up the longest prefix of a code, so that a table may name a whole group. */
function byPrefix(table: { readonly [prefix: string]: number }, code: string): number | undefined {
  for (let key = code; key !== "E"; key = key.slice(0, key.lastIndexOf("_"))) {
    if (table[key] !== undefined) return table[key];
  }
  return undefined;
}

/**
 * The exit code of the command line for an error: 2 for usage and parameters, 3 for data, 4 for
 * model files and conversion, 5 for training (130 if it was interrupted), 6 for input and output,
 * 7 for a failed check, and 1 for anything else.
 */
export function exitCodeOf(error: unknown): number {
  return error instanceof TreelineError ? byPrefix(EXIT_CODES, error.code) ?? 1 : 1;
}

/** The HTTP status for an error. Errors that are not the caller's fault are 500. */
export function httpStatusOf(error: unknown): number {
  return error instanceof TreelineError ? byPrefix(HTTP_STATUSES, error.code) ?? 500 : 500;
}
