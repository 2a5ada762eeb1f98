import { assertEquals, assertThrows } from "@std/assert";
import { RequestError } from "../../../../src/errors.ts";
import { bearerToken, checkToken, type Tokens } from "../../../../src/server/admission/auth.ts";

function passes(tokens: Tokens, authorization?: string): boolean {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  try {
    checkToken(tokens, new Request("http://x/", { headers }));
    return true;
  } catch (error) {
    assertEquals((error as RequestError).code, "E_HTTP_AUTH");
    return false;
  }
}

Deno.test("checkToken() lets the whole token pass and nothing like it", () => {
  const token = "s3cret-tökén".normalize();
  const ascii = "s3cret-token";
  assertEquals(passes([ascii], `Bearer ${ascii}`), true);
  for (let at = 0; at < ascii.length; at++) {
    // One other character at each place, one less, one more.
    const [head, tail] = [ascii.slice(0, at), ascii.slice(at + 1)];
    for (const like of [`${head}#${tail}`, `${head}${tail}`, `${head}x${ascii.slice(at)}`]) {
      assertEquals(passes([ascii], `Bearer ${like}`), false, like);
    }
  }
  for (const like of [ascii + ascii, ascii.toUpperCase(), [...ascii].reverse().join(""), "#"]) {
    assertEquals(passes([ascii], `Bearer ${like}`), false, like);
  }
  // The one given may be a part of the valid one or hold it; none is valid where none is set.
  assertEquals(passes([ascii + ascii], `Bearer ${ascii}`), false);
  for (const tokens of [[], [""], [token]]) {
    for (const given of ["Bearer ", "Bearer", "Bearer x", `Basic ${ascii}`, ascii, undefined]) {
      assertEquals(passes(tokens, given), false, `${tokens}: ${given}`);
    }
  }
});

Deno.test("checkToken() takes any of several tokens, those of the moment, an even number of times too", () => {
  const tokens = ["old", "new", "new"];
  assertEquals(["old", "new", "ne", "news"].map((token) => passes(tokens, `Bearer ${token}`)), [
    true,
    true,
    false,
    false,
  ]);
  let now = ["a"];
  assertEquals([passes(() => now, "Bearer a"), passes(() => now, "Bearer b")], [true, false]);
  now = ["b"];
  assertEquals([passes(() => now, "Bearer a"), passes(() => now, "Bearer b")], [false, true]);
  assertThrows(() => checkToken(() => [], new Request("http://x/")), RequestError);
});

Deno.test("bearerToken() takes one word behind the scheme, in any case", () => {
  const of = (authorization: string) =>
    bearerToken(new Request("http://x/", { headers: { authorization } }));
  assertEquals(["Bearer a", "bearer   a.b_c=", "BEARER a"].map(of), ["a", "a.b_c=", "a"]);
  assertEquals(
    ["Bearer a b", "Bearera", "Token a", "Bearer"].map(of),
    new Array(4).fill(undefined),
  );
  assertEquals(bearerToken(new Request("http://x/")), undefined);
});
