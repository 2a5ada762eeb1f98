/**
 * From columns to bins with all threads: each sorts a column and finds its cuts, then all map its
 * values to codes, then columns become rows. Only a few columns at a time are in working memory.
 *
 * @module
 */
import type { BinShare, SharedBins } from "../../binning/bin_share.ts";
import { type BinLayout, type BinnedRows, layoutBins } from "../../binning/binned.ts";
import {
  categoryCodesInto,
  columnByName,
  type FeatureBins,
  kindError,
  numericBins,
} from "../../binning/bins.ts";
import { binNumbers, MOST_CODED } from "./bin_numbers.ts";
import { findBundles } from "../../binning/bundles.ts";
import { findJoints } from "../../binning/joints.ts";
import { JOB_BYTES, JobField, MAP_ROWS, RowsField } from "../../binning/bin_job.ts";
import { thresholdBetween, weightedCuts } from "../../binning/cuts.ts";
import { createFlagBinner } from "../../binning/flags.ts";
import { createLevelBinner } from "../../binning/level_codes.ts";
import type { Column, Dataset, FloatArray, NumericColumn } from "../../data/types.ts";
import { Control } from "../../grow/histogram/workspace/control.ts";
import { Op } from "../../grow/histogram/workspace/op.ts";
import type { Crew } from "../../grow/histogram/workspace/team.ts";
import type { Arena } from "../../kernels/memory.ts";
import { CELLS8, MAP_TABLE_BYTES, TABLE_BYTES } from "../../kernels/types.ts";

/** Bins of a training set. */
export interface BinnedData {
  readonly bins: readonly FeatureBins[];
  readonly layout: BinLayout;
  readonly rows: BinnedRows;
}

/** How a training set is binned. */
export interface Binning {
  /** Most bins of a feature, the one of missing values not counted. */
  readonly maxBins: number;
  /** Whether features that exclude each other, or have few combinations, share their cells. */
  readonly bundle: boolean;
  /** Where bins of an earlier training on the same rows may be, and these may be left. */
  readonly share: BinShare | undefined;
}

/** Chooses bins from all rows of a dataset and bins them, or takes those of an earlier training. */
export function binTraining(
  crew: Crew,
  arena: Arena,
  data: Dataset,
  { maxBins, bundle, share }: Binning,
): BinnedData {
  const { numRows, features } = data;
  const columns = features.map((column) => {
    const codes = column.kind === "numeric"
      ? Math.max(maxBins, (column.binned?.cuts.length ?? 0) + 1) + 1
      : column.categories.length + 2;
    return arena.alloc(numRows * (codes > CELLS8 ? 2 : 1));
  });
  const setting = `maxBins ${maxBins}, bundle ${bundle}`;
  const known = share?.find("hist", data, setting);
  const bins = known?.bins ?? binColumns(crew, arena, data, maxBins, columns);
  const codesOf = (f: number) => codesAt(arena, bins[f], columns[f], numRows);
  known?.codes.forEach((stored, f) => codesOf(f).set(stored));
  const place = (codes: Uint8Array) => {
    const at = arena.alloc(numRows);
    arena.memory.u8.set(codes, at);
    return at;
  };
  const space = { arena, kernels: crew.kernels };
  const addressOf = (f: number) => columns[f];
  const bundles = known?.bundles.map(({ bundle, codes }) => ({ bundle, at: place(codes) })) ??
    (bundle ? findBundles(space, bins, numRows, addressOf) : []);
  const inBundle = new Set(bundles.flatMap(({ bundle }) => bundle.features));
  const joints = known?.joints.map(({ joint, codes }) => ({ joint, at: place(codes) })) ??
    (bundle ? findJoints(space, bins, numRows, addressOf, inBundle) : []);
  if (known === undefined && share !== undefined) {
    const sharedCodes = (at: number) => arena.memory.u8.slice(at, at + numRows);
    const made: SharedBins = {
      bins,
      codes: bins.map((_, f) => codesOf(f).slice()),
      bundles: bundles.map(({ bundle, at }) => ({ bundle, codes: sharedCodes(at) })),
      joints: joints.map(({ joint, at }) => ({ joint, codes: sharedCodes(at) })),
    };
    share.keep("hist", data, setting, made, bytesOf(made));
  }
  const layout = layoutBins(
    bins,
    bundles.map(({ bundle }) => bundle),
    joints.map(({ joint }) => joint),
  );
  /** Addresses of the codes of shared bytes, by their first feature. */
  const shared = new Map<number, number>();
  for (const { bundle, at } of bundles) shared.set(bundle.features[0], at);
  for (const { joint, at } of joints) shared.set(joint.features[0], at);
  return { bins, layout, rows: toRows(crew, arena, numRows, layout, columns, shared) };
}

