/**
 * The optional section EXPL: covers, gains and inner values. Scoring does not need it, so that a
 * copy for serving can go without. Whoever imports this module makes models able to read theirs.
 *
 * @module
 */
import type { NodeStats, Packed, Reals } from "../model/packed.ts";
import { type ByteReader, corrupt, type Numbers } from "./bytes.ts";
import { coversOf, leafCovers } from "./covers.ts";
import { useStatsReader } from "./decode.ts";

const NAMES = ["cover", "gain", "value"] as const;

/** The kind of covers that only leaves have. */
const LEAVES = 3;

/** The arrays of the section: two words of head, then what is known. */
export function writeStats(stats: NodeStats, packed: Packed): Numbers[] {
  const head = new Uint32Array(2);
  const arrays: Numbers[] = [head];
  const leaves = stats.cover && leafCovers(packed, stats.cover);
  NAMES.forEach((name, i) => {
    const values = stats[name];
    if (values === undefined) return;
    if (name === "cover" && leaves !== undefined) {
      head[0] |= LEAVES;
      head[1] = leaves.BYTES_PER_ELEMENT;
      arrays.push(leaves);
      return;
    }
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
  const [kinds, width] = reader.u32(2);
  const leaves = (kinds & 3) === LEAVES;
  if (kinds >= 1 << 2 * NAMES.length || (leaves ? width !== 1 && width !== 2 : width !== 0)) {
    throw corrupt(start, "unknown flags");
  }
  const stats: { cover?: Reals; gain?: Reals; value?: Reals } = {};
  NAMES.forEach((name, i) => {
    const kind = kinds >>> 2 * i & 3;
    if (leaves && name === "cover") {
      const count = inner + packed.treeNodes.length;
      stats.cover = coversOf(packed, width === 1 ? reader.u8(count) : reader.u16(count));
      return;
    }
    if (kind === LEAVES) throw corrupt(start, "unknown flags");
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

useStatsReader(readStats);
