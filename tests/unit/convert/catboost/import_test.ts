// deno-lint-ignore-file camelcase -- the keys are CatBoost's
import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { ConversionError } from "../../../../src/errors.ts";
import { explainShap } from "../../../../src/explain/tree_shap.ts";

interface Made {
  readonly loss?: string;
  /** In place of the loss of the parameters. */
  readonly info?: { readonly [key: string]: unknown };
  readonly leaves?: readonly unknown[];
  readonly dimension?: number;
  readonly scale?: unknown;
  readonly classParams?: unknown;
  readonly floatFeatures?: readonly unknown[];
  readonly border?: number;
  readonly split?: unknown;
  /** In place of a list of that split. */
  readonly splits?: unknown;
}

/** A stump on float feature 1 as CatBoost 1.2.10 writes it: leaf values 1, 2, … */
function stump(made: Made, warnings: string[] = []) {
  const { dimension = 1, scale = 1, border = 0.5 } = made;
  const feature = (index: number) => ({
    borders: index === 1 ? [border] : [],
    feature_id: "",
    feature_index: index,
  });
  const document = {
    model_info: {
      ...(made.info ?? { params: { loss_function: { type: made.loss ?? "RMSE" } } }),
      ...(made.classParams === undefined ? {} : { class_params: made.classParams }),
    },
    features_info: { float_features: made.floatFeatures ?? [feature(0), feature(1)] },
    oblivious_trees: [{
      splits: made.splits === undefined
        ? [
          made.split ?? {
            border,
            float_feature_index: 1,
            split_index: 0,
            split_type: "FloatFeature",
          },
        ]
        : made.splits,
      leaf_values: made.leaves ?? Array.from({ length: 2 * dimension }, (_, i) => 1 + i),
      leaf_weights: [],
    }],
    scale_and_bias: [scale, new Array(dimension).fill(0)],
  };
  return importModel(new TextEncoder().encode(JSON.stringify(document)), {
    onWarning: (warning) => warnings.push(warning),
  });
}

Deno.test("importModel() names CatBoost's outputs where a class had no rows in training", () => {
  // CatBoostClassifier(class_names=["a", "b", "c", "d"]) trained without "b" writes this.
  const classParams = {
    class_label_type: "String",
    class_names: ["a", "b", "c", "d"],
    class_to_label: [0, 2, 3],
    classes_count: 0,
  };
  const model = stump({ loss: "MultiClass", dimension: 3, classParams });
  assertEquals(model.schema.classes, ["a", "c", "d"]);
  assertEquals(model.predictClass([{ f0: 0, f1: 0 }]), ["d"]);
  // classes_count=5 with rows of 0, 1 and 2 only.
  const counted = { class_names: [], class_to_label: [0, 1, 2], classes_count: 5 };
  const plain = stump({ loss: "MultiClass", dimension: 3, classParams: counted });
  assertEquals(plain.schema.classes, ["0", "1", "2"]);
  const named = { class_names: ["x", "y", "z"], class_to_label: [] };
  const ordered = stump({ loss: "MultiClass", dimension: 3, classParams: named });
  assertEquals(ordered.schema.classes, ["x", "y", "z"]);
  for (
    const wrong of [
      { class_names: ["a", "b"], class_to_label: [0, 1] },
      { class_names: ["a", "b", "c"], class_to_label: [0, 1, 3] },
    ]
  ) {
    assertThrows(
      () => stump({ loss: "MultiClass", dimension: 3, classParams: wrong }),
      ConversionError,
      "class_",
    );
  }
});

Deno.test("importModel() refuses CatBoost's class labels that run together", () => {
  const labels = { class_names: [1, 2 ** 53, 2 ** 53 + 2], class_to_label: [0, 1, 2] };
  const error = assertThrows(
    () => stump({ loss: "MultiClass", dimension: 3, classParams: labels }),
    ConversionError,
    "class_names",
  );
  assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
});

Deno.test("importModel() numbers CatBoost's nameless columns with the categorical ones between them", () => {
  const floatFeatures = [
    { borders: [], feature_id: "", feature_index: 0, flat_feature_index: 0 },
    { borders: [0.5], feature_id: "", feature_index: 1, flat_feature_index: 2 },
  ];
  const model = stump({ floatFeatures });
  assertEquals(model.schema.features.map((feature) => feature.name), ["f0", "f2"]);
  assertEquals(Array.from(model.predictRaw([{ f2: 1 }, { f2: 0 }]).data), [2, 1]);
});

