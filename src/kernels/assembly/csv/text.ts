// What text is: UTF-8 without NUL.

/** Whether a cell is text without spaces at its ends. */
export function isPlain(at: usize, length: u32): bool {
  if (length === 0) return true;
  const end = at + length;
  if (isSpace(load<u8>(at)) || isSpace(load<u8>(end - 1))) return false;
  // Few bytes at once; the input has room behind its end.
  if (length <= 16) {
    const ascii = i8x16.bitmask(i8x16.gt_s(v128.load(at), i8x16.splat(0)));
    const all = (1 << length) - 1;
    if ((ascii & all) === all) return true;
  }
  while (at < end) {
    if (at + 16 <= end) {
      if (i8x16.all_true(i8x16.gt_s(v128.load(at), i8x16.splat(0)))) {
        at += 16;
        continue;
      }
    }
    const byte = <u32>load<u8>(at);
    if (byte - 1 < 0x7f) {
      at++;
      continue;
    }
    // The second byte of some sequences is narrower: neither overlong nor a surrogate.
    let more: u32 = 0;
    let low: u32 = 0x80;
    let high: u32 = 0xbf;
    if (byte >= 0xc2 && byte <= 0xdf) more = 1;
    else if (byte >= 0xe0 && byte <= 0xef) {
      more = 2;
      if (byte === 0xe0) low = 0xa0;
      if (byte === 0xed) high = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      more = 3;
      if (byte === 0xf0) low = 0x90;
      if (byte === 0xf4) high = 0x8f;
    } else return false;
    if (at + more >= end) return false;
    const second = <u32>load<u8>(at, 1);
    if (second < low || second > high) return false;
    for (let i: u32 = 2; i <= more; i++) {
      if ((load<u8>(at + i) & 0xc0) !== 0x80) return false;
    }
    at += more + 1;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function isSpace(byte: u8): bool {
  return byte === 0x20 || byte === 0x09;
}
