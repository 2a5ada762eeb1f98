import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { CheckError, ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { sealSections } from "../../../src/format/write_sections.ts";
import { runSelfTest, withSelfTest } from "../../../src/format/self_test.ts";
import { exportPublicKey, signModel, verifyModel } from "../../../src/format/verify.ts";
import { createModel } from "../../../src/model/model.ts";
import { randomParts, randomRows } from "../../support/models/random.ts";

const model = createModel(randomParts({ seed: 1 }));

async function keys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair;
}

Deno.test("verifyModel() finds changed contents though the checksum fits", async () => {
  const bytes = encodeModel(model);
  assertEquals(await verifyModel(bytes), { sha256: true });
  const changed = bytes.slice();
  changed[changed.length - 60] ^= 1; // in the trees
  sealSections(changed);
  await assertRejects(() => verifyModel(changed), ModelError, "SHA-256");
  assertEquals(await verifyModel(encodeModel(model, { sha256: false })), { sha256: false });
});

Deno.test("signModel() lets verifyModel() name the signer, and only the right one", async () => {
  const [mine, other] = [await keys(), await keys()];
  const signed = await signModel(encodeModel(model), mine);
  const publicKey = await exportPublicKey(mine.publicKey);
  assertEquals((await verifyModel(signed, { publicKey })).signer, publicKey);
  assertEquals(decodeModel(signed).ensemble, model.ensemble);
  const another = await exportPublicKey(other.publicKey);
  await assertRejects(() => verifyModel(signed, { publicKey: another }), ModelError, "another key");
  await assertRejects(
    () => verifyModel(encodeModel(model), { publicKey }),
    ModelError,
    "not signed",
  );
  const forged = signed.slice();
  forged[forged.length - 1] ^= 1;
  sealSections(forged);
  await assertRejects(() => verifyModel(forged), ModelError, "signature");
  // Signing again replaces the signature.
  const again = await signModel(signed, other);
  assertEquals(again.length, signed.length);
  assertEquals((await verifyModel(again)).signer, another);
});

Deno.test("runSelfTest() passes on a copy and names the row where a score differs", () => {
  for (const spec of [{ seed: 3, categorical: 2, outputs: 3 }, { seed: 4, exotic: 0.4 }]) {
    const parts = randomParts(spec);
    const rows = randomRows(parts.schema, 10, 2);
    const tested = withSelfTest(createModel(parts), rows);
    const bytes = encodeModel(tested);
    const copy = decodeModel(bytes);
    assertEquals(runSelfTest(copy), 10);
    assertEquals(encodeModel(copy), bytes);
    const test = copy.attachments.get("TEST")!;
    assert(test.length < bytes.length);
    test[test.length - 1] ^= 1; // the last expected score
    assertThrows(() => runSelfTest(copy), CheckError, "row 10");
  }
  assertEquals(runSelfTest(model), 0);
});
