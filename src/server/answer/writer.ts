/**
 * Answers of many rows, written by a kernel: no text a number, and nothing to put together.
 *
 * The bytes are made text once more, since Deno answers text sooner: bytes of their own for each answer are
 * fresh pages each time (0.1 ms for 100 kB, bench/serving.md).
 *
 * It writes what json_text.ts writes, byte for byte
 * (tests/property/server/answer_writer_test.ts).
 *
 * @module
 */
import { lazyModule } from "../../util/wasm_module.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";
import type { AnswerWriter, RowForm } from "./lazy_writer.ts";

/** Powers of ten that the kernel knows: −60 … 60. */
const POWER = 60;
const POWERS_BYTES = 16 * (2 * POWER + 1) + 48;
/** Bytes of a number at most, and what the kernel may write behind one or behind a text. */
const MAX_TEXT = 25;
const SLACK = 64;
/** Largest memory of a writer; larger answers are put together as text. */
const MAX_MEMORY = 64 << 20;
const PAGE = 65536;

/** Exports of kernels/assembly/answer.ts. */
interface Kernel {
  write(config: number, rows: number): number;
}

const kernelModule = lazyModule(WASM_BASE64);
const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** Makes the writer of answers of a form, where there is a kernel. */
export function createWriter(form: RowForm, numOutputs: number): AnswerWriter | undefined {
  const module = kernelModule();
  if (module === null) return undefined;
  const { isPair, tail } = form;
  const hasLabels = form.heads.length > 1;
  let size = 64;
  const place = (byteLength: number) => {
    const at = size;
    size += Math.ceil(byteLength / 16) * 16;
    return at;
  };
  const heads = form.heads.map((text) => utf8.encode(text));
  const before = form.before.map((text) => utf8.encode(text));
  const end = utf8.encode(tail + ",");
  const texts = [...heads, ...before, end];
  const textAt = texts.map(({ length }) => place(length));
  const entriesAt = place(8 * texts.length);
  const powersAt = place(POWERS_BYTES);
  const valuesAt = size;
  const longest = (list: readonly Uint8Array[]) => Math.max(...list.map(({ length }) => length));
  const rowBytes = longest(heads) + end.length +
    before.reduce((sum, { length }) => sum + length + MAX_TEXT, 0);

  const memory = new WebAssembly.Memory({ initial: Math.ceil(size / PAGE) });
  const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel;
  let bytes = new Uint8Array(memory.buffer);
  let words = new Int32Array(memory.buffer);
  texts.forEach((text, i) => {
    bytes.set(text, textAt[i]);
    words.set([textAt[i], text.length], (entriesAt >> 2) + 2 * i);
  });
  writePowers(memory.buffer as ArrayBuffer, powersAt);
  bytes.fill(0x30, powersAt + POWERS_BYTES - 48, powersAt + POWERS_BYTES);
  const beforeAt = entriesAt + 8 * heads.length;
  const endAt = beforeAt + 8 * before.length;
  words.set([powersAt, valuesAt, 0, before.length, +isPair, entriesAt, beforeAt, endAt]);

  function reserve(byteLength: number): boolean {
    if (byteLength > MAX_MEMORY) return false;
    if (byteLength > bytes.length) {
      memory.grow(Math.ceil((byteLength - bytes.length) / PAGE));
      bytes = new Uint8Array(memory.buffer);
      words = new Int32Array(memory.buffer);
    }
    return true;
  }

  return {
    write(head, { rows, value, labels }, rest) {
      const numValues = before.length === 0 ? 0 : rows * numOutputs;
      const labelsAt = valuesAt + 8 * numValues;
      const outAt = labelsAt + (hasLabels ? 4 * rows : 0);
      const room = 3 * (head.length + rest.length) + rows * rowBytes + SLACK;
      if (!reserve(outAt + room)) return undefined;
      // After a growth the old views are of no buffer.
      if (numValues > 0) new Float64Array(memory.buffer, valuesAt, numValues).set(value);
      if (hasLabels) words.set(labels, labelsAt >> 2);
      const from = outAt +
        utf8.encodeInto(`${head},"predictions":[`, bytes.subarray(outAt)).written;
      words[2] = hasLabels ? labelsAt : 0;
      words[8] = from;
      const to = kernel.write(0, rows);
      if (to === 0) return undefined;
      // The comma behind the last row is written over.
      const written = utf8.encodeInto(`]${rest}`, bytes.subarray(to - 1)).written;
      return decoder.decode(bytes.subarray(outAt, to - 1 + written));
    },
  };
}

/** 10^k for k = −60 … 60, scaled to 128 bits and rounded up; high half, low half. */
function writePowers(buffer: ArrayBuffer, at: number): void {
  const table = new BigUint64Array(buffer, at, 2 * (2 * POWER + 1));
  for (let k = -POWER; k <= POWER; k++) {
    const power = 10n ** BigInt(Math.abs(k));
    const bits = BigInt(power.toString(2).length);
    const [over, under] = k < 0
      ? [1n << (bits + 127n), power]
      : bits <= 128n
      ? [power << (128n - bits), 1n]
      : [power, 1n << (bits - 128n)];
    const scaled = (over + under - 1n) / under;
    table[2 * (k + POWER)] = scaled >> 64n;
    table[2 * (k + POWER) + 1] = scaled & 0xffff_ffff_ffff_ffffn;
  }
}
