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
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    // times 2^40 + 0x1b3
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + (product - (product >>> 0)) / 4294967296 + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  const hex = (word: number) => word.toString(16).padStart(8, "0");
  return hex(high) + hex(low);
}
