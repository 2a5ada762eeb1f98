/**
 * Tar archives, as packages of npm are: reads and writes plain files of names up to 100 bytes (POSIX.1-1988
 * ustar).
 *
 * @module
 */

const BLOCK = 512;
const text = new TextEncoder();

/** Fields of a header: where each begins, and its length. */
const NAME = [0, 100] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE = 156;
const PREFIX = [345, 155] as const;

/** Files of an archive by name, in their order. */
export function readTar(bytes: Uint8Array): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let at = 0;
  while (at + BLOCK <= bytes.length && bytes[at] !== 0) {
    const header = bytes.subarray(at, at + BLOCK);
    const field = ([start, length]: readonly [number, number]) =>
      new TextDecoder().decode(header.subarray(start, start + length)).replace(/\0.*$/s, "");
    const size = parseInt(field(SIZE), 8);
    const prefix = field(PREFIX);
    const name = prefix === "" ? field(NAME) : `${prefix}/${field(NAME)}`;
    const type = String.fromCharCode(header[TYPE]);
    at += BLOCK;
    if (type === "0" || type === "\0") files.set(name, bytes.subarray(at, at + size));
    else if (type !== "5") throw new Error(`Cannot read ${name}: it is of type "${type}", no file`);
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** An archive of files in the order of their names; the same files give the same bytes. */
export function writeTar(files: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const names = [...files.keys()].sort();
  const blocks = names.map((name) => Math.ceil(files.get(name)!.length / BLOCK) + 1);
  const bytes = new Uint8Array((blocks.reduce((sum, count) => sum + count, 0) + 2) * BLOCK);
  let at = 0;
  names.forEach((name, i) => {
    const content = files.get(name)!;
    bytes.set(headerOf(name, content.length), at);
    bytes.set(content, at + BLOCK);
    at += blocks[i]! * BLOCK;
  });
  return bytes;
}

/** Of a file that all may read, of no owner, from 1985, as npm has it: zip knows nothing before 1980. */
function headerOf(name: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const path = text.encode(name);
  if (path.length > NAME[1]) throw new Error(`Cannot pack ${name}: expected at most 100 bytes`);
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, "0");
  header.set(path, NAME[0]);
  header.set(text.encode(octal(0o644, 8)), 100);
  for (const owner of [108, 116]) header.set(text.encode(octal(0, 8)), owner);
  header.set(text.encode(octal(size, SIZE[1])), SIZE[0]);
  header.set(text.encode(octal(499_162_500, 12)), 136);
  header.set(text.encode("0"), TYPE);
  header.set(text.encode("ustar\x0000"), 257);
  // The sum is of a header whose own field is eight spaces.
  header.fill(32, CHECKSUM[0], CHECKSUM[0] + CHECKSUM[1]);
  const sum = header.reduce((sum, byte) => sum + byte, 0);
  header.set(text.encode(`${octal(sum, 7)}\0 `), CHECKSUM[0]);
  return header;
}
