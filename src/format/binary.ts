/**
 * Model ⇄ bytes of a `.tlm` file (docs/format.md). Equal models give equal bytes: no times, no
 * host names, JSON in canonical form.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import { canonicalJson } from "../model/hash.ts";
import { createModel, type Model } from "../model/model.ts";
import { corrupt, createReader, joinArrays } from "./bytes.ts";
import { LAYOUT_G, proveGeneral, readGeneral, writeGeneral } from "./general.ts";
import { readCalibration, readMeta } from "./meta.ts";
import { type Limits, readSections, type Section, writeSections } from "./sections.ts";

/** How a file is read. */
export interface DecodeOptions {
  readonly limits?: Limits;
  /** Compare the checksum. Structure is proved in any case. @default true */
  readonly checksum?: boolean;
}

/** Writes a model as the bytes of a `.tlm` file. */
export function encodeModel(model: Model): Uint8Array<ArrayBuffer> {
  const fail = (problem: string) =>
    new ModelError("E_MODEL_CORRUPT", `Cannot write this model: ${problem}`);
  const { ensemble } = model;
  const meta = readMeta({ ...ensemble, schema: model.schema, info: model.info }, fail);
  const sections: Section[] = [
    { id: "META", required: true, bytes: utf8(canonicalJson(meta)) },
    { id: "TREE", required: true, bytes: joinArrays(writeGeneral(ensemble)) },
  ];
  if (model.calibration !== undefined) {
    const calibration = readCalibration(model.calibration, fail);
    sections.push({ id: "CALB", required: true, bytes: utf8(canonicalJson(calibration)) });
  }
  return writeSections(sections);
}

/**
 * Reads a `.tlm` file. Arrays are views of `bytes`, which must not change afterwards.
 *
 * @throws {ModelError} `E_MODEL_MAGIC`, `E_MODEL_VERSION`, `E_MODEL_CORRUPT` or `E_MODEL_LIMIT`;
 * `details.offset` is the place in the file.
 */
export function decodeModel(bytes: Uint8Array, options: DecodeOptions = {}): Model {
  // Views need an aligned buffer; small reads in Node share one.
  if (bytes.byteOffset % 8 !== 0) bytes = bytes.slice();
  const sections = readSections(bytes, options.checksum !== false, options.limits ?? {});
  const byId = new Map<string, Section>();
  for (const section of sections) {
    const { id, required, offset } = section;
    if (byId.has(id)) throw corrupt(offset!, `section ${JSON.stringify(id)} is there twice`);
    byId.set(id, section);
    if (required && !KNOWN.has(id)) {
      throw new ModelError(
        "E_MODEL_VERSION",
        `Cannot read this model at byte ${offset}: it needs section ${JSON.stringify(id)}, ` +
          `which a newer version of Treeline may know`,
        { details: { offset, section: id } },
      );
    }
  }
  const metaSection = need(byId, "META");
  const meta = readMeta(...json(metaSection));
  const treeSection = need(byId, "TREE");
  const reader = createReader(bytes, treeSection.offset!, treeSection.bytes.byteLength);
  const head = reader.u32(8);
  if (head[0] !== LAYOUT_G) throw corrupt(treeSection.offset!, `unknown layout ${head[0]}`);
  const ensemble = readGeneral(reader, head, meta);
  reader.end();
  proveGeneral(ensemble, meta.schema, treeSection.offset!);
  const calibration = byId.get("CALB");
  return createModel({
    schema: meta.schema,
    info: meta.info,
    ensemble,
    ...(calibration && { calibration: readCalibration(...json(calibration)) }),
  });
}

const KNOWN = new Set(["META", "TREE", "CALB"]);

function need(sections: ReadonlyMap<string, Section>, id: string): Section {
  const section = sections.get(id);
  if (section === undefined) throw corrupt(0, `section ${id} is not there`);
  return section;
}

/** The parsed JSON of a section and how to refuse what is in it. */
function json({ bytes, offset }: Section): [unknown, (problem: string) => ModelError] {
  const fail = (problem: string) => corrupt(offset!, problem);
  try {
    return [JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), fail];
  } catch {
    throw fail("its JSON cannot be parsed");
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
