/**
 * Canonical JSON, and the short hash by which callers prove that they know a schema.
 *
 * @module
 */

/** JSON with keys in code-unit order and nothing optional: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((v) => canonicalJson(v ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const record = value as { readonly [key: string]: unknown };
  const members = Object.keys(record).filter((key) => record[key] !== undefined).sort();
  return `{${members.map((k) => `${JSON.stringify(k)}:${canonicalJson(record[k])}`).join(",")}}`;
}

/** FNV-1a, 64 bits, of UTF-8 text as 16 hexadecimal digits. Guards against mix-ups, not attackers. */
export function hash64(text: string): string {
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  const bytes = new TextEncoder().encode(text);
  for (let i = 0; i < bytes.length; i++) {
    low ^= bytes[i];
    // Times 2^40 + 0x1b3, in halves: numbers of 32 bits need no memory where code is interpreted.
    const a = (low & 65535) * 0x1b3;
    const b = (low >>> 16) * 0x1b3 + (a >>> 16);
    high = Math.imul(high, 0x1b3) + (b >>> 16) + (low << 8) | 0;
    low = b << 16 | a & 65535;
  }
  return hex64(high, low);
}

/** Two halves of 32 bits as 16 hexadecimal digits. */
export function hex64(high: number, low: number): string {
  const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
  return hex(high) + hex(low);
}
