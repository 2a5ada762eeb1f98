/**
 * Writes predictions as JSON: for each row a head, then numbers with text before each, then an end.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/server/answer/writer.ts.
 * Compiled by tools/build_kernels.ts.
 */
import { writeNumber } from "./answer/decimal";

/** Copies a text whose place and length are at `entry`; up to 15 bytes behind it are overwritten. */
// @ts-ignore: decorator
@inline
function put(to: usize, entry: usize): usize {
  const from = <usize>load<u32>(entry);
  const length = <usize>load<u32>(entry, 4);
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
  return to + length;
}

/**
 * `config` is 9 words: powers of ten, values (float64, row-major), labels (int32, or 0 for none), numbers
 * of a row, 1 where they are 1 − value and value of one value, heads by label, texts before the numbers,
 * the end of a row (each two words: place, length), where to write.
 *
 * @returns The place behind the last row; 0 where a number is out of reach.
 */
export function write(config: usize, rows: i32): usize {
  const powers = <usize>load<u32>(config);
  let value = <usize>load<u32>(config, 4);
  let label = <usize>load<u32>(config, 8);
  const count = <usize>load<u32>(config, 12) << 3;
  const isPair = load<u32>(config, 16) !== 0;
  const heads = <usize>load<u32>(config, 20);
  const before = <usize>load<u32>(config, 24);
  const tail = <usize>load<u32>(config, 28);
  let to = <usize>load<u32>(config, 32);
  for (; rows > 0; rows--) {
    let head = heads;
    if (label !== 0) {
      head += <usize>load<u32>(label) << 3;
      label += 4;
    }
    to = put(to, head);
    if (isPair) {
      const last = load<f64>(value);
      value += 8;
      to = writeNumber(put(to, before), 1 - last, powers);
      if (to === 0) return 0;
      to = writeNumber(put(to, before + 8), last, powers);
      if (to === 0) return 0;
    } else {
      for (let k: usize = 0; k < count; k += 8, value += 8) {
        to = writeNumber(put(to, before + k), load<f64>(value), powers);
        if (to === 0) return 0;
      }
    }
    to = put(to, tail);
  }
  return to;
}
