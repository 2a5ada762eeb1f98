/**
 * The fast way into an XGBoost UBJSON file: its trees are read by a kernel, straight to their final
 * places, where they are the plain case; anything else is left to `ubjson.ts` and `xgboost.ts`.
 *
 * V8 interprets a program's first loops, so that in a fresh process this is twenty times as fast as
 * the same work in TypeScript (bench/import.ts).
 *
 * @module
 */
import { markProven } from "../../model/check.ts";
import type { Trees } from "../../model/types.ts";
import { knownOf } from "../common/forest.ts";
import type { FullLimits } from "../common/limits.ts";
import type { TakeList, UbjsonHandle } from "../wire/ubjson.ts";
import { lazyModule } from "../../util/wasm_module.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";

/** Trees that are laid out and proved. */
export interface ReadyTrees {
  readonly numTrees: number;
  readonly trees: Trees;
  /** Number of each node in the file. */
  readonly sourceIds: Int32Array;
  /** 1 + the largest feature that is tested. */
  readonly numFeatures: number;
  /** A copy of the whole file. */
  readonly file: Uint8Array;
}

const READY = Symbol("ready trees");

/** Keys that the kernel knows, in its order. */
const KEYS = [
  "left_children",
  "right_children",
  "split_indices",
  "split_conditions",
  "default_left",
  "split_type",
  "sum_hessian",
  "loss_changes",
  "categories_nodes",
  "tree_param",
  "size_leaf_vector",
];
const KEY_SIZE = 24;
const RECORD = 36;
const PAGE = 65536;

/** A tree of one node takes more bytes than this, so that its record is no larger than the file. */
const LEAST_TREE = 100;

/** Files below are read before a kernel is set up. */
const SMALL_FILE = 1 << 16;

/** Largest memory of a kernel; what needs more is read in pieces by the general reader. */
const MAX_MEMORY = 1 << 30;
const NODE_BYTES = 50;

interface Kernel {
  scan(from: number, end: number, numTrees: number, keys: number, records: number): number;
  place(records: number, numTrees: number, seen: number, stack: number, out: number): number;
}

const kernelModule = lazyModule(WASM_BASE64);

/** The trees behind a value of a document, where the kernel has read them. */
export function readyTrees(value: unknown): ReadyTrees | undefined {
  return (value as { readonly [READY]?: ReadyTrees } | null | undefined)?.[READY];
}

/** What `readUbjson` asks at each list: takes the trees of the file, once. */
export function createTreeReader(
  bytes: Uint8Array,
  limits: FullLimits,
  smallest = SMALL_FILE,
): TakeList {
  let tried = false;
  return (key, at, count) => {
    if (tried || key !== "trees" || bytes.length < smallest) return undefined;
    tried = true;
    if (count > limits.maxTrees || count * LEAST_TREE > bytes.length - at) return undefined;
    if (bytes.length > MAX_MEMORY / 2) return undefined;
    const module = kernelModule();
    if (module === null) return undefined;
    const read = readTrees(module, bytes, at, count, limits);
    if (read === undefined) return undefined;
    const value: UbjsonHandle = { [READY]: read.ready };
    return { value, end: read.end };
  };
}

function readTrees(
  module: WebAssembly.Module,
  bytes: Uint8Array,
  from: number,
  numTrees: number,
  limits: FullLimits,
): { readonly ready: ReadyTrees; readonly end: number } | undefined {
  let size = 64;
  const take = (byteLength: number): number => {
    const at = size;
    size = (size + byteLength + 15) & ~15;
    return at;
  };
  const keysAt = take(KEYS.length * KEY_SIZE);
  const outAt = take(11 * 4);
  const recordsAt = take(8 + numTrees * RECORD);
  const fileAt = take(bytes.length);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(size / PAGE) });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel = exports as unknown as Kernel;
  new Uint8Array(memory.buffer, fileAt).set(bytes);
  writeKeys(new Uint8Array(memory.buffer, keysAt));
  const end = kernel.scan(fileAt + from, fileAt + bytes.length, numTrees, keysAt, recordsAt);
  if (end === 0) return undefined;
  const [numNodes, largest] = new Int32Array(memory.buffer, recordsAt, 2);
  if (numNodes > Math.min(limits.maxNodes, limits.maxLeafValues)) return undefined;
  if (size + numNodes * NODE_BYTES > MAX_MEMORY) return undefined;

  const seenAt = take(4 * largest);
  const stackAt = take(4 * (largest + 1));
  const words = [0, 1, 2, 3].map(() => take(4 * numNodes));
  const reals = [0, 1, 2, 3].map(() => take(8 * numNodes));
  const flags = [0, 1].map(() => take(numNodes));
  const treeStartAt = take(4 * (numTrees + 1));
  memory.grow(Math.max(0, Math.ceil((size - memory.buffer.byteLength) / PAGE)));
  const buffer = memory.buffer as ArrayBuffer;
  new Int32Array(buffer, outAt, 11).set([...words, ...reals, ...flags, treeStartAt]);
  const numFeatures = kernel.place(recordsAt, numTrees, seenAt, stackAt, outAt);
  if (numFeatures < 0) return undefined;

  const treeStart = new Int32Array(buffer, treeStartAt, numTrees + 1);
  const placed = treeStart[numTrees]; // fewer than there are where the file keeps deleted nodes
  const [firstChild, feature, sourceIds, categoryAt] = words.map((at) =>
    new Int32Array(buffer, at, placed)
  );
  const [threshold, leaf, cover, gain] = reals.map((at) => new Float64Array(buffer, at, placed));
  const [kind, missing] = flags.map((at) => new Uint8Array(buffer, at, placed));
  const trees: Trees = {
    treeStart,
    kind,
    feature,
    threshold,
    firstChild,
    missing,
    categoryAt,
    categoryPool: new Uint32Array(0),
    leaf,
    cover: knownOf(cover),
    gain: knownOf(gain),
  };
  markProven(trees, numFeatures);
  const file = new Uint8Array(buffer, fileAt, bytes.length);
  return { ready: { numTrees, trees, sourceIds, numFeatures, file }, end: end - fileAt };
}

/** First eight bytes, last eight bytes, length. */
function writeKeys(table: Uint8Array): void {
  KEYS.forEach((key, k) => {
    const at = k * KEY_SIZE;
    for (let i = 0; i < 8; i++) {
      table[at + i] = key.charCodeAt(i);
      table[at + 8 + i] = key.charCodeAt(key.length - 8 + i);
    }
    table[at + 16] = key.length;
  });
}
