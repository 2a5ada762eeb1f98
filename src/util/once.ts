/**
 * Work that is done at first use and whose result stays.
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
