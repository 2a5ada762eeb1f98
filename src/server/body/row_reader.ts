/**
 * The short way from a body to numbers: a kernel reads what nearly every body is, rows of numbers
 * and categories under the model's names, without making an object of any row.
 *
 * What it does not take goes through `JSON.parse` and json_rows.ts; both ways give the same batch
 * (tests/property/server/rows_test.ts).
 *
 * @module
 */
import { createTally } from "../../model/contract.ts";
import { encodeCell } from "../../model/encode.ts";
import { type Batch, EMPTY_REPORT } from "./batch.ts";
import { type Plan, type RowReader, Way } from "./encoder.ts";
import { lazyModule } from "../../util/wasm_module.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";

/** Exports of kernels/assembly/json.ts. */
interface Kernel {
  enter(table: number, mask: number, text: number, length: number, code: number): void;
  read(config: number, from: number, to: number): number;
}

const PAGE = 65536;
/** Bytes of a feature's record and of an entry of a table of categories. */
const FEATURE = 64;
const ENTRY = 48;
/** Where vectors are that the kernel compares bytes with: see its `CONSTANTS`. */
const CONSTANTS = 64;
/** Cells of one body that JavaScript reads: numbers of more than one rounding, unknown categories. */
const MAX_SPARE = 4096;
/** The kernel reads words and vectors from any byte of a body, and clears what is behind it. */
const PADDING = 64;
/** The brace that begins a body of one row. */
const OPEN = 0x7b;
/** Largest memory of a reader; models and bodies beyond it go the long way. */
const MAX_MEMORY = 64 << 20;

const kernelModule = lazyModule(WASM_BASE64);