function bytesOf({ codes, bundles, joints }: SharedBins): number {
  const shared = [...bundles, ...joints].map((one) => one.codes);
  return [...codes, ...shared].reduce((sum, one) => sum + one.byteLength, 0);
}

/** Chooses bins and writes the code of every row to the columns' places. */
function binColumns(
  crew: Crew,
  arena: Arena,
  data: Dataset,
  maxBins: number,
  columns: readonly number[],
): FeatureBins[] {
  const { numRows, features, sampleWeight } = data;
  const mark = arena.mark();
  const bins: FeatureBins[] = new Array(features.length);
  const numeric: number[] = [];
  const space = { arena, kernels: crew.kernels };
  const levelBins = createLevelBinner(space);
  features.forEach((column, f) => {
    if (column.kind === "categorical") bins[f] = levelBins(column, columns[f]);
    else if (column.binned === undefined) numeric.push(f);
    else {
      const { binned } = column;
      bins[f] = numericBins(binned.cuts, binned.hasMissing);
      binned.writeCodes(codesAt(arena, bins[f], columns[f], numRows));
    }
  });
  // Rows may weigh nothing, and a value that only such rows have is none.
  const flagBins = sampleWeight === undefined ? createFlagBinner(space) : () => undefined;
  const others = numeric.filter((f) => {
    const found = flagBins((features[f] as NumericColumn).values, columns[f]);
    if (found !== undefined) bins[f] = found;
    return found === undefined;
  });
  if (sampleWeight === undefined && maxBins <= MOST_CODED) {
    const coded = others.map((f) => ({
      values: (features[f] as NumericColumn).values,
      codes: columns[f],
    }));
    binNumbers(crew, arena, numRows, maxBins, coded).forEach((one, i) => bins[others[i]] = one);
    arena.release(mark);
    return bins;
  }
  const bench = createBench(crew, arena, numRows, maxBins);
  for (let i = 0; i < others.length; i += crew.numThreads) {
    const batch = others.slice(i, i + crew.numThreads);
    bench.load(batch.map((f) => features[f] as { values: FloatArray }));
    const found = sampleWeight === undefined
      ? bench.sort(batch.length)
      : batch.map((_, slot) => bench.sortWeighted(slot, sampleWeight));
    found.forEach((one, slot) => bins[batch[slot]] = one);
    bench.map(batch.map((f) => ({ bins: bins[f], codes: columns[f] })));
  }
  arena.release(mark);
  return bins;
}

/** Bins a validation set by the bins of the training set. */
export function binValidation(
  crew: Crew,
  arena: Arena,
  data: Dataset,
  names: readonly string[],
  bins: readonly FeatureBins[],
  bundledLayout: BinLayout,
): BinnedRows {
  const { numRows } = data;
  const layout = bundledLayout.apart ?? bundledLayout;
  const rows = {
    rows8: arena.alloc(numRows * layout.stride8),
    rows16: arena.alloc(numRows * layout.stride16),
  };
  const mark = arena.mark();
  const found = names.map((name, f) => columnByName(data, name, f));
  const columns = layout.places.map(({ wide }) => arena.alloc(numRows * (wide ? 2 : 1)));
  const bench = createBench(crew, arena, numRows, 2);
  found.forEach((column, f) => {
    if (column.kind !== bins[f].kind) {
      throw kindError(column.name, bins[f].kind === "numeric" ? "numbers" : "categories");
    }
    if (column.kind === "categorical") writeCategories(arena, column, bins[f], columns[f]);
    else {
      bench.load([column]);
      bench.map([{ bins: bins[f], codes: columns[f] }]);
    }
  });
  const binned = toRows(crew, arena, numRows, layout, columns, undefined, rows);
  arena.release(mark);
  return binned;
}

