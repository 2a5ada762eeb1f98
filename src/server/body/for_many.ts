/**
 * Kernels for many rows, in a module that is loaded when they are first needed: a cold start does
 * not wait for it, since runtimes read all of a file before any of it runs.
 *
 * @module
 */
import { later } from "../../util/once.ts";

/** What many.ts has. */
export const forMany = later(() => import("../many.ts"));

/** Bytes of a body from which on it is worth waiting for. */
export const LARGE_BODY = 1 << 15;
