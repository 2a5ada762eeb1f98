/**
 * Errors on their way from a worker: what makes them up goes by message, and the class comes back.
 *
 * @module
 */
import { DataError, ModelError, ParameterError, TrainingError } from "../errors.ts";

/** Message, code and details of an error. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly details?: Record<string, unknown>;
}

/** An error as a message can carry it. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, code, details } = error as Error & Partial<Failure>;
  return { name, message, ...(code && { code }), ...(details && { details }) };
}

/** The error that a thread met, of the class that it had there. */
export function errorOf({ name, message, code, details }: Failure): Error {
  const options = { details: details ?? {} };
  switch (name) {
    case "DataError":
      return new DataError(code as DataError["code"], message, options);
    case "ModelError":
      return new ModelError(code as ModelError["code"], message, options);
    case "ParameterError":
      return new ParameterError(code as ParameterError["code"], message, options);
    case "TrainingError":
      return new TrainingError(code as TrainingError["code"], message, options);
    default:
      return new Error(message);
  }
}
