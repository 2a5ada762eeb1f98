import { assertEquals } from "@std/assert";
import { sha256Hex } from "../../../src/util/sha256.ts";

Deno.test("sha256Hex() equals Web Crypto at every length around a block", async () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 37 + length);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    assertEquals(
      sha256Hex(bytes),
      Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    );
  }
});
