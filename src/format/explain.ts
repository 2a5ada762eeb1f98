/**
 * The optional section EXPL: covers, gains and inner values. Scoring does not need it, so that a
 * copy for serving can go without.
 *
 * @module
 */
import type { NodeStats, Packed, Reals } from "../model/packed.ts";
import { type ByteReader, corrupt, type Numbers } from "./bytes.ts";

const NAMES = ["cover", "gain", "value"] as const;

/** The arrays of the section: two words of head, then what is known. */
export function writeStats(stats: NodeStats): Numbers[] {
  const head = new Uint32Array(2);
  const arrays: Numbers[] = [head];
  NAMES.forEach((name, i) => {
    const values = stats[name];
    if (values === undefined) return;
    head[0] |= (values.BYTES_PER_ELEMENT === 4 ? 1 : 2) << 2 * i;
    arrays.push(values);
  });
  return arrays;
}

/** Reads the section of a model whose trees are known. */
export function readStats(reader: ByteReader, packed: Packed, leafWidth: number): NodeStats {
  const inner = packed.size.length;
  const counts = {
    cover: 2 * inner + packed.treeNodes.length,
    gain: inner,
    value: inner * leafWidth,
  };
  const start = reader.offset;
  const [kinds, zero] = reader.u32(2);
  if (kinds >= 1 << 2 * NAMES.length || zero !== 0) throw corrupt(start, "unknown flags");
  const stats: { cover?: Reals; gain?: Reals; value?: Reals } = {};
  NAMES.forEach((name, i) => {
    const kind = kinds >>> 2 * i & 3;
    if (kind === 3) throw corrupt(start, "unknown flags");
    if (kind === 0) return;
    const values = kind === 1 ? reader.f32(counts[name]) : reader.f64(counts[name]);
    // A value of a node may be unknown (NaN); covers and gains that are not finite are damage.
    if (name !== "value" && !values.every(Number.isFinite)) {
      throw corrupt(start, `${name} is not finite`);
    }
    stats[name] = values;
  });
  reader.end();
  return stats;
}
