/**
 * What is loaded before a program does anything.
 *
 * @module
 */

/** Modules that run when `entry` is imported: what is imported by name, not by `import()` or as type. */
export async function runAtStart(
  entry: URL,
  found = new Set<string>(),
): Promise<ReadonlySet<string>> {
  if (found.has(entry.href)) return found;
  found.add(entry.href);
  const text = await Deno.readTextFile(entry);
  for (
    const [, path] of text.matchAll(/^(?:(?:im|ex)port (?!type )[^;]*? from|import) "(\.[^"]+)";/gm)
  ) {
    await runAtStart(new URL(path!, entry), found);
  }
  return found;
}