Deno.test("importModel() compares with CatBoost's borders as float32, and says what a scale does", () => {
  // The float32 nearest to 0.1 is above the double: it is not greater than itself.
  const model = stump({ border: 0.1 });
  assertEquals(Array.from(model.predictRaw([{ f1: 0.1 }, { f1: 0.11 }]).data), [1, 2]);
  const warnings: string[] = [];
  stump({ scale: 2 }, warnings);
  assertEquals(warnings, []);
  stump({ scale: 2.5 }, warnings);
  assertEquals(warnings.length, 1);
});

Deno.test("importModel() refuses CatBoost's tests of categories, one-hot ones too", () => {
  // As catboost 1.2.10 writes them, trained with cat_features and one_hot_max_size 10 and 2.
  const splits = [
    { cat_feature_index: 0, split_index: 57, split_type: "OneHotFeature", value: -1438285038 },
    {
      border: 5.999999046325684,
      ctr_target_border_idx: 0,
      split_index: 63,
      split_type: "OnlineCtr",
    },
  ];
  for (const split of splits) {
    const error = assertThrows(() => stump({ split }), ConversionError, "tree 0: it tests a ");
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
    assertEquals(error.details, { tree: 0, splitType: split.split_type });
  }
});

Deno.test("importModel() finds the loss of CatBoost's sum_models(), whose files have no parameters", () => {
  // CatBoost 1.2.10, two stumps of each loss: predict() of the sum, Exponent and Probability.
  const poisson = { loss_function: '{"type":"Poisson","params":{}}' };
  const counts = stump({ info: poisson, leaves: [0, 3.125] });
  assertEquals([...counts.predictValue([{ f1: 0 }, { f1: 1 }])], [1, 22.75989509352673]);
  const logloss = { loss_function: '{"type":"Logloss","params":{}}' };
  const classParams = { class_names: ["no", "yes"], class_to_label: [0, 1] };
  const classes = stump({
    info: logloss,
    classParams,
    leaves: [-0.5681818181818181, 0.5681818181818181],
  });
  assertEquals(classes.predictClass([{ f1: 0 }, { f1: 1 }]), ["no", "yes"]);
  assertEquals([...classes.predictProba([{ f1: 1 }]).data], [
    0.36165646657562833,
    0.6383435334243717,
  ]);
  const text = { loss_function: "Poisson" };
  assertThrows(() => stump({ info: text }), ConversionError, "loss_function");
});

Deno.test("importModel() says that the scores of a CatBoost file without a loss are raw", () => {
  const warnings: string[] = [];
  assertEquals(stump({ info: {} }, warnings).schema.task, "regression");
  assertEquals(warnings, ["The file names no loss: scores are raw"]);
});

Deno.test("importModel() refuses CatBoost's tests of a feature that is not there", () => {
  const split = {
    border: 0.5,
    float_feature_index: 2,
    split_index: 0,
    split_type: "FloatFeature",
  };
  assertThrows(() => stump({ split }), ConversionError, "feature 2");
  // A feature that the list leaves out has a number for a name, and may be absent as nameless ones may.
  const floatFeatures = [{ borders: [0.5], feature_id: "", feature_index: 1 }];
  const { schema } = stump({ floatFeatures });
  assertEquals(schema.features.map(({ name }) => name), ["f0", "f1"]);
  assertEquals(schema.absentColumns, "missing");
});

/** A stump of borders of both features; what `load_model(format="json")` of CatBoost 1.2.10 says of it. */
const pair = (first: readonly unknown[], second: readonly unknown[]) => [
  { borders: first, feature_id: "", feature_index: 0 },
  { borders: second, feature_id: "", feature_index: 1 },
];

Deno.test("importModel() goes by the number of a CatBoost split, and refuses where its border says otherwise", () => {
  const split = (border: number, feature: number, index?: number) => ({
    border,
    float_feature_index: feature,
    split_index: index,
    split_type: "FloatFeature",
  });
  const floatFeatures = pair([-1, 2], [0.5, 0.75]);
  const model = stump({ floatFeatures, split: split(0.75, 1, 3) });
  assertEquals([...model.predictRaw([{ f1: 0.75 }, { f1: 0.8 }]).data], [1, 2]);
  for (
    const wrong of [
      split(0.75, 1, 2), // the library tests 0.5
      split(0.75, 0, 3), // the library tests feature 1
      split(0.7, 1, 3),
      split(0.75, 1, 4),
      split(0.75, 1, 0.5),
      split(0.75, 1), // the library takes number 0
      { ...split(0.75, 1), split_index: "3" }, // and here
    ]
  ) assertThrows(() => stump({ floatFeatures, split: wrong }), ConversionError, "split_index");
});

