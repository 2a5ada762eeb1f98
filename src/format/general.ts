/**
 * Layout G of the tree section: the arrays of `Trees` as they are. For ensembles that the compact
 * layouts cannot hold.
 *
 * @module
 */
import type { Ensemble, Trees } from "../model/types.ts";
import type { ByteReader } from "./bytes.ts";
import type { Meta } from "./meta.ts";
import { createHeadProof, FLAG, HEAD_WORDS, readRules } from "./packed.ts";

/** First word of a tree section in this layout. */
export const LAYOUT_G = 3;

/** Bits of the word that says which optional arrays are there. */
export const LINEAR = 1;
/** As {@linkcode LINEAR}. */
export const SURROGATES = 2;

/** Reads and proves layout G; the reader stands after the head. */
export function readGeneral(
  reader: ByteReader,
  head: Uint32Array,
  meta: Meta,
): Ensemble {
  const prove = createHeadProof(reader, head);
  const [, count, numNodes, poolSize, flags, numTerms, numSurrogates, numBranches] = head;
  const { leafWidth } = meta;
  prove(4, flags <= (LINEAR | SURROGATES));
  for (let i = 5; i < HEAD_WORDS; i++) {
    const used = i === 5 ? flags & LINEAR : i < 8 && flags & SURROGATES;
    prove(i, !!used || head[i] === 0);
  }
  const rules = readRules(reader, prove, meta, count, FLAG.outputs | FLAG.weights);
  const trees: Trees = {
    treeStart: reader.i32(count + 1),
    kind: reader.u8(numNodes),
    feature: reader.i32(numNodes),
    threshold: reader.f64(numNodes),
    firstChild: reader.i32(numNodes),
    missing: reader.u8(numNodes),
    categoryAt: reader.i32(numNodes),
    categoryPool: reader.u32(poolSize),
    leaf: reader.f64(numNodes * leafWidth),
    cover: reader.f64(numNodes),
    gain: reader.f64(numNodes),
  };
  const linear = flags & LINEAR
    ? {
      constant: reader.f64(numNodes),
      termStart: reader.i32(numNodes + 1),
      termFeature: reader.i32(numTerms),
      termCoefficient: reader.f64(numTerms),
    }
    : undefined;
  const surrogates = flags & SURROGATES
    ? {
      start: reader.i32(numNodes + 1),
      feature: reader.i32(numSurrogates),
      threshold: reader.f64(numSurrogates),
      below: reader.u8(numSurrogates),
      categoryAt: reader.i32(numSurrogates),
      pool: reader.u8(numBranches),
    }
    : undefined;
  return {
    ...rules,
    trees,
    ...(linear && { linear }),
    ...(surrogates && { surrogates }),
  };
}