const utf8 = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text as its bytes, where a body can hold it without escapes and no other text has them. */
function plainBytes(text: string): Uint8Array | undefined {
  // deno-lint-ignore no-control-regex
  return /["\\\u0000-\u001f]/.test(text) || !text.isWellFormed() ? undefined : utf8.encode(text);
}

/** Characters of a text that is read one by one. */
const SHORT = 24;
/** Makes the reader of a schema, or undefined where there is no kernel or no sense in it. */
export function createRowReader(encoder: Plan): RowReader | undefined {
  const { features } = encoder.schema;
  const width = features.length;
  const module = kernelModule();
  const names = features.map(({ name }) => plainBytes(name));
  const isPlain = width > 0 && !encoder.starts && !names.includes(undefined);
  if (module === null || !isPlain) return undefined;

  let size = CONSTANTS + 5 * 16;
  const place = (byteLength: number) => {
    const at = size;
    size += Math.ceil((byteLength + 8) / 16) * 16;
    return at;
  };
  const records = place(FEATURE * width);
  const next = place(4 * (width + 1));
  const stamps = place(4 * width);
  const counts = place(16 * width);
  const spare = place(12 * MAX_SPARE);
  const rowAt = place(8 * width);
  const nameAt = names.map((bytes) => place(bytes!.length + 1));
  const tables = features.map((_, f) => layTable(encoder.codes[f], place));
  if (size > MAX_MEMORY >> 1) return undefined;

  const bodyAt = size;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((size + PAGE) / PAGE) });
  const kernel = new WebAssembly.Instance(module, { env: { memory } })
    .exports as unknown as Kernel;
  let bytes = new Uint8Array(memory.buffer);
  let words = new Int32Array(memory.buffer);
  let numbers = new Float64Array(memory.buffer);
  for (let i = 0; i < 32; i++) bytes[CONSTANTS + i] = i;
  [0x22, 0x5c, 0x1f].forEach((byte, i) =>
    bytes.fill(byte, CONSTANTS + 32 + 16 * i, CONSTANTS + 48 + 16 * i)
  );
  words.set([width, records, next, stamps, counts, counts + 8 * width, spare, MAX_SPARE]);
  for (let f = 0; f < width; f++) {
    const feature = features[f];
    const table = tables[f];
    bytes.set(names[f]!, nameAt[f]);
    bytes[nameAt[f] + names[f]!.length] = 0x22;
    const record = records + FEATURE * f;
    const head = bytes.subarray(nameAt[f], nameAt[f] + Math.min(16, names[f]!.length + 1));
    bytes.set(head, record + 32);
    bytes.fill(0xff, record + 48, record + 48 + head.length);
    words.set([
      nameAt[f],
      names[f]!.length + 1,
      encoder.ways[f], // the kernel counts kinds as `Way` does
      feature.missing === "error" ? 0 : 1,
      table?.at ?? 0,
      table?.mask ?? 0,
    ], record >> 2);
    words[(next >> 2) + f] = f;
    for (let slot = 0; slot <= (table?.mask ?? -1); slot++) {
      words.fill(-1, (table!.at + ENTRY * slot + 32) >> 2, (table!.at + ENTRY * slot + 40) >> 2);
    }
    for (const { text, at, code } of table?.texts ?? []) {
      bytes.set(text, at);
      kernel.enter(table!.at, table!.mask, at, text.length, code);
    }
  }

  const noticed = {
    sent: new Float64Array(width),
    tally: { missing: new Float64Array(width), unknown: new Float64Array(width) },
    named: new Uint8Array(width),
    ignored: new Set<string>(),
  };
  /** Rows of the last body if it was plain: then `noticed` says what it says of every such body. */
  let plainRows = 0;
  /** The shortest row: `{"a":1}`. */
  const leastRow = 6 + Math.min(...names.map((name) => name!.length));
  let single = batchOf(1, numbers.subarray(rowAt >> 3, (rowAt >> 3) + width), false);
  let room = bytes.subarray(bodyAt);

  function batchOf(rows: number, x: Float64Array, plain: boolean): Batch {
    const fill = (from: number, to: number, out: Float64Array) =>
      out.set(x.subarray(from * width, to * width));
    return { rows, x, ...noticed, plain, input: { rows, fill, finish: () => EMPTY_REPORT } };
  }

  /** Makes room for a body and its rows behind it; says where rows go and how many fit. */
  function reserve(length: number): boolean {
    const x = bodyAt + Math.ceil((length + PADDING) / 16) * 16;
    const rows = Math.min(encoder.limits.maxRows, Math.ceil(length / leastRow));
    const need = Math.min(x + 8 * width * rows, MAX_MEMORY);
    if (need > bytes.length) {
      if (x + 8 * width > MAX_MEMORY) return false;
      memory.grow(Math.ceil((need - bytes.length) / PAGE));
      bytes = new Uint8Array(memory.buffer);
      words = new Int32Array(memory.buffer);
      numbers = new Float64Array(memory.buffer);
      room = bytes.subarray(bodyAt);
      single = batchOf(1, numbers.subarray(rowAt >> 3, (rowAt >> 3) + width), false);
    }
    words[11] = x;
    words[12] = Math.min(Math.floor((bytes.length - x) / (8 * width)), encoder.limits.maxRows);
    return true;
  }

  function load(body: string | Uint8Array): number {
    if (typeof body !== "string") {
      if (!reserve(body.length)) return -1;
      bytes.set(body, bodyAt);
      return body.length;
    }
    if (!reserve(3 * body.length)) return -1;
    return utf8.encodeInto(body, room).written;
  }

  /** Text of the body. A decoder takes longer than all else for texts as short as `?`. */
  function textAt(from: number, to: number): string {
    let text = "";
    for (let p = from; p < to; p++) {
      if (bytes[p] > 0x7f || p - from === SHORT) return decoder.decode(bytes.subarray(from, to));
      text += String.fromCharCode(bytes[p]);
    }
    return text;
  }

  const left = createTally(width);

  /**
   * Reads what the kernel left over.
   *
   * @returns How many texts there were; −1 where one is refused: then the long way says why.
   */
  function readSpares(): number {
    let texts = 0;
    for (let i = 0; i < words[8]; i++) {
      const at = (spare >> 2) + 3 * i;
      const cell = (words[at + 2] - words[11]) >> 3;
      const f = cell % width;
      const to = words[at + 2] >> 3;
      if (encoder.ways[f] === Way.number) {
        numbers[to] = Number(textAt(words[at], words[at + 1]));
        continue;
      }
      if (texts++ === 0) {
        left.missing.fill(0);
        left.unknown.fill(0);
      }
      try {
        const text = textAt(words[at], words[at + 1]);
        if (text.length > encoder.limits.maxString) return -1;
        numbers[to] = encodeCell(encoder.contract, f, text, Math.floor(cell / width) + 1, left);
      } catch {
        return -1;
      }
    }
    return texts;
  }

  /** Takes over what the kernel counted, and what was left over. */
  function notice(texts: number): void {
    const { sent, tally, named } = noticed;
    const at = counts >> 3;
    for (let f = 0; f < width; f++) {
      sent[f] = numbers[at + f];
      tally.missing[f] = numbers[at + width + f];
      tally.missing[f] += texts > 0 ? left.missing[f] : 0;
      tally.unknown[f] = texts > 0 ? left.unknown[f] : 0;
      named[f] = sent[f] > 0 ? 1 : 0;
    }
  }

  return {
    read(body) {
      const length = load(body);
      if (length < 0) return undefined;
      if (bytes[bodyAt] === OPEN) {
        words[11] = rowAt;
        words[12] = 1;
      }
      const rows = kernel.read(0, bodyAt, bodyAt + length);
      if (rows === 0) return undefined;
      const texts = readSpares();
      if (texts < 0) return undefined;
      const plain = words[9] === rows * width && words[13] === 0 && texts === 0;
      if (!plain || rows !== plainRows) notice(texts);
      plainRows = plain ? rows : 0;
      const from = words[11] >> 3;
      if (from !== rowAt >> 3) {
        return batchOf(rows, numbers.subarray(from, from + rows * width), plain);
      }
      single.plain = plain;
      return single;
    },
  };
}

/** The categories of a feature as the kernel finds them. */
interface Table {
  readonly at: number;
  /** Number of slots less 1: a power of two, at most half of them taken. */
  readonly mask: number;
  readonly texts: readonly {
    readonly text: Uint8Array;
    readonly at: number;
    readonly code: number;
  }[];
}

function layTable(
  codes: ReadonlyMap<string, number> | undefined,
  place: (byteLength: number) => number,
): Table | undefined {
  if (codes === undefined) return undefined;
  const texts = [...codes].flatMap(([name, code]) => {
    const text = plainBytes(name);
    return text === undefined ? [] : [{ text, at: place(text.length), code }];
  });
  const slots = 1 << (32 - Math.clz32(2 * texts.length + 1));
  return { at: place(ENTRY * slots), mask: slots - 1, texts };
}