Deno.test("importModel() refuses CatBoost's numbers that the library takes for 0, and borders out of order", () => {
  const cases: readonly [Made, string][] = [
    [{ floatFeatures: pair([], [0.5, 0.25]) }, "borders"], // it counts the borders below a value
    [{ floatFeatures: pair([], [0.5, 0.5]) }, "borders"],
    [{ floatFeatures: pair([], [0.5, "1"]) }, "borders"],
    [{ floatFeatures: [...pair([], []), { borders: [0.5], feature_index: 1 }] }, "feature_index"],
    [
      { floatFeatures: pair([], [0.5]).map((item) => ({ ...item, flat_feature_index: 3 })) },
      "flat_feature_index",
    ],
    [{ leaves: ["1", 2] }, "leaf_values"],
    [{ leaves: [true, 2] }, "leaf_values"],
    [{ leaves: [null, 2] }, "leaf_values"],
    [{ scale: "2" }, "scale_and_bias"],
    [{ scale: true }, "scale_and_bias"],
  ];
  for (const [made, field] of cases) assertThrows(() => stump(made), ConversionError, field);
});

Deno.test("importModel() sends NaN right in CatBoost's files only where training had some", () => {
  const scored = (has: unknown, treatment: string) => {
    const [first, second] = pair([], [0.5]);
    const nan = { has_nans: has, nan_value_treatment: treatment };
    const floatFeatures = [first, { ...second, ...nan }];
    return stump({ floatFeatures }).predictRaw([{ f1: NaN }]).data[0];
  };
  assertEquals(scored(true, "AsTrue"), 2);
  assertEquals(scored(true, "AsFalse"), 1);
  assertEquals(scored(false, "AsTrue"), 1);
  assertEquals(scored(1, "AsTrue"), 1);
});

Deno.test("importModel() takes a CatBoost tree without splits", () => {
  assertEquals(stump({ splits: null, leaves: [7] }).predictRaw([{}]).data[0], 7);
});

Deno.test("models of CatBoost are explained as its ShapValues explain them: the last split is the root", () => {
  // CatBoost 1.2.10: X = [[1,1],[2,0],[3,1],[4,0],[5,1],[6,0],[7,1],[8,0],[9,3]], y = 0 1 0 3 5 9 6 7 20;
  // iterations=1, depth=3, learning_rate=1, l2_leaf_reg=0.5; get_feature_importance(type="ShapValues").
  const split = (border: number, float_feature_index: number, split_index: number) => (
    { border, float_feature_index, split_index, split_type: "FloatFeature" }
  );
  const document = {
    model_info: { params: { loss_function: { type: "RMSE" } } },
    features_info: { float_features: pair([4.5, 8.5], [0.5]) },
    oblivious_trees: [{
      splits: [split(8.5, 0, 1), split(4.5, 0, 0), split(0.5, 1, 2)],
      leaf_values: [
        [-2.9333332061767576, 0, 1.8666667938232422, 0],
        [-4.533333206176758, 0, -0.1333332061767578, 9.555555661519369],
      ].flat(),
      leaf_weights: [2, 0, 2, 0, 2, 0, 2, 1],
    }],
    scale_and_bias: [1, [5.666666507720947]],
  };
  const model = importModel(new TextEncoder().encode(JSON.stringify(document)));
  const shap = explainShap(model, [{ f0: 1, f1: 1 }, { f0: 6, f1: 0 }, { f0: 9, f1: 3 }]);
  const expected = [
    [-4.093827157197175, -0.22716049476906114],
    [1.6839506184613264, 0.3950617295724376],
    [7.516049341272427, 2.251851874457465],
  ].flat();
  // Sums of doubles in another order.
  expected.forEach((value, i) => assertAlmostEquals(shap.values[i], value, 1e-14));
  assertAlmostEquals(shap.bias[0], 5.454320953510425, 1e-14);
});

Deno.test("importModel() says where CatBoost's labels go by a threshold of their own", () => {
  // CatBoost 1.2.10 writes "0.5" for CatBoostClassifier, "0.8" after set_probability_threshold(0.8).
  const warningsOf = (threshold: string, loss: string, dimension: number): string[] => {
    const warnings: string[] = [];
    const info = {
      binclass_probability_threshold: threshold,
      params: { loss_function: { type: loss } },
    };
    stump({ info, dimension }, warnings);
    return warnings;
  };
  assertEquals(warningsOf("0.5", "Logloss", 1), []);
  assertEquals(warningsOf("0.8", "MultiClass", 3), []);
  assertEquals(warningsOf("0.8", "RMSE", 1), []);
  const [warning, ...rest] = warningsOf("0.8", "Logloss", 1);
  assertEquals(rest, []);
  assertEquals(/above 0\.8/.test(warning), true);
});
