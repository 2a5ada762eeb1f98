/**
 * A model that a distributed engine left as a folder.
 *
 * @module
 */
import { importFiles, pickModelFiles } from "../../convert/directory.ts";
import type { ImportOptions } from "../../convert/import_model.ts";
import { DataError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { listFolder } from "../../runtime/folder.ts";
import { openBytes } from "../../runtime/open.ts";

/** Folders below this one and files in all of them; a model has a handful. */
const MAX_DEPTH = 6;
const MAX_FILES = 10_000;

/** Reads the files of a folder that hold the model, and imports it. */
export async function openModelFolder(path: string, options: ImportOptions): Promise<Model> {
  const root = path.replace(/\/+$/, "");
  const names: string[] = [];
  const open: { readonly path: string; readonly depth: number }[] = [{ path: root, depth: 0 }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of await listFolder(folder.path)) {
      if (!entry.isFolder) names.push(entry.path.slice(root.length + 1));
      else if (folder.depth < MAX_DEPTH) open.push({ path: entry.path, depth: folder.depth + 1 });
    }
    if (names.length > MAX_FILES) {
      throw new DataError(
        "E_DATA_LIMIT",
        `Cannot look for a model in "${path}": it holds more than ${MAX_FILES} files`,
      );
    }
  }
  const { paths, metadata } = pickModelFiles(names);
  const files = new Map<string, Uint8Array>();
  for (const name of [...paths, ...(metadata === undefined ? [] : [metadata])]) {
    files.set(name, await openBytes(`${root}/${name}`));
  }
  return importFiles(files, options);
}