function writeCategories(arena: Arena, column: Column, bins: FeatureBins, at: number): void {
  if (column.kind !== "categorical" || bins.kind !== "categorical") return;
  categoryCodesInto(column, bins, codesAt(arena, bins, at, column.codes.length));
}

/** The codes of a feature at an address. */
function codesAt(
  { memory: { u8, u16 } }: Arena,
  { numBins }: FeatureBins,
  at: number,
  numRows: number,
): Uint8Array | Uint16Array {
  return numBins + 1 > CELLS8
    ? u16.subarray(at >>> 1, (at >>> 1) + numRows)
    : u8.subarray(at, at + numRows);
}

/** Working space for a few columns at a time. */
interface Bench {
  /** Copies the values of columns to slots, from the first on. */
  load(columns: readonly { readonly values: FloatArray }[]): void;
  /** Bins of the loaded columns. */
  sort(count: number): FeatureBins[];
  /** Bins of one loaded column by weight; exact up to 65,534 distinct values, else within 2⁻¹⁶. */
  sortWeighted(slot: number, weight: Float64Array): FeatureBins;
  /** Maps the loaded columns to codes. */
  map(columns: readonly { readonly bins: FeatureBins; readonly codes: number }[]): void;
}

function createBench(crew: Crew, arena: Arena, numRows: number, maxBins: number): Bench {
  const { memory } = arena;
  const slots = crew.numThreads;
  const most = Math.max(256, 2 ** Math.ceil(Math.log2(maxBins + 1)));
  const jobs = arena.alloc(slots * JOB_BYTES);
  const mapTables = arena.alloc(slots * MAP_TABLE_BYTES);
  const places = Array.from({ length: slots }, () => ({
    values: arena.alloc(8 * numRows),
    cuts: arena.alloc(8 * most),
    narrow: 0,
    pairs: 0,
    scratch: 0,
    tables: 0,
  }));
  const field = (slot: number, name: number) => ((jobs + slot * JOB_BYTES) >>> 2) + name;
  const stretches = Math.ceil(numRows / MAP_ROWS);
  const args = (...numbers: number[]) => memory.f64.set(numbers, Control.args >>> 3);

  const fineBins = 65534;
  let fineCodes = 0;

  /** Sorts loaded columns; returns the pairs of neighbours at which their bins close. */
  function pairsOf(first: number, count: number, most: number): Float64Array[] {
    for (let slot = first; slot < first + count; slot++) {
      const place = places[slot];
      place.pairs ||= arena.alloc(16 * (most + 1));
      place.scratch ||= arena.alloc(Math.max(65536, 16 * numRows));
      place.tables ||= arena.alloc(TABLE_BYTES);
      memory.u32[field(slot, JobField.scratch)] = place.scratch;
      memory.u32[field(slot, JobField.tables)] = place.tables;
      memory.u32[field(slot, JobField.maxBins)] = most;
      memory.u32[field(slot, JobField.pairs)] = place.pairs;
    }
    args(jobs + first * JOB_BYTES, count);
    crew.run(Op.closeBins);
    return Array.from({ length: count }, (_, i) => {
      const at = places[first + i].pairs >>> 3;
      return memory.f64.slice(at, at + 2 * memory.u32[field(first + i, JobField.numPairs)]);
    });
  }

  const hasMissing = (slot: number) => memory.u32[field(slot, JobField.numMissing)] > 0;
  const thresholds = (pairs: Float64Array) =>
    Float64Array.from(
      { length: pairs.length / 2 },
      (_, i) => thresholdBetween(pairs[2 * i], pairs[2 * i + 1]),
    );

  function map(
    first: number,
    columns: readonly { readonly bins: FeatureBins; readonly codes: number }[],
  ): void {
    columns.forEach(({ bins, codes }, i) => {
      const slot = first + i;
      if (bins.kind !== "numeric") return;
      let size = 2;
      while (size < bins.numBins) size *= 2;
      const place = places[slot];
      if (8 * size > 8 * most) place.cuts = arena.alloc(8 * size);
      const at = place.cuts >>> 3;
      memory.f64.fill(Infinity, at, at + size);
      memory.f64.set(bins.cuts, at);
      memory.u32[field(slot, JobField.cuts)] = place.cuts;
      memory.u32[field(slot, JobField.size)] = size;
      memory.u32[field(slot, JobField.codes)] = codes;
      memory.u32[field(slot, JobField.wide)] = bins.numBins + 1 > CELLS8 ? 1 : 0;
      memory.u32[field(slot, JobField.missing)] = bins.numBins;
    });
    args(jobs + first * JOB_BYTES, columns.length, stretches, mapTables);
    crew.run(Op.mapColumns);
  }

  return {
    load(columns) {
      columns.forEach(({ values }, slot) => {
        const place = places[slot];
        const narrow = values instanceof Float32Array;
        if (narrow) {
          place.narrow ||= arena.alloc(4 * numRows);
          new Float32Array(memory.u8.buffer, place.narrow, numRows).set(values);
        } else memory.f64.set(values, place.values >>> 3);
        memory.u32[field(slot, JobField.narrow)] = narrow ? place.narrow : 0;
        memory.u32[field(slot, JobField.values)] = place.values;
        memory.u32[field(slot, JobField.numRows)] = numRows;
      });
      args(jobs, columns.length, stretches);
      crew.run(Op.widenColumns);
    },

    sort: (count) =>
      pairsOf(0, count, maxBins).map((pairs, slot) =>
        numericBins(thresholds(pairs), hasMissing(slot))
      ),

    sortWeighted(slot, weight) {
      const [pairs] = pairsOf(slot, 1, fineBins);
      const missing = hasMissing(slot);
      const fine = numericBins(thresholds(pairs), missing);
      fineCodes ||= arena.alloc(2 * numRows);
      map(slot, [{ bins: fine, codes: fineCodes }]);
      const codes = fine.numBins + 1 > CELLS8
        ? memory.u16.subarray(fineCodes >>> 1)
        : memory.u8.subarray(fineCodes);
      const mass = new Float64Array(fine.numBins + 1);
      for (let row = 0; row < numRows; row++) mass[codes[row]] += weight[row];
      const low = Float64Array.from({ length: fine.numBins }, (_, i) => pairs[2 * i]);
      const high = Float64Array.from({ length: fine.numBins }, (_, i) => pairs[2 * i - 1]);
      const cuts = weightedCuts(low, high, mass.subarray(0, fine.numBins), maxBins);
      return numericBins(cuts, missing);
    },

    map: (columns) => map(0, columns),
  };
}

