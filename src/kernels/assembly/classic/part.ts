// Parts the records of a node; see ../../classic.ts.

/**
 * Stable: records that go left stay at the front, the others come after them.
 *
 * Numeric (`set` 0): codes up to `limit` go left. Categories: `set` holds a bit a code, 1 for
 * left. The code `missing` goes left where `missingLeft`. `params` as for bestCut; `spare`: 8 n
 * bytes.
 * `out`: u64 sum of the left records, u32 largest known code on the left (of a numeric feature),
 * u32 smallest known code on the right, or the missing code.
 *
 * Returns the number on the left.
 */
export function partRows(
  records: usize,
  n: i32,
  column: usize,
  wide: i32,
  limit: u32,
  missing: u32,
  missingLeft: i32,
  set: usize,
  params: usize,
  spare: usize,
  out: usize,
): i32 {
  const shift = load<u64>(params, 8);
  const step = load<u64>(params, 16);
  let left = records;
  let right = spare;
  let sum: u64 = 0;
  let low: u32 = 0;
  let high: u32 = missing;
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const row = <usize>(<u32>record);
    const code = wide ? load<u32>(column + (row << 2)) : <u32>load<u16>(column + (row << 1));
    let goesLeft: bool;
    if (set != 0) {
      goesLeft = code == missing
        ? missingLeft != 0
        : ((load<u32>(set + ((<usize>code >> 5) << 2)) >> (code & 31)) & 1) != 0;
    } else {
      goesLeft = code <= limit;
      if (goesLeft) low = max<u32>(low, code);
      else high = min<u32>(high, code);
      if (missingLeft && code == missing) goesLeft = true;
    }
    store<u64>(left, record);
    store<u64>(right, record);
    const word = <u32>(record >> 32);
    const one = (<u64>(word >> 1) << (<u64>(word & 1) * shift)) + step;
    const mark = <u64>goesLeft;
    sum += one & (0 - mark);
    left += <usize>(mark << 3);
    right += <usize>((mark ^ 1) << 3);
  }
  if (right - spare > 256) memory.copy(left, spare, right - spare);
  else {
    // A call of memory.copy costs more than a few records.
    for (let from = spare, to = left; from < right; from += 8, to += 8) {
      store<u64>(to, load<u64>(from));
    }
  }
  store<u64>(out, sum);
  store<u32>(out, low, 8);
  store<u32>(out, high, 12);
  return <i32>((left - records) >> 3);
}
