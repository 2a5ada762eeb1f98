// Parts the records of a node; see ../../classic.ts.

/**
 * One loop for each kind of feature, so that what stays the same is not asked for every record:
 * `Code` is the word of a code, `Kind` is u8 for numbers and u16 for categories. No branch depends on
 * the record, since which side it takes is hard to foresee.
 */
function partAs<Code, Kind>(
  records: usize,
  end: usize,
  column: usize,
  limit: u32,
  missing: u32,
  missingLeft: u32,
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
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const code = <u32>load<Code>(column + <usize>(<u32>record) * sizeof<Code>());
    let mark: u64;
    if (sizeof<Kind>() == 1) {
      const below = <u32>(code <= limit);
      low = max<u32>(low, select<u32>(code, 0, below));
      high = min<u32>(high, select<u32>(missing, code, below));
      mark = <u64>(below | (missingLeft & <u32>(code == missing)));
    } else {
      const bit = (load<u32>(set + ((<usize>code >> 5) << 2)) >> (code & 31)) & 1;
      mark = <u64>select<u32>(missingLeft, bit, code == missing);
    }
    store<u64>(left, record);
    store<u64>(right, record);
    const word = <u32>(record >> 32);
    sum += ((<u64>(word >> 1) << (<u64>(word & 1) * shift)) + step) & (0 - mark);
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

/**
 * Stable: records that go left stay at the front, the others come after them.
 *
 * Numeric (`set` 0): codes up to `limit` go left. Categories: `set` holds a bit a code, 1 for left
 * (and may be read one word beyond its end). The code `missing` goes left where `missingLeft` is 1.
 * `params` as for bestCut; `spare`: 8 n bytes.
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
  const end = records + (<usize>n << 3);
  return set == 0
    ? wide
      ? partAs<u32, u8>(records, end, column, limit, missing, missingLeft, set, params, spare, out)
      : partAs<u16, u8>(records, end, column, limit, missing, missingLeft, set, params, spare, out)
    : wide
    ? partAs<u32, u16>(records, end, column, limit, missing, missingLeft, set, params, spare, out)
    : partAs<u16, u16>(records, end, column, limit, missing, missingLeft, set, params, spare, out);
}
