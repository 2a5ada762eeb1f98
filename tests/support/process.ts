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
  new URL("../../cli.ts", import.meta.url).pathname,
];

/** A server process; leaving the scope ends it. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  /** Asks it to end as Ctrl-C does; resolves to its exit code. */
  stop(): Promise<number>;
}

/** Starts a command that serves and waits until it says where. */
export async function serving(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<Serving> {
  const child = new Deno.Command(command, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  let url: string | undefined;
  while (url === undefined) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`${command} ended: ${seen}`);
    seen += value;
    url = / (http:\/\/\S+)/.exec(seen)?.[1];
  }
  let code: number | undefined;
  const stop = async () => {
    if (code !== undefined) return code;
    child.kill("SIGINT");
    while (!(await reader.read()).done);
    return code = (await child.status).code;
  };
  return { url, stop, [Symbol.asyncDispose]: async () => void await stop() };
}
