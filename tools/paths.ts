/**
 * Lists files of the project for the tools.
 *
 * @module
 */

/** Paths below `folder`, relative to `root`, sorted, that end in one of `endings`. */
export async function relative(
  root: URL,
  folder: string,
  endings: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await relative(root, path, endings));
    else if (endings.some((ending) => entry.name.endsWith(ending))) found.push(path);
  }
  return found.sort();
}
