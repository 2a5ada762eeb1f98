/**
 * The kernel that reads XGBoost's trees gives what the general reader gives, or leaves the file to it:
 * on real files, on files that were damaged, and on trees of every shape.
 */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { convertXgboost } from "../../../src/convert/xgboost/import.ts";
import { fullLimits } from "../../../src/convert/common/limits.ts";
import { readUbjson } from "../../../src/convert/wire/ubjson.ts";
import { writeUbjson } from "../../../src/convert/wire/ubjson_writer.ts";
import { readXgboostDocument } from "../../../src/convert/xgboost/document.ts";
import { readXgboostUbjson } from "../../../src/convert/xgboost/ubjson.ts";
import type { XgboostSource } from "../../../src/convert/xgboost/source.ts";
import { TreelineError } from "../../../src/errors.ts";
import { checkEnsemble } from "../../../src/model/check.ts";
import { createRng, type Rng } from "../../../src/util/rng.ts";
import { mutate } from "../../fuzz/mutate.ts";

const limits = fullLimits({ maxNodes: 1_000_000, maxCategoryWords: 100_000, maxFeatures: 10_000 });

/** What comes out of a way to read: the parts, or the error's words. */
function outcome(
  read: () => XgboostSource,
): { readonly kernel: boolean; readonly result: unknown } {
  let kernel = false;
  try {
    const source = read();
    kernel = source.ready !== undefined;
    const { file: _, ...imported } = convertXgboost(source, limits);
    // A second proof of what the kernel says it has proved: a copy of the trees carries no mark.
    const { schema, ensemble } = imported;
    checkEnsemble({ ...ensemble, trees: { ...ensemble.trees } }, schema);
    return { kernel, result: imported };
  } catch (error) {
    if (error instanceof TreelineError) return { kernel, result: `${error.code} ${error.message}` };
    throw error;
  }
}

const byKernel = (bytes: Uint8Array) => outcome(() => readXgboostUbjson(bytes, limits, 0));
const byReader = (bytes: Uint8Array) =>
  outcome(() => readXgboostDocument(readUbjson(bytes), "xgboost-ubj", limits));

function assertAgree(bytes: Uint8Array, what: string): boolean {
  const { kernel, result } = byKernel(bytes);
  assertEquals(result, byReader(bytes).result, what);
  return kernel;
}

const golden = new URL("../../golden/models/", import.meta.url);
const REAL = [
  "xgboost-1.7.4/feature_names_unicode",
  "xgboost-1.7.4/zero_rounds",
  "xgboost-1.7.4/stumps_only_leaf",
  "xgboost-2.1.4/dart_reg_auto_mpg",
  "xgboost-3.4.1/categorical_strings_penguins",
  "xgboost-3.4.1/multi_softprob_vector_leaf_iris",
];
const read = (name: string) => Deno.readFileSync(new URL(`${name}/model.ubj`, golden));

Deno.test("the kernel takes plain files of XGBoost and leaves categories and vector leaves", () => {
  const taken = REAL.filter((name) => assertAgree(read(name), name));
  assert(taken.includes("xgboost-1.7.4/feature_names_unicode"), taken.join());
  assert(taken.includes("xgboost-2.1.4/dart_reg_auto_mpg"), taken.join());
  assert(!taken.includes("xgboost-3.4.1/categorical_strings_penguins"));
  assert(!taken.includes("xgboost-3.4.1/multi_softprob_vector_leaf_iris"));
});

Deno.test("the kernel and the general reader agree on damaged files, in words too", () => {
  const rng = createRng(7);
  let taken = 0;
  for (const name of REAL) {
    const bytes = read(name);
    for (let i = 0; i < 150; i++) taken += +assertAgree(mutate(bytes, rng), `${name} ${i}`);
  }
  assert(taken > 30, `${taken} damaged files were read by the kernel`);
});

function shuffle(values: number[], rng: Rng): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = rng.nextInt(i + 1);
    [values[i], values[j]] = [values[j], values[i]];
  }
}

