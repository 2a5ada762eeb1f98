import { assertEquals, assertNotEquals } from "@std/assert";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { signModel } from "../../../../src/format/verify.ts";
import { versionOf } from "../../../../src/server/models/version.ts";
import { sha256Hex } from "../../../../src/util/sha256.ts";
import { numbersModel, smallModel } from "../../../support/models/small.ts";

Deno.test("versionOf() is the beginning of the SHA-256 of the file that encodeModel() writes", async () => {
  for (const model of [smallModel(), numbersModel(2)]) {
    const file = encodeModel(model);
    const version = sha256Hex(file).slice(0, 16);
    assertEquals(await versionOf(model), version);
    assertEquals(await versionOf(decodeModel(file)), version);
    const shared = new Uint8Array(new SharedArrayBuffer(file.length));
    shared.set(file);
    assertEquals(await versionOf(decodeModel(shared)), version);
  }
});

/** Reads a model by `./predict`, and only then loads what tells its version. */
const LATER = `
import { decodeModel } from "${new URL("../../../../src/predict.ts", import.meta.url)}";
onmessage = async ({ data }) => {
  const model = decodeModel(data);
  const { versionOf } = await import("${new URL(
  "../../../../src/server/models/version.ts",
  import.meta.url,
)}");
  postMessage(await versionOf(model));
};
`;

Deno.test("versionOf() is that of a signed file, also if ./predict read it before the server was loaded", async () => {
  const keys = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const file = await signModel(encodeModel(smallModel()), keys as CryptoKeyPair);
  const version = sha256Hex(file).slice(0, 16);
  assertEquals(await versionOf(decodeModel(file)), version);
  assertNotEquals(await versionOf(smallModel()), version);
  const code = URL.createObjectURL(new Blob([LATER], { type: "text/javascript" }));
  const worker = new Worker(code, { type: "module" });
  try {
    const told = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
    });
    worker.postMessage(file);
    assertEquals(await told, version);
  } finally {
    worker.terminate();
    URL.revokeObjectURL(code);
  }
});
