/**
 * Real processes of the command line.
 *
 * @module
 */

/** Arguments that run `cli.ts` with this Deno. */
export const CLI_ARGS: readonly string[] = [
  "run",
  "-A",
  "--no-check",
  new URL("../../../cli.ts", import.meta.url).pathname,
];

/** A server process; leaving the scope ends it. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** What it has written so far. */
  said(): string;
  /** Asks it to end, as Ctrl-C does by default; resolves to its exit code. */
  stop(signal?: Deno.Signal): Promise<number>;
}

/** Starts a command that serves and waits until it says where. */
export async function serving(
  command: string,
  args: readonly string[],
  cwd: string,
  env: { readonly [name: string]: string } = {},
): Promise<Serving> {
  const child = new Deno.Command(command, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let seen = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      seen += text;
      // Whole: what follows has come, too. In quotes it would be another's.
      const url = /(?:^|\s)(http:\/\/[^\s"]*\d)[\s",/]/.exec(seen)?.[1];
      if (url !== undefined) resolve(url);
    }
  };
  const drained = Promise.all([read(child.stdout), read(child.stderr)]);
  drained.then(() => reject(new Error(`${command} ended: ${seen}`)));
  const url = await promise;
  let code: number | undefined;
  const stop = async (signal: Deno.Signal = "SIGINT") => {
    if (code !== undefined) return code;
    child.kill(signal);
    await drained;
    return code = (await child.status).code;
  };
  const said = () => seen;
  return { url, pid: child.pid, said, stop, [Symbol.asyncDispose]: async () => void await stop() };
}
