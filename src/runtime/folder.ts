/**
 * What is in a folder, and when it changed.
 *
 * @module
 */
import { SourceError } from "../errors.ts";

/** A file or folder. */
export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
  /** Differs whenever the content does: time of the last change and size. */
  readonly stamp: string;
}

/** Whether a path is a folder; false where there is nothing. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

/** Whether two paths are one place, which need not exist, by links and folders between. */
export async function isSamePlace(one: string, other: string): Promise<boolean> {
  return await placeOf(one) === await placeOf(other);
}

/** Whether two paths are one file with content of its own: no folder, device or pipe. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const found = await Deno.stat(one).catch(() => undefined);
  return found?.isFile === true && await isSamePlace(one, other);
}

async function placeOf(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    const at = path.lastIndexOf("/") + 1;
    const folder = at === 0 ? "." : path.slice(0, at);
    return `${await Deno.realPath(folder).catch(() => folder)}/${path.slice(at)}`;
  }
}

/**
 * The stamp of one file; "" where there is none.
 *
 * @throws {SourceError} `E_IO_READ` outside of Deno.
 */
export async function fileStamp(path: string): Promise<string> {
  if (typeof Deno === "undefined") {
    const message =
      `Cannot look for "${path}": only Deno opens files here; pass a model, a function ` +
      "that loads one, or an address";
    throw new SourceError("E_IO_READ", message, { details: { source: path } });
  }
  try {
    return stampOf(await Deno.stat(path));
  } catch {
    return "";
  }
}

function stampOf({ mtime, size, ino }: Deno.FileInfo): string {
  return `${mtime?.getTime() ?? 0}-${size}-${ino ?? 0}`;
}

/** Undefined where there is nothing; what cannot be looked at is not nothing. */
async function statOrNone(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    const { NotFound, FilesystemLoop } = Deno.errors;
    if (error instanceof NotFound || error instanceof FilesystemLoop) return undefined;
    throw error;
  }
}

/**
 * Files and folders in a folder, by name: without hidden ones, which other programs keep for themselves
 * (`..data` of Kubernetes, `._m.tlm` of macOS), and without pipes and devices, which would have one wait.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND`, `E_IO_READ`.
 */
export async function listFolder(path: string): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  try {
    for await (const { name } of Deno.readDir(path)) {
      if (name.startsWith(".")) continue;
      const full = `${path.replace(/\/+$/, "")}/${name}`;
      const found = await statOrNone(full);
      if (found === undefined) continue; // removed meanwhile, or a link to nowhere
      if (!found.isFile && !found.isDirectory) continue;
      entries.push({ name, path: full, isFolder: found.isDirectory, stamp: stampOf(found) });
    }
  } catch (cause) {
    const missing = cause instanceof Deno.errors.NotFound;
    throw new SourceError(
      missing ? "E_IO_NOT_FOUND" : "E_IO_READ",
      `Cannot list "${path}": ${missing ? "there is no such folder" : "it cannot be read"}`,
      { details: { source: path }, cause },
    );
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}
