/**
 * Modules that are loaded once they pay, while what can be done without them goes on.
 *
 * @module
 */
import { once } from "./once.ts";

/** A module that is loaded later. */
export interface Later<T> {
  /** The module, where it is there; the first call begins to load it. */
  (): T | undefined;
  /** The module, once it is there. */
  readonly load: () => Promise<T>;
}

/**
 * A module that is loaded when it is first asked for. One that cannot be loaded is asked for once:
 * who calls goes on as before it was there.
 */
export function later<T>(load: () => Promise<T>): Later<T> {
  let module: T | undefined;
  let isAsked = false;
  const loaded = once(async () => module = await load());
  const ask = () => {
    if (!isAsked) {
      isAsked = true;
      loaded().catch(() => {});
    }
    return module;
  };
  return Object.assign(ask, { load: loaded });
}
