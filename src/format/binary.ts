/**
 * Model ⇄ bytes of a `.tlm` file (docs/format.md). Equal models give equal bytes: no times, no
 * host names, JSON in canonical form.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import { canonicalJson } from "../model/hash.ts";
import type { Model } from "../model/model.ts";
import { joinArrays } from "./bytes.ts";
import { writeDigested } from "./digest.ts";
import { writeStats } from "./explain.ts";
import { writeGeneral } from "./general.ts";
import { readCalibration, readMeta } from "./meta.ts";
import { writePacked } from "./packed.ts";
import { type Section, writeSections } from "./sections.ts";

export { decodeModel, type DecodeOptions, sourceBytes } from "./decode.ts";

/** What a file holds besides what scoring needs. */
export interface EncodeOptions {
  /**
   * Keep covers, gains and inner values, which explanations need.
   * @default true
   */
  readonly explain?: boolean;
  /** Keep self-test rows and training statistics. @default true */
  readonly attachments?: boolean;
  /** Add the SHA-256 of the contents. @default true */
  readonly sha256?: boolean;
}

/** Writes a model as the bytes of a `.tlm` file. */
export function encodeModel(model: Model, options: EncodeOptions = {}): Uint8Array<ArrayBuffer> {
  const sections = modelSections(model, options);
  return options.sha256 === false ? writeSections(sections) : writeDigested(sections);
}

/** The sections of a model's file, without its digest. */
export function modelSections(model: Model, options: EncodeOptions = {}): Section[] {
  const fail = (problem: string) =>
    new ModelError("E_MODEL_CORRUPT", `Cannot write this model: ${problem}`);
  const { storage, rules, schema, info } = model;
  const meta = readMeta({ ...rules, schema, info }, fail);
  const trees = storage.layout === "packed"
    ? writePacked(storage.packed, rules)
    : writeGeneral(storage.ensemble);
  const sections: Section[] = [
    { id: "META", required: true, bytes: utf8(canonicalJson(meta)) },
    { id: "TREE", required: true, bytes: joinArrays(trees) },
  ];
  if (model.calibration !== undefined) {
    const calibration = readCalibration(model.calibration, fail);
    sections.push({ id: "CALB", required: true, bytes: utf8(canonicalJson(calibration)) });
  }
  if (storage.layout === "packed" && options.explain !== false) {
    const arrays = writeStats(storage.stats, storage.packed, rules.leafWidth);
    if (arrays.length > 1) {
      sections.push({ id: "EXPL", required: false, bytes: joinArrays(arrays) });
    }
  }
  if (options.attachments !== false) {
    for (const [id, bytes] of model.attachments) sections.push({ id, required: false, bytes });
  }
  return sections;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
