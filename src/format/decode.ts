/**
 * Bytes of a `.tlm` file → model (docs/format.md).
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import { hash64 } from "../model/hash.ts";
import { checkClasses, proveEnsemble } from "../model/check.ts";
import { checkOptions, type OptionKinds, tagOf, unusable } from "../small_door.ts";
import { Model, settled } from "../model/model_class.ts";
import { createPositional } from "../model/positional.ts";
import type { Packed, Rules, Storage, Unscored } from "../model/packed.ts";
import { LAYOUT_B } from "./bits.ts";
import { type ByteReader, corrupt, createReader, within } from "./bytes.ts";
import { LAYOUT_G, readGeneral } from "./general.ts";
import { LAYOUT_H } from "./heap.ts";
import { openProver, type Prover } from "./prover.ts";
import { type Meta, readCalibration, readMeta } from "./meta.ts";
import { HEAD_WORDS, LAYOUT_Z, readPacked } from "./packed.ts";
import { type Limits, readSections, type Section } from "./sections.ts";

/** How a model file is read. */
export interface DecodeOptions {
  /**
   * Limits for files from elsewhere; a larger file is refused with `E_MODEL_LIMIT`.
   * @default those of {@linkcode Limits}
   */
  readonly limits?: Limits;
  /** Whether the checksum is compared. The structure is checked in any case. @default true */
  readonly checksum?: boolean;
  /**
   * Whether the rows of the self-test, if the file has one, are scored and compared bit by bit; a
   * difference is `E_MODEL_CORRUPT`. @default true
   */
  readonly selfTest?: boolean;
}

const OPTIONS: OptionKinds<DecodeOptions> = new Map([
  ["limits", "object"],
  ["checksum", "boolean"],
  ["selfTest", "boolean"],
]);
const LIMITS: OptionKinds<Limits> = new Map([["maxBytes", "number"]]);

/**
 * Makes a model from the bytes of a `.tlm` file. Its arrays are views of `bytes`, which must not
 * change afterwards.
 *
 * @throws {ModelError} `E_MODEL_MAGIC` if it is not a `.tlm` file, `E_MODEL_VERSION` if it is too
 * new, `E_MODEL_CORRUPT` if it is damaged, `E_MODEL_LIMIT` if it is larger than `limits` allow;
 * `details.offset` is the place in the file, counted in bytes from 0.
 * @throws {ParameterError} For bytes that are not a `Uint8Array`, or a wrong option.
 */
export function decodeModel(bytes: Uint8Array, options: DecodeOptions = {}): Model {
  checkOptions(options, OPTIONS);
  const { limits = {} } = options;
  checkOptions(limits, LIMITS);
  if (tagOf(bytes) !== "Uint8Array") throw unusable("bytes", bytes, "a Uint8Array");
  // Views need an aligned buffer; small reads in Node share one.
  if (bytes.byteOffset % 8) bytes = bytes.slice();
  const prover = openProver(bytes, limits.maxBytes);
  const sections = readSections(bytes, options.checksum !== false, limits, prover);
  const byId = new Map<string, Section>();
  for (const section of sections) {
    const { required, offset } = section;
    // Trees in bits are another form of the same section, under a name that old readers refuse.
    const id = section.id === "BITS" ? "TREE" : section.id;
    if (byId.has(id)) throw corrupt(offset!, `section ${JSON.stringify(id)} is there twice`);
    byId.set(id, section);
    if (required && !KNOWN.includes(id)) {
      throw corrupt(
        offset!,
        `section ${JSON.stringify(id)} is unknown`,
        "E_MODEL_VERSION",
        { section: id },
      );
    }
  }
  const open = (section: Section) => createReader(bytes, section.offset!, section.bytes.length);
  const metaSection = need(byId, "META");
  const [meta, text] = json(metaSection, readMeta);
  const { schema, info } = meta;
  const explain = byId.get("EXPL");
  const { rules, storage } = readTrees(
    need(byId, "TREE"),
    open,
    meta,
    prover,
    (packed) => needExplainer()(packed, explain && open(explain), meta.leafWidth),
  );
  checkClasses(rules, schema, (problem) => corrupt(metaSection.offset!, problem));
  const calibration = byId.get("CALB");
  const attachments = new Map<string, Uint8Array>();
  for (const id of ATTACHMENTS) {
    const section = byId.get(id);
    if (section) attachments.set(id, section.bytes);
  }
  const contract = JSON.stringify(schema); // canonical as readMeta makes it
  // A text of ASCII has its characters where the file has its bytes.
  const at = text.length === metaSection.bytes.length ? text.indexOf(contract) : -1;
  // Names of columns are compared in NFC, as which ASCII is.
  if (at < 0 && schema.features.some(({ name }) => name !== name.normalize())) {
    throw corrupt(metaSection.offset!, "a name is not in NFC");
  }
  const model = new Model({
    schema,
    schemaHash: prover && at >= 0
      ? prover.hash(metaSection.offset! + at, contract.length)
      : () => hash64(contract),
    info,
    rules,
    storage,
    attachments,
    ...(calibration && { calibration: json(calibration, readCalibration, rules.numOutputs)[0] }),
  });
  const test = byId.get("TEST");
  if (test && options.selfTest !== false) runTest(model, open(test), bytes.length);
  sources.set(model, bytes);
  return model;
}

