/**
 * `logf` and `expf` as glibc (2.27 and later) computes them. They are not rounded correctly in every
 * last bit, and XGBoost turns base scores into margins with them.
 *
 * Szabolcs Nagy's algorithms of Arm's optimized routines (MIT), `math/logf.c` and `math/expf.c`.
 *
 * @module
 */
const { fround } = Math;

const bits = new DataView(new ArrayBuffer(8));

/** 1/c and log(c) of 16 numbers c. */
const LOG_TABLE: readonly (readonly [number, number])[] = [
  [0x1661ec79f8f3be, -0x157bf7808caade / 4],
  [0x1571ed4aaf883d, -0x12bef0a7c06ddb / 4],
  [0x149539f0f010b0, -0x101eae7f513a67 / 4],
  [0x13c995b0b80385, -0x1b31d8a68224e9 / 8],
  [0x130d190c8864a5, -0x16574f0ac07758 / 8],
  [0x125e227b0b8ea0, -0x11aa2bc79c8100 / 8],
  [0x11bb4a4a1a343f, -0x1a4e76ce8c0e5e / 16],
  [0x112358f08ae5ba, -0x11973c5a611ccc / 16],
  [0x10953f419900a7, -0x1252f438e10c1e / 32],
  [0x10000000000000, 0],
  [0x1e608cfd9a47ac / 2, 0x1aa5aa5df25984 / 32],
  [0x1ca4b31f026aa0 / 2, 0x1c5e53aa362eb4 / 16],
  [0x1b2036576afce6 / 2, 0x1526e57720db08 / 8],
  [0x19c2d163a1aa2d / 2, 0x1bc2860d224770 / 8],
  [0x1886e6037841ed / 2, 0x11058bc8a07ee1 / 4],
  [0x1767dcf5534862 / 2, 0x14043057b6ee09 / 4],
];
const UNIT = 2 ** -52;
const LN2 = 0x162e42fefa39ef * UNIT / 2;
const LOG_POLY = [
  -0x100ea348b88334 * UNIT / 4,
  0x15575b0be00b6a * UNIT / 4,
  -0x1ffffef20a4123 * UNIT / 4,
] as const;

/** Natural logarithm of a float32, as float32. */
export function logf(x: number): number {
  if (x === 1) return 0;
  if (!(x > 0 && x < Infinity)) return Math.log(x); // −Infinity, Infinity or NaN
  const isTiny = x < 2 ** -126;
  bits.setFloat32(0, isTiny ? x * 2 ** 23 : x);
  const ix = bits.getInt32(0) - (isTiny ? 23 << 23 : 0);
  const from = (ix - 0x3f330000) | 0;
  const k = from >> 23;
  bits.setInt32(0, ix - (k << 23));
  const [inverse, log] = LOG_TABLE[from >> 19 & 15];
  const r = bits.getFloat32(0) * (inverse * UNIT) - 1;
  const start = log * UNIT + k * LN2;
  const r2 = r * r;
  const y = LOG_POLY[0] * r2 + (LOG_POLY[1] * r + LOG_POLY[2]);
  return fround(y * r2 + (start + r));
}

const EXP_POLY = [
  0x1c6af84b912394 * UNIT / 32 / 32 ** 3,
  0x1ebfce50fac4f3 * UNIT / 8 / 32 ** 2,
  0x162e42ff0c52d6 * UNIT / 2 / 32,
] as const;
const INVERSE_LN2 = 0x171547652b82fe * UNIT * 32;

/** eˣ of a float32, as float32. */
export function expf(x: number): number {
  if (x > 88.73) return Infinity;
  if (x < -103.98) return 0;
  if (Number.isNaN(x)) return NaN;
  const z = INVERSE_LN2 * x;
  const whole = z + 1.5 * 2 ** 52 - 1.5 * 2 ** 52; // to the nearest, ties to even
  const r = z - whole;
  const scale = EXP_TABLE[whole & 31] * 2 ** Math.floor(whole / 32);
  const y = (EXP_POLY[0] * r + EXP_POLY[1]) * (r * r) + (EXP_POLY[2] * r + 1);
  return fround(y * scale);
}

/** 2^(i/32), rounded to nearest. */
const EXP_TABLE: readonly number[] = [
  0x10000000000000,
  0x1059b0d3158574,
  0x10b5586cf9890f,
  0x111301d0125b51,
  0x1172b83c7d517b,
  0x11d4873168b9aa,
  0x12387a6e756238,
  0x129e9df51fdee1,
  0x1306fe0a31b715,
  0x1371a7373aa9cb,
  0x13dea64c123422,
  0x144e086061892d,
  0x14bfdad5362a27,
  0x15342b569d4f82,
  0x15ab07dd485429,
  0x16247eb03a5585,
  0x16a09e667f3bcd,
  0x171f75e8ec5f74,
  0x17a11473eb0187,
  0x182589994cce13,
  0x18ace5422aa0db,
  0x193737b0cdc5e5,
  0x19c49182a3f090,
  0x1a5503b23e255d,
  0x1ae89f995ad3ad,
  0x1b7f76f2fb5e47,
  0x1c199bdd85529c,
  0x1cb720dcef9069,
  0x1d5818dcfba487,
  0x1dfc97337b9b5f,
  0x1ea4afa2a490da,
  0x1f50765b6e4540,
].map((x) => x * UNIT);
