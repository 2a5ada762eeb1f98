/**
 * The optional section EXPL: covers, gains and inner values. Scoring does not need it, so that a
 * copy for serving can go without. Whoever imports this module makes models able to read theirs.
 *
 * @module
 */
import type { NodeStats, Packed, Reals } from "../model/packed.ts";
import "../model/score/rows/rows.ts"; // who explains has room for the faster way of single rows, too
import { unpack } from "../model/unpack.ts";
import { type ByteReader, corrupt, type Numbers } from "./bytes.ts";
import { equalReals, giniGainsOf, sharesOf } from "./counts.ts";
import {
  countLarge,
  type Covers,
  coversFromBits,
  coversOf,
  coversToBits,
  ESCAPED,
  leafCovers,
  narrowCovers,
  withLarge,
} from "./covers.ts";
import { useExplainer } from "./decode.ts";

const NAMES = ["cover", "gain", "value"] as const;

/** The kind of what the leaves tell: covers of leaves alone, gains and values by their counts. */
const LEAVES = 3;

/**
 * Bits of the second word: how covers of leaves are written, whether gains that are told are float64,
 * and whether covers are bits.
 */
const WIDTH = 3;
const DOUBLE_GAINS = 4;
const IN_BITS = 8;

/**
 * The arrays of the section: two words of head, then what is known.
 *
 * @param inBits Whether covers of leaves that are whole numbers may be bits, as the trees are.
 */
export function writeStats(
  stats: NodeStats,
  packed: Packed,
  leafWidth: number,
  inBits: boolean,
): Numbers[] {
  const head = new Uint32Array(2);
  const arrays: Numbers[] = [head];
  const covers = stats.cover && leafCovers(packed, stats.cover);
  const told = (name: "gain" | "value"): boolean => {
    const values = stats[name]!;
    if (covers === undefined || leafWidth < 2) return false;
    if (name === "value") {
      return equalReals(sharesOf(packed, leafWidth, covers), Float64Array.from(values));
    }
    return equalReals(asWide(giniGainsOf(packed, leafWidth, covers), values), values);
  };
  NAMES.forEach((name, i) => {
    const values = stats[name];
    if (values === undefined) return;
    if (name === "cover" && inBits && canBeBits(covers)) {
      const bits = coversToBits(covers);
      head[0] |= LEAVES;
      head[1] = IN_BITS;
      arrays.push(Uint32Array.of(bits.length), bits);
      return;
    }
    if (name === "cover" && covers !== undefined) {
      const { width, arrays: narrow } = narrowCovers(covers);
      head[0] |= LEAVES;
      head[1] = width;
      arrays.push(...narrow);
      return;
    }
    const isDouble = values.BYTES_PER_ELEMENT === 8;
    if (name !== "cover" && told(name)) {
      head[0] |= LEAVES << 2 * i;
      if (name === "gain" && isDouble) head[1] |= DOUBLE_GAINS;
      return;
    }
    head[0] |= (isDouble ? 2 : 1) << 2 * i;
    arrays.push(values);
  });
  return arrays;
}

function canBeBits(covers: Uint32Array | Float32Array | undefined): covers is Uint32Array {
  return covers instanceof Uint32Array && covers.every((cover) => cover < 2 ** 31);
}

/** Rounded where the others are. */
function asWide(values: Float64Array, like: Reals): Reals {
  return like.BYTES_PER_ELEMENT === 8 ? values : Float32Array.from(values);
}

/** Reads the section of a model whose trees are known. */
function readStats(reader: ByteReader, packed: Packed, leafWidth: number): NodeStats {
  const inner = packed.size.length;
  const numLeaves = inner + packed.treeNodes.length;
  const counts = { cover: inner + numLeaves, gain: inner, value: inner * leafWidth };
  const start = reader.offset();
  const [kinds, forms] = reader.u32(2);
  const kindOf = (i: number) => kinds >>> 2 * i & 3;
  const byLeaves = kindOf(0) === LEAVES;
  const gainsTold = kindOf(1) === LEAVES;
  const width = forms & WIDTH;
  if (
    kinds >= 1 << 2 * NAMES.length || forms > (WIDTH | DOUBLE_GAINS | IN_BITS) ||
    !byLeaves && (forms & ~DOUBLE_GAINS) !== 0 || !gainsTold && (forms & DOUBLE_GAINS) !== 0 ||
    (forms & IN_BITS) !== 0 && width > 0 ||
    (gainsTold || kindOf(2) === LEAVES) && (!byLeaves || leafWidth < 2)
  ) throw corrupt(start, "unknown flags");
  const covers = byLeaves ? readCovers(reader, forms & (WIDTH | IN_BITS), numLeaves) : undefined;
  const stats: { cover?: Reals; gain?: Reals; value?: Reals } = {};
  NAMES.forEach((name, i) => {
    const kind = kindOf(i);
    if (kind === 0) return;
    const values = kind === LEAVES
      ? toldBy(covers!, name)
      : kind === 1
      ? reader.f32(counts[name])
      : reader.f64(counts[name]);
    // A value of a node may be unknown (NaN); covers and gains that are not finite are damage.
    if (name !== "value" && !values.every(Number.isFinite)) {
      throw corrupt(start, `${name} is not finite`);
    }
    stats[name] = values;
  });
  reader.end();
  return stats;

  function toldBy(leaves: Covers, name: keyof NodeStats): Reals {
    if (name === "cover") return coversOf(packed, leaves);
    if (name === "value") return sharesOf(packed, leafWidth, leaves);
    const gains = giniGainsOf(packed, leafWidth, leaves);
    return (forms & DOUBLE_GAINS) !== 0 ? gains : Float32Array.from(gains);
  }
}

function readCovers(reader: ByteReader, width: number, numLeaves: number): Covers {
  if (width === IN_BITS) {
    const start = reader.offset();
    const covers = coversFromBits(reader.u32(reader.u32(1)[0]), numLeaves);
    if (covers === undefined) throw corrupt(start, "these bits are not covers");
    return covers;
  }
  if (width === 0) return reader.f32(numLeaves);
  if (width === 2) return reader.u16(numLeaves);
  const covers = reader.u8(numLeaves);
  return width === ESCAPED ? withLarge(covers, reader.u32(countLarge(covers))) : covers;
}

useExplainer((packed, reader, leafWidth) => {
  const stats = reader === undefined ? {} : readStats(reader, packed, leafWidth);
  return { stats, unpack: (rules) => unpack(packed, stats, rules) };
});