/**
 * Scores the rows of the section TEST. They are walked, however many there are: tables of the faster
 * scorers may be far larger than a file whose trees share leaves. Of rows whose sums take more numbers than
 * the file has bytes, some are left out.
 */
function runTest(model: Model, reader: ByteReader, size: number): void {
  const start = reader.offset();
  const { schema, numTrees, rules } = model;
  const numFeatures = schema.features.length;
  const [rows, width, numOutputs, zero] = reader.u32(4);
  // More rows than a file keeps would take as long as its size squared.
  if (width !== numFeatures || numOutputs !== rules.numOutputs || zero || rows > 256) {
    throw corrupt(start, "its self-test does not fit");
  }
  const x = reader.f64(rows * numFeatures);
  const expected = reader.f64(rows * numOutputs);
  reader.end();
  const some = Math.min(rows, Math.floor(size / (numTrees * (rules.leafWidth - 1))));
  const data = new Float64Array(some * numOutputs);
  // By position, where codes that no category has are harmless: these rows may come from strangers.
  const scorer = createPositional(model, settled(model, Infinity), () => {});
  within(start, () => scorer.rawRowsInto(x.subarray(0, some * numFeatures), data));
  const wrong = data.findIndex((raw, i) => !Object.is(raw, expected[i]));
  if (wrong >= 0) {
    throw corrupt(start, `its self-test gives ${data[wrong]}, expected ${expected[wrong]}`);
  }
}

/** Gives what explanations, exports and plots need of a file; the reader is of its section EXPL. */
type Explainer = (packed: Packed, reader: ByteReader | undefined, leafWidth: number) => Unscored;

let explainer: Explainer | undefined;

/** Called by explain.ts, so that what only scores does not carry it. */
export function useExplainer(of: Explainer): void {
  explainer = of;
}

function needExplainer(): Explainer {
  if (explainer) return explainer;
  throw new ModelError(
    "E_MODEL_VERSION",
    "Cannot explain: ./predict only scores",
  );
}

/** Files that models were read from; their arrays are views of them anyway. */
const sources = new WeakMap<Model, Uint8Array>();

/** The file that a model was read from, if it was. */
export function sourceBytes(model: Model): Uint8Array | undefined {
  return sources.get(model);
}

function readTrees(
  section: Section,
  open: (section: Section) => ByteReader,
  meta: Meta,
  prover: Prover | undefined,
  unscoredOf: (packed: Packed) => Unscored,
): { rules: Rules; storage: Storage } {
  const reader = open(section);
  const head = reader.u32(HEAD_WORDS);
  const layout = head[0];
  const inBits = section.id === "BITS";
  if (inBits ? layout === LAYOUT_B : layout === LAYOUT_Z || layout === LAYOUT_H) {
    const { packed, rules } = readPacked(reader, head, meta, prover);
    reader.end();
    const storage: Storage = {
      layout: "packed",
      packed,
      get unscored() {
        return unscoredOf(packed);
      },
    };
    return { rules, storage };
  }
  if (inBits || layout !== LAYOUT_G) throw corrupt(section.offset!, `unknown layout ${layout}`);
  const ensemble = readGeneral(reader, head, meta);
  reader.end();
  within(section.offset!, () => proveEnsemble(ensemble, meta.schema));
  const { trees: _, linear: __, surrogates: ___, ...rules } = ensemble;
  return { rules, storage: { layout: "general", ensemble } };
}

/** Optional sections that other parts of the library read. */
export const ATTACHMENTS = ["TEST", "STAT"];

const KNOWN = ["META", "TREE", "CALB", "EXPL", "SHA2", "SIGN", ...ATTACHMENTS];

function need(sections: ReadonlyMap<string, Section>, id: string): Section {
  const section = sections.get(id);
  if (section === undefined) throw corrupt(0, `section ${id} is not there`);
  return section;
}

/** What is read of the JSON of a section, and its text. */
function json<T>(
  { bytes, offset }: Section,
  read: (value: unknown, fail: (problem: string) => ModelError, numOutputs: number) => T,
  numOutputs = 0,
): [T, text: string] {
  const fail = (problem: string) => corrupt(offset!, problem);
  let text: string;
  const value = within(
    offset!,
    () => JSON.parse(text = textOf(bytes)),
    "its JSON cannot be parsed",
  );
  return [read(value, fail, numOutputs), text!];
}

/** UTF-8 as text. The first use of `TextDecoder` takes 0.2 ms in Deno, longer than all of short texts. */
function textOf(bytes: Uint8Array): string {
  return bytes.length > 8192
    ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    : decodeURIComponent(escape(String.fromCharCode.apply(null, bytes as unknown as number[])));
}