/**
 * Turns columns into rows.
 *
 * @param shared Addresses of the codes of bytes that features share, by the first of them, in the
 * training set; there columns are kept.
 */
function toRows(
  crew: Crew,
  arena: Arena,
  numRows: number,
  layout: BinLayout,
  columns: readonly number[],
  shared: ReadonlyMap<number, number> | undefined,
  at?: { readonly rows8: number; readonly rows16: number },
): BinnedRows {
  const { memory } = arena;
  const rows8 = at?.rows8 ?? arena.alloc(numRows * layout.stride8);
  const rows16 = at?.rows16 ?? arena.alloc(numRows * layout.stride16);
  const { slots8, order16, stride8, stride16 } = layout;
  const job = arena.alloc(JOB_BYTES);
  const table = (addresses: readonly number[]) => {
    const place = arena.alloc(4 * addresses.length);
    memory.u32.set(addresses, place >>> 2);
    return place;
  };
  const columns8 = slots8.map(({ features: [first] }) => shared?.get(first) ?? columns[first]);
  const fields: [number, number][] = [
    [RowsField.columns8, table(columns8)],
    [RowsField.features8, slots8.length],
    [RowsField.columns16, table(order16.map((f) => columns[f]))],
    [RowsField.features16, order16.length],
    [RowsField.rows8, rows8],
    [RowsField.stride8, stride8],
    [RowsField.rows16, rows16],
    [RowsField.stride16, stride16],
    [RowsField.numRows, numRows],
  ];
  for (const [field, value] of fields) memory.u32[(job >>> 2) + field] = value;
  memory.f64.set([job, Math.ceil(numRows / MAP_ROWS)], Control.args >>> 3);
  crew.run(Op.toRows);
  return {
    numRows,
    rows8,
    rows16,
    columns: shared === undefined ? columns.map(() => 0) : columns,
  };
}
