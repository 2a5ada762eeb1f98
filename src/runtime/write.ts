/**
 * Atomic writes: a temporary file beside the target, flushed to disk, then renamed. A killed
 * process leaves the old file or the new one, never half of one.
 *
 * @module
 */
import { SourceError } from "../errors.ts";

/** How a file is written. */
export interface WriteOptions {
  /** Replace an existing file instead of throwing `E_IO_WRITE`. @default false */
  readonly force?: boolean;
  /**
   * Check at once that the temporary file can be created, but remove it and create it again only
   * with the first bytes: a process that is killed in between leaves no file behind. @default false
   */
  readonly late?: boolean;
}

/** A file that appears whole on `commit`, or not at all. */
export interface AtomicWriter {
  /** Appends bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Flushes to disk and puts the file in its place. */
  commit(): Promise<void>;
  /** Removes what was written; does nothing after `commit`. */
  abort(): Promise<void>;
}

let serial = 0;

/**
 * Writes a file atomically.
 *
 * @throws {SourceError} `E_IO_WRITE` when the file exists and `force` is not set, or when the disk
 * or the permissions refuse.
 */
export async function writeBytes(
  path: string | URL,
  bytes: Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const writer = await openWriter(path, options);
  try {
    await writer.write(bytes);
    await writer.commit();
  } finally {
    await writer.abort();
  }
}

/** Writes text as UTF-8, atomically; see {@linkcode writeBytes}. */
export function writeText(
  path: string | URL,
  text: string,
  options: WriteOptions = {},
): Promise<void> {
  return writeBytes(path, new TextEncoder().encode(text), options);
}

/**
 * Makes sure that a place can be written to before work is done for it; leaves no file there.
 *
 * @throws {SourceError} `E_IO_WRITE`.
 */
export async function checkWritable(path: string): Promise<void> {
  await (await openWriter(path, { force: true, late: true })).abort();
}

/**
 * Removes a file; does nothing where there is none.
 *
 * @throws {SourceError} `E_IO_WRITE` when the permissions refuse.
 */
export async function removeFile(path: string): Promise<void> {
  await attempt(path, async () => {
    try {
      await Deno.remove(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  });
}

/**
 * Begins a file that is written in pieces.
 *
 * Devices and pipes (`/dev/stdout`, a FIFO) are written to as they are.
 *
 * @throws {SourceError} `E_IO_WRITE`.
 */
export async function openWriter(
  path: string | URL,
  options: WriteOptions = {},
): Promise<AtomicWriter> {
  const name = path instanceof URL ? path.href : path;
  if (typeof Deno === "undefined") {
    throw writeError(
      name,
      "only Deno writes files here; write the bytes of encodeModel() yourself",
    );
  }
  const old = await statOf(path, name);
  if (old?.isDirectory) throw writeError(name, "it is a folder");
  if (old !== undefined && !old.isFile) return await openDirect(path, name);
  if (old !== undefined && options.force !== true) throw existsError(name);
  // Through a link, so that the file it points to is replaced and the link stays.
  const target = old === undefined ? asPath(path) : await Deno.realPath(path);
  const create = () => createBeside(target, name, old?.mode);
  let made: Awaited<ReturnType<typeof create>> | undefined = await create();
  let open = true;
  let ended = false;
  const close = () => {
    if (open) made?.file.close();
    open = false;
  };
  const drop = async () => {
    close();
    if (made !== undefined) await Deno.remove(made.temporary).catch(() => {});
    made = undefined;
  };
  /** The temporary file, made where there is none yet. */
  const opened = async () => {
    if (ended) throw writeError(name, "it was given up");
    if (made === undefined) {
      made = await create();
      open = true;
    }
    return made;
  };
  if (options.late === true) await drop();
  return {
    write: (bytes) => attempt(name, async () => await writeAll((await opened()).file, bytes)),
    commit: () =>
      attempt(name, async () => {
        const { file, temporary } = await opened();
        await file.sync();
        close();
        if (old === undefined && options.force !== true) await linkNew(temporary, target, name);
        else await Deno.rename(temporary, target);
        made = undefined;
        await syncFolder(target);
      }),
    abort() {
      ended = true;
      return drop();
    },
  };
}

/** Puts a file in a place that must be free: a hard link refuses where a rename would replace. */
async function linkNew(temporary: string, target: string, name: string): Promise<void> {
  try {
    await Deno.link(temporary, target);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw existsError(name);
    await Deno.rename(temporary, target); // a file system without hard links
    return;
  }
  await Deno.remove(temporary);
}

async function openDirect(path: string | URL, name: string): Promise<AtomicWriter> {
  const file = await attempt(name, () => Deno.open(path, { write: true }));
  let open = true;
  const finish = () => {
    if (open) file.close();
    open = false;
    return Promise.resolve();
  };
  return {
    write: (bytes) => attempt(name, () => writeAll(file, bytes)),
    commit: finish,
    abort: finish,
  };
}

async function createBeside(
  target: string,
  name: string,
  mode: number | null | undefined,
): Promise<{ file: Deno.FsFile; temporary: string }> {
  const cut = Math.max(target.lastIndexOf("/"), target.lastIndexOf("\\")) + 1;
  for (;;) {
    const temporary = `${target.slice(0, cut)}.${target.slice(cut)}.${Deno.pid}-${serial++}.tmp`;
    try {
      const keep = mode === null || mode === undefined ? {} : { mode: mode & 0o777 };
      const file = await Deno.open(temporary, { write: true, createNew: true, ...keep });
      return { file, temporary };
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw asWriteError(name, error);
    }
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

/** Makes the new name itself durable; file systems that cannot are left alone. */
async function syncFolder(target: string): Promise<void> {
  const cut = Math.max(target.lastIndexOf("/"), target.lastIndexOf("\\"));
  try {
    const folder = await Deno.open(cut < 0 ? "." : target.slice(0, cut) || "/");
    try {
      await folder.sync();
    } finally {
      folder.close();
    }
  } catch {
    // Not every platform lets a folder be opened.
  }
}

async function statOf(path: string | URL, name: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw asWriteError(name, error);
  }
}

function asPath(path: string | URL): string {
  if (typeof path === "string") return path;
  const decoded = decodeURIComponent(path.pathname);
  return Deno.build.os === "windows" ? decoded.replace(/^\/(?=[A-Za-z]:)/, "") : decoded;
}

async function attempt<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw asWriteError(name, error);
  }
}

function asWriteError(name: string, error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof Deno.errors.NotFound) return writeError(name, "its folder does not exist");
  return writeError(name, error instanceof Error ? error.message : String(error), error);
}

function existsError(name: string): SourceError {
  return writeError(name, "it exists already; use force (--force) to replace it");
}

function writeError(name: string, reason: string, cause?: unknown): SourceError {
  return new SourceError("E_IO_WRITE", `Cannot write "${name}": ${reason}`, {
    details: { target: name },
    cause,
  });
}
