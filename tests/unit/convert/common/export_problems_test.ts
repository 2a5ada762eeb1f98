import { assert, assertEquals, assertThrows } from "@std/assert";
import { exportModel } from "../../../../src/convert/export_model.ts";
import {
  type ExportAbility,
  exportProblems,
} from "../../../../src/convert/common/export_problems.ts";
import type { InputFeature } from "../../../../src/data/types.ts";
import { ConversionError } from "../../../../src/errors.ts";
import { createModel, type Model } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees, type TreeBuilder } from "../../../../src/model/trees.ts";
import type { Ensemble, ModelParts } from "../../../../src/model/types.ts";
import { SMALL_SCHEMA, smallEnsemble } from "../../../support/models/small.ts";
import { surrogateParts } from "../../../support/models/surrogate.ts";

const NOTHING: ExportAbility = {
  subset: false,
  equal: false,
  multiway: false,
  float32: true,
  float32Leaves: true,
  aggregates: ["sum"],
  links: ["identity", "sigmoid"],
  zeroIsMissing: false,
  missingCells: false,
};
const ALL: ExportAbility = {
  subset: true,
  equal: true,
  multiway: true,
  float32: false,
  float32Leaves: false,
  aggregates: ["sum", "average", "vote"],
  links: ["identity", "sigmoid", "exp"],
  zeroIsMissing: true,
  missingCells: true,
};

const SMALL: ModelParts = {
  schema: SMALL_SCHEMA,
  ensemble: smallEnsemble(),
  info: { version: "0", algorithm: "x" },
};

function said(parts: ModelParts, can: ExportAbility): string[] {
  return exportProblems(createModel(parts), can).map(({ feature, reason }) =>
    feature === undefined ? reason : `${feature}: ${reason}`
  );
}

const rules = (change: Partial<Ensemble>): ModelParts => ({
  ...SMALL,
  ensemble: { ...smallEnsemble(), ...change },
});

/** The small model with one feature changed. */
function feature(index: number, change: object): ModelParts {
  const features = SMALL_SCHEMA.features.map((one, f): InputFeature =>
    f === index ? { ...one, ...change } as InputFeature : one
  );
  return { ...SMALL, schema: { ...SMALL_SCHEMA, features } };
}

/** The small model with the one tree that `make` grows. */
function tree(make: (tree: TreeBuilder) => number, leaf = 1): ModelParts {
  const one = createTreeBuilder(1);
  const first = make(one);
  for (let node = 0; node < first + 2; node++) one.setValue(node, [leaf]);
  return rules({
    trees: packTrees([one]),
    treeOutput: new Int32Array(1),
    treeWeight: Float64Array.of(1),
  });
}

const job = "job: it is tested by sets of categories";

/** What is said of a model to a format that can nothing, beside the sets of `job`, and to one that can all. */
const CASES: readonly (readonly [string, ModelParts, string[], string[]])[] = [
  ["nothing", SMALL, [job], []],
  ["a link", rules({ postprocess: { name: "exp" } }), ['the link is "exp"', job], []],
  ["averages", rules({ aggregate: "average" }), ['trees are joined by "average"', job], []],
  [
    "costs",
    {
      ...SMALL,
      ensemble: {
        ...smallEnsemble(),
        numOutputs: 2,
        baseScore: new Float64Array(2),
        postprocess: { name: "identity", costs: [0, 1, 1, 0] },
      },
    },
    ["classes are chosen by the cost of mistakes", job],
    [
      "classes are chosen by the cost of mistakes",
    ],
  ],
  ["calibration", { ...SMALL, calibration: [{ method: "platt", a: 1, b: 0 }] }, [
    "responses are calibrated",
    job,
  ], ["responses are calibrated"]],
  [
    "surrogates",
    surrogateParts(),
    ["missing values follow surrogate splits"],
    ["missing values follow surrogate splits"],
  ],
  ["zeros", feature(0, { zeroIsMissing: true }), ["age: zero counts as missing", job], []],
  ["missing values", feature(0, { missing: "error" }), ["age: a missing value is an error", job], [
    "age: a missing value is an error",
  ]],
  ["missing levels", feature(1, { missing: "error" }), ["job: a missing value is an error", job], [
    "job: a missing value is an error",
  ]],
  ["unknown levels", feature(1, { unknown: "error" }), ["job: an unknown value is an error", job], [
    "job: an unknown value is an error",
  ]],
  ["markers", { ...SMALL, schema: { ...SMALL_SCHEMA, missingCells: ["?", "-99"] } }, [
    "numbers count as missing: -99",
    job,
  ], []],
  ["markers of text", { ...SMALL, schema: { ...SMALL_SCHEMA, missingCells: ["?"] } }, [job], []],
  ["equality", tree((t) => t.splitEqual(0, 0, 5, 0)), ["age: it is tested for equality"], []],
  ["equality with 0.1", tree((t) => t.splitEqual(0, 0, 0.1, 0)), [
    "age: it is tested for equality",
    "age: it is tested for equality with a number beyond float32",
  ], []],
  ["thresholds", tree((t) => t.splitThreshold(0, 2, 0.1, 0)), [
    "__proto__: thresholds need more than float32",
  ], []],
  ["leaves", tree((t) => t.splitThreshold(0, 0, 1, 0), 0.1), ["leaves need more than float32"], []],
  ["branches", tree((t) => t.splitMultiway(0, 1, Uint32Array.of(0, 1, 1), 2, 0)), [
    "job: it is tested with one branch for each category",
  ], []],
  ["every branch", tree((t) => t.splitThreshold(0, 0, 1, 255)), [
    "age: missing values stop at a node or take every branch",
  ], ["age: missing values stop at a node or take every branch"]],
  ["stops", tree((t) => t.splitThreshold(0, 0, 1, 254)), [
    "age: missing values stop at a node or take every branch",
  ], ["age: missing values stop at a node or take every branch"]],
];
for (const [what, parts, toNothing, toAll] of CASES) {
  Deno.test(`exportProblems() says what a format cannot hold: ${what}`, () => {
    assertEquals(said(parts, NOTHING).toSorted(), toNothing.toSorted());
    assertEquals(said(parts, ALL).toSorted(), toAll.toSorted());
  });
}

Deno.test("exportModel() refuses links and weights that XGBoost has not, by code and reason", () => {
  const float32: Ensemble["profile"] = { input: "f32", sum: "f32", base: "first", shownTest: "<" };
  const of = (change: Partial<Ensemble>): Model =>
    createModel(rules({ profile: float32, ...change }));
  exportModel(of({}), "xgboost-json");
  const cases: readonly (readonly [Partial<Ensemble>, string])[] = [
    [{ postprocess: { name: "probit" } }, "the link is"],
    [{ postprocess: { name: "sigmoid", scale: 2 } }, "the sigmoid has the factor 2"],
    [{ treeWeight: Float64Array.of(1, 0.1, 1) }, "weights of trees need more than float32"],
  ];
  for (const [change, reason] of cases) {
    const error = assertThrows(() => exportModel(of(change), "xgboost-json"), ConversionError);
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
    assert(error.message.includes(reason), error.message);
  }
});
