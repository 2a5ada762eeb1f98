/**
 * A folder that goes away with the test.
 *
 * @module
 */

/** A temporary folder; `await using` removes it. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string;
  /** Path of a file in it. */
  file(name: string): string;
  /** Writes a file and gives its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  /** Names in it, sorted. */
  names(): string[];
}

/** Makes a temporary folder. */
export async function tempFolder(): Promise<TempFolder> {
  const path = await Deno.makeTempDir();
  const file = (name: string) => `${path}/${name}`;
  return {
    path,
    file,
    async write(name, content) {
      if (typeof content === "string") await Deno.writeTextFile(file(name), content);
      else await Deno.writeFile(file(name), content);
      return file(name);
    },
    names: () => [...Deno.readDirSync(path)].map((entry) => entry.name).sort(),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
