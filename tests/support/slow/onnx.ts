/**
 * ONNX tree ensembles scored straight from the file with a protobuf reader of its own: shares no code
 * with the importer.
 *
 * @module
 */

type Value = number | Uint8Array;

function* fields(bytes: Uint8Array): Generator<[number, number, Value]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n;; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const wire = key & 7;
    if (wire === 0) yield [key >> 3, wire, varint()];
    else if (wire === 2) {
      const length = varint();
      yield [key >> 3, wire, bytes.subarray(at, at += length)];
    } else if (wire === 5) (yield [key >> 3, wire, view.getFloat32(at, true)], at += 4);
    else (yield [key >> 3, wire, view.getFloat64(at, true)], at += 8);
  }
}

/** Values of a TensorProto of floats, doubles or bytes. */
function tensor(bytes: Uint8Array): { readonly isDouble: boolean; readonly values: number[] } {
  let type = 0;
  const values: number[] = [];
  for (const [key, wire, item] of fields(bytes)) {
    if (key === 2) type = item as number;
    if (key !== 4 && key !== 5 && key !== 9 && key !== 10) continue;
    if (wire !== 2) values.push(item as number);
    else {
      const raw = (item as Uint8Array).slice();
      const isBytes = key === 5 || (key === 9 && type === 2);
      const isDouble = key === 10 || (key === 9 && type === 11);
      values.push(
        ...isBytes ? raw : isDouble ? new Float64Array(raw.buffer) : new Float32Array(raw.buffer),
      );
    }
  }
  return { isDouble: type === 11, values };
}

/** A file that can be asked for sums. */
export interface SlowOnnx {
  readonly thresholds: ReadonlyMap<number, number[]>;
  readonly isDouble: boolean;
  /** Sum (least, largest) of each output's weights over the trees, without base values or division. */
  sums(row: Float64Array): number[];
}

const TESTS: { readonly [mode: string]: (x: number, t: number) => boolean } = {
  BRANCH_LEQ: (x, t) => x <= t,
  BRANCH_LT: (x, t) => x < t,
  BRANCH_GTE: (x, t) => x >= t,
  BRANCH_GT: (x, t) => x > t,
  BRANCH_EQ: (x, t) => x === t,
  BRANCH_NEQ: (x, t) => x !== t,
};

/** Joins the weights of one tree's leaf into the outputs. */
function join(
  out: number[],
  seen: boolean[],
  aggregate: string,
  weights: readonly (readonly [number, number])[],
  round: (x: number) => number,
): void {
  const own = new Map<number, number>();
  for (const [output, weight] of weights) {
    own.set(output, round((own.get(output) ?? 0) + weight));
  }
  for (const [output, value] of own) {
    if (aggregate === "MIN" && seen[output]) out[output] = Math.min(out[output], value);
    else if (aggregate === "MAX" && seen[output]) out[output] = Math.max(out[output], value);
    else out[output] = round(out[output] + value);
    seen[output] = true;
  }
}

