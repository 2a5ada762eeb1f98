/**
 * SHA-256 (FIPS 180-4), synchronous: Web Crypto only answers asynchronously, and importing or writing
 * a model is a plain function call.
 *
 * @module
 */
import { hexOf } from "./hex.ts";

/** First hash value, then the constants of the rounds; made on first use, since it takes 3 ms. */
let constants: { readonly initial: Uint32Array; readonly k: Uint32Array } | undefined;

/** Fractional parts of square and cube roots of the first primes. */
function makeConstants(): NonNullable<typeof constants> {
  const k = new Uint32Array(64);
  const initial = new Uint32Array(8);
  let found = 0;
  for (let n = 2; found < 64; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) initial[found] = fraction(n, 2);
    k[found++] = fraction(n, 3);
  }
  return { initial, k };
}

/** First 32 bits after the point of the `power`-th root of `n`, in exact integer arithmetic. */
function fraction(n: number, power: 2 | 3): number {
  const target = BigInt(n) << BigInt(32 * power);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(power) <= target) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

/** Lower-case hexadecimal SHA-256 of the bytes. */
export function sha256Hex(bytes: Uint8Array): string {
  return hexOf(sha256(bytes));
}

/** SHA-256 of the bytes, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { initial, k } = constants ??= makeConstants();
  const state = initial.slice();
  const w = new Int32Array(64);
  const whole = bytes.length - bytes.length % 64;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole; at += 64) block(state, k, w, view, at);
  const rest = bytes.length - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  const tailView = new DataView(tail.buffer);
  tailView.setUint32(tail.length - 8, Math.floor(bytes.length / 536870912));
  tailView.setUint32(tail.length - 4, (bytes.length << 3) >>> 0);
  for (let at = 0; at < tail.length; at += 64) block(state, k, w, tailView, at);
  const digest = new Uint8Array(32);
  const digestView = new DataView(digest.buffer);
  state.forEach((word, i) => digestView.setUint32(4 * i, word));
  return digest;
}

function block(
  state: Uint32Array,
  k: Uint32Array,
  w: Int32Array,
  view: DataView,
  at: number,
): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let a = state[0] | 0;
  let b = state[1] | 0;
  let c = state[2] | 0;
  let d = state[3] | 0;
  let e = state[4] | 0;
  let f = state[5] | 0;
  let g = state[6] | 0;
  let h = state[7] | 0;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g, g = f, f = e, e = (d + t1) | 0, d = c, c = b, b = a, a = (t1 + t2) | 0;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}
