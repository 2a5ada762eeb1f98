/**
 * Errors as other protocols write them; apart from the protocols, which are loaded at first use.
 *
 * @module
 */
import type { Problem } from "../answer/problem.ts";
import { jsonResponse } from "../native.ts";

/** `{"error": message}` beside our own members: TensorFlow Serving's, KServe's and Triton's form. */
export function errorMember(problem: Problem): Response {
  return jsonResponse(JSON.stringify({ error: problem.detail, ...problem }), problem.status);
}

/** MLflow answers what it cannot read with 400, other media types with 415. */
export function mlflowErrors(problem: Problem): Response {
  const status = problem.status === 422 ? 400 : problem.status;
  const title = status === problem.status ? problem.title : "Bad Request";
  const code = status === 400 ? "BAD_REQUEST" : status >= 500 ? "INTERNAL_ERROR" : problem.code;
  return jsonResponse(
    JSON.stringify({ error_code: code, message: problem.detail, ...problem, status, title }),
    status,
  );
}
