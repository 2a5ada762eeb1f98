/**
 * Entry of a worker thread that only takes part in common work. It names no module that is loaded when
 * it is wanted: Deno reads all that a worker names before it starts one (3 ms).
 *
 * @module
 */
import { serveCrew } from "./worker_scope.ts";

serveCrew(() => Promise.resolve({ others: {} }));