/** Opens a model file of one tree ensemble. */
export function slowOnnx(bytes: Uint8Array): SlowOnnx {
  const text = (value: Value): string => new TextDecoder().decode(value as Uint8Array);
  const lists = new Map<string, (number | string)[]>();
  let isDouble = false;
  for (const [number, , graph] of fields(bytes)) {
    if (number !== 7) continue;
    for (const [part, , node] of fields(graph as Uint8Array)) {
      if (part !== 1) continue;
      const all = [...fields(node as Uint8Array)];
      if (!all.some(([n, , v]) => n === 4 && text(v).startsWith("TreeEnsemble"))) continue;
      for (const [n, , attribute] of all) {
        if (n !== 5) continue;
        let name = "";
        const values: (number | string)[] = [];
        for (const [key, wire, value] of fields(attribute as Uint8Array)) {
          if (key === 1) name = text(value);
          else if (key === 3) values.push(value as number);
          else if (key === 4) values.push(text(value));
          else if (key === 9) values.push(text(value));
          else if (key === 5) {
            const read = tensor(value as Uint8Array);
            isDouble ||= read.isDouble;
            values.push(...read.values);
          } else if (key === 7 || key === 8) {
            if (wire !== 2) values.push(value as number);
            else {
              const packed = value as Uint8Array;
              if (key === 7) values.push(...new Float32Array(packed.slice().buffer));
              else {
                // A packed list is a message of bare varints: give each a key of field 1.
                for (let at = 0; at < packed.length;) {
                  let end = at;
                  while (packed[end] > 127) end++;
                  const one = Uint8Array.from([8, ...packed.subarray(at, end + 1)]);
                  values.push([...fields(one)][0][2] as number);
                  at = end + 1;
                }
              }
            }
          }
        }
        lists.set(name.replace("_as_tensor", ""), values);
      }
    }
  }
  const get = (name: string): number[] => (lists.get(name) ?? []) as number[];
  const round = isDouble ? (x: number) => x : Math.fround;
  if (lists.has("tree_roots")) return slowVersion5(get, isDouble, round);
  const aggregate = String(lists.get("aggregate_function")?.[0] ?? "SUM");
  const modes = lists.get("nodes_modes") as string[];
  const key = (tree: number, node: number): string => `${tree}/${node}`;
  const place = new Map<string, number>();
  modes.forEach((_, i) => place.set(key(get("nodes_treeids")[i], get("nodes_nodeids")[i]), i));
  const prefix = lists.has("class_ids") ? "class" : "target";
  const leaves = new Map<string, [number, number][]>();
  get(`${prefix}_weights`).forEach((weight, i) => {
    const at = key(get(`${prefix}_treeids`)[i], get(`${prefix}_nodeids`)[i]);
    leaves.set(at, [...leaves.get(at) ?? [], [get(`${prefix}_ids`)[i], weight]]);
  });
  const children = new Set<string>();
  modes.forEach((mode, i) => {
    if (mode === "LEAF") return;
    children.add(key(get("nodes_treeids")[i], get("nodes_truenodeids")[i]));
    children.add(key(get("nodes_treeids")[i], get("nodes_falsenodeids")[i]));
  });
  const roots = [...place.keys()].filter((at) => !children.has(at));
  const thresholds = new Map<number, number[]>();
  modes.forEach((mode, i) => {
    if (mode === "LEAF") return;
    const feature = get("nodes_featureids")[i];
    thresholds.set(feature, [...thresholds.get(feature) ?? [], get("nodes_values")[i]]);
  });
  const numOutputs = 1 + Math.max(...get(`${prefix}_ids`));
  const tracks = get("nodes_missing_value_tracks_true");
  return {
    thresholds,
    isDouble,
    sums(row) {
      const out: number[] = new Array(numOutputs).fill(0);
      const seen: boolean[] = [];
      for (const root of roots) {
        let at = root;
        for (;;) {
          const i = place.get(at)!;
          if (modes[i] === "LEAF") break;
          const x = round(row[get("nodes_featureids")[i]]);
          const holds = TESTS[modes[i]](x, get("nodes_values")[i]) ||
            (Number.isNaN(x) && tracks[i] === 1);
          at = key(
            get("nodes_treeids")[i],
            get(holds ? "nodes_truenodeids" : "nodes_falsenodeids")[i],
          );
        }
        join(out, seen, aggregate, leaves.get(at) ?? [], round);
      }
      return out;
    },
  };
}

/** TreeEnsemble of opset 5: indices instead of keys. */
function slowVersion5(
  get: (name: string) => number[],
  isDouble: boolean,
  round: (x: number) => number,
): SlowOnnx {
  const names = Object.keys(TESTS);
  const modes = get("nodes_modes");
  // One stretch of `membership_values` for each MEMBER node, each ended by NaN.
  const sets: number[][] = [];
  let at = 0;
  modes.forEach((mode, i) => {
    if (mode !== 6) return;
    sets[i] = [];
    while (!Number.isNaN(get("membership_values")[at])) {
      sets[i].push(get("membership_values")[at++]);
    }
    at++;
  });
  const thresholds = new Map<number, number[]>();
  modes.forEach((mode, i) => {
    const feature = get("nodes_featureids")[i];
    const values = mode === 6 ? sets[i] : [get("nodes_splits")[i]];
    thresholds.set(feature, [...thresholds.get(feature) ?? [], ...values]);
  });
  const aggregate = ["AVERAGE", "SUM", "MIN", "MAX"][get("aggregate_function")[0] ?? 1];
  return {
    thresholds,
    isDouble,
    sums(row) {
      const out: number[] = new Array(get("n_targets")[0]).fill(0);
      const seen: boolean[] = [];
      for (const root of get("tree_roots")) {
        let node = root;
        let isLeaf = false;
        while (!isLeaf) {
          const x = round(row[get("nodes_featureids")[node]]);
          const holds = (Number.isNaN(x) && get("nodes_missing_value_tracks_true")[node] === 1) ||
            (modes[node] === 6
              ? sets[node].includes(x)
              : TESTS[names[modes[node]]](x, get("nodes_splits")[node]));
          const side = holds ? "true" : "false";
          isLeaf = get(`nodes_${side}leafs`)[node] === 1;
          node = get(`nodes_${side}nodeids`)[node];
        }
        join(
          out,
          seen,
          aggregate,
          [[get("leaf_targetids")[node], get("leaf_weights")[node]]],
          round,
        );
      }
      return out;
    },
  };
}
