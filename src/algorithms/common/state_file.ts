/**
 * The bytes of a run's state: one section of the container that model files use, with checksum and
 * digest. The section is one that loaders must know, so that no state is taken for a model.
 *
 * @module
 */
import type { RunState, StateArray } from "../../ensemble/run_state.ts";
import { writeDigested } from "../../format/digest.ts";
import { readSections } from "../../format/sections.ts";
import type { Json } from "../../model/types.ts";

const ID = "CKPT";

const TYPES = { f64: Float64Array, i32: Int32Array, u32: Uint32Array, u8: Uint8Array } as const;

type TypeName = keyof typeof TYPES;

/** What the head of a state says. */
interface Head {
  readonly story: Json;
  readonly arrays: readonly (readonly [name: string, type: TypeName, length: number])[];
}

const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8;

function typeOf(array: StateArray): TypeName {
  return (Object.keys(TYPES) as TypeName[]).find((name) => array instanceof TYPES[name])!;
}

/** Writes a story and arrays: length of the head, head as JSON, arrays at multiples of 8. */
export function writeState(story: Json, arrays: RunState["arrays"]): Uint8Array<ArrayBuffer> {
  const head: Head = {
    story,
    arrays: Object.entries(arrays).map(([name, array]) => [name, typeOf(array), array.length]),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const lists = Object.values(arrays);
  const bytes = new Uint8Array(
    lists.reduce((sum, { byteLength }) => sum + aligned(byteLength), aligned(4 + text.length)),
  );
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  let at = aligned(4 + text.length);
  for (const { buffer, byteOffset, byteLength } of lists) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  return writeDigested([{ id: ID, required: true, bytes }]);
}

/**
 * Reads what {@linkcode writeState} wrote; undefined for a file of another kind.
 *
 * @throws {ModelError} for damaged bytes.
 */
export function readState(
  file: Uint8Array,
): { readonly story: Json; readonly arrays: RunState["arrays"] } | undefined {
  const section = readSections(Uint8Array.from(file), true, {}).find(({ id }) => id === ID);
  if (section === undefined) return undefined;
  const bytes = section.bytes.slice();
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  const { story, arrays } = JSON.parse(text) as Head;
  let at = aligned(4 + length);
  const read: { [name: string]: StateArray } = {};
  for (const [name, type, count] of arrays) {
    read[name] = new TYPES[type](bytes.buffer, at, count);
    at += aligned(read[name].byteLength);
  }
  return { story, arrays: read };
}
