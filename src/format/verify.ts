/**
 * Signing files and proving that they are what was written, with Web Crypto (Ed25519, RFC 8032).
 *
 * The checksum that every load compares finds accidents; only a signature finds attackers.
 *
 * @module
 */
import { checkArgument, checkOptions } from "../door.ts";
import { ModelError } from "../errors.ts";
import { corrupt } from "./bytes.ts";
import { SIGN_LENGTH, signedMessage, writeDigested } from "./digest.ts";
import { HEADER, readSections, type Section } from "./sections.ts";
import { sealSections } from "./write_sections.ts";

/** What {@linkcode verifyModel} found; anything that is wrong is an error instead. */
export interface Verification {
  /** Whether the file has a SHA-256, which then matches. */
  readonly sha256: boolean;
  /** The public key (32 bytes) of the signature, if the file is signed. */
  readonly signer?: Uint8Array;
}

/** A pair of Ed25519 keys (RFC 8032), as `crypto.subtle.generateKey("Ed25519", …)` makes it. */
export interface SigningKeys {
  /** The key that signs. Keep it secret. */
  readonly privateKey: CryptoKey;
  /** The key that verifies. Its 32 raw bytes are stored with the signature. */
  readonly publicKey: CryptoKey;
}

/**
 * Signs the bytes of a `.tlm` file. A signature that the file has already is replaced.
 *
 * @returns The bytes of the signed file.
 * @throws {ModelError} As {@linkcode decodeModel}, for bytes that are not an intact file.
 * @throws {ParameterError} `E_PARAM_RANGE` for keys that are not a `CryptoKey`.
 *
 * @example Sign and verify
 * ```ts ignore
 * const keys = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
 * const signed = await signModel(bytes, keys);
 * await verifyModel(signed, { publicKey: await exportPublicKey(keys.publicKey) });
 * ```
 */
export async function signModel(
  bytes: Uint8Array,
  keys: SigningKeys,
): Promise<Uint8Array<ArrayBuffer>> {
  checkArgument("signModel", "bytes", bytes, "bytes");
  checkOptions<SigningKeys>("signModel", keys, { privateKey: "key", publicKey: "key" });
  checkArgument("signModel", "privateKey", keys.privateKey, "key");
  checkArgument("signModel", "publicKey", keys.publicKey, "key");
  const sections = readSections(aligned(bytes), true, {})
    .filter(({ id }) => id !== "SHA2" && id !== "SIGN");
  const file = writeDigested(sections, true);
  const at = file.length - SIGN_LENGTH;
  const message = signedMessage(file.subarray(at - 32, at));
  const signature = await crypto.subtle.sign("Ed25519", keys.privateKey, message);
  file.set(await exportPublicKey(keys.publicKey), at);
  file.set(new Uint8Array(signature), at + 32);
  sealSections(file);
  return file;
}

/** The 32 raw bytes of a public key, as {@linkcode verifyModel} takes them. */
export async function exportPublicKey(key: CryptoKey): Promise<Uint8Array<ArrayBuffer>> {
  checkArgument("exportPublicKey", "key", key, "key");
  return new Uint8Array(await crypto.subtle.exportKey("raw", key));
}

/**
 * Verifies the checksum of a `.tlm` file and, if it has them, its SHA-256 and its signature. Anyone
 * can sign a file with a key of their own: give the `publicKey` that you trust.
 *
 * @param options `publicKey`: 32 bytes; the file must be signed with this key.
 * @throws {ModelError} `E_MODEL_CORRUPT` if one of them does not match, or if the file is not signed
 * with `publicKey`; otherwise as {@linkcode decodeModel}.
 */
export async function verifyModel(
  bytes: Uint8Array,
  options: { readonly publicKey?: Uint8Array } = {},
): Promise<Verification> {
  checkArgument("verifyModel", "bytes", bytes, "bytes");
  checkOptions<typeof options>("verifyModel", options, { publicKey: "bytes" });
  const file = aligned(bytes);
  const sections = readSections(file, true, {});
  const digest = sections.find(({ id }) => id === "SHA2");
  const sign = sections.find(({ id }) => id === "SIGN");
  if (digest === undefined) {
    if (sign !== undefined) throw corrupt(sign.offset!, "it is signed and has no digest");
    demandSigner(undefined, options.publicKey);
    return { sha256: false };
  }
  checkOrder(sections, digest, sign);
  const contents = file.slice(HEADER, digest.offset!);
  const actual = new Uint8Array(await crypto.subtle.digest("SHA-256", contents));
  if (!sameBytes(actual, digest.bytes)) {
    throw corrupt(digest.offset!, "the SHA-256 does not match, the contents were changed");
  }
  const signer = sign?.bytes.slice(0, 32);
  if (sign !== undefined && signer !== undefined) {
    const key = await crypto.subtle.importKey("raw", signer, "Ed25519", true, ["verify"]);
    const signature = sign.bytes.slice(32);
    if (!await crypto.subtle.verify("Ed25519", key, signature, signedMessage(digest.bytes))) {
      throw corrupt(sign.offset!, "the signature does not match");
    }
  }
  demandSigner(signer, options.publicKey);
  return { sha256: true, ...(signer && { signer }) };
}

/** Nothing but the signature may follow the digest, or it would not be covered. */
function checkOrder(
  sections: readonly Section[],
  digest: Section,
  sign: Section | undefined,
): void {
  const after = sections.slice(sections.indexOf(digest) + 1).filter((section) => section !== sign);
  if (after.length > 0) throw corrupt(after[0].offset!, "a section follows the digest");
  if (digest.bytes.length !== 32) throw corrupt(digest.offset!, "the digest has the wrong length");
  if (sign !== undefined && sign.bytes.length !== SIGN_LENGTH) {
    throw corrupt(sign.offset!, "the signature has the wrong length");
  }
}

function demandSigner(signer: Uint8Array | undefined, wanted: Uint8Array | undefined): void {
  if (wanted === undefined) return;
  if (signer !== undefined && sameBytes(signer, wanted)) return;
  throw new ModelError(
    "E_MODEL_CORRUPT",
    `Cannot trust this model: it is ${
      signer === undefined ? "not signed" : "signed by another key"
    }`,
    { details: { offset: 0, signed: signer !== undefined } },
  );
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}
