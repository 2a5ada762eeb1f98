/**
 * Where the shared reference material is, when it is there.
 *
 * @module
 */

/** `../shared` beside the repository, or what `TREELINE_SHARED` names. */
const ROOT = new URL(
  (Deno.env.get("TREELINE_SHARED") ?? new URL("../../../shared/", import.meta.url).href)
    .replace(/\/?$/, "/"),
  import.meta.url,
);

/** URL of a file or folder of the shared material. */
export function sharedPath(path: string): URL {
  return new URL(path, ROOT);
}

/** Whether a path of the shared material exists. */
export function hasShared(path = "."): boolean {
  try {
    Deno.statSync(sharedPath(path));
    return true;
  } catch {
    return false;
  }
}