/** A tree with nodes in any order, some of them out of reach, and numbers that are easy to get wrong. */
function randomTree(rng: Rng, numFeatures: number, place: number) {
  const count = 1 + 2 * rng.nextInt(12);
  const spare = rng.nextInt(3);
  const size = count + spare;
  const left = new Int32Array(size).fill(-1);
  const right = new Int32Array(size).fill(-1);
  // Children are neighbours, as the library reads them; nodes out of reach lie between pairs.
  const runs = [...Array(count >> 1).fill(2), ...Array(spare).fill(1)];
  shuffle(runs, rng);
  const pairs: number[] = [];
  let next = 1;
  for (const run of runs) {
    if (run === 2) pairs.push(next);
    next += run;
  }
  shuffle(pairs, rng);
  const leaves = [0];
  for (let made = 1; made < count; made += 2) {
    const node = leaves.splice(rng.nextInt(leaves.length), 1)[0];
    const first = pairs[made >> 1];
    leaves.push(left[node] = first, right[node] = first + 1);
  }
  // Now and then something that is no tree, or no number.
  if (rng.nextInt(12) === 0) left[rng.nextInt(size)] = rng.nextInt(size + 2) - 2;
  if (rng.nextInt(30) === 0) right[0] = left[0];
  if (rng.nextInt(30) === 0) [left[0], right[0]] = [right[0], left[0]];
  const ODD = [0, -0, NaN, Infinity, -Infinity, 1.4e-45, -1.4e-45, 3.4028234663852886e38, 0.1];
  const odd = (wild: boolean) =>
    Math.fround(wild ? ODD[rng.nextInt(ODD.length)] : rng.nextFloat() * 4 - 2);
  return {
    categories_nodes: new Int32Array(0),
    default_left: Uint8Array.from(left, () => rng.nextInt(2)),
    id: rng.nextInt(60) === 0 ? rng.nextInt(400) : place,
    left_children: left,
    loss_changes: Float32Array.from(left, () => odd(false)),
    right_children: right,
    split_conditions: Float32Array.from(
      left,
      (child) => odd(child === -1 ? rng.nextInt(200) === 0 : rng.nextInt(3) === 0),
    ),
    split_indices: Int32Array.from(
      left,
      () => rng.nextInt(100) === 0 ? rng.nextInt(4) * 1e9 - 1 : rng.nextInt(numFeatures),
    ),
    ...(rng.nextInt(4) > 0 && { split_type: new Uint8Array(size) }),
    ...(rng.nextInt(4) > 0 && { sum_hessian: Float32Array.from(left, () => odd(false)) }),
    tree_param: {
      num_nodes: String(size),
      size_leaf_vector: ["0", "1", "1", "1", " 1", "2"][rng.nextInt(20) ? rng.nextInt(4) : 4],
    },
  };
}

Deno.test("the kernel and the general reader agree on trees of every shape", () => {
  const rng = createRng(3);
  let taken = 0;
  let models = 0;
  const times = 600;
  for (let i = 0; i < times; i++) {
    const trees = Array.from(
      { length: 1 + rng.nextInt(4) },
      (_, place) => randomTree(rng, 3, place),
    );
    const bytes = writeUbjson({
      learner: {
        attributes: {},
        feature_names: [],
        feature_types: [],
        gradient_booster: {
          model: {
            gbtree_model_param: { num_trees: String(trees.length), num_parallel_tree: "1" },
            tree_info: new Int32Array(trees.length),
            trees,
          },
          name: "gbtree",
        },
        learner_model_param: {
          base_score: "5E-1",
          num_class: "0",
          num_feature: String(3 - +(rng.nextInt(20) === 0)),
          num_target: "1",
        },
        objective: { name: "reg:squarederror" },
      },
      version: new Int32Array([3, 1, 0]),
    });
    taken += +assertAgree(bytes, `trees ${i}`);
    models += +(typeof byReader(bytes).result === "object");
  }
  assert(taken > times / 3 && taken < times, `${taken} of ${times} files were read by the kernel`);
  assert(models > taken * 0.8, `${models} of ${times} are models`);
});

Deno.test("the kernel stops at the limits of the importer", () => {
  const bytes = read("xgboost-2.1.4/dart_reg_auto_mpg");
  for (const small of [fullLimits({ maxNodes: 10 }), fullLimits({ maxTrees: 2 })]) {
    const error = assertThrows(
      () => convertXgboost(readXgboostUbjson(bytes, small, 0), small),
      TreelineError,
    );
    assertEquals(error.code, "E_MODEL_LIMIT");
  }
});
