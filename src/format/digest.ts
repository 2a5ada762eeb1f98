/**
 * Section SHA2: the SHA-256 of everything between the header and itself.
 *
 * @module
 */
import { sha256 } from "../util/sha256.ts";
import { HEADER, type Section } from "./sections.ts";
import { sealSections, writeSections } from "./write_sections.ts";

/** What a signature signs: this and the digest, so that it can mean nothing else. */
const SIGNED_PREFIX = "treeline-model\0";

/** Bytes of a section SIGN: public key and signature of Ed25519. */
export const SIGN_LENGTH = 96;

/**
 * Writes a file with its digest.
 *
 * @param sign Whether room for a signature follows the digest.
 */
export function writeDigested(sections: readonly Section[], sign = false): Uint8Array<ArrayBuffer> {
  const all = [...sections, emptyDigest()];
  if (sign) all.push({ id: "SIGN", required: false, bytes: new Uint8Array(SIGN_LENGTH) });
  const file = writeSections(all);
  const at = file.length - 32 - (sign ? SIGN_LENGTH : 0);
  file.set(sha256(file.subarray(HEADER, at)), at);
  sealSections(file);
  return file;
}

/** The same file by the platform's own SHA-256, which does not have to warm up first. */
export async function writeDigestedAsync(
  sections: readonly Section[],
): Promise<Uint8Array<ArrayBuffer>> {
  const file = writeSections([...sections, emptyDigest()]);
  const at = file.length - 32;
  const digest = await crypto.subtle.digest("SHA-256", file.subarray(HEADER, at));
  file.set(new Uint8Array(digest), at);
  sealSections(file);
  return file;
}

function emptyDigest(): Section {
  return { id: "SHA2", required: false, bytes: new Uint8Array(32) };
}

/** The bytes that a signature of a digest signs. */
export function signedMessage(digest: Uint8Array): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(SIGNED_PREFIX);
  const message = new Uint8Array(prefix.length + digest.length);
  message.set(prefix);
  message.set(digest, prefix.length);
  return message;
}
