/**
 * The files that models were read from, for what needs their bytes: `./predict` does not.
 *
 * @module
 */
import type { Model } from "../model/model.ts";
import { useKeeper } from "./decode.ts";

/** Their arrays are views of the files anyway. */
const sources = new WeakMap<Model, Uint8Array>();

useKeeper((model, bytes) => sources.set(model, bytes));

/** The file that a model was read from, if this module was loaded by then. */
export function sourceBytes(model: Model): Uint8Array | undefined {
  return sources.get(model);
}
