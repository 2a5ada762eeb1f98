/**
 * Writes the container of a model file, which sections.ts reads.
 *
 * @module
 */
import { align, checksum, ENTRY, HEADER, MAGIC, MAJOR, type Section } from "./sections.ts";

/** Minor version written: 1 where trees are in bits, else 0. */
const minorOf = (sections: readonly Section[]) => +sections.some(({ id }) => id === "BITS");

/** Writes a file. */
export function writeSections(sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  let length = HEADER + ENTRY * sections.length;
  const starts = sections.map(({ bytes }) => {
    const start = length;
    length = align(length + bytes.byteLength);
    return start;
  });
  const file = new Uint8Array(length);
  const view = new DataView(file.buffer);
  file.set(MAGIC);
  view.setUint16(8, MAJOR, true);
  view.setUint16(10, minorOf(sections), true);
  view.setUint32(12, sections.length, true);
  view.setBigUint64(16, BigInt(length), true);
  sections.forEach(({ id, required, bytes }, i) => {
    const at = HEADER + ENTRY * i;
    for (let k = 0; k < 4; k++) file[at + k] = id.charCodeAt(k);
    view.setUint32(at + 4, required ? 1 : 0, true);
    view.setBigUint64(at + 8, BigInt(starts[i]), true);
    view.setBigUint64(at + 16, BigInt(bytes.byteLength), true);
    file.set(bytes, starts[i]);
  });
  sealSections(file);
  return file;
}

/** Computes the checksum of a file and writes it into its header. */
export function sealSections(file: Uint8Array): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const [low, high] = checksum(file);
  view.setUint32(24, low, true);
  view.setUint32(28, high, true);
}
