/**
 * Requests written byte for byte, where `fetch` would decide how they are sent.
 *
 * @module
 */

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** One connection over which requests are asked one after the other. */
export interface RawConnection extends Disposable {
  /** Sends `head` lines, which need no length, and a body: in one piece, or once `pause` resolves. */
  ask(head: readonly string[], body: Uint8Array, pause?: Promise<void>): Promise<RawAnswer>;
}

/** Connects to a server on this machine. */
export async function rawConnection(port: number): Promise<RawConnection> {
  const connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
  const buffer = new Uint8Array(1 << 16);

  async function writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  }

  async function readAnswer(): Promise<RawAnswer> {
    let text = "";
    for (;;) {
      const end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        const [first, ...lines] = text.slice(0, end).split("\r\n");
        const headers = new Headers(lines.map((line) => {
          const at = line.indexOf(":");
          return [line.slice(0, at), line.slice(at + 1).trim()];
        }));
        const body = text.slice(end + 4);
        if (body.length >= Number(headers.get("content-length"))) {
          const bytes = latin1(body);
          return {
            status: Number(first.split(" ")[1]),
            headers,
            body: new TextDecoder().decode(bytes),
          };
        }
      }
      const count = await connection.read(buffer);
      if (count === null) throw new Error(`The server closed the connection after ${text}`);
      for (let i = 0; i < count; i++) text += String.fromCharCode(buffer[i]);
    }
  }

  return {
    async ask(head, body, pause) {
      const lines = latin1([...head, `content-length: ${body.length}`, "", ""].join("\r\n"));
      if (pause === undefined) {
        const request = new Uint8Array(lines.length + body.length);
        request.set(lines);
        request.set(body, lines.length);
        await writeAll(request);
      } else {
        await writeAll(lines);
        await pause;
        await writeAll(body);
      }
      return await readAnswer();
    },
    [Symbol.dispose]: () => connection.close(),
  };
}
