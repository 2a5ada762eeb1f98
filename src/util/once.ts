/**
 * Work that is done at first use and whose result stays, and modules that are loaded once they pay,
 * while what can be done without them goes on.
 *
 * @module
 */

/**
 * A function that calls `load` once, and again only after it failed. `import()` of a module that is
 * there already still goes through the host: 10 µs, and garbage that outlives young collections.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    if (loaded === undefined) {
      loaded = load();
      loaded.catch(() => loaded = undefined);
    }
    return loaded;
  };
}

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
