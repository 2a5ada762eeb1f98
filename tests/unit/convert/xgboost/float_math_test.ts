import { assert, assertEquals } from "@std/assert";
import { expf, logf } from "../../../../src/convert/xgboost/float_math.ts";

/** Bits of arguments and results of glibc 2.36 on x86-64; for the first twelve the nearest float32 is another. */
const LOGF = [
  [0x3efb3bd0, 0xbf3641c9],
  [0x3a24195c, 0xc0ec09a9],
  [0x3f7c8e72, 0xbc5de267],
  [0x3e8aefc6, 0xbfa6f387],
  [0x5a2b91dd, 0x42141e79],
  [0x48236fe8, 0x41407247],
  [0x4d044cfc, 0x4195fbf2],
  [0x3fbb5e8b, 0x3ec31928],
  [0x3f7996ce, 0xbccfc309],
  [0x3d7327a0, 0xc034bd88],
  [0x5413c14c, 0x41e4801f],
  [0x2d0aa52b, 0xc1cc8850],
  [0x4dab5c21, 0x419d994e],
  [0x563a9325, 0x41fc8c22],
  [0x79083098, 0x429f8c43],
  [0x006b6b9e, 0xc2af060e],
  [0x58be4e76, 0x420c3743],
  [0x3510fc34, 0xc166e762],
  [0x2d94b323, 0xc1c66d5d],
  [0x75c98d42, 0x4296a0b9],
  [0x145e64b8, 0xc26f016c],
  [0x3f3f7235, 0xbe94c5ba],
  [0x06185354, 0xc29f136c],
  [0x047298f6, 0xc2a3b0b6],
];
const EXPF = [
  [0x3c732d76, 0x3f81e9fc],
  [0xbe600305, 0x3f4db30d],
  [0xbd18292f, 0x3f76aa18],
  [0x3b9f7109, 0x3f809fd5],
  [0xc2147967, 0x24aec2e5],
  [0xbb757709, 0x3f7f0aff],
  [0xbec2ec34, 0x3f2ef1cf],
  [0x405bbd4a, 0x41f7dc86],
  [0xbbdec2a6, 0x3f7e43fe],
  [0xbfb7b3bd, 0x3e73c9bd],
  [0xbcf22bb4, 0x3f788afe],
  [0x406c93f1, 0x42213a8e],
  [0x94b853f4, 0x3f800000],
  [0xa04883a5, 0x3f800000],
  [0xababdce6, 0x3f800000],
  [0x2e8788f9, 0x3f800000],
  [0x8251350a, 0x3f800000],
  [0x2e1632ba, 0x3f800000],
  [0x2bac957d, 0x3f800000],
  [0x990e1bc2, 0x3f800000],
  [0x39d8ff54, 0x3f800d91],
  [0x044a349f, 0x3f800000],
  [0x9062fc70, 0x3f800000],
  [0xac63934d, 0x3f800000],
];

const view = new DataView(new ArrayBuffer(4));
const float = (bits: number): number => {
  view.setUint32(0, bits);
  return view.getFloat32(0);
};

Deno.test("logf() and expf() have the bits of glibc, also where those are not the nearest", () => {
  for (const [own, exact, table] of [[logf, Math.log, LOGF], [expf, Math.exp, EXPF]] as const) {
    const inexact = table.filter(([x, y]) => Math.fround(exact(float(x))) !== float(y));
    assert(inexact.length >= 12);
    for (const [x, y] of table) assertEquals(own(float(x)), float(y));
  }
});

Deno.test("logf() and expf() at the ends of float32", () => {
  assertEquals([logf(0), logf(-0), logf(Infinity), logf(1)], [-Infinity, -Infinity, Infinity, 0]);
  assertEquals([logf(-1), logf(NaN), expf(NaN)], [NaN, NaN, NaN]);
  assertEquals([expf(Infinity), expf(-Infinity), expf(0)], [Infinity, 0, 1]);
  // The smallest numbers: ln 2⁻¹⁴⁹ = −103.2789…, as XGBoost 2.1.4 and 3.2 say of a base score of 1e-45.
  assertEquals(logf(2 ** -149), -103.2789306640625);
  assertEquals(expf(-103.2789306640625), 2 ** -149);
});
